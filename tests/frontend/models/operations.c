/* The operations, numbers in the variable OPERATIONS of the environment; -1 at their end. */
#include <stdlib.h>

int next_operation(void)
{
    static char *rest;
    char *before;
    int operation;
    if (!rest)
        rest = getenv("OPERATIONS");
    before = rest;
    operation = (int)strtol(rest, &rest, 10);
    return rest == before ? -1 : operation;
}
