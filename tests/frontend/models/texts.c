/* Reads numbers from each line of standard input by the functions of strings. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int next_operation(void);

int main(void)
{
    static char text[1000];
    size_t length = 0;
    int c;
    (void)next_operation;
    while ((c = next_operation()) >= 0 && length < sizeof text - 1)
        text[length++] = (char)c;
    char *end = text, word[20] = "", set[20] = "", letters[8] = "";
    int a = 0, b = 0, n = 0, r;
    unsigned u = 0;
    long l = 0;
    short s = 0;
    double d = 0;
    float f = 0;
    printf("%d %ld %lld\n", atoi(text), atol(text), atoll(text));
    errno = 0;
    l = strtol(text, &end, 10), printf("%ld %td %d\n", l, end - text, errno), errno = 0;
    l = strtol(text, &end, 0), printf("%ld %td %d\n", l, end - text, errno), errno = 0;
    l = strtol(text, &end, 16), printf("%ld %td %d\n", l, end - text, errno), errno = 0;
    l = strtol(text, NULL, 8), printf("%ld %d\n", l, errno), errno = 0;
    printf("%lu %td %d\n", strtoul(text, &end, 10), end - text, errno), errno = 0;
    printf("%llu %td %d\n", strtoull(text, &end, 0), end - text, errno), errno = 0;
    printf("%lld %td %d\n", strtoll(text, &end, 10), end - text, errno), errno = 0;
    printf("%a\n", atof(text));
    d = strtod(text, &end), printf("%a %td\n", d, end - text);
    f = strtof(text, &end), printf("%a %td\n", f, end - text);
    printf("%a\n", strtod(text, NULL));
    fflush(stdout);
    r = sscanf(text, "%d %n%19s", &a, &n, word), printf("%d %d %d %s\n", r, a, n, word);
    r = sscanf(text, "%x%i", &u, &b), printf("%d %u %d\n", r, u, b);
    r = sscanf(text, "%2d%3[0-9x]%c", &a, set, letters), printf("%d %d %s %s\n", r, a, set, letters);
    r = sscanf(text, " %*s %hd%%,%*[^,],%ld", &s, &l), printf("%d %d %ld\n", r, s, l);
    r = sscanf(text, "%o-%u", &u, &a), printf("%d %u %d\n", r, u, a);
    fflush(stdout);
    r = sscanf(text, "%lf", &d), printf("%d %a\n", r, d);
    fflush(stdout);
    r = sscanf(text, "%f%3lf", &f, &d), printf("%d %a %a\n", r, f, d);
    return 0;
}
