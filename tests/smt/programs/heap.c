/* inputs: 4 2 */
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
struct node { int key; struct node *left, *right; };
int total, length, compared, upper, zeros, grown, depth;
char buffer[32], other[32];
int filled[6], moved[6];
struct node plain;

struct node *insert(struct node *tree, int key) {
    if (!tree) {
        tree = malloc(sizeof *tree);
        tree->key = key;
        tree->left = tree->right = NULL;
        return tree;
    }
    if (key < tree->key) tree->left = insert(tree->left, key);
    else tree->right = insert(tree->right, key);
    return tree;
}
int add(struct node *tree) { return tree ? tree->key + 2 * add(tree->left) + 3 * add(tree->right) : 0; }

int main(void) {
    int n = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int();
    struct node *root = NULL;
    root = insert(root, n);
    root = insert(root, k);
    root = insert(root, 3);
    total = add(root);
    int *block = malloc(n * sizeof(int));
    for (int i = 0; i < n; i++) block[i] = i * k;
    block[k]++;
    for (int i = 0; i < n; i++) total += block[i];
    int *clear = calloc(5, sizeof(int));
    clear[k] = 6;
    for (int i = 0; i < 5; i++) zeros += clear[i] * (i + 1);
    int *more = realloc(block, 8 * sizeof(int));
    more[7] = 1;
    grown = more[2] + more[7];
    free(more);
    strcpy(buffer, "hello");
    strcpy(other, "help");
    length = strlen(buffer);
    buffer[k] = 'p';
    compared = (strcmp(buffer, other) < 0) + 2 * (strcmp(other, "help") == 0) + 4 * (strncmp(buffer, other, 3) > 0)
               + 8 * (memcmp(buffer, other, 2) == 0);
    length += 100 * strlen(buffer);
    memset(filled, -1, sizeof filled);
    memset(filled + 1, 0, 2 * sizeof(int));
    filled[n] = k;
    memcpy(moved, filled, sizeof filled);
    memmove(moved + 1, moved, 3 * sizeof(int));
    upper = toupper(buffer[0]) + !!isdigit('7') * 1000 + !!isalpha(buffer[1]) * 2000 + !!isspace('x') + abs(k - n);
    plain.key = (int)sizeof(struct node);
    return 0;
}
