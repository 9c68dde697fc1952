/* A function of the library that ends the run, or does not, as its first argument says; its header inlines it. */
#include <error.h>
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (!freopen("/dev/null", "w", stderr)) return 1; /* where the name of the program would be shown */
  error(0, 0, "%d is a warning", n);
  if (n & 1) error(n & 6, 0, "%d may be the end", n);
  printf("%d\n", n);
  fflush(stdout);
  if (n & 8) error(n & 4 ? 3 : 0, 0, "so may %d", n);
  printf("%u\n", error_message_count);
  fflush(stdout);
  error(7, 0, "the end");
  printf("never\n");
  return 0;
}
