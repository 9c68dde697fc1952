"""Random programs whose loops fill, copy, search and change arrays, through names and pointers."""

from __future__ import annotations

from random import Random

from tests.checker.programs import HEADER

_SIZE = 20
"""More elements than the encoding looks at one by one."""


class ArrayWriter:
    """A program with arrays that are static, local and allocated, and pointers to them; no access is out of bounds."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def program(self) -> str:
        """The text of the program."""
        helper = f"static int helper(int *p, int m) {{ int i, k = 0, x = 0;\n{self._body(['p', 'g'], 3)}return x;\n}}\n"
        names = ["g", "l", "h", "q", "r"]
        begin = (
            f"int l[{_SIZE}]; int *h = malloc({_SIZE} * sizeof(int)); int *q = {self._choose('g', 'h', 'l')}; "
            f"int *r = {self._choose('g', 'h', 'l')};\n"
            "int n = __VERIFIER_nondet_int(); int i, j = 0, k = 0, x = __VERIFIER_nondet_int();\n"
            f"if (n < 0 || n > {_SIZE}) return 0;\n"
            f"for (i = 0; i < {_SIZE}; i++) {{ l[i] = {self._value()}; h[i] = {self._value()}; }}\n"
        )
        main = f"int main(void) {{\n{begin}{self._body(names, 6, calls=True)}return 0;\n}}\n"
        return f"{HEADER}#include <stdlib.h>\nstatic int g[{_SIZE}];\n{helper}{main}"

    def _choose(self, *options: str) -> str:
        return self.random.choice(options)

    def _value(self) -> str:
        return self._choose("0", "1", "i", "i + 1", "2 * i", "7", "-i")

    def _body(self, names: list[str], length: int, *, calls: bool = False) -> str:
        """Statements one after the other."""
        self.limit = "n" if calls else "m"
        return "".join(self._statement(names, calls=calls) for _ in range(length))

    def _statement(self, names: list[str], *, calls: bool) -> str:
        a, b = self._choose(*names), self._choose(*names)
        limit = self._choose(self.limit, str(_SIZE))
        condition = self._choose(f"{a}[i] != {self._value()}", f"{a}[i] < {self._value()}", f"{a}[i] == {b}[i]")
        kinds = [
            f"for (i = 0; i < {limit}; i++) {a}[i] = {self._value()};\n",
            f"for (i = 0; i < {limit}; i++) {a}[i] = {b}[i];\n",
            f"for (i = 0; i < {limit}; i++) {a}[i] = {b}[i] + {self._choose('1', 'i')};\n",
            f"for (i = {limit} - 1; i >= 0; i--) {a}[i] = {self._value()};\n",
            f"for (i = 0; i < {limit}; i++) {{ if ({condition}) x = {a}[i]; }}\n",
            f"for (i = 0; i < {limit}; i++) {{ if ({condition}) {b}[i] = {self._value()}; else k++; }}\n",
            f"i = 0; while (i < {limit} && {a}[i] != {self._choose('0', '7', 'x')}) i++;\n"
            f"if (i < {limit} && {a}[i] == 0) k = 1;\n",
            f"for (i = 0; i + 1 < {limit}; i++) {a}[i] = {a}[i + 1];\n",
            f"if (k > 0) {a}[{_SIZE} / 2] = x;\n",
        ]
        if calls:
            kinds += [
                f"{self._choose('q', 'r')} = {self._choose('g', 'h', 'l', 'q', 'r')};\n",
                f"x = helper({a}, n);\n",
                f"if (x > 0) q = {a};\n",
                f"j = {_SIZE} / 2; q = {self._choose('g', 'h', 'l')} + j; if (q[1] == 1) k++; q = g;\n",
            ]
        return self.random.choice(kinds)


class StrideWriter(ArrayWriter):
    """Also with loops that deal with several elements in a round, or with pairs of arrays, or begin at the end."""

    def program(self) -> str:
        """The text of the program."""
        return super().program().replace("int i, k = 0", "int i, j, k = 0")

    def _statement(self, names: list[str], *, calls: bool) -> str:
        if self.random.random() < 0.4:
            return super()._statement(names, calls=calls)
        a, b, limit = self._choose(*names), self._choose(*names), self._choose(self.limit, str(_SIZE))
        first, second, compared = self._value(), self._value(), self._choose("<", "<=", "==", "!=")
        inner = self._choose("j", "i", "0")
        kinds = [
            f"for (i = 0; i < {limit} / 2; i++) {{ {a}[2 * i] = {first}; {a}[2 * i + 1] = {second}; }}\n",
            f"for (i = 1; i <= {limit} / 3; i++) {{ {a}[3 * i - 3] = {first}; {b}[i * 3 - 1] = {second}; }}\n",
            f"for (i = 0; i < {limit}; i++) {{ {a}[{limit} - i - 1] = {first}; {b}[i] = {second}; }}\n",
            f"for (i = {limit} - 2; i >= 0; i--) {{ {a}[i] = {first}; {a}[i + 1] = {second}; }}\n",
            f"for (i = 0; i < {limit}; i++) {{ j = __VERIFIER_nondet_int(); {a}[i] = j; {b}[i] = -j; }}\n",
            f"for (i = 1; i <= {limit} / 2; i++) for (j = 2; j >= 1; j--) {a}[2 * i - j] = {inner};\n",
            f"{a}[0] = {second}; for (i = 1; i < {limit}; i++) {a}[i] = {a}[i - 1] + {first};\n",
            f"for (i = 0; i < {limit}; i++) if (!({a}[i] {compared} {first} || {b}[i] == {second})) k++;\n",
            f"for (i = 0; i < {limit}; i++) if ({a}[i] + {b}[i] {compared} {first}) {{ x = i; break; }}\n",
        ]
        return self.random.choice(kinds)


class MatrixWriter(StrideWriter):
    """Also with matrices that are static, local or of variable length, and with loops through rows and columns."""

    def program(self) -> str:
        """The text of the program."""
        matrices = "int rows = 4, columns = 5; int ml[4][5], mv[rows][columns];\n"
        filled = "for (i = 0; i < 4; i++) for (j = 0; j < 5; j++) { ml[i][j] = i; mv[i][j] = j; }\n"
        text = super().program().replace("static int g[", "static int mg[4][5];\nstatic int g[")
        begin, end = text.split("if (n < 0", 1)
        return begin.replace("int main(void) {\n", "int main(void) {\n" + matrices) + filled + "if (n < 0" + end

    def _statement(self, names: list[str], *, calls: bool) -> str:
        if not calls or self.random.random() < 0.3:
            return super()._statement(names, calls=calls)
        a, b = self._choose("mg", "ml", "mv"), self._choose("mg", "ml", "mv")
        rows, columns = self._choose("4", "rows", "3"), self._choose("5", "columns", "columns - 1", "2")
        value, compared = self._choose("i + j", "x", "5 * i + j", self._value()), self._choose("<", "==", "!=")
        done = self._choose(
            f"{a}[i][j] = {value};",
            f"{a}[i][j] = {b}[i][j] + {self._choose('0', '1', 'j')};",
            f"{a}[i][j] = {b}[3 - i][4 - j];",
            f"{a}[i][j] = __VERIFIER_nondet_int();",
            f"if ({a}[i][j] {compared} {value}) k++;",
            f"if ({a}[i][j] > x) x = {a}[i][j];",
            f"if ({a}[i][j] {compared} {b}[i][j]) {a}[i][0] = {value};",
        )
        return self._choose(
            f"for (i = 0; i < {rows}; i++) for (j = 0; j < {columns}; j++) {{ {done} }}\n",
            f"for (j = 0; j < {columns}; j++) for (i = {rows} - 1; i >= 0; i--) {{ {done} }}\n",
        )


class RecordWriter:
    """A program that changes records and flags in an order that its inputs choose, through indices and pointers."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.size = self._choose("3", "8", str(_SIZE))

    def program(self) -> str:
        """The text of the program."""
        last, most, total = self._choose("-1", "7"), self._choose("6", "30"), self._choose("0", "1", "-2")
        steps = "".join(self._step("p") for _ in range(3))
        call = self._choose("use(p, k);", "use(&r[k], k);", "if (k) use(r + k - 1, k);", "")
        helper = f"static void use(struct record *p, int k) {{\n{''.join(self._step('p') for _ in range(2))}}}\n"
        return (
            f"{HEADER}enum state {{ IDLE, BUSY, DONE }};\n"
            "struct record { enum state state; int hours; unsigned char tag; };\n"
            f"static struct record r[{self.size}]; static int flag[{self.size}], rounds, total = {total};\n"
            f"{helper}int main(void) {{\nint k, i;\nstruct record *p;\n"
            f"while ((k = __VERIFIER_nondet_int()) != {last} && rounds++ < {most}) {{\n"
            f"if (k < 0 || k >= {self.size}) continue;\np = &r[k];\n{steps}{call}\n{self._sum()}{self._check()}}}\n"
            f"for (i = 0; i < {self.size}; i++) {{ p = &r[i]; {self._check()}}}\n"
            "return 0;\n}\n"
        )

    def _choose(self, *options: str) -> str:
        return self.random.choice(options)

    def _state(self) -> str:
        return self._choose("IDLE", "BUSY", "DONE")

    def _condition(self, p: str) -> str:
        compared, bound = self._choose("<", "<=", ">", "==", "!="), self._choose("0", "1", "2", "3", "5", "rounds")
        return self._choose(
            f"{p}->state == {self._state()}",
            f"{p}->hours {compared} {bound}",
            f"{p}->tag {compared} {bound}",
            f"flag[k] {compared} {bound}",
            f"r[k].state != {self._state()}",
        )

    def _step(self, p: str) -> str:
        change = self._choose(
            f"{p}->state = {self._state()};",
            f"{p}->hours++;",
            f"{p}->hours = {self._choose('0', '2', 'k', 'flag[k]', '-1')};",
            f"{p}->tag = {p}->tag + {self._choose('1', '2')};",
            "flag[k] = !flag[k];",
            f"flag[k] = {self._choose('2', 'k > 1', 'flag[0]', 'r[k].state')};",
            f"flag[{self.size} - 1 - k]++;",
        )
        return f"if ({self._condition(p)}) {{ {change} {self._choose('', f'{p}->state = {self._state()};')} }}\n"

    def _sum(self) -> str:
        summand = self._choose("flag[i]", "r[i].hours", "r[i].tag", "(flag[i] == 1)")
        return (
            f"total = {self._choose('0', '1')}; for (i = 0; i < {self.size}; i++) total += {summand};\n"
            f"if (total {self._choose('<', '>')} {self._choose('0', '1', self.size, '2 * ' + self.size)}) rounds++;\n"
        )

    def _check(self) -> str:
        limit = self._choose("0", "1", "2", "3", "6", "30", "rounds")
        return self._choose(
            f"if (p->hours > {limit}) return 1;\n",
            f"if (p->hours < {self._choose('0', '-1')}) return 2;\n",
            f"if (p->tag > {limit}) return 3;\n",
            f"if (p->state == {self._state()} && p->hours > {limit}) return 4;\n",
            "if (p->state > DONE) return 5;\n",
            f"if (flag[0] > {limit}) return 6;\n",
        )
