/* Inputs one after the other: what reached an outcome first may prepare what another one does, as commands and messages
 * do. Each of them is put before and behind each other one once. */

/* paired: how many pairs were made with each one as the later one */
static struct { word entry[GIA_REACHERS], paired[GIA_REACHERS], entries; } reachers;

static void forget_pairs(void)
{
    reachers.entries = 0;
}

/* The last entry of the corpus has reached an outcome first. */
static void pair_last_entry(void)
{
    if (reachers.entries == GIA_REACHERS)
        return;
    reachers.paired[reachers.entries] = 0;
    reachers.entry[reachers.entries++] = fuzzing->entries - 1;
}

/* The latest one that was not put before itself and before and behind each earlier one; their number if all were. */
static word next_to_pair(void)
{
    for (word later = reachers.entries; later--;)
        if (reachers.paired[later] <= 2 * later)
            return later;
    return reachers.entries;
}

/* The next pair of the `later` one in the work area; its length. */
static word make_pair(word later)
{
    word step = reachers.paired[later]++;
    word first = step <= later ? later : step - later - 1, second = step <= later ? step : later;
    const struct corpus_entry *behind = &fuzzing->entry[reachers.entry[second]];
    word count = copy_entry(&fuzzing->entry[reachers.entry[first]]);
    return append_values(fuzzing->work, count, fuzzing->corpus + behind->start, behind->length);
}
