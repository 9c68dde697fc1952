/* Structs, unions, bit-fields, arrays, strings, initialisers, static locals, pointers. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct point { short x; int y; };
struct flags { unsigned a : 3; int b : 5; unsigned : 0; unsigned long long c : 33; _Bool d : 1; unsigned char e : 7; };
union word { unsigned u; unsigned char bytes[4]; float f; };
struct outer { char tag; struct { int left; union { int right; char letter; }; }; struct point points[3]; int tail[2]; };
struct __attribute__((packed)) tight { char c; int i; short s; };
#pragma pack(push, 2)
struct two { char c; int i; double d; };
#pragma pack(pop)
struct list { int value; struct list *next; };
enum { SIZE = 4, LAST = SIZE - 1 };
static const char *const names[] = { "zero", "one", [3] = "three", "four" };
static int table[SIZE][3] = { { 1, 2, 3 }, { 4 }, [3] = { [1] = 9 } };
static struct outer template = { 'o', { 1, { 2 } }, { { 3, 4 }, [2].y = 5 }, .tail = { 6, 7 } };
static int *pointer = &table[1][0] + 1;
static struct list second = { 2, 0 }, first = { 1, &second };
char text[] = "abc\0d\x41" "1", fixed[4] = "wxyz";
extern int later;
int later = SIZE * 10;
int tentative;

static int counter(int step) { static int total = 10, calls; calls++; { static int total; total += step; calls += total; } return total += step * calls; }
static struct point make(int x, int y) { struct point p = { x, y }; return p; }
static struct point swap(struct point p) { struct point q; q.x = p.y; q.y = p.x; return q; }
static int sum(const int values[], int n) { int s = 0; for (int i = 0; i < n; i++) s += values[i]; return s; }

int main(void)
{
    int n = __VERIFIER_nondet_int();
    struct flags f = { 9, n, 1, 2 };
    f.a += n; f.b--; f.c = ~0ULL; f.d = n & 6; f.e ^= n;
    printf("%d %d %d %d %d\n", f.a, f.b, (unsigned)f.c == 0xffffffffu, f.d, f.e);
    printf("%d %d\n", f.a - 4, (f.a++ , f.a < -1));
    union word w = { 0 };
    w.f = n;
    printf("%u %d %d\n", w.u, w.bytes[0], w.bytes[3]);
    w.bytes[1] = 1;
    printf("%u\n", w.u);
    struct outer o = template, *op = &o;
    op->left += n, o.letter++, op->points[1] = swap(make(n, 7)), o.points[n & 1].x -= 3;
    for (int i = 0; i < 3; i++)
        printf("%d %d ", o.points[i].x, op->points[i].y);
    printf("%d %d %d %c\n", o.left, o.right, o.tail[1], o.tag);
    int grid[2][3] = { 1, 2, [1][1] = n }, (*row)[3] = grid, *flat = grid[0];
    printf("%d %d %d %d\n", row[1][1], *(*(grid + 1) + 1), sum(flat, 6), (int)(&grid[1][2] - flat));
    char buffer[8] = "hi", big[2000] = { 1, [1999] = 2 };
    strcat(buffer, names[3] + 2);
    printf("%s %d %d %d %d\n", buffer, big[0], big[1000], big[1999], (int)sizeof text);
    printf("%d %d %d %d\n", *pointer, table[3][1], table[n & 3][n & 1], names[2] == NULL);
    printf("%d %d %d\n", counter(n & 3), counter(2), counter(-1));
    printf("%d %d %c%c\n", first.next->value, first.next->next == 0, text[5], *(text + 6));
    printf("%d %d %d %d\n", (int)sizeof(struct tight), (int)sizeof(struct two), (int)sizeof(struct flags), (int)sizeof(struct outer));
    printf("%d %d %d\n", (int)offsetof(struct outer, points[1].y), (int)offsetof(struct two, d), (int)_Alignof(double));
    printf("%d %d %d %d\n", (int)__alignof__(double), (int)__alignof__(long long[2]), (int)__alignof(struct two), (int)_Alignof(long long));
    struct tight t = { 1, n, 3 }, copy;
    memcpy(&copy, &t, sizeof t);
    printf("%d %d %d\n", copy.i, later, tentative);
    char *q = buffer;
    while (*q) q++;
    printf("%d %d %d\n", (int)(q - buffer), q > buffer, "literal"[n & 3]);
    int m = (n & 7) + 1, vla[m];
    for (int i = 0; i < m; i++) vla[i] = i * i;
    printf("%d %d\n", vla[m - 1], (int)(sizeof vla / sizeof *vla));
    void *untyped = &n;
    *(int *)untyped += 1;
    printf("%d %d\n", n, (make(3, n).y + make(n, 4).x));
    typeof(n) similar = n; typedef int row_t[3]; row_t third = { 1 };
    return (similar + third[0]) & 63;
}
