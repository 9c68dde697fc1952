/* Variants of sequences of inputs: the moves of the fuzzer. All randomness comes from random_bits. */

static void add_to_value(word *bits, int64_t difference)
{
    uint64_t low = bits[0] | (uint64_t)bits[1] << 32, high = bits[2] | (uint64_t)bits[3] << 32, sum;
    sum = low + (uint64_t)difference;
    high += (difference < 0 ? ~(uint64_t)0 : 0) + (sum < low);
    bits[0] = (word)sum;
    bits[1] = (word)(sum >> 32);
    bits[2] = (word)high;
    bits[3] = (word)(high >> 32);
}

static void fresh_value(struct logged *value)
{
    for (word n = 0; n < 4; n++)
        value->bits[n] = 0;
    random_value(value->bits, kind_of(value->function), width_of(value->function) / 8, value->function);
}

/* Bits flipped, a little more or less, a value from elsewhere in the sequence, or a new one. */
static void change_value(struct logged *values, word count)
{
    struct logged *value = &values[random_below(count)], *other;
    word width = kind_of(value->function) == GIA_KIND_TEXT ? 8 : width_of(value->function), bit, n;
    switch (random_below(8)) {
    case 0:
        bit = random_below(width);
        value->bits[bit / 32] ^= (word)1 << bit % 32;
        break;
    case 1:
        add_to_value(value->bits, (int64_t)random_below(71) - 35);
        break;
    case 2:
        add_to_value(value->bits, random_below(2) ? 1 : -1);
        break;
    case 3:
        other = &values[random_earlier(values, count, value->function)];
        for (n = 0; n < 4; n++)
            value->bits[n] = other->bits[n];
        break;
    default:
        fresh_value(value);
    }
}

/* A word of the inputs themselves: some have to be the same. */
static struct view random_word(const struct logged *values, word count)
{
    static unsigned char copy[GIA_TEXT_BYTES];
    word start = random_below(count), end = start, length;
    find_word(values, count, &start, &end);
    for (length = 0; start + length < end && length < GIA_TEXT_BYTES; length++)
        copy[length] = (unsigned char)values[start + length].bits[0];
    return (struct view){copy, length};
}

/* A text with which the program has compared others, or a word of the inputs. */
static struct view random_text(const struct logged *values, word count)
{
    if (!fuzzing->tokens || random_below(2))
        return random_word(values, count);
    const struct token *chosen = &fuzzing->token[random_below(fuzzing->tokens)];
    return (struct view){chosen->text, chosen->length};
}

/* Such a text put before a character, or in the place of a word. */
static word put_text(struct logged *values, word count)
{
    static const unsigned char between[] = " \n";
    struct view text = random_text(values, count);
    word start = random_below(count), end = start, function = values[start].function;
    if (!reads_bytes(function) || !text.length)
        return count;
    if (kind_of(function) != GIA_KIND_TEXT) /* it may be an array, whose characters have their places */
        return replace_part(values, count, start, text.length, text, function);
    if (random_below(4))
        find_word(values, count, &start, &end);
    else
        count = replace_part(values, count, start, 0, (struct view){between + random_below(2), 1}, function);
    return replace_part(values, count, start, end - start, text, function);
}

/* Characters put before one, or in the place of it and those behind it; the new length. The characters of an argument
 * have their places, and a zero is the end of it. */
static word change_text(struct logged *values, word count)
{
    word start = random_below(count), function = values[start].function;
    word in_block = reads_blocks(function), inserting = !in_block && random_below(2);
    if (kind_of(function) != GIA_KIND_TEXT)
        return count;
    if (in_block && random_below(4))
        start = block_begin(values, start);
    word_rest = 0;
    do {
        if (inserting && count < GIA_FUZZ_LENGTH) {
            move_values(values + start + 1, values + start, count - start);
            values[start].function = function;
            count++;
        } else if (start >= count || values[start].function != function)
            break;
        fresh_value(&values[start++]);
    } while (word_rest);
    if (in_block && start < count && values[start].function == function && random_below(2))
        values[start].bits[0] = 0;
    return count;
}

