// Two accounts, each protected by a lock that is taken and released under the same condition.
//
// What makes it hard: taking and releasing are far apart, so that the proof has to remember
// which conditions held; the number of paths doubles with every account and every round.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int first = __VERIFIER_nondet_int();
  int second = __VERIFIER_nondet_int();
  int third = __VERIFIER_nondet_int();
  int lock_first = 0, lock_second = 0, lock_third = 0;
  while (__VERIFIER_nondet_int()) {
    if (first) lock_first = 1;
    if (second) lock_second = 1;
    if (third) lock_third = 1;

    if (first) {
      if (lock_first != 1) reach_error(); // never
      lock_first = 0;
    }
    if (second) {
      if (lock_second != 1) reach_error(); // never
      lock_second = 0;
    }
    if (third) {
      if (lock_third != 1) reach_error(); // never
      lock_third = 0;
    }
  }
  return 0;
}
// Unreachable: main:19:7:then main:23:7:then main:27:7:then
