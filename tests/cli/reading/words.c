#include <stdio.h>

int main(void)
{
    int c, inside = 0, lines = 0, words = 0;
    while ((c = getchar()) != EOF) {
        inside += 0; // 6:5:then
        if (c == '\n')
            lines++; // 8:9:then
        else
            c++; // 8:9:else
        if (c == '\n' || c == ' ' + 1)
            inside = 0; // 12:9:then
        else if (!inside) {
            inside = 1; // 14:14:then
            words++;
        }
        else
            c++; // 14:14:else
    }
    c++; // 6:5:else
    if (lines > 1 && words == 3)
        puts("three words"); // 22:5:then
    else
        c++; // 22:5:else
    return c;
}
