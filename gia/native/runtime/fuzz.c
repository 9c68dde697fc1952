/* The loop of the fuzzer: change inputs, run the program on them, keep what shows something new. */

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
    if (fuzzing->ways & GIA_FUZZ_FRESH) {
        fuzzing->entries = fuzzing->values = fuzzing->costs = 0;
        fuzzing->unanalysed = fuzzing->promising = 0;
        fuzzing->candidates = fuzzing->tried = fuzzing->tokens = 0;
        clear(fuzzing->seen, __gia_map);
        clear(known, __gia_observed);
        clear(fuzzing->progress, sizeof fuzzing->progress);
        forget_nearness();
        forget_pairs();
        random_state = request->seed[0] | (uint64_t)request->seed[1] << 32;
    }
    fuzzing->executed = fuzzing->found = fuzzing->cut = 0;
    clear(shared->covered, __gia_observed);
    clear(counts, __gia_map);
    clear(shared->progress, sizeof shared->progress);
    ask_for_nearness();
    fuzz_directory = CALL(openat, AT_CURRENT_DIRECTORY, request->directory, DIRECTORY, 0, 0);
}

/* One run on `count` values of the work area, and `more` random inputs after them; 1 in the child that is to run. */
static word run_on(const struct header *request, word count, word more, long self)
{
    enum { OUTPUT = 1 };
    word n, m;
    CALL(lseek, OUTPUT, 0, 0, 0, 0); /* what a run may write is limited, not what all may write together */
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
    if (fuzzing->ways & GIA_FUZZ_REPEATS ? run_again(self) : start_child(self))
        return 1;
    fuzzing->executed++;
    fuzzing->cut += last_report.ended_by_server || shared->header.stop == GIA_STOP_STEPS;
    return 0;
}

/* Whether it is the turn of a candidate: there are so many that nothing else would ever be tried. */
static word try_candidate(void)
{
    if (fuzzing->tried == fuzzing->candidates)
        return 0;
    return !fuzzing->entries || random_below(4) < (fuzzing->tried < fuzzing->urgent ? 3 : 1);
}

/* The next inputs in the work area; their number. It is observed how far comparisons come that a candidate is made for.
 * What two that follow each other do for the first time is promising. */
