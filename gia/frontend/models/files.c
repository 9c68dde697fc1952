/* Models of files: those that a program opens by their names. Like library.c, in front of which this stands. What differs
 * from program to program is written by gia.frontend.models.files: the variables, each with an element for each file; the
 * names; and `__gia_file_input` and `__gia_file_byte_input`, the inputs that say how a file is and what it has.
 *
 * What a file had when the program began is read byte by byte, when it is needed. So nothing is assumed about its length;
 * only what is behind the first 16384 bytes is not modelled. A file has one stream, whose number is its own.
 *
 * `strcoll("", "")` is 0 in runs. For the analyses it is what nobody can know: whether there is room to write, or the right
 * to; and what a file does that is lost, which means that something has happened to it that is not modelled. */

/*** file_state: */
static int __gia_file; /* the one that is used */

/*** file_lose: file_state */
/* Whatever may be done with this file may have any result. */
static void __gia_file_lose(int file)
{
    __gia_file_lost[file] = 1;
    __gia_file_open[file] = 1;
}

/*** file_use: file_state */
/* Begin to use a stream. What a program does with a closed one is not defined. */
static void __gia_file_use(void *stream)
{
    __gia_file = (int)((char *)stream - __gia_streams);
    if ((unsigned)__gia_file >= (unsigned)__gia_files)
        __builtin_trap();
    if (!__gia_file_open[__gia_file])
        __builtin_trap();
}

/*** file_more: file_lose */
/* Read one more byte of what the file had at first; whether there was one. */
static int __gia_file_more(int file)
{
    int c;
    if (__gia_file_whole[file] | (__gia_file_size[file] >= 16384)) {
        if (__gia_file_whole[file])
            return 0;
        error_at_line(1, 0, "gia", 0, "a longer file than is modelled");
        __gia_file_lose(file);
        return 0;
    }
    c = __gia_file_byte_input(file);
    if ((unsigned)c > 255u) {
        __gia_file_whole[file] = 1;
        return 0;
    }
    __gia_file_bytes[file][__gia_file_size[file]] = (unsigned char)c;
    __gia_file_size[file]++;
    return 1;
}

/*** file_whole: file_more */
/* Read all of what the file has. */
static void __gia_file_all(int file)
{
    while (__gia_file_more(file))
        ;
}

/*** file_byte: file_more */
/* The next byte where something is special: a byte was put back, the end was read, or nothing can be read. */
static int __gia_file_special_byte(int file)
{
    int c = __gia_file_ahead[file] - 1;
    if (__gia_file_lost[file]) {
        c = strcoll("", "");
        return (unsigned)c > 255u ? -1 : c;
    }
    if (c >= 0) {
        __gia_file_ahead[file] = 0;
        __gia_file_last[file] = 1;
        return c & 255;
    }
    if (__gia_file_at_end[file])
        return -1;
    error_at_line(1, 0, "gia", 0, "a stream is read that is for writing, or behind what was written");
    __gia_file_lose(file);
    c = strcoll("", "");
    return (unsigned)c > 255u ? -1 : c;
}

/* The next byte of the stream, -1 at the end. */
static int __gia_file_byte(void)
{
    int file = __gia_file;
    long place = __gia_file_position[file];
    if (__gia_file_ahead[file] | __gia_file_at_end[file] | __gia_file_lost[file] | !__gia_file_reads[file] |
        (__gia_file_last[file] == 2))
        return __gia_file_special_byte(file);
    __gia_file_last[file] = 1;
    while (__gia_file_size[file] <= place) {
        if (!__gia_file_more(file)) {
            if (__gia_file_lost[file])
                return __gia_file_special_byte(file);
            __gia_file_at_end[file] = 1;
            return -1;
        }
    }
    __gia_file_position[file] = place + 1;
    return __gia_file_bytes[file][place];
}

/*** file_back: file_state */
/* The byte that was read last is the next one. */
static void __gia_file_back(int c)
{
    int file = __gia_file, own = -1;
    long place = __gia_file_position[file] - 1;
    if (c < 0)
        return;
    if ((place >= 0) & (place < __gia_file_size[file]))
        own = __gia_file_bytes[file][place];
    if (own == c)
        __gia_file_position[file] = place;
    else
        __gia_file_ahead[file] = c + 1;
}

