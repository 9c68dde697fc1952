/* inputs: 2 */
struct pair { int x, y; };
struct parts { struct pair first; union { int whole; char bytes[4]; }; int last; };
struct nested { int a; struct { int b, c; }; union { int d; float e; }; };
union either { int number; char letter; struct pair pair; };
struct open { int count; int rest[]; };

struct pair made(void);

struct parts bytes_last = {.whole = 0x01020304, .bytes[0] = 9, .last = 1};
struct parts part_last = {.first = {1, 2}, .first.x = 5};
struct parts whole_last = {.first.x = 5, .first = {.y = 2}};
struct parts number_last = {.bytes = {1, 2, 3}, .whole = 5};
struct parts same_member = {.bytes = {1, 2, 3}, .bytes[1] = 5};
struct nested anonymous = {.c = 3, 4, .b = 7, 8};
union either others[3] = {{.pair = {1, 2}, .number = 7}, {.number = 7, .pair.y = 3}, {.pair.x = 1, .pair.y = 3}};
int rows[3][2] = {[1] = {1, 2}, [1][0] = 5, [0 ... 2] = {9}, [2][1] = 4};
int ranged[3][2] = {[0 ... 1][0] = 7, 8, 9};
struct pair following[4] = {[0 ... 2].x = 1, 2, 3};
struct parts inside = {.first = 1, 2, .last = 3}, behind[2] = {[1].first = 1, 2, 3, [0] = {{4}}};
int flat[2][3] = {1, 2, [0] = 9, [0] = 10, 11, [1][0] = 12};
struct open opened = {2, {3, 4}};
struct parts local[4];
struct nested inner;
struct pair pairs[4], sums[2];
union either one;
int calls, steps, order[3], chosen, grid[3][2];

struct pair made(void) { calls++; return (struct pair){calls, calls}; }

int main(void) {
    int n = __VERIFIER_nondet_int();
    struct pair known = {3, 4};
    struct parts copied = {.first = known, .first.x = 5}, again = {.first.x = 1, .first = known};
    struct parts bytes = {.whole = 0x01020304, .bytes[0] = n};
    struct parts number = {.bytes = {1, 2, n}, .whole = n};
    union either other = {.pair = {n, 2}, .number = 7};
    struct nested members = {.c = n, 4, .b = 7, 8};
    struct pair called[4] = {[0 ... 2] = made()};
    struct pair stepped[2] = {[0 ... 1] = {steps++, steps++}};
    int sorted[] = {[2] = steps++, [0] = steps++};
    int lines[3][2] = {[1] = {1, n}, [1][0] = 5, [0 ... 2] = {9}, [2][1] = n};
    local[0] = copied, local[1] = again, local[2] = bytes, local[3] = number;
    one = other;
    inner = members;
    for (int i = 0; i < 4; i++) pairs[i] = called[i];
    for (int i = 0; i < 2; i++) sums[i] = stepped[i];
    for (int i = 0; i < 3; i++) order[i] = sorted[i], grid[i][0] = lines[i][0], grid[i][1] = lines[i][1];
    chosen = opened.rest[n - 1];
    opened.rest[n - 2] += n;
    chosen += 10 * opened.rest[0];
    return 0;
}
