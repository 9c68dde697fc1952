/* Does what it is told by next_operation and prints what it has read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int next_operation(void);

static void show(const char *what, int result)
{
    printf("%s %d", what, result);
}

static int (*next_byte)(void) = getchar;

int main(void)
{
    static char text[64], *line;
    static size_t size;
    int a, b, c = 'x', operation;
    unsigned u;
    short s;
    signed char t;
    unsigned char w;
    long l;
    unsigned long long ull;
    float f;
    double d;
    setvbuf(stdout, 0, _IONBF, 0);
    while ((operation = next_operation()) >= 0) {
        a = b = -1;
        u = 7, s = 7, t = 7, w = 7, l = 7, ull = 7, f = 7, d = 7;
        memset(text, '#', sizeof text - 1);
        switch (operation) {
        case 0: c = next_byte(); show("getchar", c); break;
        case 1: show("d", scanf("%d", &a)); break;
        case 2: show("dd", scanf("%d%d", &a, &b)); break;
        case 3: show("s", scanf("%31s", text)); break;
        case 4: show(" c", scanf(" %c", text)); break;
        case 5: show("lf", scanf("%lf", &d)); break;
        case 6: show("fgets", fgets(text, 8, stdin) != 0); break;
        case 7: show("ungetc", ungetc(c, stdin)); break;
        case 8: show("feof", !!feof(stdin)); break;
        case 9: clearerr(stdin); break;
        case 10: show("u", scanf("%u", &u)); break;
        case 11: show("x", scanf("%x", &u)); break;
        case 12: show("i", scanf("%i", &a)); break;
        case 13: show("3d", scanf("%3d", &a)); break;
        case 14: show("[]", scanf("%9[a-c^1]", text)); break;
        case 15: show("*d,d", scanf("%*d,%d", &a)); break;
        case 16: show("f", fscanf(stdin, "%f", &f)); break;
        case 17: show("adb", scanf("a%db", &a)); break;
        case 18: show("3c", scanf("%3c", text)); break;
        case 19: show("d\\n", scanf("%d\n", &a)); break;
        case 20: show("hhd", scanf("%hhd%hd", &t, &s)); break;
        case 21: show("ld", scanf("%ld", &l)); break;
        case 22: show("llu", scanf("%llu", &ull)); break;
        case 23: show("getline", (int)getline(&line, &size, stdin)); break;
        case 24: show("fread", (int)fread(text, 3, 2, stdin)); break;
        case 25: show("%%", scanf("%%%d", &a)); break;
        case 26: show("4lf", scanf("%4lf", &d)); break;
        case 27: show("hhu", scanf("%hhu %o", &w, &u)); break;
        case 28: show("^", scanf("%9[^\n]", text)); break;
        case 29: show("lf,f", scanf("%lf , %*f %c", &d, text)); break;
        case 30: show("ws", scanf(" ")); break;
        case 31: show("gets", gets(text) != 0); break;
        case 32: show("getc", c = getc(stdin)); break;
        }
        printf(" %d %d %u %d %d %d %ld %llu %a %a %.40s %s %zu\n", a, b, u, s, t, w, l, ull, f, d, text, line ? line : "", size);
    }
    return 0;
}
