/* The process that forks the runs and waits for them. */

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
    prepare_isolation();
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
