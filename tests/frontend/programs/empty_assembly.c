/* Assembly without instructions evaluates its operands, and does nothing else. */
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
static int global, calls;
static int called(void) { return ++calls; }
#define BARRIER() __asm__ __volatile__ ("" : : : "memory")

int main(void)
{
    int x = __VERIFIER_nondet_int(), y = x + 1, a[3] = { x, y, 2 }, *p = a;
    double d = x / 4.0;
    BARRIER();
    asm ("");
    asm volatile ("" "\n\t" : "+r" (x), [name] "+m" (global) : "r" (called()), "g" (&a) : "cc");
    asm ("" : "=r" (y) : "0" (y));
    asm ("" : "=m" (a[1]), "+x" (d) : "m" (a[1]), "r" (*p++));
    if (x & 1) BARRIER(); else asm ("" ::: "memory");
    int z = ({ asm ("" : "+r" (x) : "g" (global++)); x + calls; });
again:
    asm volatile ("");
    if (z-- > x) goto again;
    printf("%d %d %d %g %d %d %d\n", x, y, z, d, a[1], (int)(p - a), global);
    return 0;
}
