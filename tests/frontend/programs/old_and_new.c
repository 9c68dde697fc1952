#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <wchar.h>
#include <math.h>
#include <float.h>
#include <stdarg.h>
int __VERIFIER_nondet_int(void);
typedef int T; typedef struct { int x, y; } P;
static void duff(char *to, const char *from, int count) { int n = (count + 7) / 8; switch (count % 8) { case 0: do { *to++ = *from++; case 7: *to++ = *from++; case 6: *to++ = *from++; case 5: *to++ = *from++; case 4: *to++ = *from++; case 3: *to++ = *from++; case 2: *to++ = *from++; case 1: *to++ = *from++; } while (--n > 0); } }
static P mkp(int a, int b) { return (P){ a, b }; }
static int sw(long long v) { switch (v) { case -1: return 1; case 0x100000000LL: return 2; case 5 ... 9: return 3; case 'z': return 4; default: return v > 1000 ? 5 : 6; } }
static unsigned swu(unsigned char c) { switch (c) { case 0: return 10; case 200 ... 255: return 20; } return 30; }
static int shadow(int T) { int x = T; { typedef char T; T y = 300; x += y; { int T = 5; x += T; } } return x; }
static int *statp(void) { static int v = 3; static int *p = &v; ++*p; return p; }
static void vp(char *out, const char *fmt, ...) { va_list ap; va_start(ap, fmt); vsprintf(out, fmt, ap); va_end(ap); }
static int many(char a, short b, int c, long d, long long e, float f, double g, unsigned char h, _Bool i, P p) { return a + b + c + d + e + (int)f + (int)g + h + i + p.x * p.y; }
static int arrp(int (*a)[3], int n) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) s = s * 3 + a[i][j]; return s; }
static void setall(P *p, int n, P v) { for (P *q = p; q < p + n; *q++ = v) ; }
struct deep { struct { int a[2]; union { char c[4]; int i; } u; } s[2]; const char *n; };
static struct deep dd = { .s[1].a[0] = 4, .s[1].u.i = 0x01020304, .n = "dd", .s[0] = { { 1, 2 }, { "ab" } } };
static const unsigned char tbl[] = "\x01\x02\xff";
static int side(int *c) { return ++*c; }
enum op { ADD, SUB, MUL } ; static int ev(enum op o, int a, int b) { return o == ADD ? a + b : o == SUB ? a - b : a * b; }
static inline double avg(const double *v, unsigned n) { double s = 0; for (unsigned i = n; i--; ) s += v[i]; return n ? s / n : NAN; }
extern late(); static hidden; static const *reader = &hidden, three = 3; typedef word; extern word shared; word shared = 4;
static olden(n) { hidden = 5; return late(2) + *reader * three + shared + sizeof(char[n]) + sizeof(short[n + 1][3]); }
late(a) { return a + hidden; }
main(argc, argv) int argc; char **argv; {
  int n = __VERIFIER_nondet_int(), m = n & 15, i, j; char buf[100], b2[40]; unsigned u = n;
  printf("%d\n", olden(m + 1));
  memset(buf, 0, sizeof buf); duff(buf, "abcdefghijklmnopqrstuvwxyz", m + 1); puts(buf);
  printf("%d %d %d %d %d\n", sw(m - 1), sw(0x100000000LL + (m & 1)), sw(n), swu(n), shadow(n));
  P p = mkp(m, n), q, *r = &q; *r = p; r->x ^= r->y, (*r).y--; printf("%d %d %d\n", q.x, q.y, mkp(1, m).y);
  P ps[4]; setall(ps, 4, (P){ .y = m }); ps[m & 3] = m > 7 ? p : q; printf("%d %d\n", ps[m & 3].x, ps[3].y);
  printf("%d %d\n", *statp(), *statp());
  vp(b2, "%d-%s-%.2f", m, "v", m / 4.0); puts(b2);
  printf("%d\n", many(n, n, m, m, n, m, m * 1.5, n, n, p));
  int aa[2][3] = { { 1, m }, { 3, 4, n } }; printf("%d %d\n", arrp(aa, 2), arrp(&aa[1], 1));
  printf("%d %d %d %s %d\n", dd.s[1].a[0], dd.s[1].u.c[0], dd.s[0].a[1], dd.s[0].u.c, tbl[2] + (int)sizeof tbl);
  int c = 0; printf("%d ", (side(&c) + side(&c)) * side(&c)); printf("%d\n", c);
  for (i = 0, j = 10; i < j; ++i, j -= 2) { if (i == 2) continue; c += i * j; } printf("%d %d %d\n", c, i, j);
  do { if (m > 3) { m -= 2; continue; } m--; } while (m > 0 && m != 7); printf("%d\n", m);
  double v[] = { 1.5, n, 2 }; printf("%.4f %d\n", avg(v, 3), avg(v, 0) != avg(v, 0));
  float f = n; f *= 1.1; printf("%.6g %.6g %d %d\n", f, f - n, f > n, (int)(f / 3)); 
  printf("%d %d %u %d\n", (int)(short)n, (int)(signed char)u, u % 7, (unsigned char)n >> 1);
  unsigned long long big = (unsigned long long)u << 20 | 7; printf("%llu %d\n", big * big, (int)(big % 1000));
  wchar_t w[] = L"h\u00e9"; printf("%d %d %d\n", (int)wcslen(w), (int)w[1], (int)sizeof w);
  int k = 0, *pk = &k; *pk++; pk--; (*pk)++; k += (pk == &k) + !pk; printf("%d\n", k);
  if (n > 5) goto over; { int z = 3; k += z; } over: k <<= 2; printf("%d\n", k);
  k = 5; { int k = 6; { extern int glob; glob += k; } } extern int glob; printf("%d %d\n", k, glob);
  const char *names[] = { "a", [3] = "d", "e" }; for (i = 0; i < 5; i++) printf("%s", names[i] ? names[i] : "-"); puts("");
  int arr[3] = { 0 }, x = 1; arr[x] += arr[x] = 3; arr[(x = 2)] = 4; printf("%d %d %d\n", arr[1], arr[2], x);
  printf("%d %d %d\n", ev(ADD, n, 2), ev(SUB, n, 2), ev(MUL, n, 2));
  (void)(n ? puts("t") : puts("f")); n && puts("and"); n || puts("or");
  struct { unsigned lo : 4, hi : 4; } nib = { n, n >> 4 }; nib.lo ^= nib.hi; printf("%u %u %d\n", nib.lo, nib.hi, nib.lo - nib.hi);
  char *dyn = strdup("dup"); dyn[0] = 'D'; printf("%s %zu\n", dyn, strlen(dyn)); free(dyn);
  long double ld = n; ld /= 3; printf("%.5Lf %d\n", ld, ld > 1.0L);
  printf("%d %d\n", (int)(1.0 / 3 * 3 == 1.0), 0.1 + 0.2 == 0.3); printf("%d %d\n", FLT_RADIX, 'ab' == ('a' << 8 | 'b'));
  char sc = n; sc >>= 1; sc = -sc; unsigned short us = sc; us += 1; printf("%d %d %d\n", sc, us, (us << 1) > sc);
  int neg = -7; printf("%d %d %d %d\n", neg / 2, neg % 2, neg >> 1, (unsigned)neg >> 28);
  static int fib[20] = { 1, 1 }; for (i = 2; i < 20; i++) fib[i] = fib[i - 1] + fib[i - 2]; printf("%d\n", fib[19]);
  union { float f; unsigned u; struct { unsigned m : 23, e : 8, s : 1; } b; } un = { n * 0.5f }; printf("%u %u %u %08x\n", un.b.s, un.b.e, un.b.m, un.u);
  int (*const ops[])(enum op, int, int) = { ev, ev }; printf("%d\n", ops[n & 1](n & 1 ? SUB : MUL, 3, n));
  return (char)n == n;
}
int glob = 10;
