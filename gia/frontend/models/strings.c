/* Models of functions of memory and strings that the analyses do not know themselves, by those that they know. What is
 * common to all models stands in library.c. Where strcasestr is declared, strncasecmp is, too. */

/*** bzero: */
static void __gia_bzero(void *block, __gia_size size)
{
    __builtin_memset(block, 0, size);
}

/*** explicit_bzero: */
static void __gia_explicit_bzero(void *block, __gia_size size)
{
    __builtin_memset(block, 0, size);
}

/*** bcopy: */
static void __gia_bcopy(const void *from, void *to, __gia_size size)
{
    __builtin_memmove(to, from, size);
}

/*** mempcpy: */
static void *__gia_mempcpy(void *to, const void *from, __gia_size size)
{
    __builtin_memcpy(to, from, size);
    return (char *)to + size;
}

/*** memccpy: */
static void *__gia_memccpy(void *to, const void *from, int last, __gia_size size)
{
    __gia_size n;
    for (n = 0; n < size; n++) {
        ((unsigned char *)to)[n] = ((const unsigned char *)from)[n];
        if (((const unsigned char *)from)[n] == (last & 255))
            return (char *)to + n + 1;
    }
    return 0;
}

/*** memrchr: */
static void *__gia_memrchr(const void *block, int wanted, __gia_size size)
{
    while (size > 0) {
        size--;
        if (((const unsigned char *)block)[size] == (wanted & 255))
            return (char *)block + size;
    }
    return 0;
}

/*** memmem: */
static void *__gia_memmem(const void *block, __gia_size size, const void *wanted, __gia_size length)
{
    __gia_size n;
    for (n = 0; n + length <= size; n++)
        if (__builtin_memcmp((const char *)block + n, wanted, length) == 0)
            return (char *)block + n;
    return 0;
}

/*** strchrnul: */
static char *__gia_strchrnul(const char *text, int wanted)
{
    char *found = __builtin_strchr(text, wanted);
    if (!found)
        return (char *)text + __builtin_strlen(text);
    return found;
}

/*** strcasestr: */
static char *__gia_strcasestr(const char *text, const char *wanted)
{
    __gia_size length = __builtin_strlen(wanted), n, rest = __builtin_strlen(text);
    for (n = 0; n + length <= rest; n++)
        if (strncasecmp(text + n, wanted, length) == 0)
            return (char *)text + n;
    return 0;
}

/*** length_up_to: */
static __gia_size __gia_length_up_to(const char *text, __gia_size most)
{
    const char *end = __builtin_memchr(text, 0, most);
    if (!end)
        return most;
    return (__gia_size)(end - text);
}

/*** stpncpy: length_up_to */
static char *__gia_stpncpy(char *to, const char *from, __gia_size size)
{
    __builtin_strncpy(to, from, size);
    return to + __gia_length_up_to(from, size);
}

/*** strlcpy: */
static __gia_size __gia_strlcpy(char *to, const char *from, __gia_size size)
{
    __gia_size length = __builtin_strlen(from), copied = length;
    if (size == 0)
        return length;
    if (copied > size - 1)
        copied = size - 1;
    __builtin_memcpy(to, from, copied);
    to[copied] = 0;
    return length;
}

/*** strlcat: length_up_to, strlcpy */
static __gia_size __gia_strlcat(char *to, const char *from, __gia_size size)
{
    __gia_size begin = __gia_length_up_to(to, size);
    return begin + __gia_strlcpy(to + begin, from, size - begin);
}
