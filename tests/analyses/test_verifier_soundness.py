"""No goal that some execution reaches is ever proven unreachable: random programs, verified and executed."""

from __future__ import annotations

from pathlib import Path
from random import Random
from time import monotonic

import pytest

from gia.automaton.status import goal_status
from gia.cfa.impossible import never_taken
from gia.cfa.types import DataModel
from gia.checker import certify
from gia.frontend import load
from gia.native import Limits, Missing, Runner, compile_instrumented
from gia.verdict import GoalStatus
from tests.checker.programs import HEADER, branches, verify

DECLARATIONS = "int g0, g1 = 4, g2 = 3; int arr[4]; struct r { int a; short b; };\n"


class ProgramWriter:
    """Writes programs with loops, calls, recursion, pointers into variables, arrays and structs; accesses are valid."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.loops = 0
        self.counters: list[str] = []
        self.callees: list[str] = []

    def program(self) -> str:
        recursive = ["f1"] if self.random.random() < 0.2 else []
        inner = self._function("static int f1(int x, int *p)", "loc = x, y = 1", recursive, "return y;")
        outer = self._function("static int f2(int x, int *p)", "loc = x, y = 1", ["f1"], "return loc;")
        declared = "loc = 3, x = __VERIFIER_nondet_int(), y = 0; int *p = &loc"
        main = self._function("int main(void)", declared, ["f1", "f2"], "return 0;")
        return HEADER + DECLARATIONS + inner + outer + main

    def _function(self, head: str, declared: str, callees: list[str], last: str) -> str:
        self.callees = callees
        body = "\n  ".join(self._statement(3) for _ in range(self.random.randrange(3, 6)))
        return f"{head} {{\n  int {declared}; struct r rec = {{ 1, 2 }};\n  {body}\n  {last}\n}}\n"

    def _value(self, depth: int) -> str:
        choice = self.random.randrange(10)
        if depth == 0 or choice < 4:
            constants = ["0", "1", "2", "3", "7", "10", "-1", "100", "2147483647"]
            variables = ["g0", "g1", "g2", "loc", "x", "y", "*p", "arr[1]", "rec.a", "rec.b", *self.counters]
            return self.random.choice(variables if self.random.random() < 0.7 else constants)
        if choice < 8:
            operator = self.random.choice(["+", "-", "*", "&", "|", "^"])
            return f"({self._value(depth - 1)} {operator} {self._value(depth - 1)})"
        if choice == 8:
            return f"arr[{self._value(depth - 1)} & 3]"
        return f"({self._condition(1)} ? {self._value(depth - 1)} : {self._value(depth - 1)})"

    def _condition(self, depth: int) -> str:
        choice = self.random.randrange(7)
        if choice == 6:
            return self.random.choice("01")
        if choice == 0 and depth:
            return f"({self._condition(depth - 1)} {self.random.choice(['&&', '||'])} {self._condition(depth - 1)})"
        if choice == 1:
            return "__VERIFIER_nondet_int()"
        return f"{self._value(1)} {self.random.choice(['<', '<=', '>', '>=', '==', '!='])} {self._value(1)}"

    def _target(self) -> str:
        element = f"arr[{self._value(1)} & 3]"
        return self.random.choice(["g0", "g1", "g2", "loc", "x", "y", "*p", "rec.a", "rec.b", element])

    def _block(self, depth: int) -> str:
        return " ".join(self._statement(depth) for _ in range(self.random.randrange(1, 3)))

    def _statement(self, depth: int) -> str:
        choice = self.random.randrange(17)
        if depth == 0 or choice < 6:
            return f"{self._target()} {self.random.choice(['=', '+=', '-='])} {self._value(2)};"
        if choice == 6:
            return f"{self._target()} = __VERIFIER_nondet_int();"
        if choice == 7:
            return f"p = &{self.random.choice(['g0', 'g1', 'arr[1]', 'loc', 'rec.a'])};"
        if choice < 11:
            return f"if ({self._condition(2)}) {{ {self._block(depth - 1)} }} else {{ {self._block(depth - 1)} }}"
        if choice < 13:
            return self._counting_loop(depth)
        if choice == 13:
            return f"while ({self._condition(1)}) {{ {self._block(depth - 1)} if (__VERIFIER_nondet_int()) break; }}"
        if choice == 14 and self.callees:
            return f"y = {self.random.choice(self.callees)}({self._value(1)}, &{self.random.choice(['g0', 'loc'])});"
        if choice == 15:
            leave = self.random.choice(["break", "continue"])
            return (
                f"do {{ {self._block(depth - 1)} if ({self._condition(1)}) {leave}; {self._statement(0)} }} while (0);"
            )
        cases = f"case 0: {self._statement(depth - 1)} break; case 1: {self._statement(depth - 1)}"
        return f"switch ({self._value(1)}) {{ {cases} default: {self._statement(depth - 1)} }}"

    def _counting_loop(self, depth: int) -> str:
        counter = f"i{self.loops}"
        self.loops += 1
        self.counters.append(counter)
        body = self._block(depth - 1)
        leave = self.random.choice(["", f"if ({self._condition(1)}) break;", f"if ({self._condition(1)}) continue;"])
        self.counters.remove(counter)
        limit = self.random.choice(["4", "10", "g2", "loc"])
        return f"for (int {counter} = 0; {counter} < {limit}; {counter}++) {{ {body} {leave} }}"


@pytest.mark.parametrize("seed", range(6))
def test_what_is_proven_is_never_reached(seed: int, tmp_path: Path):
    source = tmp_path / "program.c"
    source.write_text(ProgramWriter(seed).program())
    loaded = load(source, data_model=DataModel.LP64)
    goals = branches(loaded)
    covered: set[int] = set()
    program = compile_instrumented(loaded, tmp_path)
    with Runner() as runner:
        for run in range(25):
            execution = runner.run(
                program, seed=run, missing=Missing.RANDOM, limits=Limits(wall=0.1), dictionary=(0, 1, -1, 2, 3, 4, 10)
            )
            covered |= execution.covered_edges
    assert covered.isdisjoint(never_taken(loaded.program))
    found = verify(loaded, goals, tmp_path, seconds=2)
    status = goal_status(loaded.program, found, goals)
    proven = [goal for goal in goals if status[goal.id] is GoalStatus.UNREACHABLE]
    certified = certify(loaded.program, found, goals, deadline=monotonic() + 30).certified
    assert {goal.id for goal in proven} <= certified
    assert not [goal.id for goal in goals if goal.id in certified and goal.edges & covered]
