/* Pointers to arrays whose lengths are known when they are declared only: moved, assigned, compared, dereferenced. */
#include <stdio.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static long last(int n, long (*rows)[n], int count) {
  long (*const end)[n] = rows + count, sum = 0;
  for (; rows != end; rows++) sum = sum * 3 + (*rows)[n - 1];
  return sum + sizeof rows / sizeof(void *);
}
static int deep(int n, int m, int (*a)[n][m]) {
  int (*q)[n][m] = 1 + a;
  if (q == a || !q) return -1;
  q -= 1;
  int found = **q[0] + (*(a + 1))[0][0] + *(*(*(a + 1) + 1) + 1) + sizeof *q / sizeof **q + sizeof **q / sizeof ***q;
  ++q;
  (*q)[1][2] += 5;
  return a[0] != *q && a[1] == *q ? found : -2;
}
static void *allocated(int n, int count) { long(*p)[n]; return malloc(count * sizeof *p); }
int main(void) {
  int x = __VERIFIER_nondet_int(), n = 2 + (x & 1), m = 3 + (x >> 1 & 1), calls = 0;
  int a[2][n][m];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < m; k++) a[i][j][k] = 100 * i + 10 * j + k;
  int (*p)[m] = a[1], (*z)[m];
  int (*wide)[calls++ ? 1 : n + 1] = *a, flat[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
  z = p, z += 1;
  const void *v = p;
  int *first = *p, *second = *(p + 1), *third = *(1 + z - 1);
  printf("%d %d %d %d %d\n", first[2], second[2], **z, third == second, v == p);
  printf("%d %d %d\n", wide[1][0], calls, (int)(sizeof *wide / sizeof **wide));
  z = (void *)p;
  z--;
  printf("%d %d %d\n", z < p, z[1][1] == **p + 1, (*z)[0]);
  printf("%d %d\n", deep(n, m, a), a[1][1][2]);
  long (*fresh)[m] = allocated(m, 3);
  if (!fresh) return 1;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < m; j++) *(*(fresh + i) + j) = i + 2 * j;
  printf("%ld %ld\n", last(m, fresh, 3), (long)sizeof(long[m]));
  free(fresh);
  int three = 3;
  int (*cast)[three] = (int (*)[three])&flat[0][0];
  printf("%d\n", cast[1][1] + *cast[1] + **cast);
  return 0;
}
