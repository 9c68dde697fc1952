#include <stdio.h>
extern void reach_error(void);
int main(void)
{
    int c, n = 0, ended = 0;
    while (n < 1000) {
        c = getchar();
        if (ended && c != -1)
            reach_error();
        if (c == -1)
            ended = 1;
        n++;
    }
    return 0;
}
