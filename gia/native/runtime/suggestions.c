/* What the comparisons of an execution suggest: where one side is the value of an input, or a part of the text that was
 * read, the other side is put in its place (input-to-state correspondence, Aschermann et al., REDQUEEN, NDSS 2019). */

static void suggest(word index, uint64_t value)
{
    for (int64_t near = -1; near <= 1; near++)
        if (fuzzing->candidates < GIA_CANDIDATES) {
            uint64_t bits = value + (uint64_t)near;
            fuzzing->candidate[fuzzing->candidates++] =
                (struct candidate){.index = index, .bits = {(word)bits, (word)(bits >> 32)}};
        }
}

/* Put a text, with a zero behind it if it `ends` there, in the place of so many characters. */
static void suggest_text(word index, word removed, struct view text, word ends)
{
    if (fuzzing->candidates == GIA_CANDIDATES || text.length + ends > GIA_TEXT_BYTES)
        return;
    struct candidate *next = &fuzzing->candidate[fuzzing->candidates++];
    *next = (struct candidate){.index = index, .removed = removed, .added = text.length + ends};
    for (word n = 0; n < text.length; n++)
        next->text[n] = text.text[n];
}

/* Make the change that a candidate is; the new length. */
static word apply(const struct candidate *chosen, struct logged *values, word count)
{
    word index = chosen->index;
    if (chosen->added || chosen->removed) {
        word function = values[index < count ? index : count - 1].function;
        return replace_part(values, count, index, chosen->removed, (struct view){chosen->text, chosen->added}, function);
    }
    values[index].bits[0] = chosen->bits[0];
    values[index].bits[1] = chosen->bits[1];
    return count;
}

/* Whether another outcome of the same condition or switch was not observed yet. */
static word leads_to_news(word outcome)
{
    if (outcome >= __gia_outcomes)
        return 0;
    for (word n = __gia_probes[outcome]; n < __gia_outcomes && __gia_probes[n] == __gia_probes[outcome]; n++)
        if (!known[n])
            return 1;
    return 0;
}

static word lower(word c)
{
    return c - 'A' < 26 ? c + 32 : c;
}

/* Whether the inputs from one on are a text, but for upper and lower case. */
static word stands_at(word start, struct view text)
{
    word function = fuzzing->base[start].function;
    if (!reads_bytes(function))
        return 0;
    for (word n = 0; n < text.length; n++) {
        const struct logged *value = &fuzzing->base[start + n];
        word is_byte = width_of(function) == 8 || value->bits[0] < 256; /* not the end */
        if (value->function != function || !is_byte || lower(value->bits[0] & 255) != lower(text.text[n]))
            return 0;
    }
    return 1;
}

static word occurs(struct view text)
{
    for (word start = 0; start + text.length <= fuzzing->base_length; start++)
        if (stands_at(start, text))
            return 1;
    return 0;
}

/* The inputs from `start` on are what was compared: put the wanted text there. */
static void suggest_at(word start, struct view here, struct view wanted, word kind)
{
    if (kind_of(fuzzing->base[start].function) != GIA_KIND_TEXT) /* it may be an array, whose characters have their places */
        suggest_text(start, wanted.length + (kind == GIA_TEXT_EQUAL), wanted, kind == GIA_TEXT_EQUAL);
    if (kind != GIA_TEXT_CONTAINED) {
        suggest_text(start, here.length, wanted, 0);
        return;
    }
    word is_line = here.length && here.text[here.length - 1] == '\n';
    suggest_text(start, wanted.length < here.length ? wanted.length : here.length, wanted, 0);
    suggest_text(start + here.length - is_line, 0, wanted, 0);
}

/* Whether a text may have ended before an input. */
static word may_end_at(word start)
{
    const struct logged *value = &fuzzing->base[start];
    if (!reads_blocks(value->function))
        return reads_bytes(value->function);
    return !value->bits[0] && (start == block_begin(fuzzing->base, start) || value[-1].bits[0]);
}

/* Put a text where one ended, the latest such places first. */
static void suggest_at_ends(struct view wanted, word kind, word read, word places)
{
    struct view nothing = {wanted.text, 0};
    for (word start = read; start-- && places;)
        if (may_end_at(start)) {
            places--;
            suggest_at(start, nothing, wanted, kind);
        }
}

