/* Gives a program that has models the inputs in the file INPUTS: for each a byte, a number and a real number. What it
 * reads is written to the file READ. */
static void *given_file(const char *variable, const char *mode)
{
    static void *files[2];
    void **file = &files[*mode == 'w'];
    if (!*file)
        *file = fopen(getenv(variable), mode);
    return *file;
}

static void end_run(const char *why)
{
    fclose(given_file("READ", "w"));
    printf("%s", why);
    exit(9);
}

static void given(const char *name, long *byte, unsigned long *number, double *real)
{
    if (fscanf(given_file("INPUTS", "r"), "%ld %lu %la", byte, number, real) != 3)
        end_run("[end]");
}

void __VERIFIER_assume(int condition)
{
    if (!condition)
        end_run("[assumption]");
}

int __VERIFIER_nondet_stdin(void)
{
    long byte; unsigned long number; double real;
    given("stdin", &byte, &number, &real);
    fprintf(given_file("READ", "w"), "%s %ld\n", "__VERIFIER_nondet_stdin", byte);
    fflush(given_file("READ", "w"));
    return byte;
}

#define NUMBER(type, stem, format, value) \
    type __VERIFIER_nondet_stdin_##stem(void) \
    { \
        long byte; unsigned long number; double real; \
        given(#stem, &byte, &number, &real); \
        fprintf(given_file("READ", "w"), "__VERIFIER_nondet_stdin_%s " format "\n", #stem, (type)value); \
        fflush(given_file("READ", "w")); \
        return (type)value; \
    }
