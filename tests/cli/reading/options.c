#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int verbose = 0, count = 1;
    for (int i = 1; i < argc; i++) {
        verbose += 0; // 8:5:then
        if (strcmp(argv[i], "-h") == 0) {
            puts("usage: options [-v] [-n COUNT]"); // 10:9:then
            return 0;
        } else if (argv[i][0] != '-') {
            puts("no option"); // 13:16:then
            return 2;
        }
        switch (argv[i][1]) { // 13:16:else
        case 'v':
            verbose++; // 17:9:case 118
            break;
        case 'n':
            if (i + 1 == argc) {
                puts("a number is expected"); // 22:13:then
                return 2;
            }
            count = atoi(argv[++i]); // 22:13:else
            break;
        default:
            return 2; // 17:9:default
        }
    }
    count += 0; // 8:5:else
    if (getenv("QUIET") == NULL)
        puts("loud"); // 33:5:then
    else if (verbose)
        puts("which?"); // 35:10:then
    else
        verbose = -1; // 35:10:else
    if (count > 5)
        puts("many"); // 39:5:then
    else
        puts("another count"); // 39:5:else
    return 0;
}
