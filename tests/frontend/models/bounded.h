/* Functions that not every library has, from a header that counts as one of the system. */
#pragma GCC system_header
#include <stddef.h>

extern size_t strlcpy(char *to, const char *from, size_t size);
extern size_t strlcat(char *to, const char *from, size_t size);
