/* The process that forks the runs and waits for them. */

struct report { word status, ended_by_server, cpu_microseconds, peak_kibibytes; };
struct waiting { int fd; short events, happened; };

static struct report last_report;

/* Waits until the child ends, the time is over or gia says something (or is gone); then the child is dead. */
static void supervise(long child, int child_fd)
{
    enum { READABLE = 1, WAIT_OPTIONS = 0x40000000 /* __WALL */ };
    struct waiting waiting[2] = {{GIA_COMMAND_FD, READABLE, 0}, {child_fd, READABLE, 0}};
    long timeout[2] = {run.wall_milliseconds / 1000, run.wall_milliseconds % 1000 * 1000000L};
    long usage[18] = {0}; /* struct rusage: two times, then the peak of resident memory */
    int status = 0;
    last_report.ended_by_server = 0;
    if (CALL(ppoll, waiting, 2, timeout, 0, 0) <= 0 || !waiting[1].happened) {
        last_report.ended_by_server = 1;
        CALL(kill, child, SIGNAL_KILL, 0, 0, 0);
    }
    while (CALL(wait4, child, &status, WAIT_OPTIONS, usage, 0) == -4 /* EINTR */)
        ;
    CALL(close, child_fd, 0, 0, 0, 0);
    last_report.status = (word)status;
    last_report.cpu_microseconds = (word)((usage[0] + usage[2]) * 1000000 + usage[1] + usage[3]);
    last_report.peak_kibibytes = (word)usage[4];
}

/* In the process that goes on into the program. */
static void begin_run(void)
{
    random_state = run.seed[0] | (uint64_t)run.seed[1] << 32;
    segment_step = run.tracing == GIA_TRACE_SEGMENTS;
}

/* One run as the header asks for it: 1 in the child, which is to go on into the program; 0 when it has ended. */
static word start_child(long self)
{
    enum { PIDFD = 0x1000 };
    int child_fd = -1;
    run = shared->header;
    long child = CALL(clone, PIDFD | SIGNAL_CHILD, 0, &child_fd, 0, 0);
    if (child == 0) {
        isolate(self, GIA_SHARED_FD + 1, SECCOMP_RET_ALLOW);
        begin_run();
        return 1;
    }
    if (child < 0)
        leave(GIA_NOT_STARTED);
    supervise(child, child_fd);
    return 0;
}
