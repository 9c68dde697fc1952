/* Functions that a program may leave undefined, and malloc. Definitions of inputs are generated (stubs.py). */

void __gia_assume(int condition) __asm__("__VERIFIER_assume") __attribute__((weak));
void __gia_assume(int condition)
{
    if (!condition)
        stop(GIA_STOP_ASSUMPTION);
}

void __gia_error(void) __asm__("__VERIFIER_error") __attribute__((weak));
void __gia_error(void)
{
    stop(GIA_STOP_ERROR);
}

void __gia_reach_error(void) __asm__("reach_error") __attribute__((weak));
void __gia_reach_error(void)
{
    stop(GIA_STOP_ERROR);
}

void __gia_assert_fail(void) __asm__("__assert_fail") __attribute__((weak));
void __gia_assert_fail(void)
{
    stop(GIA_STOP_ERROR);
}

/* With --entry the program may have no main. */
int __gia_main(void) __asm__("main") __attribute__((weak));
int __gia_main(void)
{
    return 0;
}

/* The program calls a function that exists nowhere. */
void __gia_undefined(void)
{
    stop(GIA_STOP_UNDEFINED_FUNCTION);
}

/* malloc does not fail (DESIGN, section 9): where the memory limit makes it fail, the path ends. */
extern void *__real_malloc(size_t);
extern void *__real_calloc(size_t, size_t);
extern void *__real_realloc(void *, size_t);

static void *obtained(void *memory, size_t size)
{
    if (!memory && size)
        stop(GIA_STOP_OUT_OF_MEMORY);
    return memory;
}

/* The length of an array of variable length. One that is too large to be an object would get the size modulo 2^32 or
   2^64 else, and its elements would lie where other variables are. */
unsigned long __gia_length(long long length, unsigned long element)
{
    if (length <= 0 || (element && length > __PTRDIFF_MAX__ / element))
        stop(GIA_STOP_OUT_OF_MEMORY);
    return length;
}

/* What memory holds that the program has not written: zeros, negative numbers, or large ones of which each is smaller
   than the one before, so that no array is in order. */
static void leave_unwritten(unsigned char *memory, unsigned long size)
{
    enum { LARGE = 0x7f7f7f7f, STEP = 0x10101, STEPS = 1 << 14 };
    if (run.content != GIA_CONTENT_LEFT) {
        __builtin_memset(memory, run.content == GIA_CONTENT_ZERO ? 0 : 0xfe, size);
        return;
    }
    for (unsigned long at = 0; at < size; at += sizeof(word)) {
        word number = LARGE - STEP * (at / sizeof number % STEPS);
        __builtin_memcpy(memory + at, &number, size - at < sizeof number ? size - at : sizeof number);
    }
}

/* Memory that the program has taken from its stack. */
void __gia_taken(void *memory, unsigned long size)
{
    leave_unwritten(memory, size);
}

/* Fresh memory is zero where gia asks for it, else what the allocator leaves there. */
void *__wrap_malloc(size_t size)
{
    enum { FILLED_AT_MOST = 1 << 16 };
    void *memory = obtained(__real_malloc(size), size);
    if (run.content == GIA_CONTENT_ZERO && memory)
        __builtin_memset(memory, 0, size < FILLED_AT_MOST ? size : FILLED_AT_MOST);
    return memory;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return obtained(__real_calloc(count, size), count && size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return obtained(__real_realloc(memory, size), size);
}
