/* Floating arithmetic, conversions between integers and floats, special values, comparisons. */
#include <math.h>
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
extern double __VERIFIER_nondet_double(void);
extern float __VERIFIER_nondet_float(void);

static float half(float x) { return x / 2; }

static double power(double base, unsigned exponent)
{
    double result = 1.0;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1)
            result *= base;
    return result;
}

int main(void)
{
    int i = __VERIFIER_nondet_int() % 1000;
    double d = __VERIFIER_nondet_double();
    float f = __VERIFIER_nondet_float();
    float g = i;
    double e = g / 3;
    long double x = e;

    printf("%d %d %d %d\n", d < 1.0, d >= 1.0, d != d, f == f);
    printf("%.17g %.9g %.17g\n", e, half(g), power(1.5, (unsigned)i % 20));
    printf("%d %u %lld\n", (int)(e * 1.5), (unsigned)(g * g), (long long)(e * 1e6));
    printf("%d %d\n", !e, e && !g);
    printf("%.17g %.17g %.17g\n", 0x1.8p3, 1e-3 + g, (double)(float)0.1);
    printf("%d %d %d\n", isnan(d) != 0, isinf(d) != 0, isfinite(f) != 0);
    printf("%d\n", (int)(x * 2.5L));
    g += 0.1;
    g++;
    e -= i;
    printf("%.9g %.17g %.17g\n", g, e, i ? 1.0 / i : HUGE_VAL);
    i *= 1.5;
    i += e > 0 ? 0.75 : -0.75f;
    printf("%d %d\n", i, (_Bool)0.25);
    printf("%d\n", d > 0 && f > 0 ? 1 : 2);
    return 0;
}