/* A part of a sequence, short ones more often. */
static word random_part(word count, word *start)
{
    word first, second;
    *start = random_below(count);
    first = 1 + random_below(count - *start);
    second = 1 + random_below(count - *start);
    return first < second ? first : second;
}

/* A part set to one value, repeated, or taken out; the new length. */
static word change_part(struct logged *values, word count, word kind)
{
    word start, length = random_part(count, &start), times, n;
    if (kind == 0) {
        for (n = 1; n < length; n++)
            if (values[start + n].function == values[start].function)
                values[start + n] = values[start];
        return count;
    }
    if (kind == 1 && length < count) {
        move_values(values + start, values + start + length, count - start - length);
        return count - length;
    }
    for (times = 1u << random_below(random_below(4) ? 3 : 7); times-- && count + length <= GIA_FUZZ_LENGTH;) {
        move_values(values + start + length, values + start, count - start);
        count += length;
    }
    return count;
}

/* Where the line begins in which the element at `place` is; the text begins at `first`. */
static word line_begin(const struct logged *values, word first, word place)
{
    while (place > first && values[place - 1].bits[0] != '\n')
        place--;
    return place;
}

/* Behind the line in which the element at `place` is, or where the text ends. */
static word line_end(const struct logged *values, word count, word place)
{
    while (place < count && values[place].bits[0] < 256 && values[place++].bits[0] != '\n')
        ;
    return place;
}

/* A line of another text, or all lines, put before a line of the one that begins at `first`, or at the end of it. */
static word put_lines(struct logged *values, word count, word first, const struct logged *other, word length)
{
    word begin = random_below(length), end = length, function = values[first].function;
    word place = first + random_below(count - first);
    begin = random_below(2) ? 0 : line_begin(other, 0, begin);
    if (random_below(2))
        end = line_end(other, length, begin);
    place = random_below(2) ? line_begin(values, first, place) : line_end(values, count, place);
    if (place > first && values[place - 1].bits[0] != '\n') {
        word before = count;
        count = replace_part(values, count, place, 0, (struct view){(const unsigned char *)"\n", 1}, function);
        place += count - before;
    }
    length = end - begin;
    if (count + length > GIA_FUZZ_LENGTH)
        return count;
    move_values(values + place + length, values + place, count - place);
    for (word n = 0; n < length; n++)
        values[place + n] = other[begin + n];
    return count + length;
}

/* The beginning of a sequence, and what follows somewhere in another one. */
static word splice(struct logged *values, word count, const struct logged *other, word length)
{
    word kept = random_below(count + 1), from = random_below(length);
    word first = lines_begin(values, count), begin = lines_begin(other, length);
    if (first < count && begin < length && random_below(2))
        return put_lines(values, count, first, other + begin, length - begin);
    length -= from;
    if (kept + length > GIA_FUZZ_LENGTH)
        length = GIA_FUZZ_LENGTH - kept;
    for (word n = 0; n < length; n++)
        values[kept + n] = other[from + n];
    return kept + length;
}

/* Change a sequence of 1 to GIA_FUZZ_LENGTH values; its new length, which may be 0. */
static word mutate(struct logged *values, word count, const struct logged *other, word other_count)
{
    for (word moves = 1u << random_below(random_below(4) ? 2 : 5); moves-- && count;) {
        word kind = random_below(16);
        if (kind < 2 && (fuzzing->tokens || text_kinds()))
            count = put_text(values, count);
        else if (kind < 4 && text_kinds())
            count = change_text(values, count);
        else if (kind < 11)
            change_value(values, count);
        else if (kind < 14)
            count = change_part(values, count, kind - 11);
        else if (kind == 14 && other_count)
            count = splice(values, count, other, other_count);
        else if (kind == 15 && random_below(2))
            count = random_below(count + 1); /* what is missing then is random */
    }
    return count;
}
