// Reads sums and quotients from standard input; it knows nothing of gia. What makes it hard: numbers are texts of any length.
//
// Unreachable:
#include <stdio.h>

int main(void)
{
    int left, right;
    char operator;
    while (scanf("%d %c %d", &left, &operator, &right) == 3) {
        switch (operator) {
        case '+':
            printf("%d\n", left + right);
            break;
        case '/':
            if (right == 0) {
                puts("division by zero");
                break;
            }
            printf("%d\n", left / right);
            break;
        default:
            puts("which operation?");
        }
        if (left == 98765)
            puts("that is my number");
    }
    if (feof(stdin))
        puts("end");
    else
        puts("a number is expected");
    return 0;
}
