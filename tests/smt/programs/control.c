/* inputs: 3 9 1 */
int state, steps, calls, picked, nested, shorted, commas, jumped, fib, loops;
static int counter(void) { static int value = 10; return value++; }
int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
int touch(int v) { calls = calls * 10 + v; return v; }
enum color { RED = 3, GREEN, BLUE = -1 } color;

int main(void) {
    int n = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    do { steps++; state = state * 2 + (k & 1); k >>= 1; } while (k);
    switch (n) {
        case 1: picked = 1;
        case 3: picked += 30;
        case 2: picked += 2; break;
        case 10 ... 20: picked = 99; break;
        default: picked = -1;
    }
    for (int i = 0; ; i++) {
        if (i == 7) break;
        if (i % 3 == n % 3) continue;
        for (int j = i; j > 0; j -= 2) { nested += i * j; if (nested > 30) goto out; }
    }
out:
    jumped = nested;
    if (touch(1) && touch(0) && touch(2)) shorted = 1;
    if (touch(0) || touch(3)) shorted += 2;
    shorted += c ? touch(4) : touch(5);
    commas = (steps++, steps += 2, steps);
    counter(); counter();
    fib = fibonacci(n + 1) + counter();
    color = c ? GREEN : BLUE;
    while (loops < 20) { loops += n; if (loops & 8) loops++; }
    int shadow = 1;
    { int shadow = 2; loops += shadow; }
    loops -= shadow;
    return 0;
}
