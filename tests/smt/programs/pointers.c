/* inputs: 2 6 1 */
int grid[3][4], line[10], result, count;
int *where;
short pair[2];
char text[20], word[8] = "start";
unsigned char raw[16];
long distance;
int hidden[5] = {9, 8, 7};
const char *names[3] = {"zero", "one", "two"};
char letter;
int (*operation)(int, int);
int chosen, applied;

int add(int a, int b) { return a + b; }
int mul(int a, int b) { return a * b; }
void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
void set(int **place, int *value) { *place = value; }

int main(void) {
    int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    int x = 10, y = 20;
    int *p = &x, **pp = &p;
    *p += i;
    *pp = &y;
    *p += j;
    swap(&x, &y);
    result = x * 1000 + y;
    for (int r = 0; r < 3; r++)
        for (int q = 0; q < 4; q++) grid[r][q] = r * 10 + q;
    grid[i][j & 3] = -1;
    int *row = grid[1];
    row[i]++;
    *(row + 5) = 99;
    p = line;
    while (p < line + 10) { *p = (int)(p - line) * c; p++; }
    p = c ? &line[3] : &x;
    *p = 12345;
    if (j > 3) p = &y; else p = hidden;
    *p = 7;
    count = y + hidden[0] + *p;
    distance = &line[j] - &line[i];
    char *s = text;
    for (const char *t = names[i]; *t; t++) *s++ = *t;
    *s = 0;
    letter = names[c][j - 4];
    *(int *)(raw + 4) = 0x01020304 * c;
    *(short *)&raw[i] = -2;
    raw[j] += 3;
    pair[1] = *(short *)(raw + 5);
    p = 0;
    set(&p, &line[4]);
    *p -= 5;
    operation = i > j ? add : mul;
    applied = operation(i, j);
    chosen = (operation == mul) + 2 * (operation == 0) + 4 * !p + 8 * (p == &line[4]) + 16 * (p == &x);
    where = 0;
    operation = 0;
    unsigned long address = (unsigned long)&line[2];
    *(int *)(address + 4) = 31;
    for (int k = 0; k < 3; k++) names[k] = 0;
    return 0;
}
