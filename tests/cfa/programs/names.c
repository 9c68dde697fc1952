/* Names that collide once everything is at the start of a function or at file scope. */
#include <stdio.h>

extern int __VERIFIER_nondet_int(void);

int x = 1, main__count = 50, L1 = 3, __t1 = 9, x__2 = 4;
static int count = 5;
struct x { int x; } ;
union u { struct x x; };
enum color { RED, GREEN = 7, BLUE };

static int index(int linux_version) { return linux_version + x; }

static int next(void) {
  static int count = 10;
  static struct x state = { 3 };
  { static int count; count++; state.x += count; }
  return count++ + state.x;
}

static int shadows(int x) {
  int y = x;
  { int x = y * 2; y += x; { int x = y; y = x + 1; } }
  for (int x = 0; x < 2; x++) y += x;
  { extern int x; y += x * 100; }
  return y;
}

int abs(int j);

int main(int argc, char **argv) {
  static int count;
  int n = __VERIFIER_nondet_int(), next_ = 0, unused;
  struct x s = { .x = n };
  int x__2 = n + 1;
  struct { int x; } t = { 4 };
  enum color c = n == 1 ? GREEN : BLUE;
  count += next() + next();
  { int x = 17; count += x; { int x = count; count += x & 3; } }
  printf("%d %d %d %d %d\n", count, next(), shadows(n), index(2), main__count);
  printf("%d %d %d %d %d %d\n", s.x, t.x, c, x__2, __t1 + L1, argc);
L1:
  if (next_++ < 2) goto L1;
  return (next_ + x + abs(-2)) & 127;
}