static word next_inputs(word *tracing, word *paired)
{
    if (try_candidate()) {
        struct candidate *chosen = &fuzzing->candidate[fuzzing->tried++];
        word count = fuzzing->base_length;
        *tracing = GIA_TRACE_PROGRESS;
        move_values(fuzzing->work, fuzzing->base, count);
        return apply(chosen, fuzzing->work, count);
    }
    if (!fuzzing->entries || random_below(32) == 0)
        return 0;
    word later = next_to_pair();
    if ((*paired = later < reachers.entries && fuzzing->tried >= fuzzing->urgent && random_below(8) == 0))
        return make_pair(later);
    struct corpus_entry *leader = random_below(4) ? 0 : choose_leader();
    struct corpus_entry *entry = leader ? leader : choose(), *other = choose();
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

/* Removes what a run has left in a directory, and in up to `depth` below one another; whether there is nothing left then. */
static word empty_directory(long directory, word depth)
{
    enum { BYTES_OF_EMPTY = 48, DIRECTORY = 0200000, DO_NOT_FOLLOW = 0400000, A_DIRECTORY = 0x200 };
    struct entry_of_directory { uint64_t number, next; uint16_t size; char kind, name[]; };
    _Alignas(8) char entries[1 << 10];
    struct entry_of_directory *entry;
    long size, at, removed;
    do {
        removed = 0;
        CALL(lseek, directory, 0, 0, 0, 0);
        size = CALL(getdents64, directory, entries, sizeof entries, 0, 0);
        for (at = 0; size > BYTES_OF_EMPTY && at < size; at += entry->size) {
            entry = (struct entry_of_directory *)(entries + at);
            if (CALL(unlinkat, directory, entry->name, 0, 0, 0) == 0) {
                removed++;
                continue;
            }
            if (entry->name[0] == '.' && (!entry->name[1] || (entry->name[1] == '.' && !entry->name[2])))
                continue;
            long below = depth ? CALL(openat, directory, entry->name, DIRECTORY | DO_NOT_FOLLOW, 0, 0) : -1;
            if (below >= 0)
                empty_directory(below, depth - 1);
            CALL(close, below, 0, 0, 0, 0);
            removed += CALL(unlinkat, directory, entry->name, A_DIRECTORY, 0, 0) == 0;
        }
    } while (removed);
    return size <= BYTES_OF_EMPTY;
}

/* Why the batch is to end before its number of executions, or 0. */
static word reason_to_end(uint64_t deadline)
{
    enum { READABLE = 1 };
    struct waiting waiting = {GIA_COMMAND_FD, READABLE, 0};
    long at_once[2] = {0, 0};
    if ((__gia_lasting || !(fuzzing->ways & GIA_FUZZ_REPEATS)) && !empty_directory(fuzz_directory, 8))
        return GIA_FUZZ_FILES;
    if (fuzzing->executed % 16)
        return 0;
    if (CALL(ppoll, &waiting, 1, at_once, 0, 0))
        return GIA_FUZZ_COMMAND;
    return milliseconds_now() >= deadline ? GIA_FUZZ_TIME : 0;
}

/* Keep what the last run has shown; whether it reached something first, and its inputs are kept. */
static word learn(word paired)
{
    word reached, news = examine(&reached) | examine_nearness();
    word kept = keep(news, reached, examine_progress() | (news & paired));
    if (reached)
        ask_for_nearness();
    if (reached && kept)
        pair_last_entry();
    return reached && kept;
}

static word observes_all(const word *outcomes, word count)
{
    while (count && shared->covered[outcomes[count - 1]])
        count--;
    return !count;
}

/* Take parts out of the text that was kept last, first large ones and then small ones, as long as a run still reaches what
 * it was the first to reach: what remains is what matters, so that more of its changes and its pairs with others do. As
 * AFL trims inputs; see also Zeller & Hildebrandt, Simplifying and isolating failure-inducing input, TSE 2002. 1 in a
 * child that is to run the program. */
static word trim(struct header *request, uint64_t deadline, long self)
{
    enum { MOST = 96 };
    struct corpus_entry *entry = &fuzzing->entry[fuzzing->entries - 1];
    word wanted[MOST_DISCOVERED], count = discovered.count, runs = 0;
    word is_text = lines_begin(fuzzing->corpus + entry->start, entry->length) < entry->length;
    if (!is_text || entry->length > GIA_FUZZ_LENGTH || count == MOST_DISCOVERED)
        return 0;
    for (word n = 0; n < count; n++)
        wanted[n] = discovered.outcome[n];
    request->tracing = GIA_TRACE_COUNTS;
    for (word size = entry->length / 2; size; size /= 2)
        for (word place = 0; place < entry->length;) {
            fuzzing->reason = reason_to_end(deadline);
            if (runs++ == MOST || fuzzing->executed >= fuzzing->executions || fuzzing->reason != GIA_FUZZ_EXECUTIONS)
                return 0;
            if (run_on(request, without_part(copy_entry(entry), place, size), 0, self))
                return 1;
            word held = observes_all(wanted, count);
            if (held)
                shorten(entry);
            else
                place += size;
            learn(0);
        }
    return 0;
}

/* A batch of runs; 1 in a child that is to run the program. */
static word fuzz(long self)
{
    static struct header request;
    uint64_t deadline;
    word seeds, position = 0, count, more;
    request = shared->header;
    begin_fuzzing(&request);
    end_repeater(); /* it may be on another processor */
    stay_on_this_processor();
    deadline = milliseconds_now() + fuzzing->milliseconds;
    fuzzing->reason = GIA_FUZZ_EXECUTIONS;
    for (seeds = fuzzing->seeds; fuzzing->executed < fuzzing->executions && fuzzing->reason == GIA_FUZZ_EXECUTIONS;) {
        word of_seed = seeds, analysing = !seeds && is_to_analyse(), paired = 0;
        request.tracing = GIA_TRACE_COUNTS;
        if (seeds) {
            seeds--;
            count = fuzzing->given[position++].function;
            move_values(fuzzing->work, fuzzing->given + position, count < GIA_FUZZ_LENGTH ? count : GIA_FUZZ_LENGTH);
            position += count;
            count = count < GIA_FUZZ_LENGTH ? count : GIA_FUZZ_LENGTH;
            more = 0;
        } else {
            count = analysing ? copy_entry(next_to_analyse()) : next_inputs(&request.tracing, &paired);
            if (paired && lines_begin(fuzzing->work, count) < count) {
                analysing = 1;
                leave_base(GIA_CORPUS_ENTRIES);
            }
            more = analysing ? 16 : random_more(count); /* an input that an entry ends before is compared, too */
        }
        if (analysing) {
            request.tracing = GIA_TRACE_COMPARISONS;
            clear(shared->comparisons, sizeof shared->comparisons);
            clear(shared->texts, sizeof shared->texts);
        }
        if (run_on(&request, count, more, self))
            return 1;
        if (analysing)
            collect_candidates();
        if (learn(paired) && !of_seed && trim(&request, deadline, self))
            return 1;
        fuzzing->reason = reason_to_end(deadline);
    }
    end_repeater();
    use_all_processors();
    CALL(close, fuzz_directory, 0, 0, 0, 0);
    CALL(write, GIA_REPORT_FD, &last_report, sizeof last_report, 0, 0);
    return 0;
}
