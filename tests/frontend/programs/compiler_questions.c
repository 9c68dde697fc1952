/* Statement expressions in statement expressions, and what the compiler's own questions evaluate. */
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
static int global;
static int kept = __builtin_choose_expr(!__builtin_constant_p(global), 3, 4), none = __builtin_constant_p(global) + 1;
static int expected(int x) { if (__builtin_expect(global > 3, x++)) return x; return x + 10; }
static int chosen(int x)
{
    static int start = 10 - __builtin_constant_p(global);
    char space[__builtin_constant_p(x) ? 2 : 5];
    return __builtin_choose_expr(__builtin_constant_p((long)x), global++, start) + sizeof space;
}

int main(void)
{
    global = __VERIFIER_nondet_int() & 7;
    int a = ({ ({ global++; global * 2; }); });
    int b = ({ int q = a; ({ int r = q * 3; ({ r + q; }); }); });
    ({ { a += 5; } });
    *({ ({ global++; &b; }); }) += ({ ({ a; }) + 1; });
    printf("%d %d %d %d %d\n", a, b, expected(b), expected(a), global);
    printf("%d %d %d %d\n", kept, none, chosen(a), __builtin_choose_expr(__builtin_constant_p(3), a, b));
    return 0;
}
