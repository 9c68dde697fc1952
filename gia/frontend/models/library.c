/* Models of library functions that read, write text or call back. gia.frontend.models takes from here what a program
 * needs: a block begins with the names of the blocks that it needs. `@` stands for a source of bytes: stdin, or text (a
 * string in memory). The blocks are parts of C that is preprocessed. Conditions are written without && and ||, so that
 * each is one decision. `__gia_size` is size_t. What is not modelled ends the run by error_at_line; for the analyses,
 * which know nothing of that function, it goes on with the arbitrary values of strcoll and getenv. */

/*** end_state: */
static int __gia_ended;  /* the end of standard input was read */
static int __gia_at_end; /* what feof says */

/*** stdin_byte: end_state */
/* The next byte of standard input, -1 at its end. */
static int __gia_stdin_byte(void)
{
    int c;
    if (__gia_ended) {
        __gia_at_end = 1;
        return -1;
    }
    c = __VERIFIER_nondet_stdin();
    if ((unsigned)c > 255u) {
        __gia_ended = 1;
        __gia_at_end = 1;
        return -1;
    }
    return c;
}

/*** ahead_state: */
static int __gia_ahead = -2; /* the byte that was put back or looked at, -2: none */
static int __gia_after;      /* what was read before: 1 a number, which no digit can follow; 2 white space, all of it;
                              * 3 NaN, which no parenthesis can follow; else 0 */

/*** stdin_fresh: end_state, ahead_state */
/* As the next one, without the byte ahead. What cannot follow is assumed away: the number would be another one. */
static int __gia_stdin_fresh(void)
{
    int c, after = __gia_after;
    if (__gia_ended) {
        __gia_after = 0;
        __gia_at_end = 1;
        return -1;
    }
    c = __VERIFIER_nondet_stdin();
    __gia_after = 0;
    if ((unsigned)c > 255u) {
        __gia_ended = 1;
        __gia_at_end = 1;
        return -1;
    }
    __VERIFIER_assume((after != 1) | ((unsigned)c - 48u > 9u));
    __VERIFIER_assume((after != 2) | ((c != 32) & ((unsigned)c - 9u > 4u)));
    __VERIFIER_assume((after != 3) | (c != 40));
    return c;
}

/*** stdin_byte_ahead: stdin_fresh */
/* The next byte of standard input, -1 at its end. */
static int __gia_stdin_byte(void)
{
    int c = __gia_ahead;
    if (c != -2) {
        __gia_ahead = -2;
        return c;
    }
    return __gia_stdin_fresh();
}

/*** stdin_back: ahead_state */
static void __gia_stdin_back(int c)
{
    if (c >= 0)
        __gia_ahead = c;
}

/*** stdin_skip: ahead_state */
/* Read all white space that comes next (by the next call that looks at what follows). */
static void __gia_stdin_skip(void)
{
    int c = __gia_ahead;
    if (c == -2)
        __gia_after = 2;
    else if ((c == 32) | ((unsigned)c - 9u <= 4u)) {
        __gia_ahead = -2;
        __gia_after = 2;
    }
}

/*** stdin_start: stdin_skip, stdin_fresh */
static int __gia_free; /* whether nothing is known about the token that begins with the byte read last */

/* The first byte behind white space. */
static int __gia_stdin_start(void)
{
    int c;
    __gia_stdin_skip();
    c = __gia_ahead;
    __gia_free = c == -2;
    if (c == -2)
        return __gia_stdin_fresh();
    __gia_ahead = -2;
    return c;
}

/*** text_state: */
static const unsigned char *__gia_text; /* what is to be read of a string */

/*** text_byte: text_state */
static int __gia_text_byte(void)
{
    int c = *__gia_text;
    if (c == 0)
        return -1;
    __gia_text++;
    return c;
}

/*** text_back: text_state */
static void __gia_text_back(int c)
{
    if (c >= 0)
        __gia_text--;
}

/*** text_skip: text_state */
static void __gia_text_skip(void)
{
    int c = *__gia_text;
    while ((c == 32) | ((unsigned)c - 9u <= 4u)) {
        __gia_text++;
        c = *__gia_text;
    }
}

/*** text_start: text_skip, text_byte */
static int __gia_text_start(void)
{
    __gia_text_skip();
    return __gia_text_byte();
}

/*** stdin_no_integer: stdin_fresh, stdin_back */
/* A token that begins with the new byte c is no number. */
static void __gia_stdin_no_integer(int c)
{
    if ((c == 43) | (c == 45)) {
        c = __gia_stdin_fresh();
        __VERIFIER_assume((unsigned)c - 48u > 9u);
    }
    __gia_stdin_back(c);
}

/*** stdin_no_float: stdin_fresh, stdin_back */
/* As before for floating point. The byte that shows that a word is neither inf nor nan is not put back. */
static void __gia_stdin_no_float(int c)
{
    if ((c == 43) | (c == 45))
        c = __gia_stdin_fresh();
    if ((c | 32) == 110) {
        c = __gia_stdin_fresh();
        if ((c | 32) == 97) {
            c = __gia_stdin_fresh();
            __VERIFIER_assume((c | 32) != 110);
        }
        return;
    }
    if ((c | 32) == 105) {
        c = __gia_stdin_fresh();
        if ((c | 32) == 110) {
            c = __gia_stdin_fresh();
            __VERIFIER_assume((c | 32) != 102);
        }
        return;
    }
    if (c == 46)
        c = __gia_stdin_fresh();
    __VERIFIER_assume((unsigned)c - 48u > 9u);
    __gia_stdin_back(c);
}

