/* Initialisers of GNU C: designators of old, compound literals for arrays; and string literals that become wide. */
#include <stdio.h>
#include <wchar.h>
extern int __VERIFIER_nondet_int(void);
typedef int x;
struct point { int x, y; int rest[3]; };
static struct point fixed = { y: 7, rest: { [1] 5 } };
static int table[4] = { [2] 9, 8 };
static int copied[] = (int[]){ 4, 5, 6 };
struct line { struct point from, to; const char *name; int *first; };
static int number = (int){ 12 }, braced = { (int){ 13 } };
static struct point whole = (struct point){ 1, 2, { 3 } };
static struct line line = { (struct point){ .y = 4 }, .to = (const struct point){ 5 }, .name = (char *){ "name" }, (int[]){ 6, 7 } };
struct flexible { int n; char text[]; };
struct rows { char n; struct point rows[]; };
static struct flexible ended = { 1, "3456" }, behind = { -1, "7" };
static struct rows rows = { 2, { { 1, 2, { 3 } }, { 4, 5, { 6, 7, 0 } } } };
static int padded[] = (int[3]){ 1 };
static char said[] = (char[7]){ "abc" };
int main(void) {
  int n = __VERIFIER_nondet_int();
  struct point p = { rest: { [0] n, n + 1 }, x: n ? 1 : 2 };
  int grid[2][2] = { [1] { n, 3 } };
  static const int kept[3] = (const int[3]){ [1] = 11 };
  union { int a; short b; } either = { n, n++, .b = 3, n++, .a = n };
  int two[2] = { n, 2, n++, [0] = 5, 6, n++ };
  wchar_t wide[] = "12" L"34";
  printf("%d %d %d %d\n", fixed.x, fixed.y, fixed.rest[0], fixed.rest[1]);
  printf("%d %d %d %d\n", table[0], table[1], table[2], table[3]);
  printf("%d %d %d\n", (int)(sizeof copied / sizeof *copied), copied[0], copied[2]);
  printf("%d %d %d %d %d\n", p.x, p.y, p.rest[0], p.rest[1], p.rest[2]);
  printf("%d %d %d\n", grid[0][0], grid[1][0], grid[1][1]);
  printf("%d %d %d\n", kept[0], kept[1], kept[2]);
  printf("%d %d %d\n", (int)(sizeof wide / sizeof *wide), (int)wide[2], (int)wide[4]);
  printf("%d %d %d %d\n", either.a, two[0], two[1], n);
  printf("%s %d %d %d %d\n", ended.text, ended.text[4], behind.n, rows.rows[1].y, rows.rows[n & 1].rest[2]);
  static struct line own[] = { [1] = (struct line){ .to.y = 8 } };
  printf("%d %d %d %d %d\n", number, braced, whole.y, whole.rest[0], own[1].to.y);
  static int longer[] = (int[4]){ 1 };
  printf("%d %d %d", (int)sizeof longer, (int)sizeof padded, (int)sizeof said);
  printf(" %d %d %d\n", longer[3], padded[2], said[n & 3]);
  printf("%d %d %s %d\n", line.from.y, line.to.x, line.name, line.first[1]++);
  return 0;
}
