/* What the functions of bounded.h do, byte by byte. */
#include "bounded.h"

size_t strlcpy(char *to, const char *from, size_t size)
{
    size_t n, length = 0;
    while (from[length])
        length++;
    for (n = 0; n + 1 < size && n < length; n++)
        to[n] = from[n];
    if (size)
        to[n] = 0;
    return length;
}

size_t strlcat(char *to, const char *from, size_t size)
{
    size_t n = 0;
    while (n < size && to[n])
        n++;
    return n + strlcpy(to + n, from, size - n);
}