/*** file_start: file_byte */
/* The first byte behind white space. */
static int __gia_file_start(void)
{
    int c = __gia_file_byte();
    while ((c == 32) | ((unsigned)c - 9u <= 4u))
        c = __gia_file_byte();
    return c;
}

/*** file_skip: file_start, file_back */
static void __gia_file_skip(void)
{
    __gia_file_back(__gia_file_start());
}

/*** file_append: file_whole */
/* Go to the end, if that is where everything is written. */
static void __gia_file_append(int file)
{
    if (__gia_file_appends[file]) {
        __gia_file_all(file);
        __gia_file_position[file] = __gia_file_size[file];
    }
}

/*** file_append_unread: */
/* The functions of this kind are for programs that never read what they write. */
static void __gia_file_append(int file)
{
}

/*** file_write: file_lose, file_append */
/* Begin to write. */
static void __gia_file_write(void)
{
    int file = __gia_file, reading = (__gia_file_last[file] == 1) & !__gia_file_at_end[file];
    if (!__gia_file_writes[file] | reading | (__gia_file_ahead[file] != 0)) {
        error_at_line(1, 0, "gia", 0, "a stream is written that is for reading, or behind what was read");
        __gia_file_lose(file);
    }
    __gia_file_last[file] = 2;
    __gia_file_append(file);
}

/*** file_put: file_more */
static void __gia_file_put(int c)
{
    int file = __gia_file;
    long place = __gia_file_position[file];
    while (__gia_file_size[file] <= place) {
        if (!__gia_file_more(file))
            break;
    }
    if (place >= 16384) {
        error_at_line(1, 0, "gia", 0, "a longer file than is modelled");
        __gia_file_lose(file);
    }
    if (__gia_file_lost[file])
        return;
    while (__gia_file_size[file] < place) {
        __gia_file_bytes[file][__gia_file_size[file]] = 0;
        __gia_file_size[file]++;
    }
    __gia_file_bytes[file][place] = (unsigned char)c;
    __gia_file_size[file] += __gia_file_size[file] == place;
    __gia_file_position[file]++;
}

/*** file_put_unread: */
static void __gia_file_put(int c)
{
}

/*** file_written: file_lose */
/* End to write; whether that succeeded. */
static int __gia_file_written(void)
{
    if (strcoll("", "") == 0)
        return 1;
    __gia_file_failed[__gia_file] = 1;
    __gia_file_lose(__gia_file);
    return 0;
}

/*** file_look: file_state */
/* Find out whether there is a file. */
static void __gia_file_look(int file)
{
    int kind;
    if ((__gia_file_state[file] == 0) | __gia_file_lost[file]) {
        kind = __gia_file_input(file);
        __gia_file_state[file] = 1 + (kind != 0) + (kind == 2);
        __gia_file_whole[file] = __gia_file_state[file] != 2;
    }
}

/*** file_opened: file_look, file_lose, file_append */
static void *__gia_file_opened(int name, const char *mode)
{
    int file = __gia_file_of_name[name], first = mode[0];
    int plus = strchr(mode, 43) != 0, made = (first != 114) & (strchr(mode, 120) != 0), fails;
    if ((first != 114) & (first != 119) & (first != 97)) {
        *__errno_location() = 22;
        return 0;
    }
    __gia_file_look(file);
    fails = __gia_file_state[file] == (first == 114 ? 1 : made ? 2 : 0);
    if (fails | (__gia_file_state[file] == 3) | (strcoll("", "") != 0)) {
        *__errno_location() = (made ? 17 : 2) + strcoll("", "");
        return 0;
    }
    if (__gia_file_open[file]) {
        error_at_line(1, 0, "gia", 0, "two streams of one file");
        __gia_file_lose(file);
    }
    if (first == 119) {
        __gia_file_size[file] = 0;
        __gia_file_whole[file] = 1;
    }
    __gia_file_state[file] = 2;
    __gia_file_open[file] = 1;
    __gia_file_position[file] = 0;
    __gia_file_reads[file] = (first == 114) | plus;
    __gia_file_writes[file] = (first != 114) | plus;
    __gia_file_appends[file] = first == 97;
    __gia_file_at_end[file] = 0;
    __gia_file_failed[file] = 0;
    __gia_file_ahead[file] = 0;
    __gia_file_last[file] = 0;
    if (!plus)
        __gia_file_append(file);
    return &__gia_streams[file];
}

