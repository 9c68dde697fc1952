/* CREST keeps the inputs of its last run only: those of each run are logged. */
#include <crest.h>
extern int open(const char *path, int flags, ...);
extern int dprintf(int file, const char *format, ...);

static int gia_log_file = -1;

static void gia_log(const char *type, long long value)
{
    if (gia_log_file < 0) {
        gia_log_file = open("crest-inputs.txt", 02101 /* write, create, append */, 0644);
        dprintf(gia_log_file, "run\n");
    }
    dprintf(gia_log_file, "%s %lld\n", type, value);
}

