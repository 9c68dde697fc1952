"""The C that the text of a program needs at each place to follow the runs of an automaton, as functions and wraps."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gia.cfa.expressions import Variable
from gia.cfa.graph import Program
from gia.cfa.types import IntegerType
from gia.frontend.probes import CallProbe, ConditionProbe, StatementProbe, SwitchProbe
from gia.frontend.weaving import Wrap
from gia.reducer.points import Point, Points

STATE, TAKEN, STOP = "__gia_state", "__gia_taken", "__gia_stop"
"""What the added text calls the monitor state, the value of a condition, and the function that ends a path."""

QUIET = "\n".join(
    f'#pragma GCC diagnostic ignored "-W{name}"'
    for name in ("unused-variable", "unused-but-set-variable", "unused-label", "unused-function")
)
"""What is left of a program need not use all that it declares: compilers are not to warn of that."""

QUIET_BEHIND_STOPS = f'{QUIET}\n#pragma GCC diagnostic ignored "-Wuninitialized"'
"""Behind the end of a path assignments may be gone while uses are not; not every compiler sees that none comes by."""

_RANKS: dict[type, int] = {StatementProbe: 0, SwitchProbe: 1, ConditionProbe: 2}


class Woven:
    """What is to be added: ``functions`` before the text, ``wraps`` in it; how often paths are cut or tested."""

    def __init__(self, program: Program, points: Points) -> None:
        self.functions: list[str] = []
        self.wraps: list[Wrap] = []
        self.cuts = 0
        self.tests = 0
        self._program = program
        self._extents = points.extents

    def add_statement(self, point: StatementProbe, tests: list[str], body: str) -> None:
        """Run ``body`` before a statement; in it, ``test1``, ``test2``, … are the values of ``tests`` there."""
        if body == f"{STOP}();":
            call = body
        else:
            call = f"{self._function('void', [f'int {name}' for name in _named(tests)], body)}({', '.join(tests)});"
        opening, closing = ("", "") if point.is_declaration else ("{ ", " }")
        self._wrap(point, f"{opening}{call} ", closing)

    def add_condition(self, point: ConditionProbe, tests: list[str], outcomes: list[str]) -> None:
        """Run the first of ``outcomes`` when a condition was true, the second when it was false."""
        condition, closing = ("1", "") if point.start == point.end else ("!!(", ")")
        taken = TAKEN if tests else "taken"
        body = _choice(taken, *outcomes) + f" return {taken};"
        parameters = [f"int {name}" for name in _named(tests)] or ["int taken"]
        name = self._function("int", parameters, body)
        if tests:
            self._wrap(point, f"({TAKEN} = {condition}", f"{closing}, {name}({', '.join(tests)}))")
        else:
            self._wrap(point, f"{name}({condition}", f"{closing})")

    def add_switch(self, point: SwitchProbe, tests: list[str], code: Mapping[int, str]) -> None:
        """Run the code of the edge that the value decides for; ``tests`` are over kept results only.

        A constant stays one for the compiler, which leaves out what it does not select.
        """
        pieces: list[str] = []
        for _, edge in point.cases:
            pieces.append(f"if ({self._label(edge, point.type)}) {{ {code.get(edge, '')} }}")
        pieces.append(f"{{ {code.get(point.default, '')} }}")
        made = "".join(f"int {name} = {test}; " for name, test in zip(_named(tests), tests, strict=True))
        name = self._function(str(point.type), [f"{point.type} value"], made + " else ".join(pieces) + " return value;")
        if point.constant is None:
            self._wrap(point, f"{name}(", ")")
        else:
            self._wrap(point, f"({name}(", f"), {point.constant})")

    def _label(self, edge: int, type_: IntegerType) -> str:
        """Whether a value of a type matches a label, as C."""
        first, _, last = self._program.edge_list[edge].reference.branch.removeprefix("case ").partition(" ... ")
        if not re.fullmatch(r"-?\d+", first):
            return "!value"  # the left side of ?: is 0
        bounds = [f"({type_}){_literal(int(bound))}" for bound in (first, last or first)]
        return f"value == {bounds[0]}" if not last else f"value >= {bounds[0]} && value <= {bounds[1]}"

    def _function(self, result: str, parameters: list[str], body: str) -> str:
        """A new function; its name."""
        name = f"__gia_{len(self.functions) + 1}"
        self.functions.append(f"static {result} {name}({', '.join(parameters) or 'void'}) {{ {body} }}")
        return name

    def keep_result(self, probe: CallProbe, variable: Variable) -> None:
        """Keep what an input returns."""
        self.functions.insert(0, f"static {variable.type} {variable.name};")
        self.wraps.append(Wrap(*self._extents[probe.number], 3, f"({variable.name} = ", ")"))

    def _wrap(self, point: Point, before: str, after: str) -> None:
        self.wraps.append(Wrap(*self._extents[point.number], _RANKS[type(point)], before, after))


def _named(tests: list[str]) -> list[str]:
    return [f"test{number}" for number in range(1, len(tests) + 1)]


def _choice(test: str, then: str, other: str) -> str:
    if then == other:
        return then
    if not then:
        return f"if (!{test}) {{ {other} }}"
    return f"if ({test}) {{ {then} }}" + (f" else {{ {other} }}" if other else "")


def _literal(value: int) -> str:
    """A constant that a conversion can follow."""
    if value == -(1 << 63):
        return "(-9223372036854775807LL - 1)"
    return f"({value}LL)" if value < 1 << 63 else f"{value}ULL"
