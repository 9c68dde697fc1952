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
    enum { SELF = 8 }; /* where the filter compares with the process's own number */
    static struct sock_filter filter[] = {
        LOAD(arch), IF(GIA_ARCHITECTURE, 1, 0), RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        /* signals to itself only: abort and raise; limits can be read, not changed */
        IF(__NR_kill, 2, 0), IF(__NR_tgkill, 1, 0), IF(__NR_tkill, 0, 4),
        LOAD(args[0]), IF(0, 0, 1), RETURN(SECCOMP_RET_ALLOW), RETURN(REFUSED(ERROR_PERMISSION)),
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
    filter[SELF].k = (word)CALL(getpid, 0, 0, 0, 0, 0);
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
