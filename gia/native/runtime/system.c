/* The part of an instrumented program that gia adds: inputs, observation, isolation.
 *
 * The files of this folder are compiled as one, in the order that gia/native/support.py gives, after the macros GIA_* of
 * gia/native/layout.py. They are the same for every program and need to be compiled only once. What depends on the
 * program are functions and variables that are generated with it (gia/native/stubs.py).
 *
 * The executable is a server. Before any code of the program runs, the constructor in commands.c waits
 * for commands; for each one it forks a child, and the child goes on into the program's main. The
 * child first gives up everything that could do harm (isolation.c). What it reads and what it
 * observes is in a mapping shared with gia, so that it survives every way in which the program can end.
 * While fuzzing, one child may run the program many times (repeat.c).
 *
 * Nothing of the C library is used but the functions that allocate: the program may define functions of any name, and
 * ours must keep working. Every name that the linker sees starts with __gia_.
 *
 * This file: system calls.
 */
#include <asm/unistd.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

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
    /* By the entry that the kernel offers, whose address the C library keeps there: int $0x80 takes several times longer. */
    long result;
    __asm__ volatile("call *%%gs:0x10" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e) : "memory");
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