/* Where the first `read` inputs are a text, put another one; the latest places come first. A long text has many places
 * only if it is part of a repetition, and any of them may be the one. */
static void suggest_instead(struct view here, struct view wanted, word kind, word read)
{
    enum { SHORT = 3, PLACES_OF_SHORT = 3, PLACES_OF_LONG = 24 };
    word places = here.length > SHORT ? PLACES_OF_LONG : PLACES_OF_SHORT;
    for (word start = read < here.length ? 0 : read - here.length + 1; start-- && places;)
        if (stands_at(start, here)) {
            places--;
            suggest_at(start, here, wanted, kind);
        }
}

/* One of two texts that were compared is to be the other one, or to have it. */
static void suggest_texts(struct view here, struct view wanted, word kind, word read)
{
    enum { PLACES = 16 };
    if (here.length)
        suggest_instead(here, wanted, kind, read);
    else
        suggest_at_ends(wanted, kind, read, PLACES);
}

/* A number as the program may have put it together from bytes. */
static struct view bytes_of(uint64_t value, word size, word little_end_first, unsigned char *bytes)
{
    for (word n = 0; n < size; n++)
        bytes[little_end_first ? n : size - 1 - n] = (unsigned char)(value >> 8 * n);
    return (struct view){bytes, size};
}

/* Where the bytes of a number were read, put those of another one, or of one near to it. */
static void suggest_bytes(uint64_t here, uint64_t wanted, word read)
{
    enum { LARGEST = 8 };
    unsigned char from[LARGEST], to[LARGEST];
    if (!read || !reads_bytes(fuzzing->base[read - 1].function) || (here | wanted) < 256)
        return;
    for (word size = 2; size <= LARGEST; size *= 2)
        for (word order = 0; order < 2; order++)
            for (int64_t near = -1; near <= 1 && (size == LARGEST || !((here | wanted) >> 8 * size)); near++)
                suggest_instead(bytes_of(here, size, order, from), bytes_of(wanted + (uint64_t)near, size, order, to),
                                GIA_TEXT_EQUAL_BYTES, read);
}

/* Where a number was read in digits, put another one that is as far from it as the sides of the comparison are from each
 * other: a condition on a range (`1900 <= y && y <= 2100`) is one comparison of a difference for the compiler. */
static void suggest_digits(uint64_t here, uint64_t wanted, word read)
{
    enum { NUMBERS = 3, MOST_DIGITS = 21 };
    unsigned char text[MOST_DIGITS];
    word numbers = 0;
    for (word place = read; place-- && numbers < NUMBERS;) {
        if (!is_digit_of_text(fuzzing->base, place))
            continue;
        struct digits found = number_at(fuzzing->base, read, place);
        place = found.start;
        numbers++;
        if (found.number != here && (here | wanted) < 256) /* it is hardly about this number */
            continue;
        uint64_t moved = found.number + wanted - here;
        int64_t number = (here | wanted) >> 32 ? (int64_t)moved : (int32_t)moved;
        for (int near = -1; near <= 1; near++)
            suggest_text(found.start, found.end - found.start, digits_of(number + near, text + MOST_DIGITS), 0);
    }
}

/* Where one of the first `read` inputs is a number, put another one; of many inputs only those at both ends are looked at. */
static void suggest_number(uint64_t here, uint64_t wanted, word read)
{
    enum { AT_EACH_END = 32 };
    for (word m = 0; m < read; m++) {
        if (m == AT_EACH_END && read > 2 * AT_EACH_END)
            m = read - AT_EACH_END;
        word width = width_of(fuzzing->base[m].function);
        uint64_t mask = width < 64 ? ((uint64_t)1 << width) - 1 : ~(uint64_t)0;
        uint64_t value = fuzzing->base[m].bits[0] | (uint64_t)fuzzing->base[m].bits[1] << 32;
        if (((value ^ here) & mask) == 0)
            suggest(m, wanted);
    }
}

/* Where a text ended and another character was expected, put that there: before the last character that was read from a
 * stream, which is a line's or a word's end. */
