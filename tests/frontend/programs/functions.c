/* Function pointers, recursion, old definitions, implicit declarations, variable arguments, computed goto,
 * calling conventions. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
typedef int (*operation)(int, int);
static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int times(a, b) int a; int b; { return a * b; }
static operation operations[] = { plus, &minus, times };
static operation choose(int n) { return operations[(unsigned)n % 3]; }
static int apply(operation f, int a, int b) { return f ? (*f)(a, b) : -1; }
static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static int even(int n);
static int odd(int n) { return n ? even(n - 1) : 0; }
static int even(int n) { return n ? odd(n - 1) : 1; }
static int total(int count, ...)
{
    va_list list, again;
    int sum = 0;
    va_start(list, count);
    va_copy(again, list);
    while (count-- > 0)
        sum += va_arg(list, int);
    sum = sum * 10 + (int)va_arg(list, double) + va_arg(again, int);
    va_end(list);
    va_end(again);
    return sum;
}
static void nothing(void) { }
static void (*callback)(void) = nothing;
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
old(x) { return x + 1; }
older(a, b) register a; const b; { register n = a; static c; auto const k = 3; c += n > k; return c * b + n % 100; }
static int __attribute__((__stdcall__)) cleared_by_callee(int a, int b) { return 3 * a - b; }
static int __attribute__((fastcall)) in_registers(int a, int b) { return a - 3 * b; }
static int __attribute__((stdcall)) (*convention)(int, int) = cleared_by_callee;
static double shifted(void *by, double x) { return x + *(double *)by; }
static double scaled(double by, double x) { return x * by; }
static double half(double x) { return x / 2; }
static char *letter(double x) { return x > 2 ? "b" : "a"; }
static const void *stored[] = { shifted, scaled, half, letter };

static int interpreter(const unsigned char *code)
{
    static void *labels[] = { &&stop, &&increment, &&twice };
    int value = 1;
    goto *labels[*code];
increment:
    value++;
    goto *labels[*++code];
twice:
    value *= 2;
    goto *labels[*++code];
stop:
    return value;
}

int main(int argc, char **argv)
{
    int n = __VERIFIER_nondet_int();
    unsigned char program[] = { 1, 2, 2, 1, 0 };
    int values[] = { 3, 1, 2 };
    double by = n % 7;
    printf("%f %f ", ((double (*)(void *, double))stored[0])(&by, 1.5), ((double (*)(double, double))stored[1])(by, 2));
    printf("%f %s\n", ((double (*)(double))stored[2])(by), ((char *(*)(double))stored[3])(by));
    printf("%d %d %d\n", choose(n)(n, 2), apply(choose(n + 1), n, 3), apply(0, 1, 2));
    printf("%d %d %d\n", fibonacci(10), odd(n & 15), old(n) + older(n, 3) + older(n, 2));
    printf("%d\n", total(3, 1, n, 3, 2.5));
    printf("%d %d\n", convention(n, 2), in_registers(n, 2));
    callback();
    (n & 1 ? plus : minus)(1, 2);
    printf("%d %d\n", interpreter(program), (n & 1 ? plus : minus)(n, 1));
    struct { operation run; int bias; } object = { times, 4 };
    printf("%d %d\n", object.run(object.bias, n), n);
    qsort(values, 3, sizeof values[0], compare);
    printf("%d %d %d %s\n", values[0], values[1], values[2], __func__);
    int *heap = malloc(3 * sizeof *heap);
    heap[0] = 1, heap[1] = n;
    heap = realloc(heap, 10 * sizeof(int));
    printf("%d\n", heap[0] + heap[1]);
    free(heap);
    if (n == 12345) abort();
    if (n == 77) exit(3);
    return n > 0 ? 1 : 0;
}
