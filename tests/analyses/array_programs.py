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
