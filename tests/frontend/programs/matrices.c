/* Arrays of arrays whose lengths are known when they are declared only, as variables and as parameters. */
#include <stdio.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
static int row_sum(const int *row, int n) { int s = 0; for (int j = 0; j < n; j++) s = s * 7 + row[j]; return s; }
static int sum(int n, int m, int a[n][m]);
static void transpose(int n, int m, int from[n][m], int to[][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      to[j][i] = from[i][j];
}
static int sum(int n, int m, int a[n][m]) { int s = 0; for (int i = 0; i < n; i++) s = s * 3 + row_sum(a[i], m); return s; }
static long cube(int n, short (*c)[n + 1][2 * n]) { c[1][n][n - 1] = 9; return c[0][0][0] + 10 * c[1][n][n - 1] + sizeof c[0][0]; }
enum { N = 2 };
static int hidden(int N, int a[][N]) { return a[1][0]; }
int main(void) {
  int x = __VERIFIER_nondet_int(), n = 2 + (x & 3), m = 3 + (x >> 2 & 1), calls = 0;
  int a[n][m], t[m][n], fixed[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
  unsigned char bytes[3][n][N];
  memset(a, 0, sizeof a);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] += i * 10 + j + x % 5;
  a[calls++][1] = 77, a[n - 1][m - 1]--, ++*a[1];
  transpose(n, m, a, t);
  printf("%d %d %d %d\n", a[0][1], t[1][0], t[m - 1][n - 1], *t[0]);
  printf("%d %d %d %d\n", sum(n, m, a), sum(m, n, t), sum(2, 3, fixed), sum(3, 2, fixed));
  printf("%d %d %d %d\n", (int)sizeof a, (int)sizeof a[0], (int)sizeof a[0][0], (int)(sizeof bytes + sizeof bytes[0][1]));
  int (*const rows)[3] = fixed; int *p = a[1], *q = &a[1][m - 1];
  printf("%d %d %d %d %d\n", rows[1][2], p[2], *(a[1] + 1), (int)(q - p), calls);
  short c[2][n + 1][2 * n]; memset(c, 0, sizeof(c)); c[0][0][0] = n;
  for (signed char k = 0; k < 2; k++) bytes[2][n - 1][k] = k + 4;
  printf("%d %d %d %d\n", (int)cube(n, c), c[1][n][n - 1], bytes[2][n - 1][1], hidden(3, fixed));
  { long long wide = 1; unsigned char one = 1; printf("%d %d\n", a[wide][one], a[one + 0u][wide]); }
  return 0;
}
