/* Variable arguments: lists that are passed on, copied, kept in structures, and given to the library. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);
extern double __VERIFIER_nondet_double(void);

struct pair { int first; char second; };
struct wide { long a, b, c; };
struct reader { va_list list; int left; };
typedef int sum_function(int count, ...);

static int sum(int count, ...)
{
    va_list list;
    int result = 0;
    va_start(list, count);
    while (count-- > 0)
        result += va_arg(list, int);
    va_end(list);
    return result;
}

static int product(int count, ...)
{
    int result = 1;
    va_list list;
    va_start(list, count);
    for (; count > 0; count--)
        result *= va_arg(list, int);
    va_end(list);
    return result;
}

static int next(va_list *list) { return va_arg(*list, int); }

static int twice(int count, va_list list)
{
    va_list again;
    int result = 0, place = count;
    va_copy(again, list);
    while (place-- > 0)
        result += next(&again);
    va_end(again);
    while (count-- > 0)
        result = result * 3 + va_arg(list, int);
    return result;
}

static int passed(int count, ...)
{
    va_list list;
    va_start(list, count);
    int result = twice(count, list);
    va_end(list);
    return result;
}

static void show(const char *kinds, ...)
{
    struct reader reader = {.left = (int)strlen(kinds)};
    va_start(reader.list, kinds);
    for (; reader.left > 0; reader.left--, kinds++)
        switch (*kinds) {
        case 'i': printf(" %d", va_arg(reader.list, int)); break;
        case 'u': printf(" %u", va_arg(reader.list, unsigned)); break;
        case 'l': printf(" %ld", va_arg(reader.list, long)); break;
        case 'L': printf(" %lld", va_arg(reader.list, long long)); break;
        case 'd': printf(" %g", va_arg(reader.list, double)); break;
        case 'D': printf(" %Lg", va_arg(reader.list, long double)); break;
        case 's': printf(" %s", va_arg(reader.list, const char *)); break;
        case 'p': { struct pair pair = va_arg(reader.list, struct pair); printf(" %d%c", pair.first, pair.second); break; }
        case 'w': printf(" %ld", va_arg(reader.list, struct wide).b); break;
        case 'f': printf(" %d", va_arg(reader.list, sum_function *)(2, 20, 3)); break;
        }
    va_end(reader.list);
    printf("\n");
}

static int written(char *text, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, size, format, list);

    va_end(list);
    return length;
}

static int depth(int left, ...)
{
    va_list list;
    va_start(list, left);
    int value = va_arg(list, int);
    va_end(list);
    return left ? depth(left - 1, value * 2, left) + value : value;
}

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    double d = __VERIFIER_nondet_double();
    signed char c = (signed char)a;
    float f = (float)(b % 100) / 4;
    sum_function *functions[] = {sum, product};
    char text[40];
    printf("%d %d\n", sum(0), sum(3, a, b, -1));
    printf("%d\n", sum(2, sum(2, a, 1), sum(1, b)));
    printf("%d\n", functions[a & 1](4, 1, 2, 3, b % 10));
    printf("%d\n", passed(3, a % 100, b % 100, 7));
    show("iuilLdDs", c, (unsigned)b, (short)b, (long)a, (long long)a * b, d, (long double)f, "text");
    show("pdwfip", (struct pair){a, 'x'}, f, (struct wide){1, b, 3}, functions[b & 1], -1, (struct pair){b, 'y'});
    show("");
    for (int i = 0; i < 3; i++)
        show("idL", i, i / 2.0, -1LL - i);
    printf("%d\n", written(text, sizeof text, "%d %s %.1f %c|%lld", a, "word", f, 'z', (long long)b));
    printf("%s %d\n", text, depth(3, a % 1000));
    return 0;
}
