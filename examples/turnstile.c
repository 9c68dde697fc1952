// A loop over a number of visitors that is itself an input, with a state machine inside.
//
// What makes it hard: no bound on the loop exists, so that no unrolling is ever complete. The
// check marked `never` needs an invariant (state is 0, 1 or 2), the branches need a few rounds.
extern unsigned int __VERIFIER_nondet_uint(void);
extern _Bool __VERIFIER_nondet_bool(void);

enum { LOCKED, OPEN, JAMMED };

int main(void) {
  unsigned int visitors = __VERIFIER_nondet_uint();
  int state = LOCKED;
  int passed = 0;
  for (unsigned int i = 0; i < visitors; i++) {
    _Bool coin = __VERIFIER_nondet_bool();
    switch (state) {
    case LOCKED:
      state = coin ? OPEN : LOCKED;
      break;
    case OPEN:
      if (coin) {
        state = JAMMED;
      } else {
        passed++;
        state = LOCKED;
      }
      break;
    case JAMMED:
      if (!coin) {
        state = LOCKED;
      }
      break;
    default:
      return 2; // never
    }
  }
  if (passed == 3) {
    return 1;
  }
  return 0;
}
// Unreachable: main:16:5:default
