/* What the fuzzer knows: the inputs that it keeps because they showed something new, and what was observed.
 *
 * It is in the server only: children do not inherit that mapping. They report through the shared mapping, whose
 * contents are believed as far as an input that they make interesting is run again.
 */

/* cost: outcomes that its run observed, in 64ths, from 1; interest: 2 if one was new, 1 else, 0 when it was analysed */
struct corpus_entry { word start, length, times, cost, interest; };
struct candidate { word index, bits[2]; }; /* what the value of an input should be changed to */

struct fuzzing {
    /* what gia asks for: how many runs at most, for how long, how many sequences are in the exchange */
    word executions, milliseconds, seeds, fresh;
    /* what was done; `found` and `values` count elements */
    word executed, found, entries, values, cut, reason;
    /* sequences, each after an element whose function is their length: those to begin with, and those that reached
     * an outcome for the first time */
    struct logged given[GIA_FUZZ_VALUES], reaching[GIA_FUZZ_VALUES];
    struct logged corpus[GIA_CORPUS_VALUES];
    struct logged work[GIA_FUZZ_LENGTH];
    struct corpus_entry entry[GIA_CORPUS_ENTRIES];
    struct logged base[GIA_FUZZ_LENGTH];  /* what candidates change: the entry that was analysed last, and more */
    struct candidate candidate[GIA_CANDIDATES];
    word unanalysed, base_length, candidates, tried, urgent; /* the first `urgent` candidates could lead to news */
    word costs; /* of all entries */
    unsigned char seen[]; /* the numbers of times, in classes, that each place of the map was counted; then `known` */
};

static struct fuzzing *fuzzing;
static unsigned char *known; /* of outcomes and call sites: 0 not observed, 1 observed, or GIA_WANTED */
static long fuzz_directory;
extern const word __gia_probes[]; /* of each outcome, the first one of the same condition or switch */

static void move_values(struct logged *to, const struct logged *from, word count)
{
    word n;
    if (to < from)
        for (n = 0; n < count; n++)
            to[n] = from[n];
    else
        for (n = count; n-- > 0;)
            to[n] = from[n];
}

static word class_of(unsigned char times)
{
    return times < 4 ? 1u << (times - 1) : times < 8 ? 8 : times < 16 ? 16 : times < 32 ? 32 : times < 128 ? 64 : 128;
}

/* Whether the run did something that no earlier one did; the map and the outcomes are clear afterwards. */
static word examine(word *reached)
{
    word news = 0, n;
    *reached = 0;
    for (n = 0; n < __gia_observed; n++) {
        if (shared->covered[n] && known[n] != 1) {
            news |= !known[n];
            *reached = known[n] = 1;
        }
        shared->covered[n] = 0;
    }
    for (n = 0; n < __gia_map; n += 8) {
        uint64_t *eight = (uint64_t *)&counts[n];
        if (!*eight)
            continue;
        for (word m = n; m < n + 8; m++)
            if (counts[m]) {
                word class = class_of(counts[m]);
                news |= !(fuzzing->seen[m] & class);
                fuzzing->seen[m] |= class;
            }
        *eight = 0;
    }
    return news;
}

/* Keep the inputs that the last run has read, if it was new, or tell of them; what finds no room is lost. */
static void keep(word news, word reached)
{
    struct fuzzing *f = fuzzing;
    word count = shared->header.inputs < GIA_INPUTS ? shared->header.inputs : GIA_INPUTS;
    if (news && count && f->entries < GIA_CORPUS_ENTRIES && f->values + count <= GIA_CORPUS_VALUES) {
        move_values(f->corpus + f->values, shared->logged, count);
        word cost = shared->header.events / 64 % (1u << 16) + 1;
        f->entry[f->entries++] = (struct corpus_entry){f->values, count, 0, cost, 1 + reached};
        f->unanalysed++;
        f->values += count;
        f->costs += cost;
    }
    if (reached && f->found + 1 + count <= GIA_FUZZ_VALUES) {
        f->reaching[f->found++].function = count;
        move_values(f->reaching + f->found, shared->logged, count);
        f->found += count;
    }
}

/* Of two entries the later one, or the one that was chosen less often. */
static struct corpus_entry *choose_any(void)
{
    struct corpus_entry *first = &fuzzing->entry[random_below(fuzzing->entries)];
    struct corpus_entry *second = &fuzzing->entry[random_below(fuzzing->entries)];
    if (random_below(2))
        return second > first ? second : first;
    return second->times < first->times ? second : first;
}

/* An entry; those whose run took much longer than the average come less often, by as much (as AFL weights them). */
static struct corpus_entry *choose(void)
{
    enum { ATTEMPTS = 8, MUCH = 2 };
    struct corpus_entry *chosen = choose_any();
    for (word n = 1; n < ATTEMPTS; n++) {
        if ((uint64_t)random_below(chosen->cost) * fuzzing->entries <= (uint64_t)MUCH * fuzzing->costs)
            break;
        chosen = choose_any();
    }
    return chosen;
}

/* Copy the inputs of an entry to the work area; their number. */
static word copy_entry(const struct corpus_entry *entry)
{
    word count = entry->length < GIA_FUZZ_LENGTH ? entry->length : GIA_FUZZ_LENGTH;
    move_values(fuzzing->work, fuzzing->corpus + entry->start, count);
    return count;
}

/* The latest of the most interesting entries that were not analysed yet. */
static struct corpus_entry *next_to_analyse(void)
{
    struct corpus_entry *chosen = fuzzing->entry;
    for (word n = 1; n < fuzzing->entries; n++)
        if (fuzzing->entry[n].interest >= chosen->interest)
            chosen = &fuzzing->entry[n];
    chosen->interest = 0;
    fuzzing->unanalysed--;
    return chosen;
}
