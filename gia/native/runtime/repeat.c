/* Many runs in one process: a new process costs ten times what a short run does (benchmarks/executions.py).
 *
 * The process notes what is in its memory before the program begins, and puts that back when a run has ended: at exit, which
 * the filter of system calls turns into a signal, or at a crash. If the program may change them, its open files, its
 * directory and its handlers of signals are put back, too. This is done for programs that change nothing else
 * (gia/native/repeating.py). If anything goes wrong, the process is ended and the next run has a new one. And what a run
 * has shown counts only when a run in a process of its own shows it again.
 */
#ifdef GIA_ARCHITECTURE

enum {
    REQUESTS_FD = GIA_SHARED_FD + 1, ENDS_FD = GIA_SHARED_FD + 2, /* in the process of the runs */
    STREAMS = 3, STREAMS_FD = ENDS_FD + 1, DIRECTORY_FD = STREAMS_FD + STREAMS, /* what it was given */
    RANGES = 64, PAGE = 4096, ZERO_PAGES = 4, COPIED_AT_MOST = 1 << 20, SCANNED_AT_MOST = 1 << 26
};

struct range { unsigned long begin, end; unsigned char *copy; }; /* without a copy: it was zero */
struct repeating { /* in a mapping of its own, which is not put back */
    void *before_run[5];
    unsigned long heap_end;
    word ranges, isolation, rights;
    struct range range[RANGES];
    _Alignas(16) unsigned char stack[1 << 14]; /* for what is done between two runs */
    unsigned char copies[COPIED_AT_MOST];
};
static struct repeating *repeating;

/* What the server knows of the process. It keeps both ends of the requests: to write one to a process that is gone is then
 * no signal. */
static struct { long child, requests[2], ends; word runs, refused; struct header first; } repeater;

static void copy_bytes(void *to, const void *from, unsigned long size)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static word is_zero_page(unsigned long page)
{
    const unsigned long *at = (const unsigned long *)page, *end = (const unsigned long *)(page + PAGE);
    while (at < end && !*at)
        at++;
    return at == end;
}

/* Notes one range; whether there was room for it. */
static word note_range(unsigned long begin, unsigned long end, word is_zero, unsigned long *copied)
{
    struct range *range = &repeating->range[repeating->ranges];
    if (begin >= end)
        return 1;
    if (repeating->ranges == RANGES || (!is_zero && end - begin > COPIED_AT_MOST - *copied))
        return 0;
    repeating->ranges++;
    range->begin = begin;
    range->end = end;
    range->copy = 0;
    if (!is_zero) {
        range->copy = repeating->copies + *copied;
        copy_bytes(range->copy, (const void *)begin, end - begin);
        *copied += end - begin;
    }
    return 1;
}

/* Notes a mapping; pages in a row that are zero need no copies if they are those of no file. */
static word note_mapping(unsigned long begin, unsigned long end, word has_file, unsigned long *copied)
{
    unsigned long other = begin, zero = begin, page;
    if (has_file)
        return note_range(begin, end, 0, copied);
    for (page = begin; page < end; page += PAGE) {
        if (is_zero_page(page))
            continue;
        if (page - zero >= ZERO_PAGES * PAGE) {
            if (!note_range(other, zero, 0, copied) || !note_range(zero, page, 1, copied))
                return 0;
            other = page;
        }
        zero = page + PAGE;
    }
    if (end - zero < ZERO_PAGES * PAGE)
        zero = end;
    return note_range(other, zero, 0, copied) && note_range(zero, end, 1, copied);
}

static const char *hexadecimal(const char *at, unsigned long *value)
{
    for (*value = 0;; at++) {
        unsigned digit = (unsigned)*at - '0', letter = (unsigned)*at - 'a';
        if (digit > 9 && letter > 5)
            return at;
        *value = *value << 4 | (digit > 9 ? letter + 10 : digit);
    }
}

/* Notes what a line of /proc/self/maps describes, if it can be written and belongs to this process alone. Of the stack that
 * is what lies above `top`, and that nothing is below. */
static word note_line(const char *line, unsigned long top, unsigned long *copied, unsigned long *scanned)
{
    unsigned long begin, end, file;
    const char *rights = hexadecimal(hexadecimal(line, &begin) + 1, &end) + 1, *at = rights;
    for (word spaces = 0; spaces < 3; at++)
        spaces += *at == ' ';
    for (file = 0; *at != ' ' && *at != '\n'; at++)
        file |= *at != '0';
    if (rights[0] != 'r' || rights[1] != 'w' || rights[3] != 'p')
        return 1;
    *scanned += end - begin;
    if (*scanned > SCANNED_AT_MOST)
        return 0;
    if (begin <= top && top < end)
        return note_range(begin, top & -(unsigned long)PAGE, 1, copied) && note_range(top, end, 0, copied);
    return note_mapping(begin, end, file != 0, copied);
}

