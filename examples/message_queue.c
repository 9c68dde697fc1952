// A ring buffer in an array, written and read in an order that the inputs choose.
//
// What makes it hard: the overflow branch needs CAPACITY puts more than gets, the corrupted
// branch compares array elements through a pointer, and the check marked `never` needs
// relations between three counters.
#include <stdio.h>

extern int __VERIFIER_nondet_int(void);
extern short __VERIFIER_nondet_short(void);

#define CAPACITY 4

struct queue {
  short slots[CAPACITY];
  int head;
  int used;
};

static int put(struct queue *q, short message) {
  if (q->used == CAPACITY) {
    return 0;
  }
  q->slots[(q->head + q->used) % CAPACITY] = message;
  q->used++;
  return 1;
}

static int get(struct queue *q, short *message) {
  if (q->used == 0) {
    return 0;
  }
  *message = q->slots[q->head];
  q->head = (q->head + 1) % CAPACITY;
  q->used--;
  return 1;
}

int main(void) {
  struct queue q = {.head = 0, .used = 0};
  int lost = 0;
  int sum = 0;
  for (int step = 0; step < 10; step++) {
    if (__VERIFIER_nondet_int() > 0) {
      if (!put(&q, __VERIFIER_nondet_short())) {
        lost++;
      }
    } else {
      short message;
      if (get(&q, &message)) {
        sum += message;
      }
    }
    if (q.used < 0 || q.used > CAPACITY) {
      printf("corrupted\n"); // never
    }
  }
  if (lost == 2 && sum == 4711) {
    printf("rare\n");
  }
  return 0;
}
// Unreachable: main:53:5:then
