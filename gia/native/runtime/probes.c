/* What the probes in the program's text report: outcomes and call sites (see gia/native/instrument.py). */

/* Pointers, since -fsanitize-coverage=trace-cmp would observe the comparison of other numbers. */
extern char *__gia_last[];        /* the segment in which an outcome was recorded last */
char *__gia_segment = (char *)1; /* counts the inputs read, while that matters for the trace */

static void append(word event)
{
    if (events < run.event_limit) {
        shared->trace[events++] = event;
        shared->header.events = events;
    } else if (run.tracing == GIA_TRACE_BOUNDED) {
        shared->header.truncated = 1;
        stop(GIA_STOP_STEPS);
    } else {
        shared->header.truncated = 1;
        run.tracing = GIA_TRACE_NONE;
        segment_step = 0;
    }
}

/* While fuzzing, counts how often this follows what was observed before; ends a run that does not end by itself. */
static void count(word observed)
{
    static word before, steps;
    unsigned char *place = &counts[(observed * 0x9e3779b1u ^ before) >> 8 & (__gia_map - 1)];
    *place += *place != 255;
    before = observed * 0x85ebca6bu;
    shared->header.events = ++steps;
    if (steps > run.event_limit)
        stop(GIA_STOP_STEPS);
}

static uint64_t sides_apart; /* how far the sides of the comparison before the next outcome are apart */
static word sides_compared;  /* whether there was one */

/* A difference as a number of 16 bits, from 1, which grows with it: exact below 512, in 16 steps between powers of two above. */
static uint16_t coded(uint64_t difference)
{
    enum { EXACT_BITS = 9, STEP_BITS = 4 };
    if (difference >> EXACT_BITS == 0)
        return (uint16_t)(1 + difference);
    word exponent = 63 - (word)__builtin_clzll(difference);
    word steps = (word)(difference >> (exponent - STEP_BITS)) & ((1 << STEP_BITS) - 1);
    return (uint16_t)(1 + (1 << EXACT_BITS) + ((exponent - EXACT_BITS) << STEP_BITS) + steps);
}

/* The smallest difference that the comparison before an outcome had so far. */
static void note_nearness(uint16_t *smallest)
{
    uint16_t now = coded(sides_apart);
    if (sides_compared && now < *smallest)
        *smallest = now;
}

/* An outcome whose __gia_last differs from __gia_segment was observed. */
void __gia_record(word outcome)
{
    shared->covered[outcome] = 1;
    if (run.tracing >= GIA_TRACE_COUNTS) {
        while (pendings)
            *pending[--pendings] = outcome;
        if (nearness[outcome])
            note_nearness(&nearness[outcome]);
        sides_compared = 0;
        count(outcome);
        return;
    }
    if (run.tracing < GIA_TRACE_FULL)
        __gia_last[outcome] = __gia_segment;
    if (run.tracing != GIA_TRACE_NONE)
        append(outcome);
}

/* What a call of the library gave, in at most 8 bytes. */
void __gia_result(word call, word size, const void *value)
{
    word bits[2] = {0, 0}, n;
    if (run.tracing != GIA_TRACE_FULL && run.tracing != GIA_TRACE_BOUNDED)
        return;
    for (n = 0; n < size && n < sizeof bits; n++) /* the compiler may know another type than the CFA */
        ((unsigned char *)bits)[n] = ((const unsigned char *)value)[n];
    append(GIA_RESULT_EVENT + call);
    append(bits[0]);
    append(bits[1]);
}

/* The call sites of inputs whose arguments are being evaluated; they nest, so it is a stack. */
static word sites[64], site_depth;

void __gia_site(word site)
{
    sites[site_depth++ % 64] = site;
}
