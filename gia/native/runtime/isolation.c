/* What a child gives up before the program starts. */

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
    limit(STACK, is_stack_elsewhere() ? 1 << 18 : (uint64_t)run.stack_mebibytes << 20);
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

/* The system calls that a sequential program needs, whatever their arguments. */
#define NUMBER(name) __NR_##name
static const short allowed_calls[] = {
    NUMBER(read), NUMBER(write), NUMBER(readv), NUMBER(writev), NUMBER(pread64), NUMBER(pwrite64), NUMBER(open),
    NUMBER(openat), NUMBER(creat), NUMBER(close), NUMBER(lseek), NUMBER(stat), NUMBER(lstat), NUMBER(fstat),
    NUMBER(statx), NUMBER(statfs), NUMBER(fstatfs), NUMBER(access), NUMBER(faccessat), NUMBER(faccessat2),
    NUMBER(readlink), NUMBER(readlinkat), NUMBER(getdents), NUMBER(getdents64), NUMBER(getcwd), NUMBER(chdir),
#ifdef __NR_close_range
    NUMBER(close_range),
#endif
    NUMBER(fchdir), NUMBER(mkdir), NUMBER(mkdirat), NUMBER(rmdir), NUMBER(unlink), NUMBER(unlinkat), NUMBER(rename),
    NUMBER(renameat), NUMBER(renameat2), NUMBER(link), NUMBER(linkat), NUMBER(symlink), NUMBER(symlinkat),
    NUMBER(mknod), NUMBER(mknodat), NUMBER(ftruncate), NUMBER(truncate), NUMBER(umask), NUMBER(fsync),
    NUMBER(fdatasync), NUMBER(dup), NUMBER(dup2), NUMBER(dup3), NUMBER(pipe), NUMBER(pipe2), NUMBER(fcntl),
    NUMBER(poll), NUMBER(ppoll), NUMBER(select), NUMBER(pselect6), NUMBER(brk), NUMBER(mmap), NUMBER(mremap),
    NUMBER(mprotect), NUMBER(munmap), NUMBER(madvise), NUMBER(msync), NUMBER(mincore), NUMBER(rt_sigaction),
    NUMBER(rt_sigprocmask), NUMBER(rt_sigreturn), NUMBER(rt_sigpending), NUMBER(rt_sigsuspend),
    NUMBER(rt_sigtimedwait), NUMBER(sigaltstack), NUMBER(pause), NUMBER(alarm), NUMBER(setitimer), NUMBER(getitimer),
    NUMBER(nanosleep), NUMBER(clock_nanosleep), NUMBER(clock_gettime), NUMBER(clock_getres), NUMBER(gettimeofday),
    NUMBER(time), NUMBER(times), NUMBER(getrusage), NUMBER(getrlimit), NUMBER(sched_yield), NUMBER(futex),
    NUMBER(set_robust_list), NUMBER(set_tid_address), NUMBER(rseq), NUMBER(getrandom), NUMBER(uname),
    NUMBER(sysinfo), NUMBER(getpid), NUMBER(getppid), NUMBER(gettid), NUMBER(getpgrp), NUMBER(getpgid),
    NUMBER(getsid), NUMBER(getuid), NUMBER(geteuid), NUMBER(getgid), NUMBER(getegid), NUMBER(getgroups),
    NUMBER(getcpu), NUMBER(sched_getaffinity), NUMBER(wait4), NUMBER(waitid), NUMBER(exit), NUMBER(exit_group),
    NUMBER(restart_syscall),
#if defined(__x86_64__)
    NUMBER(newfstatat), NUMBER(arch_prctl),
#else
    NUMBER(mmap2), NUMBER(_llseek), NUMBER(stat64), NUMBER(lstat64), NUMBER(fstat64), NUMBER(fstatat64),
    NUMBER(statfs64), NUMBER(fstatfs64), NUMBER(ftruncate64), NUMBER(truncate64), NUMBER(fcntl64),
    NUMBER(_newselect), NUMBER(sigreturn), NUMBER(sigaction), NUMBER(sigprocmask), NUMBER(signal),
    NUMBER(ugetrlimit), NUMBER(set_thread_area), NUMBER(waitpid), NUMBER(clock_gettime64),
    NUMBER(clock_getres_time64), NUMBER(clock_nanosleep_time64), NUMBER(futex_time64), NUMBER(ppoll_time64),
    NUMBER(pselect6_time64), NUMBER(rt_sigtimedwait_time64), NUMBER(getuid32), NUMBER(geteuid32),
    NUMBER(getgid32), NUMBER(getegid32), NUMBER(getgroups32),
#endif
};

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define END BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
/* Calls 32 * block … 32 * block + 31: those whose bit is in the mask are allowed. The call's bit is in M[0], its number in A. */
#define BLOCK(block) \
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 32 * ((block) + 1), 4, 0), \
    BPF_STMT(BPF_LD | BPF_MEM, 0), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0, 0, 1), ALLOW, REFUSE(ERROR_PERMISSION)
