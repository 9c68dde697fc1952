/* Run after run in one process: the program's variables are reset, and a path ends by a jump. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

extern char __start_gia_data[] __attribute__((weak)), __stop_gia_data[] __attribute__((weak));
extern char __start_gia_bss[] __attribute__((weak)), __stop_gia_bss[] __attribute__((weak));

static jmp_buf gia_over;
static char *gia_initial;

static void gia_end(void) { longjmp(gia_over, 1); }

static void gia_reset(void)
{
    unsigned long size = (unsigned long)(__stop_gia_data - __start_gia_data);
    if (!gia_initial && size) {
        gia_initial = malloc(size);
        if (!gia_initial)
            abort();
        memcpy(gia_initial, __start_gia_data, size);
    }
    if (size)
        memcpy(__start_gia_data, gia_initial, size);
    if (__stop_gia_bss > __start_gia_bss)
        memset(__start_gia_bss, 0, (unsigned long)(__stop_gia_bss - __start_gia_bss));
}

int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size)
{
    static char name[] = "program";
    static char *arguments[] = {name, 0}, *nothing[] = {0};
    gia_reset();
    gia_at = data;
    gia_left = size;
    if (!setjmp(gia_over))
        gia_entry(1, arguments, nothing);
    return 0;
}

