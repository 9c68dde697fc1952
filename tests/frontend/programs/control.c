/* Statements: loops, break and continue, switch with fall-through, goto into and out of loops. */
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
enum color { RED, GREEN = 5, BLUE };

static int classify(int n)
{
    int result = 0;
    switch (n & 15) {
        int hidden;
    case 0:
        result += 1;
    case 1:
    case 2:
        result += 10;
        break;
    case RED + 3:
        hidden = n;
        result = hidden;
        /* fall through */
    case 4 ... 6:
        while (result < 20) {
    case 7:
            result += 7;
            if (result == 14)
                continue;
            if (result & 1)
                break;
        }
        break;
    default:
        result = -1;
        break;
    case 8:
        return 88;
    }
    switch (result)
        case 11: result = 12;
    switch (n) { }
    switch (n) default: result++;
    return result;
}

static int jumps(int n)
{
    int i = 2, sum = 0;
    if (n > 3)
        goto inside;
    for (i = 0; i < 5; i++) {
        sum += i;
    inside:
        sum += 100;
        if (sum > 250)
            goto out;
        if (n == 2) {
            n = 50;
            continue;
        }
    }
out:
    do {
        if (n-- < 0)
            break;
        sum++;
    } while (n % 7);
again:
    for (;;) {
        if (sum % 3 == 0)
            break;
        sum++;
        goto again;
    }
    while (1)
        if (sum++ > 10) break;
    if (n) if (n > 1) sum += 1000; else sum += 2000;
    ;
    return sum;
}

int main(void)
{
    int i, n = __VERIFIER_nondet_int();
    for (i = 0; i < 20; i++)
        printf("%d ", classify(i + (n & 16)));
    for (int i = -2; i < 6; ++i)
        printf("%d ", jumps(i));
    printf("%d %d\n", i, classify(n));
    for (int i = 0, j = 10; i < j; i++, j--)
        if (i == 3) goto end;
end:
    return classify(n) & 127;
}
