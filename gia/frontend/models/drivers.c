/* Models of what programs call that were written for KLEE or CREST. */

/*** klee_int: */
extern int __VERIFIER_nondet_int(void);
static int __gia_klee_int(const char *name)
{
    return __VERIFIER_nondet_int();
}

/*** klee_range: */
extern int __VERIFIER_nondet_int(void);
static int __gia_klee_range(int first, int end, const char *name)
{
    int value = __VERIFIER_nondet_int();
    __VERIFIER_assume(first <= value && value < end);
    return value;
}

/*** klee_choose: */
extern unsigned long __VERIFIER_nondet_ulong(void);
static __gia_size __gia_klee_choose(__gia_size end)
{
    __gia_size value = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(value < end);
    return value;
}

/*** klee_assume: */
static void __gia_klee_assume(__gia_size condition)
{
    __VERIFIER_assume(condition != 0);
}

/*** klee_abort: */
static void __gia_klee_abort(void)
{
    __builtin_abort();
}

/*** klee_silent_exit: */
static void __gia_klee_silent_exit(int status)
{
    __builtin_exit(status);
}

/*** klee_report_error: */
static void __gia_klee_report_error(const char *file, int line, const char *message, const char *suffix)
{
    __builtin_abort();
}

/*** klee_prefer_cex: */
static void __gia_klee_prefer_cex(void *object, __gia_size condition)
{
}

/*** klee_check_memory_access: */
static unsigned char __gia_checked;
static void __gia_klee_check_memory_access(const void *address, __gia_size size)
{
    if (size != 0) {
        __gia_checked = ((const unsigned char *)address)[0];
        __gia_checked = ((const unsigned char *)address)[size - 1];
    }
}

/*** klee_warning: */
static void __gia_klee_warning(const char *message)
{
}

/*** klee_warning_once: */
static void __gia_klee_warning_once(const char *message)
{
}

/*** klee_print_expr: */
static void __gia_klee_print_expr(const char *message, ...)
{
}

/*** klee_print_range: */
static void __gia_klee_print_range(const char *name, int value)
{
}

/*** klee_mark_global: */
static void __gia_klee_mark_global(void *object)
{
}

/*** klee_open_merge: */
static void __gia_klee_open_merge(void)
{
}

/*** klee_close_merge: */
static void __gia_klee_close_merge(void)
{
}

/*** klee_set_forking: */
static void __gia_klee_set_forking(unsigned enable)
{
}

/*** klee_stack_trace: */
static void __gia_klee_stack_trace(void)
{
}

/*** klee_is_symbolic: */
/* Whether a value depends on inputs: it may, and it may not. */
extern _Bool __VERIFIER_nondet_bool(void);
static unsigned __gia_klee_is_symbolic(__gia_size value)
{
    return __VERIFIER_nondet_bool();
}

/*** klee_get_valuef: */
static float __gia_klee_get_valuef(float value)
{
    return value;
}

/*** klee_get_valued: */
static double __gia_klee_get_valued(double value)
{
    return value;
}

/*** klee_get_valuel: */
static long __gia_klee_get_valuel(long value)
{
    return value;
}

/*** klee_get_valuell: */
static long long __gia_klee_get_valuell(long long value)
{
    return value;
}

/*** klee_get_value_i32: */
static int __gia_klee_get_value_i32(int value)
{
    return value;
}

/*** klee_get_value_i64: */
static long long __gia_klee_get_value_i64(long long value)
{
    return value;
}

/*** klee_is_replay: */
static unsigned __gia_klee_is_replay(void)
{
    return 0;
}

/*** __CrestUChar: */
extern unsigned char __VERIFIER_nondet_uchar(void);
static void __gia___CrestUChar(unsigned char *x)
{
    *x = __VERIFIER_nondet_uchar();
}

/*** __CrestUShort: */
extern unsigned short __VERIFIER_nondet_ushort(void);
static void __gia___CrestUShort(unsigned short *x)
{
    *x = __VERIFIER_nondet_ushort();
}

/*** __CrestUInt: */
extern unsigned __VERIFIER_nondet_uint(void);
static void __gia___CrestUInt(unsigned *x)
{
    *x = __VERIFIER_nondet_uint();
}

/*** __CrestChar: */
extern char __VERIFIER_nondet_char(void);
static void __gia___CrestChar(char *x)
{
    *x = __VERIFIER_nondet_char();
}

/*** __CrestShort: */
extern short __VERIFIER_nondet_short(void);
static void __gia___CrestShort(short *x)
{
    *x = __VERIFIER_nondet_short();
}

/*** __CrestInt: */
extern int __VERIFIER_nondet_int(void);
static void __gia___CrestInt(int *x)
{
    *x = __VERIFIER_nondet_int();
}
