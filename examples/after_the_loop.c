// What lies behind a loop: one branch is reached on one path in a million, another one never.
//
// What makes it hard: `exact` needs the one combination of 25 readings that never deviates and
// contains one marker; the sum of the steps is even, whatever the inputs are.
extern int __VERIFIER_nondet_int(void);

enum { ROUNDS = 25, MARK = 9, MARKER = 1234 };

int main(void) {
  int exact = 1;
  unsigned int sum = 0;
  for (int round = 0; round < ROUNDS; round++) {
    int reading = __VERIFIER_nondet_int();
    if (round == MARK && reading != MARKER) {
      exact = 0;
    }
    if (round != MARK && reading == MARKER) {
      exact = 0;
    }
    if (reading > 0) {
      sum += 2;
    } else {
      sum += 4;
    }
  }
  if (sum % 2 != 0) {
    return 3; // never
  }
  if (exact) {
    return 1;
  }
  return 0;
}
// Unreachable: main:26:3:then
