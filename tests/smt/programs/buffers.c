/* inputs: 3 5 -7 */
/* unknown bytes: 20, the padding of a local variable */
struct buffer {
    int *where; unsigned n; char data[8]; int *behind; short many[2][3]; struct { int *at; int k; } both[2]; int tail[5];
};
struct buffer zeros, filled = {0, 2, "abc"};
int target = 5, other = 6, sum, seen;
unsigned copied;
_Bool kept;

static void put(struct buffer *b, int c) { if (b->n < sizeof b->data) b->data[b->n++] = c; }

int main(void) {
    int n = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
    unsigned u = n;
    struct buffer local = {&target, 0, {0}, &other}, *place = k > 4 ? &local : &zeros;
    struct buffer *block = __builtin_calloc(1, sizeof *block);
    zeros.where = &target;
    zeros.data[u & 7] = 'z';
    zeros.both[k & 1].at = &other;
    zeros.tail[u % 5] = m;
    *zeros.where = 7;
    kept = zeros.behind == 0;
    put(&local, n);
    put(&local, k);
    local.data[n] = m;
    local.many[k & 1][n % 3] = m;
    local.tail[(unsigned char)u] = k;
    *local.behind += local.many[1][0];
    place->data[n + 1] = 'p';
    place->both[n & 1].k = 9;
    place->both[n & 1].at = place->where;
    sum = *place->both[1].at + place->data[4];
    block->where = &other;
    block->data[n] = 1;
    block->both[n & 1].at = block->where;
    block->tail[(unsigned char)u] = 3;
    block->behind = block->both[1].at;
    if (n >= 0 && n <= 7) __builtin_memcpy(block->data, local.data, n);
    copied = u;
    if (copied > 5) copied = 5;
    __builtin_memset(filled.data, 'f', copied);
    seen = *block->behind + block->data[0] + block->data[n] + filled.data[2] + filled.data[3];
    zeros = local;
    zeros.where = zeros.behind = zeros.both[0].at = zeros.both[1].at = 0;
    return 0;
}
