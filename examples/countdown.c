// A counter that runs for a long time before the interesting branch.
//
// What makes it hard: 2000 iterations without inputs have to be passed (a small bound on loops never gets
// there), while the loop behind it stops for no bound.
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int fuel = 2000;
  int burnt = 0;
  while (fuel > 0) {
    fuel -= 2;
    burnt++;
  }
  if (burnt != 1000) {
    return 3; // never
  }
  int altitude = __VERIFIER_nondet_int();
  while (altitude > 100) {
    altitude -= burnt;
  }
  if (altitude > 100) {
    return 4; // never
  }
  if (altitude == 77) {
    return 1;
  }
  return 0;
}
// Unreachable: main:14:3:then main:21:3:then
