#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int c = getchar(), x = 0, n = 0;
    if (c > 255)
        puts("no byte");
    if (c < -1)
        puts("below the end");
    n = scanf("%d", &x);
    if (n == 2)
        puts("two of one");
    if (n < 1 && x != 0)
        puts("not stored");
    if (n == 1 && x == -2147483647 - 1)
        puts("the least number");
    if (argc > 100)
        puts("more arguments than tests have");
    if (argc > 1 && strlen(argv[1]) == 30)
        puts("a longer argument than tests have");
    char *home = getenv("HOME");
    if (home && strlen(home) == 30)
        puts("a longer value than tests have");
    return 0;
}
