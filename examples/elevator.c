// A lift moves between floors on request.
//
// What makes it hard: a bounds check that can never fail (its proof needs the invariant
// 0 <= floor < FLOORS over two nested loops), and a maintenance branch that needs the right
// sequence of requests: enough trips between the lowest and the highest floor.
#include <stdio.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#define FLOORS 6
#define SERVICE_DISTANCE 12

static int visits[FLOORS];

static void arrive(int floor) {
  if (floor < 0 || floor >= FLOORS) {
    printf("outside of the shaft\n"); // never
    exit(EXIT_FAILURE);
  }
  visits[floor]++;
}

int main(void) {
  int floor = 0;
  int distance = 0;
  for (int trip = 0; trip < 4; trip++) {
    int request = __VERIFIER_nondet_int();
    if (request < 0 || request >= FLOORS) {
      continue;
    }
    while (floor != request) {
      if (floor < request) {
        floor++;
      } else {
        floor--;
      }
      distance++;
      arrive(floor);
    }
  }
  if (distance > SERVICE_DISTANCE) {
    printf("maintenance\n");
  }
  if (visits[3] == 3 && visits[5] == 0) {
    printf("popular middle\n");
  }
  return 0;
}
// Unreachable: arrive:17:3:then
