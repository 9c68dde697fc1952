#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdbool.h>
#include <assert.h>
typedef enum { NONE, ONE = 1 << 3, TWO } __attribute__((packed)) tiny;
typedef struct node node_t; struct node { node_t *l, *r; int v; union { long k; char s[12]; } u[2]; };
static const struct { const char *name; int (*f)(int); double w; } tab[] = { { "isalpha", isalpha, 1.5 }, { .f = toupper, .name = "up" }, { 0 } };
static inline int sq(int x) { return x * x; }
static node_t *mk(int v) { node_t *n = calloc(1, sizeof *n); n->v = v; return n; }
static node_t *ins(node_t *t, int v) { if (!t) return mk(v); if (v < t->v) t->l = ins(t->l, v); else if (v > t->v) t->r = ins(t->r, v); return t; }
static void walk(const node_t *t, void (*f)(int, void *), void *c) { if (t) { walk(t->l, f, c); f(t->v, c); walk(t->r, f, c); } }
static void acc(int v, void *c) { long *p = c; *p = *p * 31 + v; }
static int matrix[3][4] = { [1] = { [2] = 7, 8 }, 9 };
int (*fp_arr[2])(int) = { sq, abs };
int (*choose(int k))(int) { return k ? fp_arr[0] : fp_arr[1]; }
extern int ext_arr[]; int ext_arr[3] = { 1, 2, 3 };
struct flex { int n; char d[]; };
static int vsum(int n, int m[n]) { int s = 0; while (n --> 0) s += m[n]; return s; }
_Noreturn static void die(const char *s) { puts(s); exit(9); }
int __VERIFIER_nondet_int(void);
static unsigned long long fact(unsigned n) { return n <= 1 ? 1 : n * fact(n - 1); }
#define SWAP(a, b) do { __auto_type _t = (a); (a) = (b); (b) = _t; } while (0)
struct bits { unsigned a : 1, : 3, b : 4; signed c : 9; } __attribute__((packed));
int main(int argc, char *argv[]) {
  int n = __VERIFIER_nondet_int() % 50; if (n < 0) n = -n;
  node_t *t = NULL; for (int i = 0; i < 10; i++) t = ins(t, (i * 7 + n) % 13);
  long c = 1; walk(t, acc, &c); printf("%ld %d %zu\n", c, sq(n), sizeof(node_t));
  for (size_t i = 0; tab[i].name; i++) printf("%s %d %g\n", tab[i].name, !!tab[i].f('a' + n % 5), tab[i].w);
  printf("%d %d %d\n", matrix[1][2], matrix[1][3], matrix[2][0]);
  printf("%d %d %d\n", choose(n & 1)(-n), (*choose(0))(-3), fp_arr[1](-n));
  struct flex *f = malloc(sizeof *f + 8); f->n = 3; strcpy(f->d, "xyz"); f->d[f->n - 1] += n & 1; puts(f->d);
  int arr[] = { [5] = 1, 2, [0] = n }; printf("%zu %d %d\n", sizeof arr / sizeof *arr, arr[6], vsum(7, arr));
  char buf[64]; int len = snprintf(buf, sizeof buf, "%05d|%-4s|%x", n, "ab", n * 3u); printf("%d %s\n", len, buf);
  tiny e = n & 1 ? ONE : TWO; switch (e) { case NONE: puts("none"); case ONE: puts("one"); break; case TWO: puts("two"); }
  int a = n, b = 3; SWAP(a, b); printf("%d %d %llu\n", a, b, fact(n % 15));
  struct bits bb = { .c = n, .b = n }; printf("%d %d %zu\n", bb.c, bb.b, sizeof bb);
  goto *(n & 1 ? &&x : &&y);
x: puts("x"); 
y: puts("y");
  { static int cnt; for (;; ) { if (++cnt > n) break; if (cnt % 2) continue; cnt += 3; } printf("%d\n", cnt); }
  unsigned char uc = 250; uc += n; int8_t i8 = (int8_t)(n * 5); uint16_t u16 = ~n; printf("%d %d %d %d\n", uc, i8, u16, (int)(u16 << 4) >> 2);
  bool flag = n & 2; flag |= 0; flag = !flag == 0; printf("%d %d\n", flag, (bool)(n & 4));
  long long ll = INT64_MAX; ll -= n; printf("%lld %d\n", ll, (int)(ll >> 33)); 
  double d = n; d /= 7; printf("%.3f %d %.2f\n", d, (int)d, (float)d * 2);
  int k = n; while (k) { k >>= 1; if (k == 3) goto done; } done: printf("%d\n", k);
  const char *s = "hello"; int h = 5381; while (*s) h = (h << 5) + h + *s++; printf("%d\n", h);
  char *end; long v = strtol("123abc", &end, 10); printf("%ld %s %d\n", v, end, errno);
  int r = ({ int q = n; for (int i = 0; i < 3; i++) q = q * 2 + 1; q; }); printf("%d\n", r);
  struct { int x; struct { int y, z; }; } an = { 1, { .z = n } }, an2; an2 = an; printf("%d %d\n", an2.z, an2.y);
  printf("%d %d\n", INT_MAX + (n & 1), -5 / 3 * 10 + -5 % 3);
  printf("%c%c%c\n", "0123456789"[n % 10], *"q", n["abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"]);
  int (*pm)[4] = matrix; printf("%d %td\n", (*(pm + 1))[3], &matrix[2][1] - &matrix[0][0]);
  assert(n >= 0); if (n == 13) die("thirteen"); 
  return (n & 1);
}
