/* Does what it is told by next_operation with two files, and prints what it sees of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern int next_operation(void);

static FILE *open_as(int kind, const char *name)
{
    switch (kind) {
    case 0: return fopen(name, "r");
    case 1: return fopen(name, "w");
    case 2: return fopen(name, "a");
    case 3: return fopen("data.txt", "r+");
    case 4: return fopen(name, "w+b");
    case 5: return fopen(name, "a+");
    case 6: return fopen("data.txt", "wx");
    }
    return fopen("data.txt", "?");
}

static char *(*read_line)(char *, int, FILE *) = fgets;
static const struct {
    int (*put)(const char *, FILE *);
} io = {fputs};

int main(int argc, char **argv)
{
    static char text[64], *line;
    static size_t size;
    FILE *streams[2] = {0, 0}, *f;
    fpos_t place;
    int operation, a, b, which = 0;
    double d;
    char *names[2] = {"data.txt", argv[1]};
    setvbuf(stdout, 0, _IONBF, 0);
    memset(&place, 0, sizeof place);
    while ((operation = next_operation()) >= 0) {
        a = b = -1;
        d = 7;
        errno = 0;
        memset(text, '#', sizeof text - 1);
        f = streams[which];
        if (operation >= 16 && !f)
            continue;
        switch (operation) {
        case 0: case 1: case 2: case 3: case 4: case 5: case 6: case 7:
            if (f || streams[1 - which])
                continue;
            streams[which] = open_as(operation, names[which]);
            printf("open %d %d", streams[which] != 0, errno);
            break;
        case 8: which = 1 - which; break;
        case 9: if (!f && !streams[1 - which]) printf("remove %d %d", remove(names[which]), errno); break;
        case 10: if (!f && !streams[1 - which]) printf("rename %d %d", rename("data.txt", argv[1]), errno); break;
        case 11: if (!f && !streams[1 - which]) printf("rename %d %d", rename(argv[1], "data.txt"), errno); break;
        case 12: printf("access %d %d", access(names[which], R_OK), errno); break;
        case 13: if (!f) streams[which] = fopen(names[which], "r"); printf("read %d", streams[which] != 0); break;
        case 16: printf("feof %d ferror %d", !!feof(f), !!ferror(f)); break;
        case 17: clearerr(f); break;
        case 18: printf("ftell %ld", ftell(f)); break;
        case 19: printf("fseek %d", fseek(f, 3, SEEK_SET)); break;
        case 20: printf("fseek %d", fseek(f, -2, SEEK_CUR)); break;
        case 21: printf("fseek %d", fseek(f, -1, SEEK_END)); break;
        case 22: rewind(f); break;
        case 23: printf("fclose %d", fclose(f)); streams[which] = 0; break;
        case 24: printf("fgetc %d", fgetc(f)); break;
        case 25: printf("fgets %d", read_line(text, 6, f) != 0); break;
        case 26: printf("fread %d", (int)fread(text, 2, 3, f)); break;
        case 27: printf("d %d", fscanf(f, "%d", &a)); break;
        case 28: printf("s,lf %d", fscanf(f, " %5s%lf", text, &d)); break;
        case 29: printf("ungetc %d", ungetc('x', f)); break;
        case 30: a = (int)getline(&line, &size, f); printf("getline %d %s", a, a > 0 ? line : ""); break;
        case 31: printf("d:d %d", fscanf(f, "%d:%x", &a, &b)); break;
        case 32: printf("fputc %d", fputc('y', f)); break;
        case 33: printf("fputs %d", io.put("12 3\n", f) >= 0); break;
        case 34: printf("fwrite %d", (int)fwrite("abcdef", 2, 3, f)); break;
        case 35: printf("fprintf %d", fprintf(f, "%3d:%x %s\n", operation, 255, names[which])); break;
        case 36: printf("fprintf %d", fprintf(f, "%.2f;", 1.5)); break;
        case 37: printf("fflush %d", fflush(f)); break;
        case 38: printf("fgetpos %d", fgetpos(f, &place)); break;
        case 39: printf("fsetpos %d", fsetpos(f, &place)); break;
        }
        printf(" [%d %d %a %.20s]\n", a, b, d, text);
    }
    return 0;
}