/* Notes all memory that the program can change; whether there is room for it. */
static __attribute__((noinline)) word note_memory(void)
{
    static char text[1 << 14];
    unsigned long copied = 0, scanned = 0, top = (unsigned long)__builtin_frame_address(0) & -64ul;
    long file = CALL(open, "/proc/self/maps", 0, 0, 0, 0), size = 0, got;
    while ((got = CALL(read, file, text + size, sizeof text - 1 - size, 0, 0)) > 0)
        size += got;
    CALL(close, file, 0, 0, 0, 0);
    if (size <= 0 || size == sizeof text - 1)
        return 0;
    for (const char *line = text; *line; line++) {
        if (!note_line(line, top, &copied, &scanned))
            return 0;
        while (*line != '\n')
            line++;
    }
    repeating->heap_end = (unsigned long)CALL(brk, 0, 0, 0, 0, 0);
    return 1;
}

static __attribute__((noreturn)) void end_this_process(void)
{
    for (;;)
        CALL(kill, CALL(getpid, 0, 0, 0, 0, 0), SIGNAL_KILL, 0, 0, 0);
}

static void catch_ends(void);

/* What the program is given besides its memory; the server's own descriptors are of no use to it. */
static void keep_process(void)
{
    enum { DIRECTORY = 0200000 };
    for (int stream = 0; stream < STREAMS; stream++)
        CALL(dup3, stream, STREAMS_FD + stream, 0, 0, 0);
    long directory = CALL(open, shared->header.directory, DIRECTORY, 0, 0, 0);
    CALL(dup3, directory, DIRECTORY_FD, 0, 0, 0);
    repeating->rights = (word)CALL(umask, 0, 0, 0, 0, 0);
}

static void put_back_process(void)
{
    for (int stream = 0; stream < STREAMS; stream++)
        CALL(dup3, STREAMS_FD + stream, stream, 0, 0, 0);
    close_all(STREAMS, GIA_SHARED_FD);
    CALL(fchdir, DIRECTORY_FD, 0, 0, 0, 0);
    CALL(umask, repeating->rights, 0, 0, 0, 0);
    catch_ends();
}

/* A run has ended: at exit, in a crash, or because it has written too much. */
static __attribute__((noreturn)) void run_has_ended(int signal)
{
    enum { DO_NOT_NEED = 4 };
    struct repeating *kept = repeating;
    unsigned char how = (unsigned char)signal;
    for (word n = 0; n < kept->ranges; n++) {
        struct range *range = &kept->range[n];
        if (range->copy)
            copy_bytes((void *)range->begin, range->copy, range->end - range->begin);
        else
            CALL(madvise, range->begin, range->end - range->begin, DO_NOT_NEED, 0, 0);
    }
    CALL(brk, kept->heap_end, 0, 0, 0, 0);
    if (__gia_lasting)
        put_back_process();
    if (CALL(write, ENDS_FD, &how, 1, 0, 0) != 1)
        end_this_process();
    __builtin_longjmp(kept->before_run, 1);
}

static void catch_ends(void)
{
    enum { ON_OTHER_STACK = 0x08000000, HAS_RESTORER = 0x04000000, AGAIN = 0x40000000 };
    static const unsigned char signals[] = {4, 5, 6, 7, 8, 11, 25, 31}; /* SIGILL TRAP ABRT BUS FPE SEGV XFSZ SYS */
    struct { void *base; int flags; unsigned long size; } stack = {repeating->stack, 0, sizeof repeating->stack};
    struct { void (*handler)(int); unsigned long flags; void *restorer; uint64_t mask; } action = {
        run_has_ended, ON_OTHER_STACK | HAS_RESTORER | AGAIN, (void *)end_this_process, 0};
    CALL(sigaltstack, &stack, 0, 0, 0, 0);
    for (word n = 0; n < sizeof signals; n++)
        CALL(rt_sigaction, signals[n], &action, 0, sizeof action.mask, 0);
}

/* Large pieces of the heap come from its end as well, which is put back, and not from mappings of their own. */
static void keep_heap_together(void)
{
    extern int mallopt(int, int) __attribute__((weak));
    enum { MOST_MAPPINGS = -4 };
    if (mallopt)
        mallopt(MOST_MAPPINGS, 0);
}

