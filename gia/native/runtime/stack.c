/* Where the program's stack is: at its usual place, or elsewhere.
 *
 * The stack may grow down through all megabytes that the limit allows. With 32 bits one number in sixty is an address there:
 * what an input gives as a pointer, or what is read outside of an array, may then work by chance, and differently on each
 * machine. No test may depend on that. So what a test reaches has to be reached again with the stack in a mapping of its own,
 * while the usual one grows no further (isolation.c).
 *
 * If variables are to hold what was left where they are, this stack begins with large positive numbers: a zero, or a
 * negative number, is what they begin with otherwise.
 *
 * The linker calls the program's main __real_main, and this function wherever another file calls main.
 */
int __real_main(int count, char **arguments, char **environment);

static word is_stack_elsewhere(void)
{
#ifdef GIA_ARCHITECTURE
    return run.content != GIA_CONTENT_ZERO;
#else
    return 0;
#endif
}

#if defined(__x86_64__)
static int call_main_on(unsigned char *end, long count, char **arguments, char **environment)
{
    int result;
    __asm__ volatile("movq %%rsp, %%rbx\n\tmovq %[end], %%rsp\n\tcall *%[main]\n\tmovq %%rbx, %%rsp"
                     : "=a"(result), "+D"(count), "+S"(arguments), "+d"(environment)
                     : [end] "r"(end), [main] "r"(__real_main)
                     : "rbx", "rcx", "r8", "r9", "r10", "r11", "memory", "cc");
    return result;
}
#elif defined(__i386__)
static int call_main_on(unsigned char *end, long count, char **arguments, char **environment)
{
    long *frame = (long *)(end - 16);
    int result;
    frame[0] = count;
    frame[1] = (long)arguments;
    frame[2] = (long)environment;
    __asm__ volatile("movl %%esp, %%esi\n\tmovl %[frame], %%esp\n\tcall *%[main]\n\tmovl %%esi, %%esp"
                     : "=a"(result)
                     : [frame] "r"(frame), [main] "r"(__real_main)
                     : "esi", "ecx", "edx", "memory", "cc");
    return result;
}
#endif

long long __gia_no_value; /* what functions give that return without a value */

int __wrap_main(int count, char **arguments, char **environment)
{
    leave_unwritten((unsigned char *)&__gia_no_value, sizeof __gia_no_value);
#ifdef GIA_ARCHITECTURE
    enum { PRIVATE_ANONYMOUS = 0x22, WITHOUT_RESERVE = 0x4000, FILLED = 1 << 18 };
    if (is_stack_elsewhere()) {
        unsigned long size = (unsigned long)run.stack_mebibytes << 20;
        unsigned char *mapping = map_memory(size, PRIVATE_ANONYMOUS | WITHOUT_RESERVE, -1, 0);
        if (run.content == GIA_CONTENT_LEFT)
            leave_unwritten(mapping + size - FILLED, FILLED);
        return call_main_on(mapping + size, count, arguments, environment);
    }
#endif
    return __real_main(count, arguments, environment);
}
