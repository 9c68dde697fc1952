/* inputs: 0 1 -1 305419896 -2147483648 72057594037927936 -9223372036854775808 */
/* Functions of the compiler on bits, and arithmetic that says whether it overflows. */
int ones[7], pairs[7], first[7], first_long[7], signs[7], signs_long[7], leading[7], trailing[7];
int leading_long[7], trailing_long[7], odd[7];
unsigned swapped[7];
unsigned short half_swapped[7];
unsigned long long long_swapped[7];
_Bool flags[9][7];
int sums[7], differences[7], small[7];
unsigned products[7];
long long wide[7];
signed char narrow[7];
unsigned char last = 200;

void bits(int k, unsigned long long value) {
    unsigned low = (unsigned)value;
    ones[k] = __builtin_popcount(low) + 100 * __builtin_popcountll(value);
    pairs[k] = __builtin_popcountl((unsigned long)value);
    odd[k] = __builtin_parity(low) + 2 * __builtin_parityll(value);
    first[k] = __builtin_ffs((int)low);
    first_long[k] = __builtin_ffsll((long long)value);
    signs[k] = __builtin_clrsb((int)low);
    signs_long[k] = __builtin_clrsbll((long long)value);
    leading[k] = low ? __builtin_clz(low) : -1;
    trailing[k] = low ? __builtin_ctz(low) : -1;
    leading_long[k] = value ? __builtin_clzll(value) : -1;
    trailing_long[k] = value ? __builtin_ctzll(value) : -1;
    swapped[k] = __builtin_bswap32(low);
    half_swapped[k] = __builtin_bswap16((unsigned short)low);
    long_swapped[k] = __builtin_bswap64(value);
}

void overflows(int k, long long value) {
    int low = (int)value;
    flags[0][k] = __builtin_add_overflow(low, k - 3, &sums[k]);
    flags[1][k] = __builtin_sub_overflow(k - 3, low, &differences[k]);
    flags[2][k] = __builtin_mul_overflow((unsigned)low, (unsigned)k, &products[k]);
    flags[3][k] = __builtin_smul_overflow(low, low + 1, &small[k]);
    flags[4][k] = __builtin_add_overflow(low, 3u, &narrow[k]);
    flags[5][k] = __builtin_mul_overflow_p(low, 3, (short)0);
    flags[6][k] = __builtin_uadd_overflow(low, k, &products[6 - k]);
    if (__builtin_add_overflow(last, k, &last)) flags[7][k] = 1;
#ifdef __LP64__
    flags[8][k] = __builtin_mul_overflow(value, -value / 3, &wide[k]);
    flags[8][6 - k] ^= __builtin_usubll_overflow(value, 5, (unsigned long long *)&wide[6 - k]);
#endif
}

int main(void) {
    for (int k = 0; k < 7; k++) {
        long long value = __VERIFIER_nondet_longlong();
        bits(k, value);
        overflows(k, value);
    }
    return 0;
}
