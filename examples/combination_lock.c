// A lock opens after five digits, each of which depends on the one before.
//
// What makes it hard: 10^5 combinations for a random tester, and a path for each prefix for a tester that
// goes path by path; one formula for all paths finds it at once. The wheel never leaves 0..9.
#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
  unsigned int wheel = 3;
  int correct = 0;
  for (int position = 0; position < 5; position++) {
    unsigned char digit = __VERIFIER_nondet_uchar();
    if (digit > 9) {
      return 1;
    }
    if (digit == wheel) {
      correct++;
    }
    wheel = (wheel * 7 + 5) % 10;
    if (wheel > 9) {
      return 3; // never
    }
  }
  if (correct == 5) {
    return 0;
  }
  return 2;
}
// Unreachable: main:21:5:then
