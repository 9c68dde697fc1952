/* The loop of the fuzzer: change inputs, run the program on them, keep what shows something new.
 *
 * What it keeps is in the server only: children do not inherit that mapping. They report through the
 * shared mapping, whose contents are believed as far as an input that they make interesting is run again.
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

static uint64_t milliseconds_now(void)
{
    enum { MONOTONIC = 1 };
    long now[2] = {0, 0};
    CALL(clock_gettime, MONOTONIC, now, 0, 0, 0);
    return (uint64_t)now[0] * 1000 + (uint64_t)now[1] / 1000000;
}

static void clear(void *memory, word size)
{
    for (unsigned char *at = memory; size--; at++)
        *at = 0;
}

/* Maps what the server keeps, and forgets it if asked to. */
static void begin_fuzzing(const struct header *request)
{
    enum { AT_CURRENT_DIRECTORY = -100, DIRECTORY = 0200000, DO_NOT_INHERIT = 10 };
    if (!fuzzing) {
        word size = sizeof *fuzzing + __gia_map + __gia_observed;
        fuzzing = map_shared_memory(__gia_fuzz_offset, size);
        known = fuzzing->seen + __gia_map;
        CALL(madvise, fuzzing, size, DO_NOT_INHERIT, 0, 0);
    }
    if (fuzzing->fresh) {
        fuzzing->entries = fuzzing->values = fuzzing->costs = fuzzing->unanalysed = 0;
        fuzzing->candidates = fuzzing->tried = 0;
        clear(fuzzing->seen, __gia_map);
        clear(known, __gia_observed);
        random_state = request->seed[0] | (uint64_t)request->seed[1] << 32;
    }
    fuzzing->executed = fuzzing->found = fuzzing->cut = 0;
    clear(shared->covered, __gia_observed);
    clear(counts, __gia_map);
    fuzz_directory = CALL(openat, AT_CURRENT_DIRECTORY, request->directory, DIRECTORY, 0, 0);
}

/* One run on `count` values of the work area, and `more` random inputs after them; 1 in the child that is to run. */
static word run_on(const struct header *request, word count, word more, long self)
{
    word n, m;
    shared->header = *request;
    shared->header.given = count;
    shared->header.missing = GIA_MISSING_RANDOM;
    shared->header.input_limit = count + more < request->input_limit ? count + more : request->input_limit;
    shared->header.seed[0] = (word)random_bits();
    shared->header.seed[1] = (word)random_bits();
    for (n = 0; n < count; n++) {
        shared->given[n].function = fuzzing->work[n].function;
        shared->given[n].literal = 0;
        for (m = 0; m < 4; m++)
            shared->given[n].integer[m] = fuzzing->work[n].bits[m];
    }
    if (start_child(self))
        return 1;
    fuzzing->executed++;
    fuzzing->cut += last_report.ended_by_server || shared->header.stop == GIA_STOP_STEPS;
    return 0;
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

/* From the comparisons of the last run, those that lead to news or the others: where one side is the value of an input,
 * that input could have the other one (input-to-state correspondence, Aschermann et al., REDQUEEN, NDSS 2019). */
static void collect_from(word count, word news)
{
    enum { FIRST = 64 };
    for (word n = 0; n < GIA_COMPARISONS; n++) {
        struct comparison *found = &shared->comparisons[n];
        if (leads_to_news(found->outcome) != news)
            continue;
        uint64_t left = found->left[0] | (uint64_t)found->left[1] << 32;
        uint64_t right = found->right[0] | (uint64_t)found->right[1] << 32;
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

/* Whether it is the turn of a candidate: there are so many that nothing else would ever be tried. */
static word try_candidate(void)
{
    if (fuzzing->tried == fuzzing->candidates)
        return 0;
    return !fuzzing->entries || random_below(4) < (fuzzing->tried < fuzzing->urgent ? 3 : 1);
}

/* The next inputs in the work area; their number. */
static word next_inputs(void)
{
    if (try_candidate()) {
        struct candidate *chosen = &fuzzing->candidate[fuzzing->tried++];
        word count = fuzzing->base_length;
        move_values(fuzzing->work, fuzzing->base, count);
        fuzzing->work[chosen->index].bits[0] = chosen->bits[0];
        fuzzing->work[chosen->index].bits[1] = chosen->bits[1];
        return count;
    }
    if (!fuzzing->entries || random_below(32) == 0)
        return 0;
    struct corpus_entry *entry = choose(), *other = choose();
    entry->times++;
    return mutate(fuzzing->work, copy_entry(entry), fuzzing->corpus + other->start, other->length);
}

/* How many random inputs may follow those that are given. */
static word random_more(word count)
{
    switch (random_below(count ? 4 : 2)) {
    case 0:
        return 64;
    case 1:
        return GIA_INPUTS;
    case 2:
        return 1 + random_below(8);
    default:
        return 0;
    }
}

static word directory_is_empty(void)
{
    enum { BYTES_OF_EMPTY = 48 };
    uint64_t entries[32];
    CALL(lseek, fuzz_directory, 0, 0, 0, 0);
    return CALL(getdents64, fuzz_directory, entries, sizeof entries, 0, 0) <= BYTES_OF_EMPTY;
}

/* Why the batch is to end before its number of executions, or 0. */
static word reason_to_end(uint64_t deadline)
{
    enum { READABLE = 1 };
    struct waiting waiting = {GIA_COMMAND_FD, READABLE, 0};
    long at_once[2] = {0, 0};
    if (!directory_is_empty())
        return GIA_FUZZ_FILES;
    if (fuzzing->executed % 16)
        return 0;
    if (CALL(ppoll, &waiting, 1, at_once, 0, 0))
        return GIA_FUZZ_COMMAND;
    return milliseconds_now() >= deadline ? GIA_FUZZ_TIME : 0;
}

/* A batch of runs; 1 in a child that is to run the program. */
static word fuzz(long self)
{
    static struct header request;
    uint64_t deadline;
    word seeds, position = 0, count, more, reached;
    request = shared->header;
    begin_fuzzing(&request);
    deadline = milliseconds_now() + fuzzing->milliseconds;
    fuzzing->reason = GIA_FUZZ_EXECUTIONS;
    for (seeds = fuzzing->seeds; fuzzing->executed < fuzzing->executions && fuzzing->reason == GIA_FUZZ_EXECUTIONS;) {
        word observing = !seeds && fuzzing->tried == fuzzing->candidates && fuzzing->unanalysed;
        request.tracing = observing ? GIA_TRACE_COMPARISONS : GIA_TRACE_COUNTS;
        if (seeds) {
            seeds--;
            count = fuzzing->given[position++].function;
            move_values(fuzzing->work, fuzzing->given + position, count < GIA_FUZZ_LENGTH ? count : GIA_FUZZ_LENGTH);
            position += count;
            count = count < GIA_FUZZ_LENGTH ? count : GIA_FUZZ_LENGTH;
            more = 0;
        } else if (observing) {
            count = copy_entry(next_to_analyse());
            more = 16; /* an input that an entry ends before is compared, too */
            clear(shared->comparisons, sizeof shared->comparisons);
        } else {
            count = next_inputs();
            more = random_more(count);
        }
        if (run_on(&request, count, more, self))
            return 1;
        if (observing)
            collect_candidates();
        word news = examine(&reached);
        keep(news, reached);
        fuzzing->reason = reason_to_end(deadline);
    }
    CALL(close, fuzz_directory, 0, 0, 0, 0);
    CALL(write, GIA_REPORT_FD, &last_report, sizeof last_report, 0, 0);
    return 0;
}
