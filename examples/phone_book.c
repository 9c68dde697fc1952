// Keeps names and numbers in the file phones.txt. What makes it hard: what matters is in a file, or was written to it before.
//
// Unreachable:
#include <stdio.h>
#include <string.h>

static int look_up(const char *wanted)
{
    char name[16];
    int number;
    FILE *file = fopen("phones.txt", "r");
    if (file == NULL) {
        puts("nobody is known");
        return 0;
    }
    while (fscanf(file, "%15s %d", name, &number) == 2)
        if (strcmp(name, wanted) == 0) {
            fclose(file);
            return number;
        }
    if (!feof(file))
        puts("the file is damaged");
    fclose(file);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        puts("whom do you look for?");
        return 2;
    }
    if (look_up(argv[1]) == 0) {
        int number;
        if (scanf("%d", &number) != 1)
            return 1;
        FILE *file = fopen("phones.txt", "a");
        if (file == NULL) {
            puts("it cannot be written");
            return 3;
        }
        fprintf(file, "%s %d\n", argv[1], number);
        fclose(file);
        if (look_up(argv[1]) == 112)
            puts("in an emergency");
    }
    return 0;
}
