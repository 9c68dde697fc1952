/* Keeps records in a file: commands come from standard input, settings from a file that is an argument. */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    FILE *file;
    char word[16], line[32];
    int number, total = 0, deleted = 0, c;
    if (argc > 1) {
        file = fopen(argv[1], "r"); // 10:5:then
        if (!file) {
            puts("no settings"); // 12:9:then
            return 1;
        }
        if (fgets(line, sizeof line, file) && strncmp(line, "max=", 4) == 0)
            puts("settings"); // 16:9:then
        fclose(file);
    }
    if (scanf("%15s", word) != 1)
        return 0; // 20:5:then
    if (strcmp(word, "add") == 0) {
        file = fopen("records.txt", "a");
        if (file == NULL) {
            puts("cannot write"); // 24:9:then
            return 2;
        }
        if (scanf("%d", &number) == 1)
            fprintf(file, "%d\n", number); // 28:9:then
        fclose(file);
    } else if (strcmp(word, "clear") == 0) {
        if (remove("records.txt") == 0)
            deleted = 1; // 32:9:then
    }
    file = fopen("records.txt", "r");
    if (!file) {
        puts(deleted ? "gone" : "none"); // 36:5:then
        return 0;
    }
    while ((c = fgetc(file)) != EOF)
        total += c == '\n'; // 40:5:then
    rewind(file);
    if (fscanf(file, "%d", &number) == 1)
        puts("a number"); // 43:5:then
    if (total == 2)
        puts("two records"); // 45:5:then
    else
        puts("not two"); // 45:5:else
    fclose(file);
    return 0;
}
