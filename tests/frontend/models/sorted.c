/* Sorts and searches the operations behind the first two, as elements of several sizes, and tells each comparison. The
 * first operation says what is compared, and the second one is what is looked for. */
#include <stdio.h>
#include <stdlib.h>

extern int next_operation(void);

static int kind, sum;

struct large {
    char key;
    char rest[38];
};

static int compare(const void *left, const void *right)
{
    int a = *(const signed char *)left, b = *(const signed char *)right;
    printf("%d?%d ", a, b);
    sum = sum * 31 + a - 2 * b;
    switch (kind % 4) {
    case 0:
        return a - b;
    case 1:
        return a / 4 - b / 4; /* equal ones differ */
    case 2:
        return b > a ? 100 : -(b < a);
    default:
        return sum; /* no order at all */
    }
}

static void *copied(const int *numbers, size_t count, size_t size)
{
    char *all = calloc(count + 1, size);
    for (size_t n = 0; n < count; n++) {
        all[n * size] = (char)numbers[n];
        all[n * size + size - 1] = (char)numbers[n];
    }
    return all;
}

int main(void)
{
    static const size_t sizes[] = {1, sizeof(short), sizeof(int), 7, sizeof(double), sizeof(struct large)};
    int numbers[100], c;
    size_t count = 0;
    kind = next_operation();
    signed char wanted = (signed char)next_operation();
    while ((c = next_operation()) >= 0 && count < 100)
        numbers[count++] = c;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *all = copied(numbers, count, sizes[i]);
        qsort(all, count, sizes[i], compare);
        for (size_t n = 0; n < count; n++)
            printf("%d,%d ", all[n * sizes[i]], all[n * sizes[i] + sizes[i] - 1]);
        const char *found = bsearch(&wanted, all, count, sizes[i], compare);
        printf("%td\n", found ? found - all : -1);
        free(all);
    }
    return 0;
}
