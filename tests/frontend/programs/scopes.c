#include <stdio.h>
int __VERIFIER_nondet_int(void);
struct S { char a[5]; };
extern struct never_completed nobody_uses_it;
enum { A = 5, B = 6 };
/* Types that parameters declare are seen in the body, and not behind it. */
static int sized(struct S { char a[9]; } *p, enum { A = 7, C = A + 1 } e) { return sizeof *p * 100 + sizeof(struct S) * 10 + A + C + (e == A); }
static int old(p, e) struct S { char a[3]; } *p; enum { A = 2, D = A + 2 } e; { return sizeof *p * 100 + sizeof(struct S) * 10 + A + D + (e == D); }
static int conditions(int n) {
  int seen = 0;
  if (n < (int)sizeof(enum { A = 11 }) + 5) seen += A + (int)sizeof(struct S); else seen += A * 2 + (int)sizeof(struct S { char b[2]; });
  if (n) seen += sizeof(enum { B = 3 }) + B; else seen += B;
  seen = seen * 100 + A + B + (int)sizeof(struct S);
  while (n-- > (int)(enum { A = 1 })0) seen += A + (int)sizeof(struct S { char c[4]; });
  do seen += sizeof(enum { A = 4 }) + A; while (seen < (int)sizeof(struct S { char d[8]; }) + A && (enum { B = 0 })0 == B);
  int i;
  for (i = sizeof(enum { A = 13 }); i < 6; i++) seen += A + (int)sizeof(enum { A = 17 }) + A;
  switch (n & (int)sizeof(enum { A = 1, B = 2 })) { case A: seen += B; break; case B: seen += A; default: seen++; }
  return seen * 100 + A + B + (int)sizeof(struct S);
}
int main(void) {
  int n = __VERIFIER_nondet_int() & 15;
  int (*pointer)(struct S { char x[7]; } *, enum { A = 9, E = A }) = 0;
  void prototype(enum { A = 7 } e, char (*p)[A], struct S { char y; } *s);
  printf("%d %d %d\n", A, (int)sizeof(struct S), pointer == 0);
  printf("%d %d\n", sized(0, n), old((void *)0, n));
  printf("%d %d %d\n", conditions(n), A, B);
  { enum { A = 1 }; (void)sizeof(struct S { char z[6]; }); printf("%d %d\n", A, (int)sizeof(struct S)); }
  printf("%d %d\n", A, (int)sizeof(struct S));
  return 0;
}
