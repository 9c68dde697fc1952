/* inputs: 4503599627370497 */
#include <float.h>
#include <limits.h>
double most = DBL_MAX, least = DBL_MIN, step = DBL_EPSILON, tiny = -4.9e-324L, twice, sum, third;
float narrow, lost;
long long whole;
unsigned char bits, truth;
int compared;

int main(void) {
    double d = __VERIFIER_nondet_ulong();
    narrow = 0.1L;
    lost = (float)(1.0L + 0x1p-24L + 0x1p-60L);  /* rounded once, not to double before */
    twice = (double)(0x1p53L + 1.0L);
    sum = 0.1L + 0.2L;
    third = (double)(1.0L / 3);
    whole = (long long)-9007199254740993.0L;
    bits = (unsigned char)255.9L;
    truth = (_Bool)1e-4940L;
    compared = (d > DBL_MAX) + 2 * (1.0 + DBL_EPSILON == 1.0) + 4 * (d < DBL_MIN) + 8 * (DBL_MAX * 2 > DBL_MAX);
    return 0;
}
