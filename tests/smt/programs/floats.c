/* inputs: 7 1069547520 4613937818241073152 */
#include <math.h>
float f, third, narrow, tiny;
double d, sum, root, kept[8], huge;
int i, truncated, comparisons, classes;
unsigned u;
long long wide;
unsigned char small;
_Bool yes;
short shorted;

int main(void) {
    i = __VERIFIER_nondet_int();
    f = __VERIFIER_nondet_float();
    d = __VERIFIER_nondet_double();
    third = i / 3.0f;
    narrow = d * 1e-3;
    tiny = 1e-40f * i;
    for (int k = 0; k < 5; k++) sum += d / (k + 1) + third;
    root = sqrt(d) + fabs(-d) - floor(-2.5) + ceil(2.1) + trunc(-1.7) + round(2.5);
    truncated = (int)(d * -1.7);
    u = (unsigned)(d + 3e9);
    wide = (long long)(d * 1e15);
    small = (unsigned char)(f * 10);
    shorted = (short)-f;
    yes = 0.25f;
    comparisons = (f < d) + 2 * (f == 1.5f) + 4 * (d > 1e300) + 8 * !f + 16 * (0.1f == 0.1) + 32 * (0.1 + 0.2 == 0.3);
    double nan = 0.0 / (f - f), inf = d / 0.0;
    classes = isnan(nan) + 2 * (nan == nan) + 4 * (nan != nan) + 8 * !!isinf(inf) + 16 * (inf > 1e308) + 32 * (nan < inf);
    kept[0] = fmin(d, 2.0);
    kept[1] = fmax(d, nan);
    kept[2] = copysign(3.0, -d);
    kept[3] = (float)0.1;
    kept[4] = i;
    kept[5] = (unsigned long long)-1;
    kept[6] = wide;
    kept[7] = -0.0;
    if (inf > 0) huge = 1e308 * 10;
    return 0;
}
