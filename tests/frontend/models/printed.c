/* Writes numbers and a text in many formats: a size, two numbers, then characters. */
#include <stdio.h>
#include <string.h>

extern int next_operation(void);

static char buffer[1200];
static int show(int written)
{
    printf("%d %zu[%s]\n", written, strlen(buffer), buffer);
    memset(buffer, '.', sizeof buffer - 1);
    return written;
}

#define INT(format) show(snprintf(buffer, size, format, a)), show(sprintf(buffer, format, b))
#define UNSIGNED(format) show(snprintf(buffer, size, format, (unsigned)a)), show(sprintf(buffer, format, (unsigned)b))
#define LONG(format) show(snprintf(buffer, size, format, l))
#define LONGER(format) show(snprintf(buffer, size, format, (long long)l * 3))
#define TEXT(format) show(snprintf(buffer, size, format, text)), show(sprintf(buffer, format, "ab"))

int main(void)
{
    static char text[64];
    int size = next_operation(), a = next_operation(), b = next_operation(), c, length = 0;
    long l = (long)a * b;
    while ((c = next_operation()) >= 0 && length < 60)
        text[length++] = (char)c;
    INT("%d"); INT("%5d|"); INT("%-5d|"); INT("%05d|"); INT("%+d"); INT("% d"); INT("%.3d"); INT("%8.3d|"); INT("%-8.3i|");
    INT("%+06d"); INT("%.0d|"); INT("%hhd"); INT("%hd"); INT("%08.2d|"); INT("% 5d"); INT("%-+5d|"); INT("%5c|"); INT("%-3c|");
    UNSIGNED("%u"); UNSIGNED("%x"); UNSIGNED("%X"); UNSIGNED("%#x"); UNSIGNED("%08x"); UNSIGNED("%#10X|"); UNSIGNED("%-10x|");
    UNSIGNED("%o"); UNSIGNED("%#o"); UNSIGNED("%#.4o"); UNSIGNED("%hhx"); UNSIGNED("%hu"); UNSIGNED("%#012x"); UNSIGNED("%.0x|");
    LONG("%ld"); LONG("%lu"); LONG("%lx"); LONG("%12ld|"); LONG("%zu"); LONG("%td"); LONGER("%llx"); LONGER("%jd"); LONGER("%lld"); LONGER("%qu");
    TEXT("%s"); TEXT("<%5s>"); TEXT("<%-5s>"); TEXT("%.2s"); TEXT("%6.1s|"); TEXT("100%% %s"); TEXT("%.s|");
    show(snprintf(buffer, size, "%.*s|", a & 7, text));
    show(snprintf(buffer, size, "%.*s|", -1, text));
    show(snprintf(buffer, size, "%s", (char *)0));
    show(snprintf(buffer, size, "%.3s|", (char *)0));
    show(snprintf(buffer, size, "%d%%, %s: %c%-4x", a, text, b | 1, a));
    show(sprintf(buffer, "\t\"plain\"\n"));
    return 0;
}
