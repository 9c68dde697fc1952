/* What the program compares by functions of the library (gia/native/texts.py calls these). How far they come is observed
 * whenever it is fuzzed: in most programs they are few. */

/* Whether there is memory at an address that can be read: the kernel looks at the new mask before it finds that it does
 * not know what to do with it. */
static int is_readable(const unsigned char *address)
{
    enum { NO_SUCH_ACTION = -1, MASK_BYTES = 8, BAD_ADDRESS = -14 };
    const void *mask = (const void *)((uintptr_t)address / MASK_BYTES * MASK_BYTES);
    return CALL(rt_sigprocmask, NO_SUCH_ACTION, mask, 0, MASK_BYTES, 0) != BAD_ADDRESS;
}

/* Copies as much of a text of at most `limit` bytes as is observed: the library may have looked at less. */
static unsigned char copy_text(unsigned char *copy, const unsigned char *text, size_t limit, word kind)
{
    enum { PAGE = 4096 };
    unsigned char length;
    for (length = 0; length < GIA_TEXT_BYTES && length < limit; length++) {
        if ((!length || (uintptr_t)(text + length) % PAGE == 0) && !is_readable(text + length))
            break;
        if (kind != GIA_TEXT_EQUAL_BYTES && !text[length])
            break;
        copy[length] = text[length];
    }
    return length;
}

static int are_equal(const void *left, const void *right, word count)
{
    const unsigned char *here = left, *there = right;
    while (count && *here++ == *there++)
        count--;
    return !count;
}

static word hash(const void *bytes, word count)
{
    uint64_t mixed = 0;
    for (const unsigned char *at = bytes; count--; at++)
        mixed = (mixed ^ *at) * 0x100000001b3u; /* FNV-1a */
    return (word)(mixed * 0x9e3779b97f4a7c15u >> 32);
}

/* Notes a pair of texts once. */
static void note_texts(const void *left, const void *right, size_t limit, word kind)
{
    struct text pair = {.outcome = GIA_NO_OUTCOME, .read = inputs, .kind = kind};
    enum { KEY = sizeof pair - offsetof(struct text, kind) };
    pair.lengths[0] = copy_text(pair.left, left, limit, kind);
    pair.lengths[1] = copy_text(pair.right, right, limit, kind);
    word place = hash(&pair.kind, KEY);
    for (word n = 0; n < GIA_TEXTS; n++) {
        struct text *known = &shared->texts[(place + n) % GIA_TEXTS];
        if (!(known->lengths[0] | known->lengths[1])) {
            *known = pair;
            await_outcome(&known->outcome);
            return;
        }
        if (are_equal(&known->kind, &pair.kind, KEY))
            return;
    }
}

/* How much two texts have in common at their beginning: the library has read that, and what follows. */
static word common(const unsigned char *left, const unsigned char *right, size_t limit, word kind)
{
    word same = 0;
    while (same < GIA_TEXT_BYTES && same < limit && left[same] == right[same] && (kind == GIA_TEXT_EQUAL_BYTES || left[same]))
        same++;
    return same;
}

/* Two texts of at most `limit` bytes were compared, or `left` was searched for `right`: whether that was found. */
static void compared_texts(const void *code, const unsigned char *left, const unsigned char *right, size_t limit, word kind,
                           word found)
{
    if (left == right) /* the compiler knows that and has read nothing */
        return;
    if (found)
        progressed(site_of(code), hash(right, common(right, right, limit, kind)));
    else if (kind != GIA_TEXT_CONTAINED)
        progressed(site_of(code), common(left, right, limit, kind) + (limit && *left && *right));
    if (NOTING && !found)
        note_texts(left, right, limit, kind);
}

void __gia_compared(const void *left, const void *right, size_t limit, int kind, int found);
void __gia_compared(const void *left, const void *right, size_t limit, int kind, int found)
{
    if (run.tracing >= GIA_TRACE_COUNTS)
        compared_texts(__builtin_return_address(0), left, right, limit, (word)kind, (word)found);
}

/* A text was searched for a character: either it is to be one of the text, or the text is to have it. */
void __gia_searched(const unsigned char *text, int character, int found);
void __gia_searched(const unsigned char *text, int character, int found)
{
    unsigned char searched[] = {(unsigned char)character, 0};
    const void *code = __builtin_return_address(0);
    if (run.tracing < GIA_TRACE_COUNTS || !*searched)
        return;
    compared_texts(code, text, searched, -1, GIA_TEXT_CONTAINED, (word)found);
    for (word n = 0; NOTING && !found && n < GIA_TEXT_BYTES && text[n]; n++)
        note_values(site_of(code), *searched, text[n], 0);
}
