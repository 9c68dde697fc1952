/* Reads options, and words, from each line of operations: a kind, then characters; 0 ends an argument. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

extern int next_operation(void);

static int flag;
static const struct option options[] = {
    {"verbose", no_argument, &flag, 5},       {"version", no_argument, 0, 'V'},    {"file", required_argument, 0, 'f'},
    {"level", optional_argument, 0, 'l'},     {"lever", optional_argument, 0, 'l'}, {"v", no_argument, &flag, 7},
    {"quiet", required_argument, &flag, 0x41}, {0, 0, 0, 0},
};
static const char *const letters[] = {"ab:c::", "+ab:c::", "-ab:c::", ":ab:", "", "a-;:"};

int main(void)
{
    static char text[400], copy[400], *arguments[12];
    int kind = next_operation(), count = 1, length = 0, c, index;
    const char *shown = letters[kind % 6];
    arguments[0] = "program";
    while ((c = next_operation()) >= 0 && length < 398 && count < 11) {
        if (!arguments[count])
            arguments[count] = text + length;
        text[length++] = (char)c;
        if (c == 0)
            count++;
    }
    if (arguments[count])
        text[length++] = 0, count++;
    opterr = 0;
    do {
        index = -1;
        c = kind < 6 ? getopt(count, arguments, shown) : getopt_long(count, arguments, shown, options, &index);
        printf("%d %d %s %d %d %d\n", c, optind, optarg ? optarg : "-", c == '?' || c == ':' ? optopt : 0, index, flag);
    } while (c != -1);
    for (index = 0; index < count; index++)
        printf("[%s]", arguments[index]);
    for (index = 0; index < length - 1; index++)
        if (!text[index])
            text[index] = ' ';
    char *rest = 0, *word;
    memcpy(copy, text, sizeof copy);
    for (word = strtok(text, " -"); word; word = strtok(NULL, " a"))
        printf("(%s)", word);
    memcpy(text, copy, sizeof copy);
    for (word = strtok_r(copy, "-=", &rest); word; word = strtok_r(NULL, " -", &rest))
        printf("<%s>", word);
    for (rest = text; (word = strsep(&rest, "= ")) != NULL;)
        printf("{%s}", word);
    return 0;
}
