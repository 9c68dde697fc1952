/* Gives a program that has models, whose state it sees, the inputs that stand for a text (in the file TEXT). Where it
 * can be one, a byte is read as the beginning of a number or not, as the letters of CHOICES say ('1': a number); the
 * number of choices is written to standard error. */
extern void exit(int);
extern int printf(const char *, ...);
extern int fprintf(FILE *, const char *, ...);
extern FILE *fopen(const char *, const char *);
extern unsigned long fread(void *, unsigned long, unsigned long, FILE *);
extern int sscanf(const char *, const char *, ...);
extern char *getenv(const char *);
extern char *strchr(const char *, int);
extern unsigned long strlen(const char *);

static char gia_all[4096];
static int gia_place = -1, gia_size, gia_choices;

static void gia_stop(const char *why)
{
    fprintf(stderr, "%d\n", gia_choices);
    printf("%s", why);
    exit(9);
}

__attribute__((destructor)) static void gia_end(void)
{
    fprintf(stderr, "%d\n", gia_choices);
}

void __VERIFIER_assume(int condition)
{
    if (!condition)
        gia_stop("[assumption]");
}

int __VERIFIER_nondet_stdin(void)
{
    if (gia_place < 0) {
        FILE *file = fopen(getenv("TEXT"), "r");
        gia_size = (int)fread(gia_all, 1, sizeof gia_all - 1, file);
        gia_place = 0;
    }
    while (__gia_after == 2 && gia_place < gia_size && (gia_all[gia_place] == 32 || (unsigned)gia_all[gia_place] - 9u < 5u))
        gia_place++;
    if (gia_place >= gia_size)
        return -1;
    if (__gia_after == 2 && strchr("+-.0123456789iInN", gia_all[gia_place]) && gia_all[gia_place]) {
        const char *choices = getenv("CHOICES");
        int number = gia_choices >= (int)strlen(choices) || choices[gia_choices] == '1';
        gia_choices++;
        if (number)
            return '0';
    }
    return (unsigned char)gia_all[gia_place++];
}

#define NUMBER(type, stem, format, value) \
    type __VERIFIER_nondet_stdin_##stem(void) \
    { \
        type number; \
        int length; \
        if (sscanf(gia_all + gia_place, FORMAT_##stem "%n", &number, &length) != 1) \
            gia_stop("[no number]"); \
        gia_place += length; \
        return number; \
    }
#define FORMAT_schar "%hhd"
#define FORMAT_short "%hd"
#define FORMAT_int "%d"
#define FORMAT_long "%ld"
#define FORMAT_longlong "%lld"
#define FORMAT_uchar "%hhu"
#define FORMAT_ushort "%hu"
#define FORMAT_uint "%u"
#define FORMAT_ulong "%lu"
#define FORMAT_ulonglong "%llu"
#define FORMAT_float "%f"
#define FORMAT_double "%lf"
