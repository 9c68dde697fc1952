/* inputs: 3 5 -7 */
/* unknown bytes: 15, the padding of a local variable */
struct inner { short a; char b[3]; };
struct outer { char tag; struct inner parts[2]; long long wide; int *link; };
struct flags { int low : 3; unsigned mid : 7; int high : 20; _Bool on : 1; unsigned char tail : 5; long long big : 40; };
union overlay { int whole; unsigned char bytes[4]; short halves[2]; float real; };
struct chain { int value; struct chain *next; };

struct outer one, two, many[3];
struct flags bits, copied;
union overlay mixed;
int total, target = 5, order;
unsigned char seen;
short half;
_Bool same;

struct outer make(int seed) {
    struct outer made = {'x', {{1, "ab"}, {2, {4, 5, 6}}}, 77LL << 33, &target};
    made.parts[1].a = seed;
    made.wide += seed;
    return made;
}

void change(struct outer value, struct outer *place) {
    value.tag = 'y';
    place->parts[0] = value.parts[1];
    *place->link += value.wide & 0xff;
    place->parts[0].b[1]++;
}

int sum(struct chain *list) {
    int result = 0;
    while (list) { result += list->value; list = list->next; }
    return result;
}

int main(void) {
    int n = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
    one = make(n);
    two = one;
    change(one, &two);
    many[n % 3] = two;
    many[(n + 1) % 3].parts[k & 1].b[n % 3] = 'q';
    many[2].wide = many[0].wide - 3;
    seen = many[n % 3].parts[k & 1].b[1];
    bits.low = n + 1;
    bits.mid = k * 100;
    bits.high = m;
    bits.on = k;
    bits.tail = n * k;
    bits.big = (long long)m << 30;
    bits.low++;
    bits.mid -= 3;
    copied = bits;
    copied.high /= 2;
    mixed.whole = m;
    mixed.bytes[k & 3] = n;
    half = mixed.halves[1];
    same = mixed.real != mixed.real;
    struct chain third = {3 * k, 0}, second = {n, &third}, first = {m, &second};
    total = sum(&first);
    second.next = 0;
    total += sum(&first);
    struct outer *cursor = many;
    cursor += 2;
    order = (cursor > many) + 2 * (cursor - many == 2) + 4 * (&many[1] < cursor) + 8 * (cursor != &many[2]);
    one.link = two.link = 0;
    for (int i = 0; i < 3; i++) many[i].link = 0;
    return 0;
}
