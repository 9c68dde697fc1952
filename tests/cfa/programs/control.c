/* Every kind of jump. */
#include <stdio.h>
#include <stdlib.h>
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

static int calls;
static int f(int a) { calls++; return a > 1; }
static int g(int a) { calls += 10; return a & 1; }

static int kinds(unsigned char c, int n) {
  int r = 0;
  switch (c) {
  case 0: r = 1; /* falls through */
  case 1: r += 2; break;
  case 2 ... 4: r = 5;
  default: r += 7; if (n) break; r++;
  case 9: while (n > 0) { n--; if (n == 3) continue; if (n == 7) goto out; r += n; }
  }
  switch (n) { case 5: return 50; }
  switch (n) { int unreachable; case 1: r++; }
out:
  do { r++; if (r > 100) return r; } while (n-- > 0 && r < 20);
  return r;
}

static int duff(int count) {
  int n = 0;
  if (count <= 0) return 0;
  int rounds = (count + 3) / 4;
  switch (count % 4) {
  case 0: do { n++;
  case 3: n++;
  case 2: n++;
  case 1: n++; } while (--rounds > 0);
  }
  return n;
}

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int even(unsigned n);
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
static int even(unsigned n) { return n == 0 || odd(n - 1); }

static void quit(int status) { if (status) exit(status); }

int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  unsigned char c = __VERIFIER_nondet_uchar();
  __VERIFIER_assume(a > -100 && a < 1000);
  int r = (f(a) && g(b)) || (!f(b) && (g(a), a != 0));
  r += a > b ? f(a) ? 10 : 20 : g(b) ? 30 : 40;
  r += (a++, b--, a + b) ;
  a += b -= 2;
  printf("%d %d %d %d\n", r, calls, a, b);
  printf("%d %d\n", kinds(c, a & 15), kinds(c % 10, b & 7));
  printf("%d %d %d %d\n", duff(a & 31), fib(a & 7), even(a & 15), odd(b & 15));
  for (int i = 0, j = 10; ; i++, j -= 2) {
    if (i > j) break;
    if (i == 2) continue;
    printf("%d:%d ", i, j);
  }
  while (1) { if (b++ > 3) break; else if (b < -50) { printf("low"); quit(7); } }
  int *p = a % 2 ? &a : &b;
  *p++ = 3;
  p[-1] += 2;
  void *where = a > 5 ? &&one : &&two;
  goto *where;
one:
  printf("one %d\n", a);
  assert(c < 200);
two:
  quit(c == 1 ? 9 : 0);
  if (c == 2) abort();
  return a & 63;
}
