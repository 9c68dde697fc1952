/* inputs: 4 2 */
/* unknown bytes: 4 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
char line[24], copy[16], padded[8], joined[24], moved[12], filled[12], first[300], second[300];
int at[16], spans[8], signs[12], numbers[6];
char *heap;

static int sign(int value) { return (value > 0) - (value < 0); }
static int place(const char *found, const char *text) { return found ? (int)(found - text) : -1; }

int main(void) {
    int n = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int();
    strcpy(line, "key=Value; rest");
    line[n + 7] = 'E';
    line[12] += n - k - 2;
    at[0] = place(strchr(line, '='), line);
    at[1] = place(strchr(line, 'x' + k), line);
    at[2] = place(strchr(line, 0), line);
    at[3] = place(strrchr(line, 'e'), line);
    at[4] = place(strrchr(line, '#'), line);
    at[5] = place(strstr(line, "re"), line);
    at[6] = place(strstr(line, "rest."), line);
    at[7] = place(strstr(line + n, ""), line);
    at[8] = place(strpbrk(line, ";="), line);
    at[9] = place(strpbrk(line + n, "#;"), line);
    at[10] = place(strpbrk(line, "?#"), line);
    at[11] = place(memchr(line, 'V', n), line);
    at[12] = place(memchr(line, 'V', n + 1), line);
    at[13] = place(memchr(line, 0, sizeof line), line);
    spans[0] = strspn(line, "eky");
    spans[1] = strspn(line + n, "");
    spans[2] = strcspn(line, ";");
    spans[3] = strcspn(line, "#");
    spans[4] = strnlen(line, n);
    spans[5] = strnlen(line, 100);
    signs[0] = sign(strcmp(line, "key=Value; rast"));
    signs[1] = sign(strncmp(line, "keys", n - 1));
    signs[2] = sign(strncmp(line, "keys", n));
    signs[3] = sign(strcasecmp(line, "KEY=value; REST"));
    signs[4] = sign(strcasecmp("a[", "A{"));
    signs[5] = sign(strncasecmp(line, "Kez", k));
    signs[6] = sign(memcmp(line, "key?", n));
    signs[7] = sign(memcmp(line, "key?", n - 1));
    signs[8] = sign(memcmp("\200", "a", 1));
    signs[9] = sign(strcmp("\377", "a"));
    strncpy(padded, line, n);
    strncpy(copy, line, sizeof copy);
    strcpy(joined, "a");
    strcat(joined, line + n + 1);
    strncat(joined, "XYZ", k);
    strcat(strcat(joined, ""), "!");
    memcpy(moved, line, 2 * n);
    memmove(moved + 1, moved, k + 5);
    memset(filled, 'f', n + k);
    memset(filled + n, 'g', k);
    numbers[5] = 9;
    memcpy(numbers, at, n * sizeof(int));
    memset(numbers + 1, 0, k * sizeof(int));
    heap = strdup(line + n);
    at[14] = strlen(heap) * 1000 + heap[k];
    free(heap);
    heap = strndup(line, n);
    at[15] = strlen(heap) * 1000 + heap[k] + (stpcpy(copy, line + n) - copy) * 100000;
    heap = 0;
    /* What is the same for as long as is looked at need not be the same behind it. */
    memset(first, 'a', sizeof first - 1);
    memset(second, 'a', sizeof second - 1);
    first[280] = 'b';
    signs[10] = sign(strcmp(first, second));
    return 0;
}
