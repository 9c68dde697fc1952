/* What sequences of inputs consist of: values of functions, characters of lines, blocks of characters that are arguments. */

extern const unsigned char __gia_types[][2]; /* kind and bytes of the values that each input function reads */
extern const word __gia_type_count;

static word width_of(word function)
{
    return function < __gia_type_count ? __gia_types[function][1] * 8u : 32;
}

static word kind_of(word function)
{
    return function < __gia_type_count ? __gia_types[function][0] : GIA_KIND_INTEGER;
}

/* Whether the program reads characters. */
static word text_kinds(void)
{
    word n;
    for (n = 0; n < __gia_type_count; n++)
        if (kind_of(n) == GIA_KIND_TEXT)
            return 1;
    return 0;
}

/* Whether an input function reads the characters of a text one by one, or other bytes. */
static word reads_bytes(word function)
{
    return kind_of(function) == GIA_KIND_TEXT || (kind_of(function) == GIA_KIND_INTEGER && width_of(function) == 8);
}

/* Whether it reads standard input, not the characters of an argument, which have their places. */
static word reads_lines(word function)
{
    return kind_of(function) == GIA_KIND_TEXT && width_of(function) > 8;
}

/* Whether it reads the characters of arguments or of the environment: each text is a block of inputs, a zero is its end. */
static word reads_blocks(word function)
{
    return kind_of(function) == GIA_KIND_TEXT && width_of(function) == 8;
}

/* Where the block begins that a character belongs to. */
static word block_begin(const struct logged *values, word place)
{
    word first = place;
    while (first && values[first - 1].function == values[place].function)
        first--;
    return first + (place - first) / GIA_TEXT_BLOCK * GIA_TEXT_BLOCK;
}

struct view { const unsigned char *text; word length; }; /* of a text */

/* Put a text in the place of `removed` characters of a block, in which those behind them move. */
static void replace_in_block(struct logged *values, word count, word start, word removed, struct view text)
{
    word before[GIA_TEXT_BLOCK], length = 0, most = block_begin(values, start) + GIA_TEXT_BLOCK - start;
    for (; length < most && start + length < count && values[start + length].function == values[start].function; length++)
        before[length] = values[start + length].bits[0];
    for (word n = 0; n < length; n++) {
        word moved = n - text.length + removed;
        values[start + n].bits[0] = n < text.length ? text.text[n] : moved < length ? before[moved] : 0;
    }
}

/* Put a text in the place of `removed` values; the new length. */
static word replace_part(struct logged *values, word count, word start, word removed, struct view text, word function)
{
    if (reads_blocks(function) && start < count) {
        replace_in_block(values, count, start, removed, text);
        return count;
    }
    removed = removed < count - start ? removed : count - start;
    if (count - removed + text.length > GIA_FUZZ_LENGTH)
        return count;
    move_values(values + start + text.length, values + start + removed, count - start - removed);
    for (word n = 0; n < text.length; n++)
        values[start + n] = (struct logged){function, GIA_NO_SITE, {text.text[n], 0, 0, 0}};
    return count - removed + text.length;
}

/* Words are letters and digits, or all that is no white space. */
static word is_of_word(const struct logged *value, word function, word any)
{
    word c = value->bits[0] & 255;
    if (value->function != function || (reads_lines(function) && value->bits[0] > 255))
        return 0;
    return any ? c > ' ' : (c | 32) - 'a' < 26 || c - '0' < 10 || c == '_' || c == '-' || c > 127;
}

/* The word around a place of a text. */
static void find_word(const struct logged *values, word count, word *start, word *end)
{
    word function = values[*start].function, any = random_below(2);
    while (*start && is_of_word(&values[*start - 1], function, any))
        --*start;
    while (*end < count && is_of_word(&values[*end], function, any))
        ++*end;
}

/* How many of the values come before the end of the text, if they are one. */
static word before_end(const struct logged *values, word count)
{
    word n = 0;
    while (n < count && !(reads_lines(values[n].function) && values[n].bits[0] > 255))
        n++;
    return n;
}

/* Where the text begins that is read line by line: inputs before it may say whether there is a file, for example. */
static word lines_begin(const struct logged *values, word count)
{
    word n = 0;
    while (n < count && !reads_lines(values[n].function))
        n++;
    return n;
}

/* Put another sequence behind one, of a text only the text; the new length. A line ends before the next text begins. */
static word append_values(struct logged *values, word count, const struct logged *other, word length)
{
    static const struct view line_end = {(const unsigned char *)"\n", 1};
    count = before_end(values, count);
    if (count && reads_lines(values[count - 1].function)) {
        word begin = lines_begin(other, length);
        if (begin < length) {
            other += begin;
            length -= begin;
        }
        if (values[count - 1].bits[0] != '\n')
            count = replace_part(values, count, count, 0, line_end, values[count - 1].function);
    }
    length = length < GIA_FUZZ_LENGTH - count ? length : GIA_FUZZ_LENGTH - count;
    move_values(values + count, other, length);
    return count + length;
}
