/* What gia asks the server for. */

/* Returns in each child; the server itself ends when gia closes its end of the command pipe. */
static __attribute__((constructor(101))) void serve(void)
{
    long self = CALL(getpid, 0, 0, 0, 0, 0);
    char command;
    shared = map_shared_memory(0, __gia_fuzz_offset);
    counts = (unsigned char *)shared + __gia_counts_offset;
    nearness = (uint16_t *)((char *)shared + __gia_nearest_offset);
    prepare_isolation();
    note_processors();
    while (CALL(read, GIA_COMMAND_FD, &command, 1, 0, 0) == 1) {
        if (command == GIA_COMMAND_RUN || command == GIA_COMMAND_RUN_AGAIN) {
            if (command == GIA_COMMAND_RUN ? start_child(self) : run_again(self))
                return;
            CALL(write, GIA_REPORT_FD, &last_report, sizeof last_report, 0, 0);
        } else if (command == GIA_COMMAND_FUZZ && fuzz(self))
            return;
        /* else it asked to end a run that had ended already */
    }
    leave(0);
}
