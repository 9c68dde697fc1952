#include <tgmath.h>
#include <stdio.h>
int __VERIFIER_nondet_int(void);
#define NAME(x) _Generic((x), int: "int", char *: "text", double: "double", default: "other")
int main(void) { int n = __VERIFIER_nondet_int(); char *s = "a"; float f = n; printf("%s %s %s %s\n", NAME(n), NAME(s), NAME(1.0 * n), NAME(f)); 
 printf("%d\n", _Generic(n, int: n++, long: n--)); printf("%d %.3f\n", n, _Generic(f, float: f + 1, double: 2.0)); return 0; }
