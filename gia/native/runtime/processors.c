/* Which processors the server and its children use.
 *
 * The server and a child work by turns. To wake up a process on a processor that is idle takes longer than a short run, so
 * that a batch is several times faster if all of it happens on one processor (benchmarks/executions.py). It is the one on
 * which the server is when the batch begins: others, which are bound to none, can be moved away from it.
 */

static word usable_processors[128]; /* one bit for each */
static long usable_bytes;           /* so much of that; 0 or less if it is not known */

static void note_processors(void)
{
    usable_bytes = CALL(sched_getaffinity, 0, sizeof usable_processors, usable_processors, 0, 0);
}

/* Binds the server and its later children. */
static void stay_on_this_processor(void)
{
    word only[sizeof usable_processors / sizeof(word)] = {0}, here = 0;
    if (usable_bytes <= 0 || CALL(getcpu, &here, 0, 0, 0, 0) != 0 || here / 8 >= (word)usable_bytes)
        return;
    only[here / 32] = (word)1 << here % 32;
    CALL(sched_setaffinity, 0, usable_bytes, only, 0, 0);
}

static void use_all_processors(void)
{
    if (usable_bytes > 0)
        CALL(sched_setaffinity, 0, usable_bytes, usable_processors, 0, 0);
}
