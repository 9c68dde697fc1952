// A parcel locker: a code opens it, a wrong one too often locks it, and the compartments have sizes.
//
// What makes it hard: the codes are single values out of 2^32, which random inputs never hit; a coverage-guided fuzzer
// learns them from the comparisons. That a size is never out of range, and that the number of wrong codes stops at the
// limit, needs a proof.
extern unsigned int __VERIFIER_nondet_uint(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

enum { LIMIT = 3, MASTER = 0x5eed1e55u };

static unsigned int wrong;

static int compartment(unsigned char parcel) {
  unsigned int size = parcel % 4u;
  if (size > 3u) {
    return -1; // never
  }
  if (size == 3u) {
    return 12;
  }
  return (int)size * 4;
}

int main(void) {
  unsigned int code = __VERIFIER_nondet_uint();
  while (wrong < LIMIT) {
    unsigned int typed = __VERIFIER_nondet_uint();
    if (typed == MASTER) {
      return 0;
    }
    if (typed == code) {
      int place = compartment(__VERIFIER_nondet_uchar());
      if (place > 12) {
        return 2; // never
      }
      wrong = 0;
    } else {
      wrong++;
    }
    if (wrong > LIMIT) {
      return 3; // never
    }
  }
  return 1;
}
// Unreachable: compartment:15:3:then main:33:7:then main:40:5:then
