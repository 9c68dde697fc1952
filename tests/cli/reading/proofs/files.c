/* Which branches are reachable, with some file and on some disk, is said behind them. */
#include <stdio.h>

int main(void)
{
    FILE *file = fopen("data.txt", "r"), *copy;
    int c, n = 0, lines = 0;
    if (!file)
        return 1; /* yes */
    while ((c = fgetc(file)) != EOF) {
        if (c < 0)
            return 2; /* no */
        if (c > 255)
            return 3; /* no */
        if (n < 30000)
            n++;
        if (c == '\n')
            lines = 1;
    }
    if (n == 30000)
        return 4; /* yes: files may be long */
    if (n == 0 && lines)
        return 5; /* no */
    if (fclose(file) != 0)
        return 6; /* yes */
    copy = fopen("copy.txt", "w");
    if (!copy)
        return 7; /* yes */
    if (fputc('x', copy) != 'x')
        return 8; /* yes */
    if (fclose(copy) != 0)
        return 9; /* yes: the disk may be full */
    copy = fopen("copy.txt", "r");
    if (!copy)
        return 10; /* yes */
    if (ferror(copy))
        return 11; /* no */
    if (fgetc(copy) == 'y')
        return 12; /* no: what was written was written */
    return 0;
}
