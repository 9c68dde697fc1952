#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char line[40];
    int amount, balance = 100;
    while (fgets(line, sizeof line, stdin)) {
        balance += 0; // 9:5:then
        if (strcmp(line, "quit\n") == 0)
            exit(0); // 11:9:then
        switch (atoi(line)) { // 11:9:else
        case 1:
            printf("%d\n", balance); // 13:9:case 1
            break;
        case 2:
            amount = 0; // 13:9:case 2
            if (!fgets(line, sizeof line, stdin) || sscanf(line, "%d", &amount) != 1)
                puts("how much?"); // 19:13:then
            else {
                amount += 0; // 19:13:else
                if (amount > balance)
                    puts("too much"); // 23:17:then
                else
                    balance -= amount; // 23:17:else
            }
            break;
        default:
            puts("1, 2 or quit"); // 13:9:default
        }
    }
    return balance; // 9:5:else
}
