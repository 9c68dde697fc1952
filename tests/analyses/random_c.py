"""Random programs over most of C, without undefined behaviour, whose values at many places are asked by branches.

A program is executed first, so that the values of expressions at its checkpoints are known. Then each checkpoint
becomes a branch that asks for such a value: a prover that computes something else excludes a branch that an execution
takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

TYPES = {
    "c": "char",
    "sc": "signed char",
    "uc": "unsigned char",
    "s": "short",
    "us": "unsigned short",
    "i": "int",
    "u": "unsigned",
    "l": "long",
    "ul": "unsigned long",
    "ll": "long long",
    "ull": "unsigned long long",
    "b": "_Bool",
}
FEATURES = (
    "arrays", "bits", "calls", "floats", "function-pointers", "goto", "heap", "loops", "pointers", "recursion",
    "strings", "structs", "switch", "unions", "varargs",
)  # fmt: skip
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
CONSTANTS = (
    "0", "1", "-1", "2", "3", "7", "10", "100", "255u", "127", "-128", "256", "65535", "0x7fffffff", "4000000000u",
    "-5L", "7ull", "'x'", "'\\xff'", "(-2147483647-1)", "FIVE", "MINUS", "sizeof(int)", "1000000007LL",
    "0x8000000000000000ull", "sizeof(struct inner)",
)  # fmt: skip
INPUTS = {"int": "x", "uchar": "g_uc", "short": "g_s", "uint": "z", "char": "g_c", "long": "g_l", "bool": "g_b"}

LAST = (
    "x", "y", "z", "arr[0]", "arr[1]", "arr[5]", "matrix[0][1]", "matrix[3][3]", "st.a", "st.in.p", "st.in.q",
    "st.v[2]", "sa[1].v[1]", "(ps == &st)", "bf.a", "bf.b", "bf.c", "bf.d", "bf.e", "un.i", "un.c[5]", "(pi - arr)",
    "hp[1]", "str[1]",
)  # fmt: skip
"""What is asked at the end of every program."""

HEAD = """#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#ifdef NATIVE
#include <stdio.h>
static unsigned char taken_[4000][2];
static int branch_(int line, int value) { taken_[line][value] = 1; return value; }
#define BRANCH(c) branch_(__LINE__, !!(c))
static long long inputs_[16];
static int next_;
#define INPUT(type, name) type __VERIFIER_nondet_##name(void) { return (type)inputs_[next_++ & 15]; }
#define VALUE(k, e) printf("value %d %lld\\n", k, (long long)(e));
#define NUMBER(k, e) printf("number %d %.17g\\n", k, (double)(e));
static void report_(void) {
  for (int line = 0; line < 4000; line++)
    for (int value = 0; value < 2; value++)
      if (taken_[line][value]) printf("taken %d %d\\n", line, value);
}
#else
#define BRANCH(c) (c)
#define INPUT(type, name) extern type __VERIFIER_nondet_##name(void);
#endif
INPUT(int, int) INPUT(unsigned char, uchar) INPUT(short, short) INPUT(unsigned, uint) INPUT(char, char)
INPUT(long, long) INPUT(_Bool, bool)
enum constants { ZERO, FIVE = 5, MINUS = -7 };
struct inner { short p; unsigned char q; };
struct record { char a; struct inner in; int v[4]; long l; };
int arr[8] = { 1, 2, [5] = -9 };
const short table[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
volatile int vol = 4;
short matrix[4][4] = { { 1, 2 }, { [3] = 7 }, 5 };
struct record st = { .in = { 7, 250 }, .v = { 1, 2, 3 } }, sa[4], *ps = &st;
struct { unsigned a : 3; int b : 5; unsigned c : 32; signed char d : 4; _Bool e : 1; } bf = { 5, -3, 9 };
union { int i; unsigned u; unsigned char c[8]; short s[4]; unsigned long long w; float f; } un;
int *pi = arr + 2, **ppi = &pi;
short *hp;
char str[16] = "hello", str2[16] = "abc";
double d0 = 1.25;
float f0 = -3;
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
static struct record make(int p, char q) { struct record s = { q, { p, 3 }, { 4, p } }; return s; }
static int take(struct record s, int p) { s.a++; s.v[2] += p; s.in.p = s.v[2]; return s.a + s.in.p; }
static int sum(int n, ...) {
  va_list ap;
  int s = 0;
  va_start(ap, n);
  for (int i = 0; i < n; i++) s += va_arg(ap, int);
  va_end(ap);
  return s;
}
static int recursive(int n) { return n <= 0 ? 1 : recursive(n - 1) + recursive(n - 3) * 2; }
static int odd(unsigned n);
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
"""

PLACES = {
    "arrays": ["matrix[{i3}][{i3}]"],
    "structs": ["st.a", "st.in.q", "st.v[{i3}]", "sa[{i3}].in.p", "ps->in.q", "ps->a"],
    "bits": ["bf.a", "bf.b", "bf.c", "bf.d", "bf.e"],
    "unions": ["un.i", "un.c[1]", "un.s[1]", "un.u"],
    "pointers": ["(*pi)", "(*(arr + 3))", "(**ppi)"],
    "heap": ["hp[{i3}]"],
    "strings": ["str[{i7}]"],
}
VALUES = {
    "pointers": [
        "(pi - arr)",
        "(pi < arr + 4)",
        "((char *)pi - (char *)arr)",
        "((unsigned char *)arr)[5]",
        "(ppi == &pi)",
    ],
    "strings": [
        "(int)strlen(str)",
        '(strcmp(str, "abc") < 0)',
        "(strchr(str, 'b') != 0)",
        '"hello"[g_u & 3]',
        "(isalpha((unsigned char)str[0]) != 0)",
        "toupper((unsigned char)str[2])",
    ],
    "recursion": ["recursive({e} & 7)", "even({e} & 7)"],
    "varargs": ["sum(2, (int){e}, 'c')"],
    "structs": ["take(st, {e})"],
}
STATEMENTS = {
    "pointers": [
        "pi = arr + ({e} & 7);",
        "memcpy(&arr[1], &arr[4], 2 * sizeof(int));",
        "{{ void *v = pi; pi = (int *)v; }}",
        "((unsigned char *)arr)[{i7}] = {e};",
        "memset(arr, {e}, 12);",
        "memmove(arr + 1, arr, 3 * sizeof *arr);",
        "swap(&arr[{i7}], &x);",
    ],
    "structs": [
        "st = sa[1];",
        "sa[{i3}] = st;",
        "st = make({e}, {e});",
        "ps = ps == &st ? &sa[1] : &st;",
        "st.in = (struct inner){{ .q = 3, .p = 4 }};",
        "{{ struct record t = {{ .v = {{ 1, [2] = 5 }}, .a = -3 }}; st = t; }}",
        "st = *ps;",
    ],
    "unions": ["un.w = {e};", "un.c[{i7}] = {e};", "un.f = 1.5f;"],
    "bits": ["bf.a += {e};", "bf.b ^= {e};", "bf.c *= {e};", "bf.d = {e};", "bf.e = {e};"],
    "strings": [
        'strcpy(str, "abc");',
        'strncpy(str, "xyzw", 2);',
        "memcpy(str, str2, 4);",
        'strcpy(str, ""); strcat(str, "ab");',
    ],
    "heap": [
        "free(hp); hp = malloc(4 * sizeof *hp); for (int j = 0; j < 4; j++) hp[j] = j;",
        "free(hp); hp = calloc(4, sizeof *hp);",
        "hp = realloc(hp, 6 * sizeof *hp); hp[4] = hp[5] = 9;",
    ],
    "calls": ["g_i = counter({e});", "g_l = effect({e}, &arr[1]);"],
    "function-pointers": ["chosen = chosen == pure0 ? pure1 : pure0;", "y = chosen({e}, 3);"],
}


class RandomC:
    """One program: ``lines`` with its checkpoints; ``inputs`` says how many inputs it reads."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.features = set(self.random.sample(FEATURES, self.random.randint(2, 6)))
        self.inputs = self.random.choice([0, 0, 1, 2])
        self._names = 0
        self._counters: list[str] = []
        self._local: tuple[str, ...] = ()
        self.lines = self._program(self.random.choice([6, 10, 16]))

    def _pick(self, table: Mapping[str, Sequence[str]], otherwise: str) -> str:
        """A text of one of the program's features, filled in."""
        found = [text for feature, texts in table.items() if feature in self.features for text in texts]
        if not found:
            return otherwise
        return self.random.choice(found).format(i3=self._index(3), i7=self._index(7), e=self._value(1))

    def _fresh(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self._names}"

    def _index(self, mask: int) -> str:
        if self.random.random() < 0.6:
            return str(self.random.randint(0, mask))
        return f"{self.random.choice(['g_i', 'g_uc', 'g_u', 'g_l', 'g_s', *self._counters])} & {mask}"

    def _place(self) -> str:
        if self.random.random() < 0.4:
            return self._pick(PLACES, "vol")
        return self.random.choice([f"g_{name}" for name in TYPES] + [*self._local] * 2 + [f"arr[{self._index(7)}]"])

    def _leaf(self) -> str:
        draw = self.random.random()
        if draw < 0.3:
            return self.random.choice(CONSTANTS)
        if draw < 0.4:
            return self.random.choice([*self._counters, f"table[{self._index(7)}]"])
        return self._place()

    def _value(self, depth: int) -> str:
        choice = self.random.choice
        if depth <= 0 or self.random.random() < 0.12:
            return self._leaf()
        left, right = self._value(depth - 1), self._value(depth - 1)
        match self.random.randrange(13):
            case 0:
                return f"({left} {choice('/%')} (({right} & 7) {choice(['+ 1', '- 9'])}))"
            case 1:
                return f"({left} {choice(['<<', '>>'])} ({right} & {choice([7, 15])}))"
            case 2:
                return f"(({choice(list(TYPES.values()))}){left})"
            case 3:
                return f"({choice('-~!+')}({left}))"
            case 4:
                return f"({left} {choice(COMPARISONS)} {right})"
            case 5:
                return f"({left} {choice(['&&', '||'])} {right})"
            case 6:
                return f"({left} ? {right} : {self._value(depth - 1)})"
            case 7 if "floats" in self.features:
                number = self._number(1)
                return f"({number} > -100.0 && {number} < 1000.0 ? (int){number} : {left})"
            case 8 if "floats" in self.features:
                return f"({self._number(1)} {choice(COMPARISONS)} {self._number(1)})"
            case 9 if self._local:
                return self._pick(VALUES, left) if "y" in self._local else left
        return f"({left} {choice('+-*&|^')} {right})"

    def _number(self, depth: int) -> str:
        choice = self.random.choice
        if depth <= 0:
            return choice(["d0", "f0", "1.5", "0.1", "1e10f", "g_i", "g_ull", "g_sc", "(double)g_u"])
        if self.random.random() < 0.2:
            return f"((float){self._number(depth - 1)})"
        return f"((double){self._number(depth - 1)} {choice('+-*/')} (- {self._number(depth - 1)}))"

    def _condition(self) -> str:
        return f"BRANCH({self._value(2)} {self.random.choice(COMPARISONS)} {self._value(1)})"

    def _checkpoint(self) -> list[str]:
        if "floats" in self.features and self.random.random() < 0.2:
            return [f"@number {self._fresh('')} {self._number(0)}"]
        return [f"@value {self._fresh('')} {self._value(self.random.randrange(3))}"]

    def _block(self, depth: int) -> list[str]:
        return ["{", *(line for _ in range(self.random.randint(1, 3)) for line in self._statement(depth)), "}"]

    def _statement(self, depth: int) -> list[str]:
        choice = self.random.choice
        match self.random.randrange(18):
            case 0 | 1 if depth:
                rest = ["else", *self._block(depth - 1)] if self.random.random() < 0.6 else []
                return [f"if ({self._condition()})", *self._block(depth - 1), *rest]
            case 2 | 3:
                return self._checkpoint()
            case 4 | 5 if depth and "loops" in self.features:
                return self._loop(depth)
            case 6 if depth and "switch" in self.features:
                return self._switch(depth)
            case 7 if "goto" in self.features:
                label = self._fresh("label")
                return [f"if ({self._condition()}) goto {label};", *self._statement(0), f"{label}: ;"]
            case 8 if "floats" in self.features:
                name = choice(["d0", "f0"])
                return [f"{name} {choice(['=', '+=', '*='])} {self._number(2)};", f"if ({name} != {name}) {name} = 0;"]
            case 9 | 10 | 11 if "y" in self._local:
                return [self._pick(STATEMENTS, "vol = vol + 1;")]
            case 12:
                one, other = self.random.sample(["g_i", "g_u", "g_s", "g_uc", "g_l"], 2)
                return [f"{one} = ({other} {choice(['+=', '-=', '^='])} {choice(CONSTANTS)}, {other}--);"]
            case 13:
                return [f"{self._place()} {choice(['<<=', '>>='])} {self._value(1)} & 7;"]
            case 14:
                return [f"{self._place()} {choice(['/=', '%='])} ({self._value(1)} & 7) + 1;"]
            case 15:
                return [f"{self._place()}{choice(['++', '--'])};"]
        return [f"{self._place()} {choice(['=', '=', '+=', '-=', '*=', '^=', '|=', '&='])} {self._value(3)};"]

    def _loop(self, depth: int) -> list[str]:
        counter = self._fresh("k")
        self._counters.append(counter)
        body = self._block(depth - 1)
        leave = [f"if ({self._condition()}) {self.random.choice(['break', 'continue'])};"]
        self._counters.remove(counter)
        if self.random.random() < 0.6:
            type_ = self.random.choice(["int", "unsigned", "unsigned char", "short", "long long"])
            limit = self.random.choice(["3", "5", "2", "10"])
            body[-1:] = [*leave, "}"] if self.random.random() < 0.3 else ["}"]
            return [f"for ({type_} {counter} = 0; BRANCH({counter} < {limit}); {counter}++)", *body]
        body[-1:] = [f"{counter}--;", "}"]
        start = ["{", f"int {counter} = {self.random.randint(1, 6)};"]
        if self.random.random() < 0.5:
            return [*start, f"while (BRANCH({counter} > 0))", *body, "}"]
        return [*start, "do", *body, f"while ({counter} > 0);", "}"]

    def _switch(self, depth: int) -> list[str]:
        lines = []
        for value in self.random.sample(range(-1, 6), 3):
            leave = ["break;"] if self.random.random() < 0.6 else []
            lines += [f"case {value}: ;", *self._statement(depth - 1), *leave]
        return [f"switch (({self._value(2)}) % 6) {{", *lines, "default: g_i += 3;", "}"]

    def _function(self, head: str, local: tuple[str, ...], body: Sequence[str]) -> list[str]:
        self._local = local
        return [f"{head} {{", *body]

    def _program(self, size: int) -> list[str]:
        types = list(TYPES.values())
        lines = [f"{type_} g_{name} = {self.random.choice([3, -1, 200, 0, 7])};" for name, type_ in TYPES.items()]
        for number in range(2):
            lines += self._function(f"static int pure{number}(int p, long q)", ("p", "q"), [])
            lines += [f"if (BRANCH({self._value(1)} > p)) return {self._value(2)};", f"return {self._value(2)};", "}"]
        lines.append("static int (*chosen)(int, long) = pure1;")
        lines += self._function(f"static int counter({self.random.choice(types)} p)", ("p", "q"), [])
        lines += ["static int n = 2; int q = 4;", "n += p & 3;", *self._statement(1), "return n + q;", "}"]
        lines += self._function("static int effect(long long p, int *r)", ("p", "q"), [])
        lines += ["int t = *r; short q = 5;", "*r = p + 1;", *self._statement(1), "return t + *r + q;", "}"]
        lines += self._function("int main(void)", ("x", "y", "z"), ["int x = 1, y = -2; unsigned z = 3;"])
        lines += ["#ifdef NATIVE", 'for (int i = 0; i < 16; i++) if (scanf("%lld", &inputs_[i]) != 1) return 1;']
        lines += ["atexit(report_);", "#endif"]
        lines.append("hp = malloc(4 * sizeof *hp); for (int j = 0; j < 4; j++) hp[j] = j * 3;")
        for kind in self.random.sample(list(INPUTS), self.inputs):
            lines.append(f"{INPUTS[kind]} = __VERIFIER_nondet_{kind}();")
        for _ in range(size):
            lines += [*self._statement(3), *(self._checkpoint() if self.random.random() < 0.5 else [])]
        lines += [f"@value {self._fresh('')} {place}" for place in (*(f"g_{name}" for name in TYPES), *LAST)]
        return [*lines, "return 0;", "}"]

    def observed(self) -> str:
        """The program that prints the values at its checkpoints."""
        return self._text(lambda kind, number, value: f"{kind.upper()}({number}, {value})")

    def asked(self, values: Mapping[int, Sequence[str]]) -> str:
        """The program in which a branch at each checkpoint asks for one of its ``values``."""

        def branch(kind: str, number: int, value: str) -> str:
            known = [text for text in values.get(number, ()) if text.strip("-").rstrip("0123456789.e-+") == ""]
            if not known:
                return f"if (BRANCH({value} == 12345)) vol = 1;"
            wanted = self.random.choice(known)
            if kind == "number":
                return f"if (BRANCH((double)({value}) == {wanted})) vol = 1;"
            wanted = "(-9223372036854775807LL - 1)" if wanted == "-9223372036854775808" else f"{wanted}LL"
            return f"if (BRANCH((long long)({value}) {self.random.choice(['==', '==', '<=', '>='])} {wanted})) vol = 1;"

        return self._text(branch)

    def _text(self, checkpoint: Callable[[str, int, str], str]) -> str:
        lines = []
        for line in self.lines:
            if line.startswith("@"):
                kind, number, value = line[1:].split(" ", 2)
                lines.append(checkpoint(kind, int(number), value))
            else:
                lines.append(line)
        return HEAD + "\n".join(lines) + "\n"
