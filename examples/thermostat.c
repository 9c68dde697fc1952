// The program of the README: a controller reads temperatures and switches a heater.
//
// What makes it hard: the alarm needs four hot readings in a row, which a random tester hardly ever
// guesses (one value in 2^32 differs); and the two checks marked `never` can only be proven with an
// invariant of the loop (the heater never runs while it is hot; the streak never exceeds its limit).
#include <stdio.h>

extern int __VERIFIER_nondet_int(void);

enum { READINGS = 12, HOT = 70, COLD = 15, LIMIT = 4 };

int main(void) {
  int heating = 0;
  int streak = 0;
  for (int i = 0; i < READINGS; i++) {
    int temperature = __VERIFIER_nondet_int();
    if (temperature < -50 || temperature > 150) {
      continue; // a broken sensor: ignore the reading
    }
    if (temperature > HOT) {
      heating = 0;
      streak++;
    } else {
      streak = 0;
      if (temperature < COLD) {
        heating = 1;
      }
    }
    if (heating && streak > 0) {
      printf("heating although it is hot\n"); // never
    }
    if (streak == LIMIT) {
      printf("alarm\n");
      return 1;
    }
    if (streak > LIMIT) {
      printf("alarm was missed\n"); // never
    }
  }
  return 0;
}
// Unreachable: main:29:5:then main:36:5:then
