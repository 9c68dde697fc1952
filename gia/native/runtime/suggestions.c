/* What the comparisons of an execution suggest: where one side is the value of an input, that input could have the other
 * one (input-to-state correspondence, Aschermann et al., REDQUEEN, NDSS 2019). */

static void suggest(word index, uint64_t value)
{
    for (int64_t near = -1; near <= 1; near++)
        if (fuzzing->candidates < GIA_CANDIDATES) {
            uint64_t bits = value + (uint64_t)near;
            fuzzing->candidate[fuzzing->candidates++] = (struct candidate){index, {(word)bits, (word)(bits >> 32)}};
        }
}

/* Whether another outcome of the same condition or switch was not observed yet. */
static word leads_to_news(word outcome)
{
    if (outcome >= __gia_outcomes)
        return 0;
    for (word n = __gia_probes[outcome]; n < __gia_outcomes && __gia_probes[n] == __gia_probes[outcome]; n++)
        if (!known[n])
            return 1;
    return 0;
}

/* From the comparisons of the last run, those that lead to news or the others. */
static void collect_from(word count, word news)
{
    enum { FIRST = 64 };
    for (word n = 0; n < GIA_COMPARISONS; n++) {
        struct comparison *found = &shared->comparisons[n];
        if (leads_to_news(found->outcome) != news)
            continue;
        uint64_t left = found->left, right = found->right;
        for (word m = 0; left != right && m < count && m < FIRST; m++) {
            word width = width_of(fuzzing->base[m].function);
            uint64_t mask = width < 64 ? ((uint64_t)1 << width) - 1 : ~(uint64_t)0;
            uint64_t value = (fuzzing->base[m].bits[0] | (uint64_t)fuzzing->base[m].bits[1] << 32) & mask;
            if (value == (left & mask))
                suggest(m, right);
            else if (value == (right & mask))
                suggest(m, left);
        }
    }
}

static void collect_candidates(void)
{
    word count = shared->header.inputs < GIA_FUZZ_LENGTH ? shared->header.inputs : GIA_FUZZ_LENGTH;
    move_values(fuzzing->base, shared->logged, count);
    fuzzing->base_length = count;
    fuzzing->candidates = fuzzing->tried = 0;
    collect_from(count, 1);
    fuzzing->urgent = fuzzing->candidates;
    collect_from(count, 0);
}
