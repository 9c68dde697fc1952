/* Local labels, labels at the end of statement expressions, addresses of labels as values and numbers. */
#include <stdint.h>
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);

#define HERE ({ __label__ here; here: (uintptr_t)&&here; })
#define AT_LEAST(n, least) ({ \
    __label__ done, small; \
    int value = (n); \
    if (value < (least)) goto small; \
    goto done; \
    small: value = (least); \
    done: value; \
})

static int steps(unsigned program)
{
    void *const table[] = { &&add, &&twice, &&minus, &&out };
    int result = 1;
    goto *table[program & 3];
add:
    result += 3; program >>= 2; goto *table[program & 3];
twice:
    result *= 2; program >>= 2; goto *table[program & 3];
minus:
    {
        __label__ out;
        if (result > 100) goto out;
        result -= 1;
        out: program >>= 2;
    }
    if (program == 0) goto out;
    goto *table[program & 3];
out:
    return result;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    printf("%d %d\n", AT_LEAST(n & 31, 7), AT_LEAST(n & 3, AT_LEAST(2, 1)));
    printf("%d %d\n", HERE > 100, HERE != HERE);
    printf("%d\n", steps((unsigned)n & 0xffff | 0x30000));
    return 0;
}
