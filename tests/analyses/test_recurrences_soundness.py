"""No value that a recursive function returns is proven not to be returned: random recurrences with several calls."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.analyses.claims import check_soundness
from tests.checker.programs import HEADER


class Recurrence:
    """A function of one number that calls itself at smaller ones, as C and as Python."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.base = self.random.randrange(1, 3)
        self.calls = [(self.random.choice([1, 1, 2, -1, 3]), self.random.randrange(1, 4)) for _ in range(2)]
        self.calls += [(1, self.random.randrange(1, 4))] * self.random.randrange(2)
        self.added = self.random.randrange(-2, 3)

    def value(self, number: int) -> int:
        """What the function returns."""
        if number <= self.base:
            return number
        return self.added + sum(factor * self.value(number - less) for factor, less in self.calls)

    def program(self) -> str:
        """Compares the result for one argument with the right value, with wrong ones, and with any input."""
        argument = self.random.randrange(5, 10)
        right = self.value(argument)
        called = " + ".join(f"{factor} * f(n - {less})" for factor, less in self.calls)
        tests = [f"if (f({argument}) == {value}) x = {value};" for value in (right, right + 1)]
        tests.append(f"if (x < {argument + 1} && f(x) == {right}) x = 0;")
        body = "\n  ".join(tests)
        return HEADER + (
            f"static int f(int n) {{\n  if (n <= {self.base}) return n;\n  return {called} + {self.added};\n}}\n"
            f"int main(void) {{\n  int x = __VERIFIER_nondet_int();\n  {body}\n  return 0;\n}}\n"
        )


@pytest.mark.parametrize("seed", range(8))
def test_what_a_recurrence_yields_is_not_excluded(seed: int, tmp_path: Path):
    check_soundness(Recurrence(seed).program(), tmp_path, ("verifier",), 2, 30)
