/* Values that become unions: casts, transparent unions, and a struct whose last member ends without a semicolon. */
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
struct pair { short low, high };
union word { int whole; struct pair pair; unsigned part : 5; unsigned char bytes[4]; double wide; };
typedef union { const int *numbers; const char *text; void *any; } source __attribute__((__transparent_union__));
static int first(source from, int is_text) { return is_text ? from.text[0] : from.any ? from.numbers[0] : -1; }
static int (*indirect)(source, int) = first;
static int sum(union word w) { return w.pair.low + w.pair.high; }
int main(void) {
  int n = __VERIFIER_nondet_int(), numbers[2] = {n, 4};
  char letter = 'a' + n % 26;
  struct pair pair = {n & 3, 5};
  union word w = (union word)n;
  printf("%d %d %d\n", w.whole, w.pair.low, w.bytes[0]);
  w = (union word)pair;
  printf("%d %d\n", w.pair.low, w.pair.high);
  printf("%d %d\n", sum((union word)(n | 1)), ((union word)(n / 2.0)).bytes[3]);
  printf("%d %d %d %d\n", first(numbers, 0), first(&letter, 1), first("xyz", 1), first(0, 0));
  printf("%d %d\n", indirect(numbers + 1, 0), first((source){.text = "q"}, 1));
  return 0;
}