static void suggest_longer(uint64_t here, uint64_t wanted, word read)
{
    enum { BLOCKS = 8 };
    unsigned char character = (unsigned char)wanted;
    if (!here && wanted - 1 < 255 && read && kind_of(fuzzing->base[read - 1].function) == GIA_KIND_TEXT)
        suggest_at_ends((struct view){&character, 1}, GIA_TEXT_EQUAL_BYTES, read,
                        reads_lines(fuzzing->base[read - 1].function) ? 1 : BLOCKS);
}

/* From the comparisons of the last run, those that lead to news or the others. */
static void collect_numbers(word count, word news)
{
    for (word n = 0; n < GIA_COMPARISONS; n++) {
        const struct comparison *found = &shared->comparisons[n];
        word read = found->read < count ? found->read : count;
        uint64_t left = found->left, right = found->right;
        if (left == right || leads_to_news(found->outcome) != news)
            continue;
        suggest_number(left, right, read);
        suggest_number(right, left, read);
        if (news) {
            suggest_longer(left, right, read);
            suggest_longer(right, left, read);
            suggest_bytes(left, right, read);
            suggest_bytes(right, left, read);
            suggest_digits(right, left, read);
            if (!found->constant)
                suggest_digits(left, right, read);
        }
    }
}

/* Whether a text was hardly ever suggested; from now on it is one to be put into inputs anywhere. */
static word is_new_token(struct view text)
{
    enum { OFTEN = 4 };
    word n, m;
    for (n = 0; n < fuzzing->tokens; n++) {
        struct token *token = &fuzzing->token[n];
        if (token->length == text.length && are_equal(token->text, text.text, text.length))
            return token->suggested++ < OFTEN;
    }
    if (n == GIA_TOKENS)
        return 0;
    struct token *added = &fuzzing->token[fuzzing->tokens++];
    *added = (struct token){.length = text.length, .suggested = 1};
    for (m = 0; m < text.length; m++)
        added->text[m] = text.text[m];
    return 1;
}

/* Whether it could lead to news if these two texts were equal, or one contained the other: if an outcome that follows was
 * never observed, or both are from the inputs, which may mean the same thing. What is from elsewhere is a token. */
static word is_promising(const struct text *pair, const struct view sides[2])
{
    word promising = leads_to_news(pair->outcome), given = 0;
    for (word side = 0; side < 2; side++) {
        word is_text = sides[side].length > (pair->kind == GIA_TEXT_CONTAINED);
        if (is_text && occurs(sides[side]))
            given++;
        else if (is_text)
            promising |= is_new_token(sides[side]);
    }
    return promising || given == 2;
}

/* From the texts that the last run compared, those that are promising, which is found out first, or the others. */
static void collect_texts(word count, word wanted)
{
    static unsigned char promising[GIA_TEXTS];
    for (word n = 0; n < GIA_TEXTS; n++) {
        const struct text *found = &shared->texts[n];
        word read = found->read < count ? found->read : count, kind = found->kind;
        struct view sides[2] = {{found->left, found->lengths[0]}, {found->right, found->lengths[1]}};
        if (sides[0].length > GIA_TEXT_BYTES || sides[1].length > GIA_TEXT_BYTES || !(sides[0].length | sides[1].length))
            continue; /* the program has overwritten it, or nothing is there */
        if (wanted)
            promising[n] = is_promising(found, sides);
        if (promising[n] != wanted)
            continue;
        suggest_texts(sides[0], sides[1], kind, read);
        suggest_texts(sides[1], sides[0], kind == GIA_TEXT_CONTAINED ? GIA_TEXT_EQUAL : kind, read);
    }
}

static void collect_candidates(void)
{
    word count = shared->header.inputs < GIA_FUZZ_LENGTH ? shared->header.inputs : GIA_FUZZ_LENGTH;
    move_values(fuzzing->base, shared->logged, count);
    fuzzing->base_length = count;
    fuzzing->candidates = fuzzing->tried = 0;
    collect_texts(count, 1);
    collect_numbers(count, 1);
    fuzzing->urgent = fuzzing->candidates;
    collect_texts(count, 0);
    collect_numbers(count, 0);
}
