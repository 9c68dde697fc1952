/* Calls functions of memory and strings with the operations: how many bytes, one byte, and two strings behind those,
 * divided by a zero. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include "bounded.h"

extern int next_operation(void);

static unsigned char block[64];

static void show(const char *name, long result)
{
    printf("%s %ld", name, result);
    for (unsigned n = 0; n < sizeof block; n++)
        printf(" %d", block[n]);
    printf("\n");
}

static long place(const void *found, const void *begin)
{
    return found ? (const char *)found - (const char *)begin : -1;
}

static void fill(void)
{
    for (unsigned n = 0; n < sizeof block; n++)
        block[n] = (unsigned char)(n + 1);
}

int main(void)
{
    static char first[16], second[16];
    size_t size = (size_t)next_operation(), length = 0;
    int byte = next_operation(), c;
    char *to = (char *)block + 16;
    while ((c = next_operation()) > 0 && length < sizeof first - 1)
        first[length++] = (char)c;
    length = 0;
    while ((c = next_operation()) > 0 && length < sizeof second - 1)
        second[length++] = (char)c;
    fill(), bzero(to, size), show("bzero", 0);
    fill(), explicit_bzero(to, size), show("explicit_bzero", 0);
    fill(), bcopy(block + size, block + 8, 16), show("bcopy", 0);
    fill(), show("mempcpy", place(mempcpy(to, first, size), to));
    fill(), show("memccpy", place(memccpy(to, first, byte, size), to));
    fill(), show("stpncpy", place(stpncpy(to, first, size), to));
    fill(), show("strlcpy", (long)strlcpy(to, first, size));
    fill(), strcpy(to, second), show("strlcat", (long)strlcat(to, first, size));
    fill(), show("memrchr", place(memrchr(first, byte, size), first));
    fill(), show("memmem", place(memmem(first, size, second, strlen(second)), first));
    fill(), show("strchrnul", place(strchrnul(first, byte), first));
    fill(), show("strcasestr", place(strcasestr(first, second), first));
    return 0;
}
