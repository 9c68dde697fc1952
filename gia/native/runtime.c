/* The part of an instrumented program that gia adds: inputs, observation, isolation.
 *
 * The executable is a server. Before any code of the program runs, the constructor below waits for
 * commands; for each one it forks a child, and the child goes on into the program's main. The child
 * first gives up everything that could do harm (see isolate). What it reads and what it observes is
 * in a mapping shared with gia, so that it survives every way in which the program can end.
 *
 * Nothing of the C library is used here: the program may define functions of any name, and ours
 * must keep working. The constants GIA_* come from gia/native/layout.py, which compiles this file.
 * Every name that the linker sees starts with __gia_.
 */
#include <asm/unistd.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/* ---- system calls, without the C library ------------------------------------------------- */

#if defined(__x86_64__)
#define GIA_ARCHITECTURE AUDIT_ARCH_X86_64
static long kernel(long number, long a, long b, long c, long d, long e)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__i386__)
#define GIA_ARCHITECTURE AUDIT_ARCH_I386
static long kernel(long number, long a, long b, long c, long d, long e)
{
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e) : "memory");
    return result;
}
#else
extern long syscall(long, ...);
static long kernel(long number, long a, long b, long c, long d, long e)
{
    return syscall(number, a, b, c, d, e); /* -1 for every error: enough for the uses below */
}
#endif
#define CALL(name, a, b, c, d, e) kernel(__NR_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e))

enum { SIGNAL_KILL = 9, SIGNAL_CHILD = 17 };

static __attribute__((noreturn)) void leave(int status)
{
    for (;;)
        CALL(exit_group, status, 0, 0, 0, 0);
}

/* ---- the shared mapping --------------------------------------------------------------------- */

typedef uint32_t word;

struct header {
    /* what gia asks for */
    word missing, tracing, given, input_limit, event_limit, dictionary, seed[2];
    word wall_milliseconds, cpu_seconds, memory_mebibytes, file_bytes, open_files, stack_mebibytes;
    /* what the program did */
    word stop, inputs, events, truncated, isolation;
    char directory[GIA_DIRECTORY_BYTES];
};
struct given { word literal, single, integer[4], twice[2], extended[4]; };  /* a value in every format */
struct logged { word function, site, bits[4]; };
struct entry { word integer[2], twice[2]; };                               /* of the dictionary */

struct shared {
    struct header header;
    struct given given[GIA_INPUTS];
    struct logged logged[GIA_INPUTS];
    struct entry dictionary[GIA_DICTIONARY];
    word trace[GIA_EVENTS];
    unsigned char covered[GIA_OUTCOMES];
};

static struct shared *shared;
static struct header run;      /* a copy that the program does not overwrite by accident with what it reports */
static word inputs, events, segment_step;

