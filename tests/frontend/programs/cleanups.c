/* Functions that are called where the scope of a variable is left, in each of the ways to leave one. */
#include <stdio.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int log_;
static void note(int *p) { printf("n%d ", *p); log_ = log_ * 10 + *p; *p = 0; }
static void note2(char *p) { printf("c%c ", *p); log_ += *p; }
static int value(int *p) { return *p + 1; }
struct s { int a, b; };
static void s_end(struct s *s) { printf("s%d,%d ", s->a, s->b); s->a = 99; }
static int f(int x) {
  __attribute__((cleanup(note))) int a = 1;
  if (x == 0) return a + 10;
  for (int i = 0; i < 3; i++) {
    int b __attribute__((__cleanup__(note))) = 2 + i;
    if (x == 1 && i == 1) break;
    if (x == 2 && i == 1) continue;
    if (x == 3 && i == 1) return value(&b);
    char c __attribute__((cleanup(note2))) = 'a' + i;
    if (x == 4 && i == 1) goto out;
    printf(". ");
  }
out:
  switch (x) { int q; case 1: { int d __attribute__((cleanup(note))) = 7; if (a) break; } case 2: a = 5; }
again: ;
  int e __attribute__((cleanup(note))) = 8;
  if (x-- > 4) goto again;
  int v = ({ int g __attribute__((cleanup(note))) = 4; g * 2; }) + a;
  if (x == 3) exit(printf("gone"));
  return v;
}
static struct s g(void) { struct s r __attribute__((cleanup(s_end))) = { 3, 4 }; r.b = 7; return r; }
static void h(int x) { int a __attribute__((cleanup(note))) = 6; if (x) return; a++; }
int main(void) {
  int n = __VERIFIER_nondet_int() % 7;
  for (int i = 0; i < 7; i++) if (i != 4 - n % 2) printf("=%d\n", f(i));
  struct s r = g(); printf("%d %d\n", r.a, r.b); h(0); h(1);
  while (r.b-- > 5) { int w __attribute__((cleanup(note))) = r.b; if (w == 6) continue; }
  printf("%d\n", log_);
  f(4);
  return 0;
}