/*** number: */
static unsigned long long __gia_value; /* the digits of the number that was read */
static int __gia_minus, __gia_large;   /* its sign; whether it has too many digits */
static int __gia_over;                 /* how many of the last bytes that were read for it are no part of it */

/*** @_decimal: number, @_byte, @_back */
/* The decimal number of at most `width` bytes that begins with the byte c; whether it is one. */
static int __gia_@_decimal(int c, int width)
{
    int digits = 0;
    unsigned digit;
    __gia_value = 0;
    __gia_large = 0;
    __gia_over = 0;
    __gia_minus = c == 45;
    if ((c == 43) | (c == 45)) {
        width--;
        c = __gia_@_byte();
    }
    digit = (unsigned)c - 48u;
    while ((digit <= 9u) & (width != 0)) {
        __gia_large |= (__gia_value > 1844674407370955161ull) | ((__gia_value == 1844674407370955161ull) & (digit > 5u));
        __gia_value = __gia_value * 10u + digit;
        digits = 1;
        width--;
        c = __gia_@_byte();
        digit = (unsigned)c - 48u;
    }
    __gia_@_back(c);
    return digits;
}

/*** @_based: number, @_byte, @_back */
/* The same in base 8 or 16, or, if `base` is 0, in the base that the prefix says. */
static int __gia_@_based(int c, int width, int base)
{
    int digits = 0;
    unsigned digit;
    __gia_value = 0;
    __gia_large = 0;
    __gia_over = 0;
    __gia_minus = c == 45;
    if ((c == 43) | (c == 45)) {
        width--;
        c = __gia_@_byte();
    }
    if ((c == 48) & (width != 0)) {
        digits = 1;
        width--;
        c = __gia_@_byte();
        if (((c | 32) == 120) & (width != 0) & (base != 8)) {
            base = 16;
            __gia_over = 1;
            width--;
            c = __gia_@_byte();
        } else if (base == 0)
            base = 8;
    }
    if (base == 0)
        base = 10;
    digit = (unsigned)c - 48u;
    if (digit > 9u)
        digit = ((unsigned)c | 32u) - 97u <= 5u ? ((unsigned)c | 32u) - 87u : 16u;
    while ((digit < (unsigned)base) & (width != 0)) {
        __gia_large |= __gia_value > (18446744073709551615ull - digit) / (unsigned)base;
        __gia_value = __gia_value * (unsigned)base + digit;
        __gia_over = 0;
        digits = 1;
        width--;
        c = __gia_@_byte();
        digit = (unsigned)c - 48u;
        if (digit > 9u)
            digit = ((unsigned)c | 32u) - 97u <= 5u ? ((unsigned)c | 32u) - 87u : 16u;
    }
    __gia_@_back(c);
    return digits;
}

/*** long: number */
/* The number as strtol would give it. */
static long __gia_long(void)
{
    unsigned long most = (~0ul >> 1) + (unsigned long)__gia_minus;
    if (__gia_large | (__gia_value > most))
        return (long)most;
    return (long)(((unsigned long)__gia_value ^ -(unsigned long)__gia_minus) + (unsigned long)__gia_minus);
}

/*** longlong: number */
static long long __gia_longlong(void)
{
    unsigned long long most = (~0ull >> 1) + (unsigned long long)__gia_minus;
    if (__gia_large | (__gia_value > most))
        return (long long)most;
    return (long long)((__gia_value ^ -(unsigned long long)__gia_minus) + (unsigned long long)__gia_minus);
}

/*** ulong: number */
static unsigned long __gia_ulong(void)
{
    if (__gia_large | (__gia_value > ~0ul))
        return ~0ul;
    return ((unsigned long)__gia_value ^ -(unsigned long)__gia_minus) + (unsigned long)__gia_minus;
}

/*** ulonglong: number */
static unsigned long long __gia_ulonglong(void)
{
    if (__gia_large)
        return ~0ull;
    return (__gia_value ^ -(unsigned long long)__gia_minus) + (unsigned long long)__gia_minus;
}

/*** token: */
static char __gia_token[512]; /* the bytes of a floating-point number */
static int __gia_token_length;
static int __gia_simple, __gia_places; /* whether it is at most 15 digits, of which so many are behind the point */

/* A number that is too long for the token is not modelled: the run ends. */
static void __gia_append(int c)
{
    if (__gia_token_length > 510) {
        error_at_line(1, 0, "gia", 0, "a number of more than 510 characters");
        __gia_token_length = 0;
    }
    __gia_token[__gia_token_length] = (char)c;
    __gia_token_length++;
    __gia_token[__gia_token_length] = 0;
}

