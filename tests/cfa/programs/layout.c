/* Structs whose layout the writer has to reproduce: bit-fields, packing, alignment, unions, nesting. */
#include <stdio.h>
#include <string.h>
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);

struct bits { unsigned a : 3; int b : 7; unsigned long long c : 40; char d; short e : 9; };
struct zero { unsigned a : 3; unsigned : 0; unsigned b : 5; char c; int : 13; unsigned d : 2; };
struct __attribute__((packed)) packed { char a; int b; short c; unsigned d : 5; unsigned e : 9; double f; };
struct __attribute__((aligned(16))) aligned { char a; int b; };
union mixed { int i; char c[7]; struct { short low, high; } halves; unsigned top : 9; };
struct __attribute__((packed, aligned(2))) both { char a; long b; struct bits c; };
struct flexible { int count; char data[]; };
struct outer { struct packed p; union mixed m; struct aligned a[2]; struct { int x; union { int y; char z; }; }; };
struct linked { struct linked *next; struct outer *outer; int value; };

static struct outer global = { .m = { .i = 0x01020304 }, .x = 7, .y = 0x41424344, .a = { [1] = { 1, 2 } } };
static struct linked second = { 0, &global, 2 }, first = { &second, &global, 1 };
static struct bits some_bits = { 5, -3, 1ULL << 35, 'x', -200 };

static void dump(const char *name, const void *at, size_t size) {
  const unsigned char *p = at;
  unsigned sum = 0;
  for (size_t i = 0; i < size; i++) sum = sum * 31 + p[i];
  printf("%s %zu %u\n", name, size, sum);
}

static struct packed make(int seed) {
  struct packed result;
  memset(&result, 0, sizeof result);
  result.a = (char)seed;
  result.b = seed * 3;
  result.d = seed;
  result.e = seed * 5;
  result.f = seed / 2.0;
  return result;
}

int main(void) {
  struct bits b;
  struct zero z;
  struct both two;
  union mixed m;
  struct linked *walk;
  memset(&b, 0, sizeof b);
  memset(&z, 0, sizeof z);
  memset(&two, 0, sizeof two);
  memset(&m, 0, sizeof m);
  int n = __VERIFIER_nondet_int();
  b.a = n; b.b = n; b.c = (unsigned long long)n * 77777777777ULL; b.d = n; b.e = n;
  z.a = n; z.b = n + 1; z.c = n + 2; z.d = n;
  two.c = b; two.b = n; two.c.b--;
  m.top = n; m.c[6] = 9; m.halves.high += 3;
  global.p = make(n);
  struct packed *inside = &global.p;
  inside->e ^= 3;
  dump("bits", &b, sizeof b);
  dump("zero", &z, sizeof z);
  dump("both", &two, sizeof two);
  dump("mixed", &m, sizeof m);
  dump("outer", &global, sizeof global);
  dump("some", &some_bits, sizeof some_bits);
  for (walk = &first; walk; walk = walk->next)
    printf("%d %d %d %d\n", walk->value, walk->outer->a[1].b, walk->outer->z, (int)walk->outer->p.e);
  printf("%zu %zu %zu %zu %zu\n", sizeof(struct zero), sizeof(struct flexible), sizeof(struct aligned),
         sizeof(struct outer), offsetof(struct outer, m));
  printf("%d %u %lld %d\n", b.b, b.a, (long long)b.c, b.e > b.b);
  return b.b < z.b ? 3 : 4;
}