static void map_shared(void)
{
#if defined(__i386__)
    long arguments[6] = {0, sizeof(struct shared), 3, 1, GIA_SHARED_FD, 0};
    long address = CALL(mmap, arguments, 0, 0, 0, 0);
#elif defined(__x86_64__)
    long address;
    register long r10 __asm__("r10") = 1;
    register long r8 __asm__("r8") = GIA_SHARED_FD;
    register long r9 __asm__("r9") = 0;
    __asm__ volatile("syscall" : "=a"(address)
                     : "a"(__NR_mmap), "D"(0), "S"(sizeof(struct shared)), "d"(3), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
#else
    long address = syscall(__NR_mmap, 0L, sizeof(struct shared), 3L, 1L, (long)GIA_SHARED_FD, 0L);
#endif
    if ((unsigned long)address > -4096UL) /* not started by gia */
        leave(GIA_NOT_STARTED);
    shared = (struct shared *)address;
}

static __attribute__((noreturn)) void stop(word reason)
{
    shared->header.stop = reason;
    leave(0);
}

/* ---- what probes report --------------------------------------------------------------------- */

word __gia_last[GIA_OUTCOMES]; /* the segment in which an outcome was recorded last */
word __gia_segment = 1;        /* counts the inputs read, while that matters for the trace */

static void append(word event)
{
    if (events < run.event_limit) {
        shared->trace[events++] = event;
        shared->header.events = events;
    } else {
        shared->header.truncated = 1;
        run.tracing = GIA_TRACE_NONE;
        segment_step = 0;
    }
}

/* An outcome whose __gia_last differs from __gia_segment was observed. */
void __gia_record(word outcome)
{
    shared->covered[outcome] = 1;
    if (run.tracing != GIA_TRACE_FULL)
        __gia_last[outcome] = __gia_segment;
    if (run.tracing != GIA_TRACE_NONE)
        append(outcome);
}

/* The call sites of inputs whose arguments are being evaluated; they nest, so it is a stack. */
static word sites[64], site_depth;

void __gia_site(word site)
{
    sites[site_depth++ % 64] = site;
}

/* ---- inputs --------------------------------------------------------------------------------- */

static uint64_t random_state;

static uint64_t random_bits(void) /* splitmix64 */
{
    uint64_t z = (random_state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static word random_below(word limit)
{
    return (word)(((random_bits() >> 32) * limit) >> 32);
}

static void set_integer(word *bits, int64_t value)
{
    bits[0] = (word)value;
    bits[1] = (word)((uint64_t)value >> 32);
    bits[2] = bits[3] = value < 0 ? ~(word)0 : 0;
}

/* Small numbers, constants of the program and their neighbours, values used before, limits of the
 * type, powers of two, and anything. */
static void random_integer(word *bits, word width)
{
    word kind = random_below(16), n;
    if (kind < 2 && run.dictionary) {
        struct entry *e = &shared->dictionary[random_below(run.dictionary)];
        set_integer(bits, (int64_t)(e->integer[0] | (uint64_t)e->integer[1] << 32) + (int64_t)random_below(3) - 1);
    } else if (kind < 4 && inputs) {
        for (n = 0, kind = random_below(inputs); n < 4; n++)
            bits[n] = shared->logged[kind].bits[n];
    } else if (kind < 10) {
        set_integer(bits, (int64_t)random_below(kind < 8 ? 9 : 200) - (kind < 8 ? 2 : 100));
    } else if (kind < 12) {
        uint64_t top = (uint64_t)1 << ((width < 64 ? width : 64) - 1); /* the least signed number */
        set_integer(bits, (int64_t)(top - (uint64_t)random_below(3) + (random_below(2) ? 1 : 0)));
    } else if (kind < 14) {
        set_integer(bits, (int64_t)(((uint64_t)1 << random_below(width < 64 ? width : 64)) + random_below(3) - 1));
    } else {
        for (n = 0; n < 4; n += 2) {
            uint64_t r = random_bits();
            bits[n] = (word)r;
            bits[n + 1] = (word)(r >> 32);
        }
    }
}

union real {
    float single;
    double twice;
    long double extended;
    uint64_t raw;
    word bits[4];
};

static double random_double(void)
{
    static const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-10, 1e10, 3.4028234663852886e38,
        1.1754943508222875e-38, 1.7976931348623157e308, 2.2250738585072014e-308, 4.9406564584124654e-324,
        1e-45, 2147483648.0, 4294967296.0, 9223372036854775808.0, __builtin_inf(), -__builtin_inf(), __builtin_nan("")};
    union real value;
    word kind = random_below(8);
    value.raw = 0;
    if (kind == 0 && run.dictionary) {
        struct entry *e = &shared->dictionary[random_below(run.dictionary)];
        value.bits[0] = e->twice[0];
        value.bits[1] = e->twice[1];
        return value.twice;
    }
    if (kind < 3)
        return (double)((int)random_below(21) - 10);
    if (kind < 5)
        return (double)((int)random_below(20001) - 10000) / (kind == 3 ? 16.0 : 1000.0);
    if (kind == 5)
        return special[random_below(sizeof special / sizeof *special)];
    value.raw = random_bits();
    if (kind == 6) /* a moderate exponent */
        value.raw = (value.raw & 0x800fffffffffffffu) | ((uint64_t)(1023 - 32 + random_below(64)) << 52);
    return value.twice == value.twice ? value.twice : 0.0;
}

static void random_real(word *bits, word size)
{
    union real value = {.bits = {0, 0, 0, 0}};
    double drawn = random_double();
    word n;
    if (size == 4)
        value.single = (float)drawn;
    else if (size == 8)
        value.twice = drawn;
    else
        value.extended = drawn;
    for (n = 0; n < 4; n++)
        bits[n] = value.bits[n];
}

static void given_value(const struct given *value, word kind, word size, word *bits)
{
    const word *source = value->integer;
    word n, words = 4;
    if (value->literal && kind == GIA_KIND_FLOAT) {
        source = size == 4 ? &value->single : size == 8 ? value->twice : value->extended;
        words = size == 4 ? 1 : size == 8 ? 2 : 4;
    }
    for (n = 0; n < words; n++)
        bits[n] = source[n];
}

/* The next input, of `size` bytes (10 for the extended format), for the function of that number. */
void __gia_input(word function, word kind, word size, void *value)
{
    word bits[4] = {0, 0, 0, 0}, n;
    if (inputs >= run.input_limit)
        stop(GIA_STOP_INPUT_LIMIT);
    if (inputs < run.given)
        given_value(&shared->given[inputs], kind, size, bits);
    else if (run.missing == GIA_MISSING_STOP)
        stop(GIA_STOP_OUT_OF_INPUTS);
    else if (run.missing == GIA_MISSING_RANDOM) {
        if (kind == GIA_KIND_FLOAT)
            random_real(bits, size);
        else if (kind == GIA_KIND_BOOL)
            bits[0] = random_below(2);
        else if (kind == GIA_KIND_INTEGER || random_below(4) == 0)
            random_integer(bits, size * 8); /* pointers are null three times out of four */
    }
    if (kind == GIA_KIND_BOOL) {
        bits[0] = (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
        bits[1] = bits[2] = bits[3] = 0;
    }
    for (n = size; n < 16; n++)
        ((unsigned char *)bits)[n] = 0;
    struct logged *entry = &shared->logged[inputs];
    entry->function = function;
    entry->site = site_depth ? sites[--site_depth % 64] : GIA_NO_SITE;
    for (n = 0; n < 4; n++)
        entry->bits[n] = bits[n];
    shared->header.inputs = ++inputs;
    if (run.tracing != GIA_TRACE_NONE)
        append(GIA_INPUT_EVENT);
    __gia_segment += segment_step;
    for (n = 0; n < size; n++)
        ((unsigned char *)value)[n] = ((unsigned char *)bits)[n];
}

void __gia_input_memory(word function, void *start, unsigned long size)
{
    word site = site_depth ? sites[(site_depth - 1) % 64] : GIA_NO_SITE, counted = site_depth != 0;
    unsigned long n;
    site_depth -= counted;
    for (n = 0; n < size; n++) {
        if (counted)
            __gia_site(site);
        __gia_input(function, GIA_KIND_INTEGER, 1, (char *)start + n);
    }
}

/* ---- functions of the competitions' programs that a program may leave undefined ------------- */

void __gia_assume(int condition) __asm__("__VERIFIER_assume") __attribute__((weak));
void __gia_assume(int condition)
{
    if (!condition)
        stop(GIA_STOP_ASSUMPTION);
}

void __gia_error(void) __asm__("__VERIFIER_error") __attribute__((weak));
void __gia_error(void)
{
    stop(GIA_STOP_ERROR);
}

void __gia_reach_error(void) __asm__("reach_error") __attribute__((weak));
void __gia_reach_error(void)
{
    stop(GIA_STOP_ERROR);
}

void __gia_assert_fail(void) __asm__("__assert_fail") __attribute__((weak));
void __gia_assert_fail(void)
{
    stop(GIA_STOP_ERROR);
}

/* With --entry the program may have no main. */
int __gia_main(void) __asm__("main") __attribute__((weak));
int __gia_main(void)
{
    return 0;
}

/* The program calls a function that exists nowhere. */
void __gia_undefined(void)
{
    stop(GIA_STOP_UNDEFINED_FUNCTION);
}

/* malloc does not fail (DESIGN, section 9): where the memory limit makes it fail, the path ends. */
extern void *__real_malloc(size_t);
extern void *__real_calloc(size_t, size_t);
extern void *__real_realloc(void *, size_t);

static void *obtained(void *memory, size_t size)
{
    if (!memory && size)
        stop(GIA_STOP_OUT_OF_MEMORY);
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return obtained(__real_malloc(size), size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return obtained(__real_calloc(count, size), count && size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return obtained(__real_realloc(memory, size), size);
}

/* ---- isolation of a run --------------------------------------------------------------------- */

static void limit(int resource, uint64_t value)
{
    uint64_t both[2] = {value, value};
    CALL(prlimit64, 0, resource, both, 0, 0);
}

static void limit_resources(void)
{
    enum { CPU = 0, FSIZE = 1, STACK = 3, CORE = 4, NOFILE = 7, AS = 9, MSGQUEUE = 12 };
    limit(CPU, run.cpu_seconds);
    limit(FSIZE, run.file_bytes);
    limit(STACK, (uint64_t)run.stack_mebibytes << 20);
    limit(CORE, 0);
    limit(NOFILE, run.open_files);
    limit(AS, (uint64_t)run.memory_mebibytes << 20);
    limit(MSGQUEUE, 0);
}

/* A run as root is no run with root's powers: it can not raise a limit again, mount, or reach devices. */
static void drop_capabilities(void)
{
    struct { word version; int process; } header = {0x20080522, 0};
    word sets[6] = {0};
    CALL(capset, &header, sets, 0, 0, 0);
}

/* Landlock: files can be made, changed and removed in the working directory only. */
static word confine_files(void)
{
#ifdef __NR_landlock_create_ruleset
    enum { ABI_1_WITHOUT_READING = 0x1ff2, REFER = 0x2000, TRUNCATE = 0x4000, OPEN_PATH = 010000000 };
    long abi = CALL(landlock_create_ruleset, 0, 0, LANDLOCK_CREATE_RULESET_VERSION, 0, 0);
    if (abi < 1)
        return 0;
    uint64_t handled = ABI_1_WITHOUT_READING | (abi >= 2 ? REFER : 0) | (abi >= 3 ? TRUNCATE : 0);
    long rules = CALL(landlock_create_ruleset, &handled, sizeof handled, 0, 0, 0);
    long directory = CALL(openat, -100, ".", OPEN_PATH, 0, 0);
    struct landlock_path_beneath_attr beneath = {.allowed_access = handled, .parent_fd = (int)directory};
    if (rules < 0 || directory < 0
        || CALL(landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0, 0) < 0
        || CALL(landlock_restrict_self, rules, 0, 0, 0, 0) < 0)
        return 0;
    CALL(close, rules, 0, 0, 0, 0);
    CALL(close, directory, 0, 0, 0, 0);
    return GIA_ISOLATED_FILES;
#else
    return 0;
#endif
}

#ifdef GIA_ARCHITECTURE
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, (action))
#define ALLOW(name) IF(__NR_##name, 0, 1), RETURN(SECCOMP_RET_ALLOW)
#define REFUSED(error) (SECCOMP_RET_ERRNO | (error))
enum { ERROR_PERMISSION = 1, ERROR_NO_TERMINAL = 25, ERROR_NO_SUCH_CALL = 38, TERMINAL_GET_ATTRIBUTES = 0x5401 };
#endif

/* seccomp: only system calls that a sequential program needs; no process, thread, socket or signal to others. */
static word confine_calls(void)
{
#ifdef GIA_ARCHITECTURE
    long self = CALL(getpid, 0, 0, 0, 0, 0);
    struct sock_filter filter[] = {
        LOAD(arch), IF(GIA_ARCHITECTURE, 1, 0), RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        /* signals to itself only: abort and raise; limits can be read, not changed */
        IF(__NR_kill, 2, 0), IF(__NR_tgkill, 1, 0), IF(__NR_tkill, 0, 4),
        LOAD(args[0]), IF((word)self, 0, 1), RETURN(SECCOMP_RET_ALLOW), RETURN(REFUSED(ERROR_PERMISSION)),
        IF(__NR_prlimit64, 0, 4),
        LOAD(args[2]), IF(0, 0, 1), RETURN(SECCOMP_RET_ALLOW), RETURN(REFUSED(ERROR_PERMISSION)),
        /* the one device control that isatty and stdio need */
        IF(__NR_ioctl, 0, 4),
        LOAD(args[1]), IF(TERMINAL_GET_ATTRIBUTES, 0, 1), RETURN(SECCOMP_RET_ALLOW), RETURN(REFUSED(ERROR_NO_TERMINAL)),
        ALLOW(read), ALLOW(write), ALLOW(readv), ALLOW(writev), ALLOW(pread64), ALLOW(pwrite64), ALLOW(open),
        ALLOW(openat), ALLOW(creat), ALLOW(close), ALLOW(lseek), ALLOW(stat), ALLOW(lstat), ALLOW(fstat), ALLOW(statx),
        ALLOW(statfs), ALLOW(fstatfs), ALLOW(access), ALLOW(faccessat), ALLOW(faccessat2), ALLOW(readlink),
        ALLOW(readlinkat), ALLOW(getdents), ALLOW(getdents64), ALLOW(getcwd), ALLOW(chdir), ALLOW(fchdir),
        ALLOW(mkdir), ALLOW(mkdirat), ALLOW(rmdir), ALLOW(unlink), ALLOW(unlinkat), ALLOW(rename), ALLOW(renameat),
        ALLOW(renameat2), ALLOW(ftruncate), ALLOW(truncate), ALLOW(umask), ALLOW(fsync), ALLOW(fdatasync),
        ALLOW(dup), ALLOW(dup2), ALLOW(dup3), ALLOW(pipe), ALLOW(pipe2), ALLOW(fcntl), ALLOW(poll),
        ALLOW(ppoll), ALLOW(select), ALLOW(pselect6),
        ALLOW(brk), ALLOW(mmap), ALLOW(mremap), ALLOW(mprotect), ALLOW(munmap), ALLOW(madvise), ALLOW(msync), ALLOW(mincore),
        ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn), ALLOW(rt_sigpending), ALLOW(rt_sigsuspend),
        ALLOW(rt_sigtimedwait), ALLOW(sigaltstack), ALLOW(pause), ALLOW(alarm), ALLOW(setitimer), ALLOW(getitimer),
        ALLOW(nanosleep), ALLOW(clock_nanosleep), ALLOW(clock_gettime), ALLOW(clock_getres), ALLOW(gettimeofday),
        ALLOW(time), ALLOW(times), ALLOW(getrusage), ALLOW(getrlimit), ALLOW(sched_yield), ALLOW(futex),
        ALLOW(set_robust_list), ALLOW(set_tid_address), ALLOW(rseq), ALLOW(getrandom), ALLOW(uname), ALLOW(sysinfo),
        ALLOW(getpid), ALLOW(getppid), ALLOW(gettid), ALLOW(getpgrp), ALLOW(getpgid), ALLOW(getsid), ALLOW(getuid),
        ALLOW(geteuid), ALLOW(getgid), ALLOW(getegid), ALLOW(getgroups), ALLOW(getcpu), ALLOW(sched_getaffinity),
        ALLOW(wait4), ALLOW(waitid), ALLOW(exit), ALLOW(exit_group), ALLOW(restart_syscall),
#if defined(__x86_64__)
        ALLOW(newfstatat), ALLOW(arch_prctl),
#else
        ALLOW(mmap2), ALLOW(_llseek), ALLOW(stat64), ALLOW(lstat64), ALLOW(fstat64), ALLOW(fstatat64), ALLOW(statfs64),
        ALLOW(fstatfs64), ALLOW(ftruncate64), ALLOW(truncate64), ALLOW(fcntl64), ALLOW(_newselect), ALLOW(sigreturn),
        ALLOW(sigaction), ALLOW(sigprocmask), ALLOW(signal), ALLOW(ugetrlimit), ALLOW(set_thread_area), ALLOW(waitpid),
        ALLOW(clock_gettime64), ALLOW(clock_getres_time64), ALLOW(clock_nanosleep_time64), ALLOW(futex_time64),
        ALLOW(ppoll_time64), ALLOW(pselect6_time64), ALLOW(rt_sigtimedwait_time64), ALLOW(getuid32), ALLOW(geteuid32),
        ALLOW(getgid32), ALLOW(getegid32), ALLOW(getgroups32),
#endif
        IF(__NR_clone3, 0, 1), RETURN(REFUSED(ERROR_NO_SUCH_CALL)),
        RETURN(REFUSED(ERROR_PERMISSION)),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    enum { SET_SECCOMP = 22, FILTER = 2 };
    return CALL(prctl, SET_SECCOMP, FILTER, &program, 0, 0) == 0 ? GIA_ISOLATED_CALLS : 0;
#else
    return 0;
#endif
}

static void close_from(int first)
{
#ifdef __NR_close_range
    if (CALL(close_range, first, ~0u, 0, 0, 0) == 0)
        return;
#endif
    for (; first <= GIA_SHARED_FD; first++)
        CALL(close, first, 0, 0, 0, 0);
}

/* What a fresh child does before the program starts. `server` is the process that waits for it. */
static void isolate(long server)
{
    enum { SET_PARENT_DEATH_SIGNAL = 1, SET_NO_NEW_PRIVILEGES = 38 };
    CALL(prctl, SET_PARENT_DEATH_SIGNAL, SIGNAL_KILL, 0, 0, 0);
    if (CALL(getppid, 0, 0, 0, 0, 0) != server || CALL(chdir, shared->header.directory, 0, 0, 0, 0) < 0)
        leave(GIA_NOT_STARTED);
    close_from(3);
    CALL(setsid, 0, 0, 0, 0, 0);
    limit_resources();
    drop_capabilities();
    CALL(prctl, SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0);
    word confined = confine_files();
    shared->header.isolation = confined | confine_calls();
}

/* ---- the server ----------------------------------------------------------------------------- */

struct report { word status, ended_by_server, cpu_microseconds, peak_kibibytes; };
struct waiting { int fd; short events, happened; };

/* Waits until the child ends, the time is over or gia says something (or is gone); then the child is dead. */
static void supervise(long child, int child_fd)
{
    enum { READABLE = 1, WAIT_OPTIONS = 0x40000000 /* __WALL */ };
    struct waiting waiting[2] = {{GIA_COMMAND_FD, READABLE, 0}, {child_fd, READABLE, 0}};
    long timeout[2] = {run.wall_milliseconds / 1000, run.wall_milliseconds % 1000 * 1000000L};
    struct report report = {0, 0, 0, 0};
    long usage[18] = {0}; /* struct rusage: two times, then the peak of resident memory */
    int status = 0;
    if (CALL(ppoll, waiting, 2, timeout, 0, 0) <= 0 || !waiting[1].happened) {
        report.ended_by_server = 1;
        CALL(kill, child, SIGNAL_KILL, 0, 0, 0);
    }
    while (CALL(wait4, child, &status, WAIT_OPTIONS, usage, 0) == -4 /* EINTR */)
        ;
    CALL(close, child_fd, 0, 0, 0, 0);
    report.status = (word)status;
    report.cpu_microseconds = (word)((usage[0] + usage[2]) * 1000000 + usage[1] + usage[3]);
    report.peak_kibibytes = (word)usage[4];
    CALL(write, GIA_REPORT_FD, &report, sizeof report, 0, 0);
}

/* Returns in each child; the server itself ends when gia closes its end of the command pipe. */
static __attribute__((constructor(101))) void serve(void)
{
    enum { PIDFD = 0x1000 };
    long self = CALL(getpid, 0, 0, 0, 0, 0);
    char command;
    map_shared();
    while (CALL(read, GIA_COMMAND_FD, &command, 1, 0, 0) == 1) {
        int child_fd = -1;
        if (command != GIA_COMMAND_RUN)
            continue; /* it asked to end a run that had ended already */
        run = shared->header;
        long child = CALL(clone, PIDFD | SIGNAL_CHILD, 0, &child_fd, 0, 0);
        if (child == 0) {
            isolate(self);
            random_state = run.seed[0] | (uint64_t)run.seed[1] << 32;
            segment_step = run.tracing == GIA_TRACE_SEGMENTS;
            return;
        }
        if (child < 0)
            leave(GIA_NOT_STARTED);
        supervise(child, child_fd);
    }
    leave(0);
}