/* The process of the runs: returns for each one, to go on into the program. */
static __attribute__((noinline)) void repeat_runs(long server)
{
    enum { SET_MASK = 2 };
    static const uint64_t no_signals;
    char request;
    run.cpu_seconds = 1 << 30; /* of all runs together */
    keep_process();
    isolate(server, DIRECTORY_FD + 1, SECCOMP_RET_TRAP);
    repeating->isolation = shared->header.isolation;
    put_back_process();
    keep_heap_together();
    if (!__builtin_setjmp(repeating->before_run) && !note_memory())
        end_this_process();
    if (CALL(read, REQUESTS_FD, &request, 1, 0, 0) != 1)
        end_this_process();
    CALL(rt_sigprocmask, SET_MASK, &no_signals, 0, sizeof no_signals, 0);
    run = shared->header;
    shared->header.isolation = repeating->isolation;
    begin_run();
}

static void end_repeater(void)
{
    enum { WAIT_OPTIONS = 0x40000000 /* __WALL */ };
    if (!repeater.child)
        return;
    CALL(kill, repeater.child, SIGNAL_KILL, 0, 0, 0);
    while (CALL(wait4, repeater.child, 0, WAIT_OPTIONS, 0, 0) == -4 /* EINTR */)
        ;
    CALL(close, repeater.requests[0], 0, 0, 0, 0);
    CALL(close, repeater.requests[1], 0, 0, 0, 0);
    CALL(close, repeater.ends, 0, 0, 0, 0);
    repeater.child = 0;
}

/* 1 in the new process, which is to go on into the program. */
static word start_repeater(long self)
{
    enum { SHARED = 1, OF_NO_FILE = 0x20 };
    int requests[2], ends[2];
    if (!repeating)
        repeating = map_memory(sizeof *repeating, SHARED | OF_NO_FILE, -1, 0);
    CALL(pipe2, requests, 0, 0, 0, 0);
    CALL(pipe2, ends, 0, 0, 0, 0);
    repeating->ranges = 0;
    long child = CALL(clone, SIGNAL_CHILD, 0, 0, 0, 0);
    if (child == 0) {
        CALL(dup3, requests[0], REQUESTS_FD, 0, 0, 0);
        CALL(dup3, ends[1], ENDS_FD, 0, 0, 0);
        repeat_runs(self);
        return 1;
    }
    CALL(close, ends[1], 0, 0, 0, 0);
    if (child < 0)
        leave(GIA_NOT_STARTED);
    repeater.child = child;
    repeater.requests[0] = requests[0];
    repeater.requests[1] = requests[1];
    repeater.ends = ends[0];
    repeater.runs = 0;
    repeater.first = run;
    return 0;
}

/* Whether the process was given other limits than a run is to have. */
static word has_other_limits(void)
{
    const struct header *its = &repeater.first;
    return its->memory_mebibytes != run.memory_mebibytes || its->file_bytes != run.file_bytes
        || its->open_files != run.open_files || its->stack_mebibytes != run.stack_mebibytes;
}

/* One run as the header asks for it, if possible in the process of earlier ones: 1 in that process, which is to go on into
 * the program. The report tells no exit status, and neither time nor memory. */
static word run_again(long self)
{
    enum { READABLE = 1, SIGNAL_EXIT = 31 /* SIGSYS, of the filter */ };
    unsigned char how = SIGNAL_KILL;
    run = shared->header;
    if (repeater.refused)
        return start_child(self);
    if (has_other_limits())
        end_repeater();
    if (!repeater.child && start_repeater(self))
        return 1;
    struct waiting waiting[2] = {{GIA_COMMAND_FD, READABLE, 0}, {(int)repeater.ends, READABLE, 0}};
    long timeout[2] = {run.wall_milliseconds / 1000, run.wall_milliseconds % 1000 * 1000000L};
    CALL(write, repeater.requests[1], "r", 1, 0, 0);
    last_report.ended_by_server = CALL(ppoll, waiting, 2, timeout, 0, 0) <= 0 || !waiting[1].happened;
    word ended = !last_report.ended_by_server && CALL(read, repeater.ends, &how, 1, 0, 0) == 1;
    last_report.status = how == SIGNAL_EXIT ? 0 : how;
    last_report.cpu_microseconds = last_report.peak_kibibytes = 0;
    if (ended && shared->header.stop != GIA_STOP_OUT_OF_MEMORY) {
        repeater.runs++;
        return 0;
    }
    word first = !repeater.runs && !last_report.ended_by_server && !shared->header.inputs;
    end_repeater();
    if (!first)
        return 0;
    repeater.refused = 1; /* its memory is too large, perhaps */
    return start_child(self);
}
#else
static void end_repeater(void)
{
}

static word run_again(long self)
{
    return start_child(self);
}
#endif