/*** file_gone: file_lose */
/* The file is no longer there under its name. What that is for an open stream is not modelled. */
static void __gia_file_gone(int file)
{
    if (__gia_file_open[file]) {
        error_at_line(1, 0, "gia", 0, "an open file is removed or renamed");
        __gia_file_lose(file);
    }
    __gia_file_state[file] = 1;
    __gia_file_whole[file] = 1;
    __gia_file_size[file] = 0;
}

/*** file_going: file_look, file_lose */
/* Begin to remove or rename a file; whether that is possible. */
static int __gia_file_going(int file)
{
    __gia_file_look(file);
    if (__gia_file_state[file] == 3) {
        error_at_line(1, 0, "gia", 0, "a file that cannot be opened is removed or renamed");
        __gia_file_lose(file);
    }
    if ((__gia_file_state[file] != 1) & (strcoll("", "") == 0))
        return 1;
    *__errno_location() = 2 + strcoll("", "");
    return 0;
}

/*** file_remove: file_going, file_gone */
static int __gia_file_remove(int name)
{
    int file = __gia_file_of_name[name];
    if (!__gia_file_going(file))
        return -1;
    __gia_file_gone(file);
    return 0;
}

/*** file_rename: file_going, file_gone */
static int __gia_file_rename(int from, int to)
{
    int file = __gia_file_of_name[from];
    if (!__gia_file_going(file))
        return -1;
    if (from == to)
        return 0;
    if (__gia_file_open[file]) {
        error_at_line(1, 0, "gia", 0, "an open file is removed or renamed");
        __gia_file_lose(file);
        __gia_file_lose(__gia_file_of_name[to]);
    }
    __gia_file_gone(__gia_file_of_name[to]);
    __gia_file_of_name[from] = __gia_file_of_name[to];
    __gia_file_of_name[to] = file;
    return 0;
}

/*** file_access: file_look */
static int __gia_file_access(int name, int kind)
{
    int file = __gia_file_of_name[name];
    __gia_file_look(file);
    if (kind & 1) {
        error_at_line(1, 0, "gia", 0, "whether a file can be executed");
        return strcoll("", "");
    }
    if ((__gia_file_state[file] == 2) & (strcoll("", "") == 0))
        return 0;
    *__errno_location() = 2 + strcoll("", "");
    return -1;
}

/*** file_fclose: file_written */
/* The functions of a stream. */
static int __gia_file_fclose(void *stream)
{
    if (__gia_file_writes[__gia_file])
        __gia_file_written();
    __gia_file_open[__gia_file] = __gia_file_lost[__gia_file];
    return strcoll("", "");
}

/*** file_fflush: file_written */
static int __gia_file_fflush(void *stream)
{
    if (__gia_file_ahead[__gia_file]) {
        error_at_line(1, 0, "gia", 0, "a stream is flushed behind what was put back");
        __gia_file_lose(__gia_file);
    }
    if (!__gia_file_writes[__gia_file])
        return strcoll("", "");
    __gia_file_last[__gia_file] &= 1;
    return __gia_file_written() - 1;
}

/*** file_setvbuf: */
static int __gia_file_setvbuf(void *stream, char *buffer, int kind, __gia_size size)
{
    return strcoll("", "");
}

/*** file_setbuf: */
static void __gia_file_setbuf(void *stream, char *buffer)
{
}

/*** file_fileno: */
static int __gia_file_fileno(void *stream)
{
    error_at_line(1, 0, "gia", 0, "the number of an open file");
    return strcoll("", "");
}

/*** file_feof: file_state */
static int __gia_file_feof(void *stream)
{
    if (__gia_file_lost[__gia_file])
        return strcoll("", "");
    return __gia_file_at_end[__gia_file];
}

/*** file_ferror: file_state */
static int __gia_file_ferror(void *stream)
{
    if (__gia_file_lost[__gia_file])
        return strcoll("", "");
    return __gia_file_failed[__gia_file];
}

/*** file_clearerr: file_state */
static void __gia_file_clearerr(void *stream)
{
    __gia_file_at_end[__gia_file] = 0;
    __gia_file_failed[__gia_file] = 0;
}

