/* The compiler's atomic functions, old and new, where nothing else runs at the same time. */
#include <stdatomic.h>
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
static volatile unsigned char small;
static _Bool flag;
_Atomic(int) counted; static _Atomic(_Atomic(int) *) to = &counted; struct { _Atomic(long) l; } held;
static int side(int *n) { return ++*n; }
int main(void) {
  int n = __VERIFIER_nondet_int(), calls = 0, x = n, expected = 5, seen, wanted = 9;
  unsigned long long wide = n; int *p = &x, *q = &n;
  printf("%d %d %d\n", __sync_fetch_and_add(&x, 3), __sync_sub_and_fetch(&x, n), x);
  printf("%d %d %d\n", __sync_fetch_and_nand(&x, 6), __sync_or_and_fetch(&x, 8), x);
  printf("%d %d\n", __sync_bool_compare_and_swap(&x, x, n), __sync_val_compare_and_swap(&x, n + 1, 4));
  printf("%d %d\n", __sync_lock_test_and_set(&x, 1), x); __sync_lock_release(&x); __sync_synchronize();
  printf("%d %llu %llu\n", x, __atomic_fetch_xor(&wide, 0xf0f0, __ATOMIC_SEQ_CST), __atomic_add_fetch(&wide, 1, __ATOMIC_RELAXED));
  printf("%d %d %d\n", __atomic_compare_exchange_n(&x, &expected, 7, 0, 0, 0), expected, x);
  printf("%d %d %d\n", __atomic_compare_exchange_n(&x, &expected, 7, 1, 0, 0), expected, x);
  atomic_int modern = n & 3; printf("%d ", atomic_compare_exchange_strong(&modern, &expected, 8)); printf("%d %d\n", expected, (int)modern);
  __atomic_store_n(&x, side(&calls), __ATOMIC_RELEASE); printf("%d %d %d\n", x, calls, __atomic_exchange_n(&x, n & 7, 5));
  __atomic_load(&x, &seen, 5); __atomic_store(&x, &wanted, 5); printf("%d %d\n", seen, __atomic_load_n(&x, 5));
  printf("%d %d %d\n", __atomic_test_and_set(&flag, 0), __atomic_test_and_set(&flag, 0), flag); __atomic_clear(&flag, 0);
  small = 250; printf("%d %d\n", __sync_fetch_and_add(&small, n & 15), small); __atomic_thread_fence(5);
  printf("%d %d\n", *__atomic_exchange_n(&p, q, 5) == x, p == q); __atomic_store_n(&p, &x, 5);
  printf("%d %d\n", flag, __atomic_sub_fetch(__atomic_load_n(&p, 5), 2, 5));
  atomic_bool taken = n & 1; _Bool free_ = 0; printf("%d ", atomic_compare_exchange_strong(&taken, &free_, 1)); printf("%d %d\n", taken, free_);
  *to += n; held.l -= counted; printf("%d %ld\n", counted, held.l);
  return 0;
}
