/* Inputs: given ones first, then none, zero or random ones; each is recorded. */

static uint64_t random_state;

static uint64_t random_bits(void) /* splitmix64 */
{
    uint64_t z = (random_state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static word random_below(word limit)
{
    return (word)(((random_bits() >> 32) * limit) >> 32);
}

static void set_integer(word *bits, int64_t value)
{
    bits[0] = (word)value;
    bits[1] = (word)((uint64_t)value >> 32);
    bits[2] = bits[3] = value < 0 ? ~(word)0 : 0;
}

/* The index of a constant; those at the beginning are small numbers, and come more often. */
static word random_constant(void)
{
    word index = random_below(run.dictionary);
    return random_below(2) ? index : random_below(index + 1);
}

/* The index of one of the first inputs, if possible of one that was read by the same function. */
static word random_earlier(const struct logged *values, word count, word function)
{
    enum { ATTEMPTS = 4 };
    word index = random_below(count);
    for (word n = 1; n < ATTEMPTS && values[index].function != function; n++)
        index = random_below(count);
    return index;
}

/* Small numbers, constants of the program and their neighbours, values used before, limits of the
 * type, powers of two, and anything. */
static void random_integer(word *bits, word width, word function)
{
    word kind = random_below(16), n;
    if (kind < 3 && run.dictionary) {
        struct entry *e = &shared->dictionary[random_constant()];
        int64_t near = random_below(2) ? 0 : (int64_t)random_below(3) - 1;
        set_integer(bits, (int64_t)(e->integer[0] | (uint64_t)e->integer[1] << 32) + near);
    } else if (kind < 5 && inputs) {
        for (n = 0, kind = random_earlier(shared->logged, inputs, function); n < 4; n++)
            bits[n] = shared->logged[kind].bits[n];
    } else if (kind < 8 && width == 8) {
        set_integer(bits, random_below(256));
    } else if (kind < 11) {
        set_integer(bits, (int64_t)random_below(kind < 9 ? 9 : 200) - (kind < 9 ? 2 : 100));
    } else if (kind < 12) {
        uint64_t top = (uint64_t)1 << ((width < 64 ? width : 64) - 1); /* the least signed number */
        set_integer(bits, (int64_t)(top - (uint64_t)random_below(3) + (random_below(2) ? 1 : 0)));
    } else if (kind < 14) {
        set_integer(bits, (int64_t)(((uint64_t)1 << random_below(width < 64 ? width : 64)) + random_below(3) - 1));
    } else {
        for (n = 0; n < 4; n += 2) {
            uint64_t r = random_bits();
            bits[n] = (word)r;
            bits[n + 1] = (word)(r >> 32);
        }
    }
}

static word given_next;      /* the first given value that was not read yet */
static uint64_t word_rest; /* of a word of the program, what is still to come */

/* Whether nearly all that this execution reads of standard input are numbers: one that is missing stops all reading of
 * numbers behind it, so that hundreds in a row would never be read. */
static word is_all_numbers(void)
{
    return __gia_numbers && (run.seed[0] & 3) == 1;
}

/* Whether this execution reads lines of about a thousand characters: programs have room for so many, and do something
 * else with more. */
static word has_long_lines(void)
{
    return (run.seed[0] & (run.given ? 7 : 3)) == 2;
}

/* Characters as they are in texts: white space, digits, words and characters of the program, letters, the end. */
static void random_character(word *bits, word width)
{
    enum { LINE_END = 4, FILE_END = 14, NUMBER = 16, INSIDE };
    word kind = random_below(16), is_stdin = width > 8;
    if (is_stdin && is_all_numbers())
        kind = random_below(1024) ? NUMBER : kind;
    else if (is_stdin && has_long_lines())
        kind = random_below(1024) ? INSIDE : random_below(2) ? LINE_END : FILE_END;
    if (!word_rest && kind < 4 && run.dictionary) {
        struct entry *e = &shared->dictionary[random_below(run.dictionary)];
        word_rest = e->integer[0] | (uint64_t)e->integer[1] << 32;
        if (word_rest & 0x8080808080808080u)
            word_rest = 0; /* a negative number */
    }
    bits[1] = bits[2] = bits[3] = 0;
    if (word_rest) {
        bits[0] = word_rest & 255;
        word_rest >>= 8;
    } else if (kind == NUMBER || (kind < NUMBER && is_stdin && __gia_numbers && random_below(2)))
        bits[0] = '0'; /* a number takes its place */
    else if (kind == INSIDE)
        bits[0] = (random_below(4) ? 'a' : ' ') + random_below(26);
    else if (kind < 7)
        bits[0] = random_below(2) ? '\n' : ' ';
    else if (kind < 11)
        bits[0] = '0' + random_below(10);
    else if (kind < 13)
        bits[0] = (random_below(4) ? 'a' : 'A') + random_below(26);
    else if (kind < 14)
        bits[0] = ' ' + random_below(95);
    else if (kind < 15)
        bits[0] = is_stdin ? ~(word)0 : 0; /* the end of the file, or of the string */
    else
        bits[0] = random_below(256);
}

union real {
    float single;
    double twice;
    long double extended;
    uint64_t raw;
    word bits[4];
};

static double random_double(void)
{
    static const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-10, 1e10, 3.4028234663852886e38,
        1.1754943508222875e-38, 1.7976931348623157e308, 2.2250738585072014e-308, 4.9406564584124654e-324,
        1e-45, 2147483648.0, 4294967296.0, 9223372036854775808.0, __builtin_inf(), -__builtin_inf(), __builtin_nan("")};
    union real value;
    word kind = random_below(8);
    value.raw = 0;
    if (kind == 0 && run.dictionary) {
        struct entry *e = &shared->dictionary[random_below(run.dictionary)];
        value.bits[0] = e->twice[0];
        value.bits[1] = e->twice[1];
        return value.twice;
    }
    if (kind < 3)
        return (double)((int)random_below(21) - 10);
    if (kind < 5)
        return (double)((int)random_below(20001) - 10000) / (kind == 3 ? 16.0 : 1000.0);
    if (kind == 5)
        return special[random_below(sizeof special / sizeof *special)];
    value.raw = random_bits();
    if (kind == 6) /* a moderate exponent */
        value.raw = (value.raw & 0x800fffffffffffffu) | ((uint64_t)(1023 - 32 + random_below(64)) << 52);
    return value.twice == value.twice ? value.twice : 0.0;
}

static void random_real(word *bits, word size)
{
    union real value = {.bits = {0, 0, 0, 0}};
    double drawn = random_double();
    word n;
    if (size == 4)
        value.single = (float)drawn;
    else if (size == 8)
        value.twice = drawn;
    else
        value.extended = drawn;
    for (n = 0; n < 4; n++)
        bits[n] = value.bits[n];
}

static void given_value(const struct given *value, word kind, word size, word *bits)
{
    const word *source = value->integer;
    word n, words = 4;
    if (value->literal && kind == GIA_KIND_FLOAT) {
        source = size == 4 ? &value->single : size == 8 ? value->twice : value->extended;
        words = size == 4 ? 1 : size == 8 ? 2 : 4;
    }
    for (n = 0; n < words; n++)
        bits[n] = source[n];
}

/* The given value that a function reads next; GIA_INPUTS if there is none for it. What was given for another function is
 * left where it is: what is changed in a sequence shall not give all that follows another meaning. */
static word next_given(word function)
{
    enum { NEAR = 4 };
    for (word n = given_next; n < run.given && n < given_next + NEAR; n++)
        if (shared->given[n].function == function || shared->given[n].function == GIA_ANY_FUNCTION) {
            given_next = n + 1;
            return n;
        }
    return GIA_INPUTS;
}

/* A value of so many bytes for a function, in bits that are zero. Pointers are null three times out of four. */
static void random_value(word *bits, word kind, word size, word function)
{
    if (kind == GIA_KIND_FLOAT)
        random_real(bits, size);
    else if (kind == GIA_KIND_BOOL)
        bits[0] = random_below(2);
    else if (kind == GIA_KIND_TEXT)
        random_character(bits, size * 8);
    else if (kind != GIA_KIND_POINTER || random_below(4) == 0)
        random_integer(bits, size * 8, function);
}

/* The next input, of `size` bytes (10 for the extended format), for the function of that number. */
void __gia_input(word function, word kind, word size, void *value)
{
    word bits[4] = {0, 0, 0, 0}, n, given;
    if (inputs >= run.input_limit)
        stop(GIA_STOP_INPUT_LIMIT);
    given = next_given(function);
    if (given < GIA_INPUTS)
        given_value(&shared->given[given], kind, size, bits);
    else if (run.missing == GIA_MISSING_STOP)
        stop(GIA_STOP_OUT_OF_INPUTS);
    else if (run.missing == GIA_MISSING_RANDOM)
        random_value(bits, kind, size, function);
    else if (kind == GIA_KIND_TEXT && size > 1)
        bits[0] = bits[1] = bits[2] = bits[3] = ~(word)0; /* not zeros: the end of the file */
    if (kind == GIA_KIND_BOOL) {
        bits[0] = (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
        bits[1] = bits[2] = bits[3] = 0;
    } else if (kind == GIA_KIND_RANDOM) { /* at most RAND_MAX, and not negative */
        bits[0] &= 0x7fffffffu;
        bits[1] = bits[2] = bits[3] = 0;
    }
    for (n = size; n < 16; n++)
        ((unsigned char *)bits)[n] = 0;
    struct logged *entry = &shared->logged[inputs];
    entry->function = function;
    entry->site = site_depth ? sites[--site_depth % 64] : GIA_NO_SITE;
    for (n = 0; n < 4; n++)
        entry->bits[n] = bits[n];
    shared->header.inputs = ++inputs;
    if (entry->site < __gia_sites)
        shared->covered[__gia_outcomes + entry->site] = 1;
    if (run.tracing >= GIA_TRACE_COUNTS)
        count(__gia_outcomes + entry->site);
    else if (run.tracing != GIA_TRACE_NONE)
        append(GIA_INPUT_EVENT);
    __gia_segment += segment_step;
    for (n = 0; n < size; n++)
        ((unsigned char *)value)[n] = ((unsigned char *)bits)[n];
}
