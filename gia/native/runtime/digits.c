/* Numbers that a text contains, in decimal digits. */

struct digits { word start, end; uint64_t number; }; /* from the first digit to behind the last one */

/* How a number is written, with its last digit before `end`. */
static struct view digits_of(int64_t number, unsigned char *end)
{
    unsigned char *at = end;
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do
        *--at = '0' + rest % 10;
    while (rest /= 10);
    if (number < 0)
        *--at = '-';
    return (struct view){at, (word)(end - at)};
}

static word is_digit(const struct logged *value, word function)
{
    return value->function == function && value->bits[0] - '0' < 10;
}

/* Whether an input is a digit of a text. What is behind the end of an argument is in no text. */
static word is_digit_of_text(const struct logged *values, word place)
{
    word function = values[place].function;
    if (!reads_bytes(function) || !is_digit(&values[place], function))
        return 0;
    for (word n = reads_blocks(function) ? block_begin(values, place) : place; n < place; n++)
        if (!values[n].bits[0])
            return 0;
    return 1;
}

/* The number to which the digit at `place` belongs. */
static struct digits number_at(const struct logged *values, word count, word place)
{
    word function = values[place].function;
    struct digits found = {place, place, 0};
    while (found.start && is_digit(&values[found.start - 1], function))
        found.start--;
    for (found.end = found.start; found.end < count && is_digit(&values[found.end], function); found.end++)
        found.number = found.number * 10 + (values[found.end].bits[0] - '0');
    return found;
}