/*** tens: */
static const double __gia_tens[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

/*** stdin_any: token */
/* A number of which nothing is known was read, or there was none. */
static int __gia_stdin_any(void)
{
    __gia_simple = 0;
    return strcoll("", "");
}

/*** text_any: token, text_state */
static int __gia_text_any(void)
{
    __gia_simple = 0;
    __gia_text += (unsigned)strcoll("", "");
    return strcoll("", "");
}

/*** file_any: token, file_lose */
static int __gia_file_any(void)
{
    __gia_simple = 0;
    __gia_file_lose(__gia_file);
    return strcoll("", "");
}

/*** @_next: @_byte */
/* The next byte of what may have `width` more of them, -1 behind the last: there, nothing is looked at. */
static int __gia_@_next(int width)
{
    if (width == 0)
        return -1;
    return __gia_@_byte();
}

/*** @_float: token, number, @_next, @_back, @_any */

/* The floating-point number of at most `width` bytes that begins with the byte c, as a token; whether it is one.
 * What the library makes of NaN with a payload, and of hexadecimal numbers, is not modelled: the run ends. */
static int __gia_@_float(int c, int width)
{
    int digits = 0, point = 0;
    __gia_token_length = 0;
    __gia_value = 0;
    __gia_places = 0;
    __gia_over = 0;
    __gia_simple = 1;
    __gia_minus = c == 45;
    if ((c == 43) | (c == 45)) {
        __gia_append(c);
        width--;
        c = __gia_@_next(width);
    }
    if (((c | 32) == 105) | ((c | 32) == 110)) {
        error_at_line(1, 0, "gia", 0, "an infinity or NaN in the input");
        return __gia_@_any();
    }
    for (;;) {
        if ((unsigned)c - 48u <= 9u) {
            __gia_value = __gia_value * 10u + ((unsigned)c - 48u);
            __gia_places += point;
            digits++;
        } else if ((c == 46) & !point)
            point = 1;
        else
            break;
        __gia_append(c);
        width--;
        c = __gia_@_next(width);
        if (((c | 32) == 120) & (digits == 1) & !point & (__gia_value == 0)) {
            error_at_line(1, 0, "gia", 0, "a hexadecimal floating-point number in the input");
            return __gia_@_any();
        }
    }
    __gia_simple = digits <= 15;
    if (((c | 32) == 101) & (digits != 0)) {
        __gia_simple = 0;
        __gia_over = 1;
        __gia_append(c);
        width--;
        c = __gia_@_next(width);
        if ((c == 43) | (c == 45)) {
            __gia_over = 2;
            __gia_append(c);
            width--;
            c = __gia_@_next(width);
        }
        while ((unsigned)c - 48u <= 9u) {
            __gia_over = 0;
            __gia_append(c);
            width--;
            c = __gia_@_next(width);
        }
    }
    __gia_@_back(c);
    return digits != 0;
}

/*** double: token, number, tens */
/* The value of the token. The quotient of a number of 15 digits and a power of ten is the nearest double (Clinger, How
 * to read floating point numbers accurately, PLDI 1990). */
static double __gia_double(void)
{
    double value;
    if (!__gia_simple)
        return strtod(__gia_token, 0);
    value = (double)__gia_value / __gia_tens[__gia_places];
    if (__gia_minus)
        return -value;
    return value;
}

/*** float: token, number, tens */
static float __gia_float(void)
{
    float value;
    if ((__gia_value > 16777216ull) | (__gia_places > 10) | !__gia_simple)
        return strtof(__gia_token, 0);
    value = (float)__gia_value / (float)__gia_tens[__gia_places];
    if (__gia_minus)
        return -value;
    return value;
}

/*** text_too_large: */
static void __gia_text_too_large(void)
{
    *__errno_location() = 34;
}

/*** text_number: text_start, text_decimal */
/* Read the decimal number that a string begins with; whether it is one. */
static int __gia_text_number(const char *text)
{
    __gia_text = (const unsigned char *)text;
    return __gia_text_decimal(__gia_text_start(), -1);
}

/*** text_integer: text_number, text_based */
/* The same in base 0, 8, 10 or 16. */
static int __gia_text_integer(const char *text, int base)
{
    if (base == 10)
        return __gia_text_number(text);
    __gia_text = (const unsigned char *)text;
    return __gia_text_based(__gia_text_start(), -1, base);
}

/*** text_end: text_state, number */
/* Say where the number ended: of "0x" without digits behind it, at the x; of "1e+", at the e. */
static void __gia_text_end(const char *text, char **end, int digits)
{
    if (end)
        *end = digits ? (char *)__gia_text - __gia_over : (char *)text;
}

/*** strtol: text_integer, text_too_large, text_end, long */
static long __gia_strtol(const char *text, char **end, int base)
{
    int digits = __gia_text_integer(text, base);
    if (__gia_large | (__gia_value > (~(unsigned long)0 >> 1) + (unsigned long)__gia_minus))
        __gia_text_too_large();
    __gia_text_end(text, end, digits);
    return __gia_long();
}

/*** strtoll: text_integer, text_too_large, text_end, longlong */
static long long __gia_strtoll(const char *text, char **end, int base)
{
    int digits = __gia_text_integer(text, base);
    if (__gia_large | (__gia_value > (~(unsigned long long)0 >> 1) + (unsigned long long)__gia_minus))
        __gia_text_too_large();
    __gia_text_end(text, end, digits);
    return __gia_longlong();
}

/*** strtoul: text_integer, text_too_large, text_end, ulong */
static unsigned long __gia_strtoul(const char *text, char **end, int base)
{
    int digits = __gia_text_integer(text, base);
    if (__gia_large | (__gia_value > ~(unsigned long)0))
        __gia_text_too_large();
    __gia_text_end(text, end, digits);
    return __gia_ulong();
}

/*** strtoull: text_integer, text_too_large, text_end, ulonglong */
static unsigned long long __gia_strtoull(const char *text, char **end, int base)
{
    int digits = __gia_text_integer(text, base);
    if (__gia_large | (__gia_value > ~(unsigned long long)0))
        __gia_text_too_large();
    __gia_text_end(text, end, digits);
    return __gia_ulonglong();
}

/*** atoi: text_number, long */
static int __gia_atoi(const char *text)
{
    __gia_text_number(text);
    return (int)__gia_long();
}

/*** atol: text_number, long */
static long __gia_atol(const char *text)
{
    __gia_text_number(text);
    return __gia_long();
}

/*** atoll: text_number, longlong */
static long long __gia_atoll(const char *text)
{
    __gia_text_number(text);
    return __gia_longlong();
}

/*** text_real: text_start, text_float */
/* Read the floating-point number that a string begins with; whether it is one, -1: that has no model. */
static int __gia_text_real(const char *text)
{
    const unsigned char *first;
    int c;
    __gia_text = (const unsigned char *)text;
    c = __gia_text_start();
    first = __gia_text;
    if (c >= 0)
        first--;
    if ((c == 43) | (c == 45))
        first++;
    if (((*first | 32) == 105) | ((*first | 32) == 110))
        return -1;
    if (*first == 48)
        if ((first[1] | 32) == 120)
            return -1;
    return __gia_text_float(c, -1);
}

/*** strtod: text_real, text_end, double */
static double __gia_strtod(const char *text, char **end)
{
    int digits = __gia_text_real(text);
    if (digits < 0)
        return strtod(text, end);
    __gia_text_end(text, end, digits);
    if (!digits)
        return 0;
    return __gia_double();
}

/*** strtof: text_real, text_end, float */
static float __gia_strtof(const char *text, char **end)
{
    int digits = __gia_text_real(text);
    if (digits < 0)
        return strtof(text, end);
    __gia_text_end(text, end, digits);
    if (!digits)
        return 0;
    return __gia_float();
}

/*** atof: strtod */
static double __gia_atof(const char *text)
{
    return __gia_strtod(text, 0);
}

/*** getchar: stdin_byte */
static int __gia_getchar(void)
{
    return __gia_stdin_byte();
}

/*** @_getc: @_byte */
/* Functions of a stream. */
static int __gia_@_getc(void *stream)
{
    return __gia_@_byte();
}

/*** stdin_ungetc: ahead_state, end_state, stdin_back */
static int __gia_stdin_ungetc(int c, void *stream)
{
    if (c == -1)
        return -1;
    if ((__gia_ahead != -2) | (__gia_after != 0)) {
        error_at_line(1, 0, "gia", 0, "more than one byte is put back");
        __gia_ended = strcoll("", "");
        __gia_after = 0;
    }
    __gia_at_end = 0;
    __gia_ahead = c & 255;
    return c & 255;
}

/*** look: stdin_fresh, stdin_back */
/* Where a number or white space ends, the library has looked at the byte behind it. */
static void __gia_look(void)
{
    if ((__gia_after != 0) & (__gia_ahead == -2))
        __gia_stdin_back(__gia_stdin_fresh());
}

/*** stdin_feof: end_state */
static int __gia_stdin_feof(void *stream)
{
    return __gia_at_end;
}

/*** stdin_feof_look: look, end_state */
static int __gia_stdin_feof(void *stream)
{
    __gia_look();
    return __gia_at_end;
}

/*** stdin_ferror: */
static int __gia_stdin_ferror(void *stream)
{
    return 0;
}

/*** stdin_clearerr: end_state */
static void __gia_stdin_clearerr(void *stream)
{
    __gia_at_end = 0;
}

/*** stdin_clearerr_look: look, end_state */
static void __gia_stdin_clearerr(void *stream)
{
    __gia_look();
    __gia_at_end = 0;
}

/*** stdin_fseek: end_state, ahead_state */
/* To move the place in standard input is not modelled. */
static int __gia_stdin_fseek(void *stream, long offset, int from)
{
    error_at_line(1, 0, "gia", 0, "the place in standard input is moved");
    __gia_ended = strcoll("", "");
    __gia_at_end = strcoll("", "");
    __gia_ahead = -2;
    __gia_after = 0;
    return strcoll("", "");
}

/*** stdin_rewind: stdin_fseek */
static void __gia_stdin_rewind(void *stream)
{
    __gia_stdin_fseek(stream, 0, 0);
}

/*** stdin_fsetpos: stdin_fseek */
static int __gia_stdin_fsetpos(void *stream, const void *place)
{
    return __gia_stdin_fseek(stream, 0, 0);
}

/*** @_fgets: @_byte */
static char *__gia_@_fgets(char *text, int size, void *stream)
{
    int n = 0, c = 0;
    if (size <= 0)
        return 0;
    if (size == 1) {
        text[0] = 0;
        return text;
    }
    while ((n < size - 1) & (c != 10)) {
        c = __gia_@_byte();
        if (c < 0)
            break;
        text[n] = (char)c;
        n++;
    }
    if (n == 0)
        return 0;
    text[n] = 0;
    return text;
}

/*** gets: stdin_byte */
static char *__gia_gets(char *text, __gia_size size)
{
    __gia_size n = 0;
    int c = __gia_stdin_byte();
    if (c < 0)
        return 0;
    while ((c >= 0) & (c != 10)) {
        if (n + 1 >= size)
            __builtin_trap();
        text[n] = (char)c;
        n++;
        c = __gia_stdin_byte();
    }
    text[n] = 0;
    return text;
}

/*** @_getdelim: @_byte */
static long __gia_@_getdelim(char **line, __gia_size *size, int end, void *stream)
{
    __gia_size n = 0;
    int c = end - 1;
    if (!*line | !*size) {
        *size = 120;
        *line = realloc(*line, 120);
    }
    while (c != end) {
        c = __gia_@_byte();
        if (c < 0)
            break;
        if (n + 2 > *size) {
            *size = 2 * *size;
            *line = realloc(*line, *size);
        }
        (*line)[n] = (char)c;
        n++;
    }
    if (n == 0)
        return -1;
    (*line)[n] = 0;
    return (long)n;
}

/*** @_getline: @_getdelim */
static long __gia_@_getline(char **line, __gia_size *size, void *stream)
{
    return __gia_@_getdelim(line, size, 10, stream);
}

/*** @_fread: @_byte */
static __gia_size __gia_@_fread(void *target, __gia_size size, __gia_size count, void *stream)
{
    __gia_size n = 0;
    int c;
    if (!size | !count)
        return 0;
    while (n < size * count) {
        c = __gia_@_byte();
        if (c < 0)
            break;
        ((char *)target)[n] = (char)c;
        n++;
    }
    return n / size;
}

/*** read: stdin_byte */
static long __gia_read(int file, void *text, __gia_size size)
{
    __gia_size n = 0;
    int c;
    while (n < size) {
        c = __gia_stdin_byte();
        if (c < 0)
            break;
        ((char *)text)[n] = (char)c;
        n++;
    }
    return (long)n;
}

/*** read_any: read */
static long __gia_read_any(int file, void *text, __gia_size size)
{
    if (file)
        return read(file, text, size);
    return __gia_read(file, text, size);
}

/*** arguments: */
static char __gia_argument[6][24];
static char *__gia_arguments[8];
static void *__gia_argument_vector = __gia_arguments;

/* The arguments of main: at most 6 of at most 23 characters; others end the run. */
static int __gia_count_arguments(void)
{
    static char name[] = "program";
    int count = __VERIFIER_nondet_argc(), i, n;
    __gia_arguments[0] = name;
    if ((unsigned)count - 1u > 6u) {
        error_at_line(1, 0, "gia", 0, "more or longer arguments than are modelled");
        __gia_argument_vector = getenv("");
        return strcoll("", "");
    }
    for (i = 1; i < count; i++) {
        for (n = 0; n < 23; n++)
            __gia_argument[i - 1][n] = __VERIFIER_nondet_character();
        __gia_arguments[i] = __gia_argument[i - 1];
    }
    return count;
}

/*** strtok_r: */
static char *__gia_strtok_r(char *text, const char *ends, char **rest)
{
    __gia_size begin = 0, end;
    if (!text)
        text = *rest;
    while ((text[begin] != 0) & (strchr(ends, text[begin]) != 0))
        begin++;
    if (text[begin] == 0) {
        *rest = text + begin;
        return 0;
    }
    end = begin + 1;
    while (!strchr(ends, text[end]))
        end++;
    *rest = text + end;
    if (text[end] != 0) {
        text[end] = 0;
        *rest = text + end + 1;
    }
    return text + begin;
}

/*** strtok: strtok_r */
static char *__gia_rest_of_tokens;

static char *__gia_strtok(char *text, const char *ends)
{
    return __gia_strtok_r(text, ends, &__gia_rest_of_tokens);
}

/*** strsep: */
static char *__gia_strsep(char **rest, const char *ends)
{
    char *text = *rest;
    __gia_size end = 0;
    if (!text)
        return 0;
    while (!strchr(ends, text[end]))
        end++;
    *rest = 0;
    if (text[end] != 0) {
        text[end] = 0;
        *rest = text + end + 1;
    }
    return text;
}

/*** options: */
/* The functions of getopt as they are in glibc 2.36. What they print is no part of the model. */
char *optarg;
int optind = 1, opterr = 1, optopt = 63;
static int __gia_options_begun;
static int __gia_options_order;                 /* 0: options may stand behind other arguments; 1: not; 2: those are told */
static int __gia_first_other, __gia_last_other; /* the arguments between are no options, and were passed over */
static char *__gia_option_letters;              /* what is left of an argument with several options */

struct __gia_option {
    const char *name;
    int has_argument;
    int *flag;
    int value;
};

static int __gia_is_option(const char *argument)
{
    return (argument[0] == 45) & (argument[1] != 0);
}

/* Options behind other arguments change places with these. */
static void __gia_options_exchange(char **arguments)
{
    int passed = __gia_last_other - __gia_first_other, moved = optind - __gia_last_other, i, j;
    char *argument;
    for (i = 0; i < moved; i++) {
        argument = arguments[__gia_last_other + i];
        for (j = 0; j < passed; j++)
            arguments[__gia_last_other + i - j] = arguments[__gia_last_other + i - j - 1];
        arguments[__gia_first_other + i] = argument;
    }
    __gia_first_other += moved;
    __gia_last_other = optind;
}

/* Go to the next argument with options: -1 if there is none, 1 if another argument is told instead, else 0. */
static int __gia_options_next(int count, char **arguments)
{
    if (__gia_last_other > optind)
        __gia_last_other = optind;
    if (__gia_first_other > optind)
        __gia_first_other = optind;
    if (__gia_options_order == 0) {
        if ((__gia_first_other != __gia_last_other) & (__gia_last_other != optind))
            __gia_options_exchange(arguments);
        else if (__gia_last_other != optind)
            __gia_first_other = optind;
        while (optind < count) {
            if (__gia_is_option(arguments[optind]))
                break;
            optind++;
        }
        __gia_last_other = optind;
    }
    if (optind != count) {
        if (__gia_is_option(arguments[optind]) & (arguments[optind][1] == 45)) {
            if (arguments[optind][2] == 0) {
                optind++;
                if ((__gia_first_other != __gia_last_other) & (__gia_last_other != optind))
                    __gia_options_exchange(arguments);
                else if (__gia_first_other == __gia_last_other)
                    __gia_first_other = optind;
                __gia_last_other = count;
                optind = count;
            }
        }
    }
    if (optind == count) {
        if (__gia_first_other != __gia_last_other)
            optind = __gia_first_other;
        return -1;
    }
    if (!__gia_is_option(arguments[optind])) {
        if (__gia_options_order == 1)
            return -1;
        optarg = arguments[optind];
        optind++;
        return 1;
    }
    __gia_option_letters = arguments[optind] + 1;
    return 0;
}

/* The first call, and each behind an optind of 0. */
static const char *__gia_options_begin(const char *letters)
{
    if ((optind == 0) | !__gia_options_begun) {
        if (optind == 0)
            optind = 1;
        __gia_options_begun = 1;
        __gia_first_other = optind;
        __gia_last_other = optind;
        __gia_option_letters = 0;
        __gia_options_order = 0;
        if (letters[0] == 45)
            __gia_options_order = 2;
        else if ((letters[0] == 43) | (strcoll("", "") != 0)) /* or the environment has POSIXLY_CORRECT */
            __gia_options_order = 1;
    }
    return letters + ((letters[0] == 45) | (letters[0] == 43));
}

/* The next option of one letter. */
static int __gia_option_letter(int count, char **arguments, const char *letters)
{
    int c = *__gia_option_letters;
    const char *found = strchr(letters, c);
    __gia_option_letters++;
    if (*__gia_option_letters == 0)
        optind++;
    if ((c == 58) | (c == 59) | (found == 0)) {
        optopt = c;
        return 63;
    }
    if (found[1] != 58)
        return c;
    if (*__gia_option_letters != 0) {
        optarg = __gia_option_letters;
        optind++;
    } else if (found[2] != 58) {
        if (optind == count) {
            optopt = c;
            c = letters[0] == 58 ? 58 : 63;
        } else {
            optarg = arguments[optind];
            optind++;
        }
    }
    __gia_option_letters = 0;
    return c;
}

/*** getopt: options */
static int __gia_getopt(int count, void *arguments, const char *letters)
{
    int next = 0, begins = 1;
    if (count < 1)
        return -1;
    optarg = 0;
    letters = __gia_options_begin(letters);
    if (__gia_option_letters)
        begins = *__gia_option_letters == 0;
    if (begins)
        next = __gia_options_next(count, arguments);
    if (next)
        return next;
    return __gia_option_letter(count, arguments, letters);
}

/*** getopt_long: options */
/* Which of the options has a name that begins with these characters: its number; -1: none, -2: several that differ. */
static int __gia_option_named(const void *described, const char *name, __gia_size length)
{
    const struct __gia_option *options = described;
    int i, found = -1;
    for (i = 0; options[i].name; i++) {
        if (strncmp(options[i].name, name, length) == 0) {
            if (strlen(options[i].name) == length)
                return i;
            if (found == -1)
                found = i;
            else if (found >= 0)
                if ((options[found].has_argument != options[i].has_argument) | (options[found].flag != options[i].flag) |
                    (options[found].value != options[i].value))
                    found = -2;
        }
    }
    return found;
}

static int __gia_option_word(int count, char **arguments, const char *letters, const void *described, int *index)
{
    const struct __gia_option *options = described;
    __gia_size length = 0;
    char *name = __gia_option_letters + 1;
    int number;
    while ((name[length] != 0) & (name[length] != 61))
        length++;
    number = __gia_option_named(options, name, length);
    optind++;
    __gia_option_letters = 0;
    if (number < 0) {
        optopt = 0;
        return 63;
    }
    if (name[length] != 0) {
        if (!options[number].has_argument) {
            optopt = options[number].value;
            return 63;
        }
        optarg = name + length + 1;
    } else if (options[number].has_argument == 1) {
        if (optind >= count) {
            optopt = options[number].value;
            return letters[0] == 58 ? 58 : 63;
        }
        optarg = arguments[optind];
        optind++;
    }
    if (index)
        *index = number;
    if (options[number].flag) {
        *options[number].flag = options[number].value;
        return 0;
    }
    return options[number].value;
}

static int __gia_getopt_long(int count, void *arguments, const char *letters, const void *options, int *index)
{
    int next = 0, begins = 1;
    if (count < 1)
        return -1;
    optarg = 0;
    letters = __gia_options_begin(letters);
    if (__gia_option_letters)
        begins = *__gia_option_letters == 0;
    if (begins)
        next = __gia_options_next(count, arguments);
    if (next)
        return next;
    if (begins & (*__gia_option_letters == 45))
        return __gia_option_word(count, arguments, letters, options, index);
    return __gia_option_letter(count, arguments, letters);
}

/*** put: */
/* The functions of this kind write to a text of `size` bytes, behind n characters, and give how many there are then. */
static __gia_size __gia_put(char *text, __gia_size size, __gia_size n, int c)
{
    if (n < size - (size != 0))
        text[n] = (char)c;
    return n + 1;
}

/*** put_pad: put */
static __gia_size __gia_put_pad(char *text, __gia_size size, __gia_size n, int count, int c)
{
    while (count > 0) {
        n = __gia_put(text, size, n, c);
        count--;
    }
    return n;
}

/*** put_text: put_pad */
static __gia_size __gia_put_text(char *text, __gia_size size, __gia_size n, const char *from, int width, int precision, int left)
{
    int length = 0, i;
    if (!from)
        from = (unsigned)precision < 6u ? "" : "(null)";
    while (length != precision) {
        if (!from[length])
            break;
        length++;
    }
    if (!left)
        n = __gia_put_pad(text, size, n, width - length, 32);
    for (i = 0; i < length; i++)
        n = __gia_put(text, size, n, from[i]);
    if (left)
        n = __gia_put_pad(text, size, n, width - length, 32);
    return n;
}

/*** put_digits: put_pad */
/* Of the digits the last one comes first. `zeros`: these fill the width. */
static __gia_size __gia_put_digits(char *text, __gia_size size, __gia_size n, const char *digits, int count, int sign, int prefix, int width, int precision, int left, int zeros)
{
    int length = (sign != 0) + 2 * (prefix != 0);
    if (zeros & (width - length > precision))
        precision = width - length;
    length += count > precision ? count : precision;
    if (!left)
        n = __gia_put_pad(text, size, n, width - length, 32);
    if (sign)
        n = __gia_put(text, size, n, sign);
    if (prefix) {
        n = __gia_put(text, size, n, 48);
        n = __gia_put(text, size, n, prefix);
    }
    n = __gia_put_pad(text, size, n, precision - count, 48);
    while (count > 0) {
        count--;
        n = __gia_put(text, size, n, digits[count]);
    }
    if (left)
        n = __gia_put_pad(text, size, n, width - length, 32);
    return n;
}

/*** fill_memory: */
/* Every byte is an input. */
static void __gia_fill_memory(void *start, __gia_size size)
{
    __gia_size n;
    for (n = 0; n < size; n++)
        ((unsigned char *)start)[n] = __VERIFIER_nondet_memory_byte();
}

/*** time: */
/* Seconds since 1970; somebody may set the clock back between two calls. */
extern long __VERIFIER_nondet_time(void);
static long __gia_time(void *where)
{
    long now = __VERIFIER_nondet_time();
    if (now < 0)
        now = 0;
    if (where)
        *(long *)where = now;
    return now;
}

/*** gettimeofday: time */
extern long __VERIFIER_nondet_microseconds(void);
static int __gia_gettimeofday(void *where, void *zone)
{
    long now = __gia_time(0), microseconds = __VERIFIER_nondet_microseconds();
    if ((unsigned long)microseconds > 999999ul)
        microseconds = 999999;
    if (where) {
        ((long *)where)[0] = now;
        ((long *)where)[1] = microseconds;
    }
    return 0;
}

/*** clock_gettime: time */
extern long __VERIFIER_nondet_nanoseconds(void);
static long __gia_clocks[4][2]; /* what they told last */

/* The clocks 0 to 3. Only the first one can be set: each other one goes on. */
static int __gia_clock_gettime(int clock, void *where)
{
    long now = __gia_time(0), nanoseconds = __VERIFIER_nondet_nanoseconds(), *last = __gia_clocks[clock];
    if ((unsigned long)nanoseconds > 999999999ul)
        nanoseconds = 999999999;
    if (clock) {
        if (now < last[0])
            now = last[0];
        if ((now == last[0]) & (nanoseconds < last[1]))
            nanoseconds = last[1];
        last[0] = now;
        last[1] = nanoseconds;
    }
    ((long *)where)[0] = now;
    ((long *)where)[1] = nanoseconds;
    return 0;
}

/*** clock: */
/* The time of the processor; -1: it is not known. It begins again when it has reached the largest number. */
extern long __VERIFIER_nondet_clock(void);
static long __gia_clock(void)
{
    long now = __VERIFIER_nondet_clock();
    if (now < -1)
        now = -1;
    return now;
}

/*** getpid: */
/* The number of a process stays the same. */
extern int __VERIFIER_nondet_pid(void);
static int __gia_process;
static int __gia_getpid(void)
{
    if (!__gia_process) {
        __gia_process = __VERIFIER_nondet_pid();
        if (__gia_process < 1)
            __gia_process = 1;
    }
    return __gia_process;
}

/*** identities: */
/* Whose program it is: the user, the one that it acts for, and their groups; 0 is the one that may do everything. */
extern unsigned __VERIFIER_nondet_identity(void);
static unsigned __gia_identities[4];
static int __gia_known_identities[4];
static unsigned __gia_identity(int which)
{
    if (!__gia_known_identities[which]) {
        __gia_known_identities[which] = 1;
        __gia_identities[which] = __VERIFIER_nondet_identity();
    }
    return __gia_identities[which];
}

/*** getuid: identities */
static unsigned __gia_getuid(void)
{
    return __gia_identity(0);
}

/*** geteuid: identities */
static unsigned __gia_geteuid(void)
{
    return __gia_identity(1);
}

/*** getgid: identities */
static unsigned __gia_getgid(void)
{
    return __gia_identity(2);
}

/*** getegid: identities */
static unsigned __gia_getegid(void)
{
    return __gia_identity(3);
}

/*** drand48: */
/* The functions draw 48 bits, and give as many of them as the result has room for. */
extern long long __VERIFIER_nondet_drand48(void);
static double __gia_drand48(void)
{
    return (double)(__VERIFIER_nondet_drand48() & 0xffffffffffffll) / 281474976710656.0;
}

/*** lrand48: */
extern int __VERIFIER_nondet_lrand48(void);
static long __gia_lrand48(void)
{
    return __VERIFIER_nondet_lrand48() & 0x7fffffff;
}

/*** mrand48: */
extern int __VERIFIER_nondet_mrand48(void);
static long __gia_mrand48(void)
{
    return __VERIFIER_nondet_mrand48();
}

/*** qsort: */
/* Sort as glibc 2.36 does where there is memory enough: by merging, with the same comparisons in the same order. Its
 * recursion is a loop here: behind each element come the merges that end there, the smallest first. */
static void __gia_merge(unsigned char *all, unsigned char *copy, __gia_size half, __gia_size count, __gia_size size, int (*compare)(const void *, const void *))
{
    __gia_size left = 0, right = half, n;
    int take;
    for (n = 0; n < count; n++) /* one by one: the size of an element is a constant of the program, that of all is none */
        __builtin_memcpy(copy + n * size, all + n * size, size);
    for (n = 0; n < count; n++) {
        if (left == half)
            take = 1;
        else if (right == count)
            take = 0;
        else
            take = compare(copy + left * size, copy + right * size) > 0;
        if (take) {
            __builtin_memcpy(all + n * size, copy + right * size, size);
            right++;
        } else {
            __builtin_memcpy(all + n * size, copy + left * size, size);
            left++;
        }
    }
}

static void __gia_qsort(void *base, __gia_size count, __gia_size size, int (*compare)(const void *, const void *))
{
    unsigned char *copy;
    __gia_size begins[64], lengths[64], begin, length, end;
    int depth;
    if (count <= 1)
        return;
    copy = __builtin_malloc(count * size);
    for (end = 2; end <= count; end++) {
        begin = 0;
        length = count;
        depth = 0;
        while (length > 1) {
            if (begin + length == end) {
                begins[depth] = begin;
                lengths[depth] = length;
                depth++;
            }
            if (end <= begin + length / 2)
                length = length / 2;
            else {
                begin += length / 2;
                length -= length / 2;
            }
        }
        while (depth > 0) {
            depth--;
            begin = begins[depth];
            length = lengths[depth];
            __gia_merge((unsigned char *)base + begin * size, copy, length / 2, length, size, compare);
        }
    }
    __builtin_free(copy);
}

/*** bsearch: */
static void *__gia_bsearch(const void *key, const void *base, __gia_size count, __gia_size size, int (*compare)(const void *, const void *))
{
    __gia_size low = 0, high = count, middle;
    const unsigned char *element;
    int order;
    while (low < high) {
        middle = (low + high) / 2;
        element = (const unsigned char *)base + middle * size;
        order = compare(key, element);
        if (order < 0)
            high = middle;
        else if (order > 0)
            low = middle + 1;
        else
            return (void *)element;
    }
    return 0;
}