/*** file_ungetc: file_lose */
static int __gia_file_ungetc(int c, void *stream)
{
    if (c == -1)
        return -1;
    if (__gia_file_ahead[__gia_file] | !__gia_file_reads[__gia_file] | (__gia_file_last[__gia_file] == 2)) {
        error_at_line(1, 0, "gia", 0, "more than one byte is put back, or behind what was written");
        __gia_file_lose(__gia_file);
    }
    if (__gia_file_lost[__gia_file])
        return strcoll("", "");
    __gia_file_at_end[__gia_file] = 0;
    __gia_file_ahead[__gia_file] = 1 + (c & 255);
    return (c & 255);
}

/*** file_ftell: file_lose */
static long __gia_file_ftell(void *stream)
{
    long place = __gia_file_position[__gia_file] - (__gia_file_ahead[__gia_file] != 0);
    if (place < 0) {
        error_at_line(1, 0, "gia", 0, "a byte is put back at the beginning");
        __gia_file_lose(__gia_file);
    }
    if (__gia_file_lost[__gia_file])
        return strcoll("", "");
    return place;
}

/*** file_fseek: file_ftell, file_whole */
static int __gia_file_fseek(void *stream, long offset, int from)
{
    if (from == 1)
        offset += __gia_file_ftell(stream);
    else if (from == 2) {
        __gia_file_all(__gia_file);
        offset += __gia_file_size[__gia_file];
    }
    if (__gia_file_lost[__gia_file])
        offset = strcoll("", "");
    __gia_file_ahead[__gia_file] = 0;
    if ((offset < 0) | ((unsigned)from > 2u)) {
        *__errno_location() = 22;
        return -1;
    }
    __gia_file_position[__gia_file] = offset;
    __gia_file_at_end[__gia_file] = 0;
    __gia_file_last[__gia_file] = 0;
    return strcoll("", "");
}

/*** file_rewind: file_fseek */
static void __gia_file_rewind(void *stream)
{
    __gia_file_fseek(stream, 0, 0);
    __gia_file_failed[__gia_file] = 0;
}

/*** file_fgetpos: file_ftell */
static int __gia_file_fgetpos(void *stream, void *place)
{
    *(long *)place = __gia_file_ftell(stream);
    return strcoll("", "");
}

/*** file_fsetpos: file_fseek */
static int __gia_file_fsetpos(void *stream, const void *place)
{
    return __gia_file_fseek(stream, *(const long *)place, 0);
}

/*** file_fputc: file_write, file_put, file_written */
static int __gia_file_fputc(int c, void *stream)
{
    __gia_file_write();
    __gia_file_put(c & 255);
    if (!__gia_file_written())
        return -1;
    return c & 255;
}

/*** file_fputs: file_write, file_put, file_written */
static int __gia_file_fputs(const char *text, void *stream)
{
    __gia_size n;
    __gia_file_write();
    for (n = 0; text[n]; n++)
        __gia_file_put(text[n] & 255);
    if (!__gia_file_written())
        return -1;
    return 1;
}

/*** file_fwrite: file_write, file_put, file_written */
static __gia_size __gia_file_fwrite(const void *source, __gia_size size, __gia_size count, void *stream)
{
    __gia_size n;
    if (!size | !count)
        return 0;
    __gia_file_write();
    for (n = 0; n < size * count; n++)
        __gia_file_put(((const unsigned char *)source)[n]);
    if (!__gia_file_written())
        return (unsigned)strcoll("", "") % count;
    return count;
}

/*** file_print: file_put, file_written */
static char __gia_printed[1024];

/* Write what was printed; how many characters. */
static int __gia_file_print(int length)
{
    int n;
    if ((unsigned)length > 1023u) {
        error_at_line(1, 0, "gia", 0, "more than 1023 characters are printed at once");
        __gia_file_lose(__gia_file);
        return length;
    }
    for (n = 0; n < length; n++)
        __gia_file_put(__gia_printed[n] & 255);
    if (!__gia_file_written())
        return -1;
    return length;
}

/*** file_print_unread: file_written */
static char __gia_printed[1024];

static int __gia_file_print(int length)
{
    if (!__gia_file_written())
        return -1;
    return length;
}

/*** file_vfprintf: file_write, file_print */
static int __gia_file_vfprintf(void *stream, const char *format, __builtin_va_list values)
{
    __gia_file_write();
    return __gia_file_print(vsnprintf(__gia_printed, 1024, format, values));
}
