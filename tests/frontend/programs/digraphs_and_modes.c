/* Brackets as digraphs, machine modes, flexible members by a name, and BSD's questions about floats. */
%:include <stdio.h>
extern int __VERIFIER_nondet_int(void);
extern double __VERIFIER_nondet_double(void);
typedef int list[];
struct flexible { int length; list items; };
static struct flexible some = { 3, { 7, 8, 9 } };
typedef enum { RED, GREEN, BLUE } color;
typedef struct { int small __attribute__((mode(QI))); int whole; color first __attribute__((__mode__(__byte__))), second; } cells;
static unsigned wide __attribute__((mode(DI)));
static struct { __attribute__((mode(HI))) int a, b; } pair;
static int table<:3:> = <% 1, 2, 3 %>;
static int pick(int x) <% if (x < 0) <% return table<:0:>; %> return table<:x%3:> + "<:"<:0:>; %>

int main(void)
<%
    int x = __VERIFIER_nondet_int();
    double d = __VERIFIER_nondet_double();
    typedef unsigned bits __attribute__((mode(SI)));
    static int byte __attribute__((mode(QI)));
    int half __attribute__((mode(HI))) = x * 77777;
    cells c = { x, x, x & 3, x & 3 };
    bits b = -x;
    wide = -1 - x;
    byte = x;
    pair.a = pair.b = x * 3333;
    x > 3 ?: printf("small\n");
    (void)(x & 1 ?: (void)(x += 2));
    printf("%d %d %d %d %zu\n", c.small, c.whole, c.first, c.second, sizeof c);
    printf("%u %llu %d %d %d %d %zu\n", b, (unsigned long long)wide, byte, half, pair.a, pair.b, sizeof pair);
    printf("%d %d %d %zu\n", pick(x), pick(-1), some.items<:2:>, sizeof some);
    printf("%d %d %d", __builtin_isnanf(d / d), __builtin_isinff(d / 0.0) != 0, __builtin_isinff(d * 1e300) != 0);
    printf(" %d %d %d %d\n", __builtin_finite(d), __builtin_finitef(d * 1e300), __builtin_isnanf(d), x);
    return 0;
%>
