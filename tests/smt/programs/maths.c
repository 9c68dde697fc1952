/* inputs: 0 -9223372036854775808 4607182418800017408 -4610560118520545280 9103491754901505635 1 -9223345724561845858 9218868437227405312 -4503599627370496 9221120237041090560 4602678819172646911 -4392016835940974588 */
/* Functions of <math.h>; of -0, infinities, subnormal numbers and NaN, too. */
/* unknown bytes: 8, of a NaN that fmod returns */
#include <math.h>
#define COUNT 12
double given[COUNT], differences[COUNT], wholes[COUNT], rests[COUNT], parts[COUNT], scaled[COUNT], after[COUNT];
double exponents[COUNT], even[COUNT], far[COUNT];
float narrow[COUNT], parts_narrow[COUNT], after_narrow[COUNT], scaled_narrow[COUNT], exponents_narrow[COUNT];
float differences_narrow[COUNT], whole_narrow[COUNT];
int counts[COUNT], classes[COUNT], normal[COUNT], counts_narrow[COUNT], negative[COUNT], classes_narrow[COUNT];
int whole_exponents[COUNT], kinds[COUNT], larger[COUNT];
long rounded[COUNT];
long long longer[COUNT], nearest[COUNT];
double fixed[10];

static int fits(double d) { return d > -1e9 && d < 1e9; }

int main(void) {
    for (int k = 0; k < COUNT; k++) {
        double d = __VERIFIER_nondet_double();
        float f = (float)d;
        given[k] = d;
        narrow[k] = f;
        differences[k] = fdim(d, 1.5);
        differences_narrow[k] = fdimf(1.5f, f);
        parts[k] = modf(d, &wholes[k]);
        parts_narrow[k] = modff(f, &whole_narrow[k]);
        if (isfinite(d)) rests[k] = frexp(d, &counts[k]);
        if (isfinite(f)) narrow[k] += frexpf(f, &counts_narrow[k]);
        scaled[k] = ldexp(d, 3) + scalbn(d, -1000);
        scaled_narrow[k] = ldexpf(f, -120) + scalblnf(f, 2);
        after[k] = nextafter(d, 1.0);
        far[k] = nextafter(-1.0, d);
        after_narrow[k] = nextafterf(f, -3.0f);
        exponents[k] = logb(d);
        exponents_narrow[k] = logbf(f);
        whole_exponents[k] = ilogb(d) ^ ilogbf(f);
        even[k] = rint(d);
        if (fits(d)) {
            rounded[k] = lround(d) + 3 * lrint(d);
            longer[k] = llroundf(f);
            nearest[k] = llrint(d + 0.5);
        }
        classes[k] = fpclassify(d);
        classes_narrow[k] = fpclassify(f);
        normal[k] = !!isnormal(d) + 2 * !!isnormal(f) + 4 * !!isfinite(f) + 8 * !!isinf(f);
        if (d == d) negative[k] = !!signbit(d) + 2 * !!signbit(f);
        kinds[k] = __fpclassify(d) + 8 * __fpclassifyf(f);
        larger[k] = isgreater(f, d) + 2 * isless(f, d) + 4 * isunordered(d, f) + 8 * islessgreater(f, 0.3f);
    }
    fixed[0] = fmod(-7.25, 2.0);
    fixed[1] = fmod(1e300, 3.0);
    fixed[2] = remainder(7.0, 2.0);
    fixed[3] = remainder(-5.0, 2.0);
    fixed[4] = fmod(-6.0, 3.0);
    fixed[5] = drem(1.0, 0.3);
    fixed[6] = fmod(5.0, 0.0);
    fixed[7] = remainderf(0.7f, 0.2f);
    fixed[8] = fmod(2.5, HUGE_VAL);
    return 0;
}
