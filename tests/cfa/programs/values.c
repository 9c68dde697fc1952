/* Types and conversions: every width, floats, strings, pointers, arrays, function pointers, varargs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
#include <limits.h>
#include <float.h>
#include <stdbool.h>
#include <stdint.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern double __VERIFIER_nondet_double(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);

typedef int (*operation)(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static const operation table[] = { add, sub, 0 };
static char text[] = "quote\" back\\ tab\t ??/ \x01\377 end";
static const char *const words[3] = { "one", "two\n", [2] = "th" "ree" };
static int matrix[2][3] = { { 1, 2 }, { [1] = 5 } };
static int *inside = &matrix[1][1];
static double constants[] = { 1.5, 1e-300, 0x1p-3, DBL_MAX, 3 };
static long long big = LLONG_MIN;
static int least = INT_MIN;
static unsigned char bytes[4] = { 255, 256 - 1, 'a', '\n' };

static int sum(int count, ...) {
  va_list list;
  int total = 0;
  va_start(list, count);
  while (count-- > 0) total += va_arg(list, int);
  va_end(list);
  return total;
}

static int old(a, b) int a; char b; { return a + b; }

static int apply(operation f, int a, int b) { return f(a, b); }

int main(void) {
  int n = __VERIFIER_nondet_int();
  unsigned u = __VERIFIER_nondet_uint();
  short s = __VERIFIER_nondet_short();
  bool flag = __VERIFIER_nondet_bool();
  double d = __VERIFIER_nondet_double();
  unsigned long long w = __VERIFIER_nondet_ulonglong();
  char c = n; signed char sc = u; unsigned char uc = n * 3; unsigned short us = u;
  float f = (float)n / 3; long l = n; long double ld = d / 7;
  printf("%d %d %d %d %ld %f %.20Lg\n", c, sc, uc, us, l, f, ld);
  printf("%d %d %u %d %d\n", n + u > 0, -1 < u, u >> 3, n >> 2, (n * 65537) ^ s);
  printf("%d %d %d\n", c << 3, ~uc, !d);
  c += 200; uc -= 7; us *= us; s >>= 1; sc = -sc; flag = n & 4; f += 0.1; d -= f; n = n * 2147483647;
  printf("%d %d %d %d %d %d %.9g %.17g %d\n", c, uc, us, s, sc, flag, f, d, n);
  printf("%llu %lld %d %d\n", w * 3, big - (long long)w, least, (int)(least - 1));
  printf("%zu %d %d\n", sizeof(long) * sizeof(char *) % 7, (int)sizeof(text), INT_MIN / 2 % -7);
  for (const char *p = text; *p; p++) printf("%02x", (unsigned char)*p);
  printf("\n%s%s%s %d %d\n", words[0], words[1], words[2], *inside, inside[-1]);
  matrix[flag][n & 1] += table[flag](n, 2);
  printf("%d %d %d\n", matrix[0][0], matrix[1][0], apply(n & 1 ? add : sub, 7, n & 7));
  printf("%d %d\n", sum(3, 1, n & 7, uc), old(n & 3, (char)300));
  int local[5] = { 1, 2, [4] = n }, *at = local + 2, copy[2][2] = { { 1 }, { 2, 3 } };
  char buffer[16] = "abc", grown[] = "xyz";
  strcat(buffer, grown);
  at[1] = at - local; *(at + 1) += 4; --*at;
  printf("%s %d %d %d %d %zu\n", buffer, local[3], *at, local[4], copy[1][1], sizeof grown);
  for (int i = 0; i < 5; i++) printf("%g ", constants[i]);
  uint8_t *raw = (uint8_t *)&w;
  int *heap = malloc(3 * sizeof *heap);
  heap[0] = raw[0]; heap[1] = bytes[1]; heap[2] = (char)bytes[0];
  printf("%d %d %d %d\n", heap[0], heap[1], heap[2], (int)(at > local) + (heap != NULL));
  free(heap);
  struct { int a; double b; } pair = { n, d }, other = pair, *pp = &other;
  pp->a++; other.b = pp->a ?: 3;
  printf("%d %d %g %d\n", pair.a, other.a, other.b, ((struct { int q; }){ n & 3 }).q);
  printf("%d\n", ({ int t = n & 15; t * t; }));
  unsigned shift = u & 31; n = 1 << shift; u = 1u << shift; l = (long)1 << (shift & 15);
  printf("%d %u %ld %d %d\n", n, u, l, 'a' == L'a', (int)(float)16777217);
  return (uc ^ us) & 127;
}
