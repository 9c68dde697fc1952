/* What the fuzzer knows: the inputs that it keeps because they showed something new, and what was observed.
 *
 * It is in the server only: children do not inherit that mapping. They report through the shared mapping, whose
 * contents are believed as far as an input that they make interesting is run again.
 */

/* cost: outcomes that its run observed, in 64ths, from 1; interest: 3 if one was new, 2 if a comparison came further, 1
 * else, 0 when it was analysed */
struct corpus_entry { word start, length, times, cost, interest; };
/* What should be changed: `added` characters take the place of `removed` inputs from `index` on; if both are zero, that
 * input gets a value. */
struct candidate { word index, removed, added, bits[2]; unsigned char text[GIA_TEXT_BYTES]; };
struct token { word length, suggested; unsigned char text[GIA_TEXT_BYTES]; }; /* suggested: by how many analyses */

struct fuzzing {
    /* what gia asks for: how many runs at most, for how long, how many sequences are in the exchange, and
     * in which ways: GIA_FUZZ_FRESH forgets what was before, GIA_FUZZ_REPEATS lets runs share a process */
    word executions, milliseconds, seeds, ways;
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
    _Alignas(8) unsigned char progress[GIA_PROGRESS];
    word unanalysed, promising; /* entries that are to be analysed; those of them with an interest of 2 or 3 */
    word base_entry, base_length, candidates, tried, urgent; /* the first `urgent` candidates could lead to news */
    word costs; /* of all entries */
    word tokens;
    struct token token[GIA_TOKENS]; /* texts with which the program compared others, and that no inputs had */
    unsigned char seen[]; /* the numbers of times, in classes, that each place of the map was counted; then `known` */
};
_Static_assert(offsetof(struct fuzzing, seen) == GIA_FUZZ_BYTES, "the layout is that of gia/native/layout.py");

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

enum { MOST_DISCOVERED = 64 };

/* What the last run was the first to observe, as far as there is room for it. */
static struct { word outcome[MOST_DISCOVERED], count; } discovered;

/* Whether the run did something that no earlier one did; the map and the outcomes are clear afterwards. */
static word examine(word *reached)
{
    word news = 0, n;
    *reached = discovered.count = 0;
    for (n = 0; n < __gia_observed; n++) {
        if (shared->covered[n] && known[n] != 1) {
            news |= !known[n];
            *reached = known[n] = 1;
            if (discovered.count < MOST_DISCOVERED)
                discovered.outcome[discovered.count++] = n;
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

/* Whether comparisons came further than in earlier runs; what they reported is clear afterwards. */
static word examine_progress(void)
{
    word news = 0;
    for (word n = 0; n < GIA_PROGRESS; n += 8) {
        uint64_t *now = (uint64_t *)&shared->progress[n], *earlier = (uint64_t *)&fuzzing->progress[n];
        news |= (*now & ~*earlier) != 0;
        *earlier |= *now;
        *now = 0;
    }
    return news;
}

/* See corpus_entry. */
static word cost_of_run(void)
{
    return shared->header.events / 64 % (1u << 16) + 1;
}

/* Keep the inputs that the last run has read, if it was new, or tell of them; what finds no room is lost. Whether they
 * are kept. */
static word keep(word news, word reached, word further)
{
    struct fuzzing *f = fuzzing;
    word count = shared->header.inputs < GIA_INPUTS ? shared->header.inputs : GIA_INPUTS;
    word kept = (news || further) && count && f->entries < GIA_CORPUS_ENTRIES && f->values + count <= GIA_CORPUS_VALUES;
    if (kept) {
        move_values(f->corpus + f->values, shared->logged, count);
        word cost = cost_of_run();
        f->entry[f->entries++] = (struct corpus_entry){f->values, count, 0, cost, reached ? 3 : 1 + further};
        f->unanalysed++;
        f->promising += reached || further;
        f->values += count;
        f->costs += cost;
    }
    if (reached && f->found + 1 + count <= GIA_FUZZ_VALUES) {
        f->reaching[f->found++].function = count;
        move_values(f->reaching + f->found, shared->logged, count);
        f->found += count;
    }
    return kept;
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

/* Take a part out of the `count` values of the work area; their number. */
static word without_part(word count, word start, word length)
{
    word rest = start + length < count ? count - start - length : 0;
    move_values(fuzzing->work + start, fuzzing->work + start + length, rest);
    return start + rest;
}

/* The last run has read fewer inputs and did what matters of an entry: these are the entry now. */
static void shorten(struct corpus_entry *entry)
{
    entry->length = shared->header.inputs < entry->length ? shared->header.inputs : entry->length;
    move_values(fuzzing->corpus + entry->start, shared->logged, entry->length);
    fuzzing->costs -= entry->cost;
    entry->cost = cost_of_run();
    fuzzing->costs += entry->cost;
}

/* Whether it is time to analyse another entry: what could lead to news was tried, and the rest as well, unless an entry
 * is promising. */
static word is_to_analyse(void)
{
    word left = fuzzing->candidates - fuzzing->tried;
    return fuzzing->unanalysed && (!left || (fuzzing->promising && fuzzing->tried >= fuzzing->urgent));
}

/* Analyse something else: the entry with that number, if it is one. What has candidates that were not tried comes again. */
static void leave_base(word entry)
{
    if (fuzzing->tried < fuzzing->candidates && fuzzing->base_entry < fuzzing->entries) {
        fuzzing->entry[fuzzing->base_entry].interest = 1;
        fuzzing->unanalysed++;
    }
    fuzzing->base_entry = entry;
}

/* The latest of the most interesting entries that were not analysed yet. */
static struct corpus_entry *next_to_analyse(void)
{
    struct corpus_entry *chosen = fuzzing->entry;
    for (word n = 1; n < fuzzing->entries; n++)
        if (fuzzing->entry[n].interest >= chosen->interest)
            chosen = &fuzzing->entry[n];
    fuzzing->promising -= chosen->interest > 1;
    chosen->interest = 0;
    fuzzing->unanalysed--;
    leave_base((word)(chosen - fuzzing->entry));
    return chosen;
}
