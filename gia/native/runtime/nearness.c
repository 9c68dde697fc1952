/* How near comparisons came to outcomes that were never observed: the branch distance of search-based testing, for outcomes
 * whose condition is reached (Panichella, Kifetew & Tonella, DynaMOSA, TSE 2018). A run that comes nearer is kept: a
 * counter that must be 8 gets there one by one. */

extern uint16_t __gia_nearest[]; /* of each outcome, the smallest difference of all runs, or GIA_FAR */
extern word __gia_leaders[];     /* the entry of the corpus that has it */

static void forget_nearness(void)
{
    for (word n = 0; n < __gia_outcomes; n++)
        __gia_nearest[n] = GIA_FAR;
}

/* Tells runs of which outcomes they are to note how near they come to another one of the same condition. */
static void ask_for_nearness(void)
{
    for (word first = 0, end; first < __gia_outcomes; first = end) {
        word open = 0;
        for (end = first; end < __gia_outcomes && __gia_probes[end] == first; end++)
            open |= !known[end];
        for (word n = first; n < end; n++)
            nearness[n] = open ? __gia_nearest[n] : 0;
    }
}

/* Whether comparisons came nearer than in earlier runs. If that is kept, it becomes the last entry. */
static word examine_nearness(void)
{
    word news = 0;
    for (word n = 0; n < __gia_outcomes; n++)
        if (nearness[n] && nearness[n] < __gia_nearest[n]) {
            __gia_nearest[n] = nearness[n];
            __gia_leaders[n] = fuzzing->entries;
            news = 1;
        }
    return news;
}

/* An entry that came nearest to an outcome that was not observed yet; none if there is none. */
static struct corpus_entry *choose_leader(void)
{
    word first = random_below(__gia_outcomes);
    for (word n = 0; n < __gia_outcomes; n++) {
        word outcome = (first + n) % __gia_outcomes;
        if (nearness[outcome] && __gia_nearest[outcome] != GIA_FAR && __gia_leaders[outcome] < fuzzing->entries)
            return &fuzzing->entry[__gia_leaders[outcome]];
    }
    return 0;
}
