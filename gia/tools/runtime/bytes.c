/* Inputs are the bytes that a fuzzer gives, in the order in which the program reads them; without more bytes, the
 * run ends. */

extern int gia_entry(int argc, char **argv, char **environment);
static void gia_end(void) __attribute__((noreturn));

static const unsigned char *gia_at;
static unsigned long gia_left;

static void gia_take(void *to, unsigned long size)
{
    unsigned long i;
    if (size > gia_left)
        gia_end();
    for (i = 0; i < size; i++)
        ((unsigned char *)to)[i] = gia_at[i];
    gia_at += size;
    gia_left -= size;
}

/* Where a path ends, the process does not. */
void gia_end_abort(void) { gia_end(); }
void gia_end_exit(int status) { (void)status; gia_end(); }
void gia_end__exit(int status) { (void)status; gia_end(); }
void gia_end__Exit(int status) { (void)status; gia_end(); }
void gia_end_quick_exit(int status) { (void)status; gia_end(); }
void gia_end___assert_fail(const char *text, const char *file, unsigned line, const char *function)
{
    (void)text, (void)file, (void)line, (void)function;
    gia_end();
}
void gia_end_error_at_line(int status, int number, const char *file, unsigned line, const char *message, ...)
{
    (void)number, (void)file, (void)line, (void)message;
    if (status)
        gia_end();
}
void gia_end___VERIFIER_assume(int holds) { if (!holds) gia_end(); }

/* Error functions that the program declares only. */
__attribute__((weak)) void reach_error(void) { gia_end(); }
__attribute__((weak)) void __VERIFIER_error(void) { gia_end(); }

