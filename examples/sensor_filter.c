// A filter for the readings of a sensor: plausible ones are smoothed, others counted; a calibration mode is entered by
// a sequence of two marks.
//
// What makes it hard: the marks are values that must be met exactly, one after the other. The bounds of the smoothed value
// hold for any number of readings: no bound on the loop exists, so that testing never shows it.
extern short __VERIFIER_nondet_short(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void) {
  int smoothed = 0;
  int rejected = 0;
  int marks = 0;
  while (__VERIFIER_nondet_bool()) {
    short reading = __VERIFIER_nondet_short();
    if (reading == 0x7a31 && marks == 0) {
      marks = 1;
    } else if (reading == -0x1c2d && marks == 1) {
      marks = 2;
    } else if (reading < -1000 || reading > 1000) {
      if (rejected < 4) {
        rejected++;
      }
    } else {
      smoothed = (3 * smoothed + reading) / 4;
    }
    if (smoothed > 1000 || smoothed < -1000) {
      return 3; // never
    }
  }
  if (marks == 2) {
    return 2;
  }
  if (rejected > 4) {
    return 4; // never
  }
  return 0;
}
// Unreachable: main:26:5:then main:33:3:then