enum {
    ERROR_PERMISSION = 1, ERROR_NO_TERMINAL = 25, ERROR_NO_SUCH_CALL = 38, TERMINAL_GET_ATTRIBUTES = 0x5401,
    WAITS_FOR_CHILD = 0x4000, EXIT = 5, SELF = 10, FIRST_BLOCK = 39, BLOCKS = 15, MASK_IN_BLOCK = 2, BLOCK_LENGTH = 5
};

static struct sock_filter call_filter[] = {
    LOAD(arch), IF(GIA_ARCHITECTURE, 1, 0), END,
    LOAD(nr), IF(__NR_exit_group, 0, 1), ALLOW,
    /* signals to itself only, which abort and raise send; limits can be read, not changed; terminals be asked for */
    IF(__NR_kill, 2, 0), IF(__NR_tgkill, 1, 0), IF(__NR_tkill, 0, 4),
    LOAD(args[0]), IF(0, 0, 1), ALLOW, REFUSE(ERROR_PERMISSION),
    IF(__NR_prlimit64, 0, 4), LOAD(args[2]), IF(0, 0, 1), ALLOW, REFUSE(ERROR_PERMISSION),
    IF(__NR_ioctl, 0, 4), LOAD(args[1]), IF(TERMINAL_GET_ATTRIBUTES, 0, 1), ALLOW, REFUSE(ERROR_NO_TERMINAL),
    IF(__NR_clone3, 0, 1), REFUSE(ERROR_NO_SUCH_CALL), /* then the C library tries clone, which tells what for */
    /* Without its threads and processes a program does what it never does elsewhere: its run ends. But system and its
       like, which wait for the other program, only fail: few programs mind. */
    IF(__NR_clone, 0, 4), LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, WAITS_FOR_CHILD, 0, 1),
    REFUSE(ERROR_PERMISSION), END,
    IF(__NR_fork, 1, 0), IF(__NR_vfork, 0, 1), END,
    /* M[0] = 1 << (number & 31) */
    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 31), BPF_STMT(BPF_MISC | BPF_TAX, 0), BPF_STMT(BPF_LD | BPF_IMM, 1),
    BPF_STMT(BPF_ALU | BPF_LSH | BPF_X, 0), BPF_STMT(BPF_ST, 0), LOAD(nr),
    BLOCK(0), BLOCK(1), BLOCK(2), BLOCK(3), BLOCK(4), BLOCK(5), BLOCK(6), BLOCK(7), BLOCK(8), BLOCK(9), BLOCK(10),
    BLOCK(11), BLOCK(12), BLOCK(13), BLOCK(14),
    REFUSE(ERROR_PERMISSION),
};
#endif

/* Once, before the first run: completes the filter of system calls. */
static void prepare_isolation(void)
{
#ifdef GIA_ARCHITECTURE
    for (word n = 0; n < sizeof allowed_calls / sizeof *allowed_calls; n++) {
        word number = (word)allowed_calls[n];
        if (number < 32 * BLOCKS)
            call_filter[FIRST_BLOCK + number / 32 * BLOCK_LENGTH + MASK_IN_BLOCK].k |= (word)1 << number % 32;
    }
#endif
}

/* seccomp: no process, thread, socket, device control, or signal to others; nothing that is not in the list above. */
static word confine_calls(word exit)
{
#ifdef GIA_ARCHITECTURE
    enum { SET_SECCOMP = 22, FILTER = 2 };
    struct sock_fprog program = {sizeof call_filter / sizeof *call_filter, call_filter};
    call_filter[EXIT].k = exit;
    call_filter[SELF].k = (word)CALL(getpid, 0, 0, 0, 0, 0);
    return CALL(prctl, SET_SECCOMP, FILTER, &program, 0, 0) == 0 ? GIA_ISOLATED_CALLS : 0;
#else
    return 0;
#endif
}

static void close_all(int first, int last)
{
#ifdef __NR_close_range
    if (CALL(close_range, first, last, 0, 0, 0) == 0)
        return;
#endif
    for (; first <= last && first <= GIA_SHARED_FD; first++)
        CALL(close, first, 0, 0, 0, 0);
}

/* What a fresh child does before the program starts. `server` is the process that waits for it; files from the one behind
 * GIA_SHARED_FD up to `others` are for ours; `exit` is what the filter does when the program ends. */
static void isolate(long server, int others, word exit)
{
    enum { SET_PARENT_DEATH_SIGNAL = 1, SET_NO_NEW_PRIVILEGES = 38 };
    CALL(prctl, SET_PARENT_DEATH_SIGNAL, SIGNAL_KILL, 0, 0, 0);
    if (CALL(getppid, 0, 0, 0, 0, 0) != server || CALL(chdir, shared->header.directory, 0, 0, 0, 0) < 0)
        leave(GIA_NOT_STARTED);
    close_all(3, GIA_SHARED_FD);
    close_all(others, 0x7fffffff);
    CALL(setsid, 0, 0, 0, 0, 0);
    limit_resources();
    drop_capabilities();
    CALL(prctl, SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0);
    word confined = confine_files();
    shared->header.isolation = confined | confine_calls(exit);
}
