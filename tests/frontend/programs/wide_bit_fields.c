/* Bit-fields wider than int: gcc computes with them in types of their width. */
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
struct wide { unsigned long long n : 40, m : 61; long long s : 40, t : 61; unsigned long long full : 64; };
int table[4] = { 5, 6, 7, 8 };
int main(void) {
  struct wide w = { 0 }, *p = &w;
  int i = __VERIFIER_nondet_int();
  unsigned u = (unsigned)i;
  for (int round = 0; round < 3; round++) {
    w.n = (unsigned long long)i * 977;
    w.m = (unsigned long long)i << 30;
    w.s = (long long)i * 65537;
    w.t = -(long long)i;
    w.full = (unsigned long long)i;
    printf("%d%d%d%d ", w.n > -1, w.n > i, p->n == u, i <= w.n);
    printf("%d%d%d%d ", w.n > -1LL, w.n < (long)i, w.s < i, u > w.s);
    printf("%d%d%d%d ", w.n < w.m, w.s < w.t, w.n == w.s, w.s < w.n);
    printf("%d%d%d ", w.t != w.m, w.full > w.n, w.n >= 1.5);
    printf("%llu %lld ", w.n * (unsigned long long)sizeof(int), w.s + 1LL);
    printf("%llu %.3f ", 1ULL << (w.n & 31ULL), w.t / 4.0);
    printf("%d %d ", table[w.n & 3ULL], *(table + (w.m & 1ULL)));
    w.n += i; printf("%llu ", (unsigned long long)w.n);
    w.n -= 12345678901LL; printf("%llu ", (unsigned long long)w.n);
    w.s *= i; printf("%lld ", (long long)w.s);
    w.m <<= 3; printf("%llu ", (unsigned long long)w.m);
    w.s >>= 2; printf("%lld ", (long long)w.s);
    w.t ^= w.s; printf("%lld ", (long long)w.t);
    w.n |= u; w.n &= ~5u; printf("%llu ", (unsigned long long)w.n);
    w.n++; --w.s; printf("%llu %lld ", (unsigned long long)w.n, (long long)w.s);
    w.n /= 7ULL; w.m %= 1000ULL; printf("%llu %llu ", (unsigned long long)w.n, (unsigned long long)w.m);
    w.s += 1.5; printf("%lld ", (long long)w.s);
    printf("%lld %d\n", round ? w.s : 1LL << 50, !w.n || w.m ? 1 : 2);
    w.n = i - 5; w.s = i * 7LL - 40; w.m = u; w.t = w.n - w.s;
    printf("%llu %llu ", (unsigned long long)(w.n - i - 1), (unsigned long long)(w.n * w.n - w.m));
    printf("%lld %lld ", (long long)(w.s * w.s), (long long)((w.s << 9) >> 5));
    printf("%lld %llu ", (long long)-w.s, (unsigned long long)~w.n);
    printf("%llu %lld ", (unsigned long long)((w.n - 6) / 3), (long long)(w.t % (i | 1)));
    printf("%d %d ", w.n - 1 > w.n, (w.s - 1) * w.t < w.n);
    printf("%llu %lld ", (unsigned long long)(w.n++ - i), (long long)(--w.s - w.m));
    printf("%d %llu\n", (w.n = w.n + i, w.n) == w.n + 0, (unsigned long long)(w.n + (w.n -= 3)));
    i = i * 31 + 7;
  }
  return 0;
}
