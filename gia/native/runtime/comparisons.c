/* What the program compares, while that is asked for: gcc's -fsanitize-coverage=trace-cmp calls these functions. */

#define OBSERVING __builtin_expect(run.tracing == GIA_TRACE_COMPARISONS, 0) /* asked before each comparison: cheap */

/* Notes what code at an address has compared, once for each pair of values. */
static void compared(const void *code, uint64_t left, uint64_t right)
{
    if (left == right)
        return;
    uint64_t site = (uint64_t)((const char *)code - (const char *)&__gia_sites); /* the same wherever it is loaded */
    uint64_t mixed = left * 0x9e3779b97f4a7c15u ^ right * 0xc2b2ae3d27d4eb4fu ^ site * 0x165667b19e3779f9u;
    word place = (word)(mixed >> 32) % GIA_COMPARISONS;
    struct comparison *known = &shared->comparisons[place];
    if (known->left[0] | known->left[1] | known->right[0] | known->right[1])
        return;
    *known = (struct comparison){{(word)left, (word)(left >> 32)}, {(word)right, (word)(right >> 32)}, GIA_NO_OUTCOME};
    if (pendings < GIA_PENDING)
        pending[pendings++] = place;
}

#define COMPARED(name, type) \
    void name(type left, type right); \
    void name(type left, type right) { if (OBSERVING) compared(__builtin_return_address(0), left, right); }
COMPARED(__sanitizer_cov_trace_cmp1, uint8_t)
COMPARED(__sanitizer_cov_trace_cmp2, uint16_t)
COMPARED(__sanitizer_cov_trace_cmp4, uint32_t)
COMPARED(__sanitizer_cov_trace_cmp8, uint64_t)
COMPARED(__sanitizer_cov_trace_const_cmp1, uint8_t)
COMPARED(__sanitizer_cov_trace_const_cmp2, uint16_t)
COMPARED(__sanitizer_cov_trace_const_cmp4, uint32_t)
COMPARED(__sanitizer_cov_trace_const_cmp8, uint64_t)

void __sanitizer_cov_trace_cmpf(float left, float right);
void __sanitizer_cov_trace_cmpf(float left, float right)
{
    union { float number; uint32_t bits; } first = {left}, second = {right};
    if (OBSERVING)
        compared(__builtin_return_address(0), first.bits, second.bits);
}

void __sanitizer_cov_trace_cmpd(double left, double right);
void __sanitizer_cov_trace_cmpd(double left, double right)
{
    union { double number; uint64_t bits; } first = {left}, second = {right};
    if (OBSERVING)
        compared(__builtin_return_address(0), first.bits, second.bits);
}

/* cases[0] is their number, cases[1] the bits of the value; then they follow. */
void __sanitizer_cov_trace_switch(uint64_t value, uint64_t *cases);
void __sanitizer_cov_trace_switch(uint64_t value, uint64_t *cases)
{
    if (OBSERVING)
        for (uint64_t n = 0; n < cases[0]; n++)
            compared(__builtin_return_address(0), value, cases[2 + n]);
}
