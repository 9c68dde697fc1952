/* The mapping that is shared with gia; its layout is that of gia/native/layout.py. */

typedef uint32_t word;

struct header {
    /* what gia asks for */
    word missing, tracing, given, input_limit, event_limit, dictionary, seed[2];
    word wall_milliseconds, cpu_seconds, memory_mebibytes, file_bytes, open_files, stack_mebibytes, content;
    /* what the program did */
    word stop, inputs, events, truncated, isolation;
    char directory[GIA_DIRECTORY_BYTES];
};
struct given { word function, literal, single, integer[4], twice[2], extended[4]; };  /* a value in every format */
struct logged { word function, site, bits[4]; };
struct entry { word integer[2], twice[2]; };                               /* of the dictionary */
/* site: where it is in the code; outcome: that which followed, or GIA_NO_OUTCOME; read: how many inputs were read before;
 * constant: whether the left side is */
struct comparison { uint64_t left, right; word site, outcome, read, constant; };
struct text { word outcome, read, kind; unsigned char lengths[4], left[GIA_TEXT_BYTES], right[GIA_TEXT_BYTES]; };

struct shared {
    struct header header;
    struct given given[GIA_INPUTS];
    struct logged logged[GIA_INPUTS];
    struct entry dictionary[GIA_DICTIONARY];
    word trace[GIA_EVENTS];
    struct comparison comparisons[GIA_COMPARISONS];
    struct text texts[GIA_TEXTS];
    _Alignas(8) unsigned char progress[GIA_PROGRESS]; /* how far comparisons have come */
    unsigned char covered[]; /* the outcomes of probes, then the call sites of inputs */
};
_Static_assert(offsetof(struct shared, covered) == GIA_COVERED_OFFSET, "the layout is that of gia/native/layout.py");

/* What depends on the program is defined beside it (gia/native/layout.py says what it means). */
extern const word __gia_outcomes, __gia_sites, __gia_observed, __gia_map, __gia_counts_offset,
    __gia_nearest_offset, __gia_fuzz_offset;
extern const word __gia_lasting; /* what a run may change besides memory (gia/native/repeating.py), or 0 */
extern const word __gia_numbers; /* whether numbers are read from standard input, each after its first character */

static struct shared *shared;
static unsigned char *counts; /* __gia_map of them: how often one outcome followed another, while fuzzing */
/* __gia_outcomes of them, while fuzzing: how near comparisons have come to another outcome of the same condition, see
 * nearness.c; 0 if all its outcomes are known */
static uint16_t *nearness;
static struct header run;      /* a copy that the program does not overwrite by accident with what it reports */
static word inputs, events, segment_step;
static word *pending[GIA_PENDING], pendings; /* where the next outcome is to be noted: what was compared since the last */

/* Memory as `flags` say: a part of a file that begins at `offset`, a multiple of the size of a page, or new. */
static void *map_memory(unsigned long size, long flags, long file, long offset)
{
#if defined(__i386__)
    long arguments[6] = {0, (long)size, 3, flags, file, offset};
    long address = CALL(mmap, arguments, 0, 0, 0, 0);
#elif defined(__x86_64__)
    long address;
    register long r10 __asm__("r10") = flags;
    register long r8 __asm__("r8") = file;
    register long r9 __asm__("r9") = offset;
    __asm__ volatile("syscall" : "=a"(address)
                     : "a"(__NR_mmap), "D"(0), "S"(size), "d"(3), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
#else
    long address = syscall(__NR_mmap, 0L, size, 3L, flags, file, offset);
#endif
    if ((unsigned long)address > -4096UL) /* not started by gia */
        leave(GIA_NOT_STARTED);
    return (void *)address;
}

static void *map_shared_memory(long offset, unsigned long size)
{
    enum { SHARED = 1 };
    return map_memory(size, SHARED, GIA_SHARED_FD, offset);
}

static __attribute__((noreturn)) void stop(word reason)
{
    shared->header.stop = reason;
    leave(0);
}
