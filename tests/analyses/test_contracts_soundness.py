"""No goal that some execution reaches is proven unreachable behind or inside recursive calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analyses.claims import check_soundness
from tests.analyses.test_verifier_soundness import ProgramWriter
from tests.checker.programs import HEADER

DECLARATIONS = """int g0, g1 = 4, g2 = 3, fuel = 12; int arr[4]; struct r { int a; short b; }; int *shared = &g0;
static int f1(int x, int *p); static int f2(int x, int *p);
"""
ENTRY = "loc = x, y = 1; if (fuel <= 0) return x; fuel--; int z = 0"


class RecursiveWriter(ProgramWriter):
    """Programs with two functions that call themselves and each other, and pointers into the frames of callers."""

    def program(self) -> str:
        leave = ["return y;", "return loc;", "return x + 1;", "*p = x; return y;"]
        both = ["f1", "f2", "f1", "f2"]
        inner = self._function("static int f1(int x, int *p)", ENTRY, both, self.random.choice(leave))
        outer = self._function("static int f2(int x, int *p)", ENTRY, both, self.random.choice(leave))
        declared = "loc = 3, x = __VERIFIER_nondet_int(), y = 0; int *p = &loc"
        main = self._function("int main(void)", declared, ["f1", "f2"], "return 0;")
        return HEADER + DECLARATIONS + inner + outer + main

    def _statement(self, depth: int) -> str:
        choice = self.random.randrange(6)
        if choice == 0 and depth:
            call = f"{self.random.choice(self.callees)}({self._value(1)}, {self._pointer()})"
            return f"y = {call}; if ({self._condition(1)}) {{ {self._statement(depth - 1)} }}"
        if choice == 1 and depth:
            value = self.random.choice(["y", "g0", "*p", "*shared", "loc"])
            kept = self.random.choice(["x", "g1", "loc", "y"])
            call = f"{self.random.choice(self.callees)}({self.random.choice(['x - 1', '5', 'y'])}, {self._pointer()})"
            return f"{kept} = {call}; if ({value} == {self._value(0)}) g2 = 1; else g2 = 2;"
        if choice == 2:
            return f"shared = {self._pointer()};" if self.random.random() < 0.5 else f"*shared = {self._value(1)};"
        return super()._statement(depth)

    def _pointer(self) -> str:
        return self.random.choice(["p", "&loc", "&g0", "&g1", "shared", "&arr[2]"])


CONTEXTS = """
struct c { int n; short k; int *at; struct c *up; int a[3]; };
static struct c shared_context = { 1, 2, &g0, 0, { 0, 1, 2 } };
static int f1(int x, int *p, struct c *c); static int f2(int x, int *p, struct c *c);
static int helper(struct c *c, int v) { struct c other = *c; other.n = v; c->k = other.n == c->n; return c->a[v & 1]; }
"""


class ContextWriter(RecursiveWriter):
    """Programs whose recursive functions share structures of callers, of the first one or others, and static ones."""

    def program(self) -> str:
        both = ["f1", "f2", "f1", "f2"]
        heads = [f"static int f{number}(int x, int *p, struct c *c)" for number in (1, 2)]
        own = f"{ENTRY}; struct c own = {{ x, 3, p, c, {{ 0 }} }}; int unused"
        functions = [
            self._function(head, own, both, self.random.choice(["return y;", "c->n++; return x;"])) for head in heads
        ]
        declared = "loc = 3, x = 2, y = 0; int *p = &loc; struct c own = { 0, 1, 0, 0, { 1 } }, *c = &own; int unused"
        between = self._function("static int between(int *q)", declared, ["f1"], "return own.n + own.k;")
        main = self._function("int main(void)", declared, ["f1", "f2", "f2"], "return between(&loc);")
        return HEADER + DECLARATIONS.splitlines()[0] + CONTEXTS + "".join(functions) + between + main

    def _pointer(self) -> str:
        return f"{super()._pointer()}, {self.random.choice(['c', 'c', 'c', '&own', '&shared_context'])}"

    def _statement(self, depth: int) -> str:
        choice = self.random.randrange(12)
        if choice == 0:
            target = self.random.choice(["c->n", "c->k", "own.n", "c->a[1]", "c->a[x & 1]", "shared_context.n"])
            return f"{target} = {self._value(1)};"
        if choice == 1:
            return f"{self.random.choice(['c->at', 'own.at'])} = {self.random.choice(['&g0', '&g1', '0'])};"
        if choice == 2:
            return f"if (c->at) *c->at = {self._value(1)}; else g2 = 3;"
        if choice == 3:
            tested = self.random.choice(["c->at == 0", "c->up", "own.at", "c->n == 0", "own.k > 1", "c->a[2] == 2"])
            return f"if ({tested}) g1 = 1; else g1 = 2;"
        if choice == 4:
            return f"y = helper({self.random.choice(['c', '&own', '&shared_context'])}, {self._value(0)});"
        if choice == 5:
            return "*c = own;" if self.random.random() < 0.3 else "if (c->up) c = c->up;"
        return super()._statement(depth).replace("&g0);", "&g0, c);").replace("&loc);", "&loc, c);")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("writer", [RecursiveWriter, ContextWriter])
def test_what_is_proven_of_recursive_programs_is_never_reached(
    writer: type[RecursiveWriter], seed: int, tmp_path: Path
):
    check_soundness(writer(seed).program(), tmp_path, ("verifier",), 2, 30)
