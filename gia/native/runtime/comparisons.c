/* What the program compares: gcc's -fsanitize-coverage=trace-cmp calls these functions. If asked for, it is observed how far
 * comparisons come, and noted what was compared. */

#define OBSERVING __builtin_expect(run.tracing >= GIA_TRACE_PROGRESS, 0) /* asked before each comparison: cheap */
#define NOTING (run.tracing == GIA_TRACE_COMPARISONS)

/* The next outcome is to be noted there. */
static void await_outcome(word *outcome)
{
    if (pendings < GIA_PENDING)
        pending[pendings++] = outcome;
}

/* A place in the code, which is the same wherever it is loaded. */
static uint64_t site_of(const void *code)
{
    return (uint64_t)((const char *)code - (const char *)&__gia_sites);
}

/* Notes how far a comparison has come. */
static void progressed(uint64_t site, word far)
{
    shared->progress[(site + far * 0x9e3779b9u) * 0x165667b19e3779f9u >> 32 & (GIA_PROGRESS - 1)] = 1;
}

/* Notes how many times in a row a comparison had equal sides: a loop may compare texts. */
static void count_equal(uint64_t site, word equal)
{
    enum { LONGEST = 32 };
    static uint64_t last_site; /* that which had equal sides last */
    static word times;
    if (equal) {
        times = site != last_site ? 1 : times < LONGEST ? times + 1 : LONGEST;
        last_site = site;
    } else if (site == last_site)
        times = 0;
    progressed(site, equal ? times : 0);
}

/* Notes what was compared at a place, once for each pair of different values. */
static void note_values(uint64_t site, uint64_t left, uint64_t right, word constant)
{
    enum { ATTEMPTS = 8 };
    uint64_t mixed = left * 0x9e3779b97f4a7c15u ^ right * 0xc2b2ae3d27d4eb4fu ^ site * 0x165667b19e3779f9u;
    for (word n = 0; n < ATTEMPTS; n++) {
        struct comparison *known = &shared->comparisons[((word)(mixed >> 32) + n) % GIA_COMPARISONS];
        if (known->left == left && known->right == right && known->site == (word)site)
            return;
        if (known->left == known->right) { /* free */
            *known = (struct comparison){left, right, (word)site, GIA_NO_OUTCOME, inputs, constant};
            await_outcome(&known->outcome);
            return;
        }
    }
}

/* For the outcome that follows: how far two sides are apart. */
static void keep_apart(uint64_t difference)
{
    sides_apart = difference;
    sides_compared = 1;
}

/* The place of a floating number among all numbers of its format: between two of them are as many as they are apart. */
static uint64_t place_of(uint64_t bits, word width)
{
    uint64_t sign = (uint64_t)1 << (width - 1);
    return bits & sign ? sign - (bits - sign) : sign + bits;
}

static uint64_t places_apart(uint64_t left, uint64_t right, word width)
{
    uint64_t first = place_of(left, width), second = place_of(right, width);
    return first < second ? second - first : first - second;
}

/* Code at an address has compared two values. */
static void compared(const void *code, uint64_t left, uint64_t right, word constant)
{
    count_equal(site_of(code), left == right);
    if (NOTING && left != right)
        note_values(site_of(code), left, right, constant);
}

/* Signed or not, the difference is at most half of all values. */
#define COMPARED(name, type, signed_type, constant) \
    void name(type left, type right); \
    void name(type left, type right) \
    { \
        signed_type apart = (signed_type)(left - right); \
        keep_apart(apart < 0 ? -(uint64_t)apart : (uint64_t)apart); \
        if (OBSERVING) \
            compared(__builtin_return_address(0), left, right, constant); \
    }
COMPARED(__sanitizer_cov_trace_cmp1, uint8_t, int8_t, 0)
COMPARED(__sanitizer_cov_trace_cmp2, uint16_t, int16_t, 0)
COMPARED(__sanitizer_cov_trace_cmp4, uint32_t, int32_t, 0)
COMPARED(__sanitizer_cov_trace_cmp8, uint64_t, int64_t, 0)
COMPARED(__sanitizer_cov_trace_const_cmp1, uint8_t, int8_t, 1)
COMPARED(__sanitizer_cov_trace_const_cmp2, uint16_t, int16_t, 1)
COMPARED(__sanitizer_cov_trace_const_cmp4, uint32_t, int32_t, 1)
COMPARED(__sanitizer_cov_trace_const_cmp8, uint64_t, int64_t, 1)

void __sanitizer_cov_trace_cmpf(float left, float right);
void __sanitizer_cov_trace_cmpf(float left, float right)
{
    union { float number; uint32_t bits; } first = {left}, second = {right};
    keep_apart(places_apart(first.bits, second.bits, 32));
    if (OBSERVING)
        compared(__builtin_return_address(0), first.bits, second.bits, 0);
}

void __sanitizer_cov_trace_cmpd(double left, double right);
void __sanitizer_cov_trace_cmpd(double left, double right)
{
    union { double number; uint64_t bits; } first = {left}, second = {right};
    keep_apart(places_apart(first.bits, second.bits, 64));
    if (OBSERVING)
        compared(__builtin_return_address(0), first.bits, second.bits, 0);
}

/* cases[0] is their number, cases[1] the bits of the value; then they follow. */
void __sanitizer_cov_trace_switch(uint64_t value, uint64_t *cases);
void __sanitizer_cov_trace_switch(uint64_t value, uint64_t *cases)
{
    if (OBSERVING)
        for (uint64_t n = 0; n < cases[0]; n++)
            compared(__builtin_return_address(0), value, cases[2 + n], 0);
}
