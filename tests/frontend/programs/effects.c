/* Side effects in expressions: order, short circuit, nested conditionals, statement expressions, compound literals. */
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
static int log_[64], count;
static int note(int value) { log_[count++ & 63] = value; return value; }
static int global;
static int change(void) { return global += 5; }
static int *cell(int *array, int index) { note(index); return array + index; }
#define MAX(a, b) ({ __typeof__(a) first_ = (a); __typeof__(b) second_ = (b); first_ > second_ ? first_ : second_; })
struct pair { int x, y; };
static int add(struct pair p) { return p.x + p.y; }
static int three(int a, int b, int c) { return a * 100 + b * 10 + c; }

int main(void)
{
    int n = __VERIFIER_nondet_int() & 7, i = 0, a[10] = { 0 }, *p = a;
    if (note(n) && note(n - 1) || note(n + 1))
        note(100);
    if (!(note(n & 1) || note(n & 2)) && note(5))
        note(101);
    int v = note(n) > 3 ? note(1) ? note(2) : note(3) : note(n) ? note(4) : note(5);
    a[note(1)] = note(2);
    a[i++] = i + 10;
    *p++ = 7;
    p[i++] += note(3);
    *cell(a, n) += note(n);
    a[n] <<= (note(1), note(2));
    v += global + change();
    v += change() - global;
    global += change();
    v ^= three(note(1), note(2), note(3)) + three(i, i + 1, global);
    v += MAX(note(v), note(n)) + ({ int t = 0; while (t < n) t += 3; t; });
    v += add((struct pair) { .y = note(6), .x = 1 }) + (&(struct pair) { 4, n })->y;
    int w = (note(1), note(2)), x, y;
    x = y = w = note(n) + 1;
    signed char c = v;
    int wide = c = v + 300;
    y = (x = n) + (w == x && note(x) ? 1 : 0);
    x = n ? note(9), 3 : note(8);
    for (int k = 0; note(k) < 3 && k != n; k++)
        note(-k);
    do note(50); while (note(n) && n-- > 4);
    while (n > 0 && note(--n))
        ;
    x = sizeof(note(1000)) + sizeof(i++);
    printf("%d %d %d %d %d %d %d\n", v, w, x, y, wide, c, i);
    for (int k = 0; k < 10; k++)
        printf("%d ", a[k]);
    for (int k = 0; k < count && k < 64; k++)
        printf("%d ", log_[k]);
    printf("\n");
    return 0;
}
