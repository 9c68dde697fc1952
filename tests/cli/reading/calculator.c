#include <stdio.h>

int main(void)
{
    int left, right, n = 0;
    char operator;
    while (scanf("%d %c %d", &left, &operator, &right) == 3) {
        n++; // 7:5:then
        switch (operator) {
        case '+': // 9:9:case 43
            printf("%d\n", left + right);
            break;
        case '/': // 9:9:case 47
            if (right == 0) {
                puts("division by zero"); // 14:13:then
                break;
            }
            printf("%d\n", left / right); // 14:13:else
            break;
        default:
            puts("which operation?"); // 9:9:default
        }
        if (left == 98765)
            puts("found"); // 23:9:then
        else
            n++; // 23:9:else
    }
    n++; // 7:5:else
    if (feof(stdin))
        puts("end"); // 29:5:then
    else
        puts("a number is expected"); // 29:5:else
    return 0;
}
