/* Integer operators: promotions, usual arithmetic conversions, shifts, division, comparisons of mixed signedness. */
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    unsigned u = (unsigned)a;
    signed char c = (signed char)b;
    unsigned char uc = (unsigned char)b;
    short s = (short)a;
    unsigned short us = (unsigned short)a;
    long l = a;
    unsigned long ul = (unsigned long)b;
    long long ll = (long long)a * b;
    _Bool flag = a;

    printf("%d %d %d %d\n", a + b, a - b, a * b, b ? a / b : 0);
    printf("%d %d %u %u\n", b ? a % b : 1, -a, ~u, u >> 3);
    printf("%d %d %d %d\n", a & b, a | b, a ^ b, !a);
    printf("%d %d %d\n", c << 2, uc << 4, s >> 1);
    printf("%d %d %d %d\n", a < b, u < ul, c == uc, us > s);
    printf("%d %d\n", -1 < 1u, (short)-1 < (unsigned short)1);
    printf("%ld %lu %lld %d\n", l << 3, ul + u, ll ^ a, flag + flag);
    printf("%d %d\n", (char)200, (unsigned char)300);
    printf("%lld %d\n", 0x7fffffffffffffffLL + (a & 1), 2147483647 + (a & 1));
    c += 100, uc *= 3, s <<= 2, us -= 70000, flag -= 1;
    printf("%d %d %d %d %d\n", c, uc, s, us, flag);
    u /= 3, l %= 7, ul >>= 5, ll |= 0x10, a ^= b;
    printf("%u %ld %lu %lld %d\n", u, l, ul, ll, a);
    u += -1.5, c *= 1.25, a -= 2.75f;
    printf("%u %d %d\n", u, c, a);
    printf("%d %d\n", a++ + 1, ++b - 2);
    printf("%d %d\n", a-- * 3, --b);
    printf("%d %d\n", a, b);
    printf("%d\n", (a, b, a + b));
    printf("%d %d %d\n", a ? b ? 1 : 2 : 3, (a > 3) + (b > 3 ? 10 : 20), a ?: 7);
    printf("%d %u %d\n", 'a', 0xffffffff, '\377');
    printf("%d %d %d %d\n", (int)sizeof(int), (int)sizeof a, (int)sizeof(a + 1LL), (int)sizeof(char[3][5]));
    return (a ^ b) & 0x3f;
}
