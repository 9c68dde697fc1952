"""Conditions that the text cannot test where they stand: they wait for the next place, if nothing changes them.

In each program some condition changes between the two: who carries it on too far, or forgets one of two ways that meet,
cuts an execution that is needed.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.cfa.graph import EdgeReference
from gia.frontend import LoadedProgram
from gia.frontend.exchange_expressions import parse_expression
from gia.reducer.text import reduce_text
from tests.reducer.test_text_strategies import assert_needed_stay
from tests.reducer.text_programs import Covering, Execution, executions, loaded

UT, CAND = Acceptance.UT, Acceptance.CAND
LENGTH = 20


@dataclass(frozen=True)
class Place:
    """The edge with a text on a line, and what is assumed on it."""

    line: int
    text: str
    assumption: Condition | None = None


def way(original: LoadedProgram, kind: Acceptance, places: tuple[Place, ...]) -> Automaton:
    """The automaton that accepts where the places have been passed in this order, whatever comes between them."""
    transitions = []
    for number, place in enumerate(places):
        found = (
            e.reference for e in original.program.edges() if (e.reference.line, e.text) == (place.line, place.text)
        )
        edges = frozenset(found)
        assert edges
        transitions += [Transition(number, number, ANY), Transition(number, number + 1, edges, place.assumption)]
    transitions.append(Transition(len(places), len(places), ANY))
    return Automaton((*[State()] * len(places), State(None, kind)), tuple(transitions))


def runs_of(program: LoadedProgram, text: str) -> list[Execution]:
    return list(executions(program.program, text, LENGTH))


HEAD = "extern int __VERIFIER_nondet_int(void);\nint g;\n"

RETURN = f"""{HEAD}\
int f(int p) {{
int x = 0;
if (p < 1) {{
x = 1;
f(p + 1);
g = 2;
}}
return g = 0, x;
}}
int main(void) {{
return f(0);
}}
"""

CALL = f"""{HEAD}\
int f(int p) {{
g = 2;
if (p < 1)
p = 3, g = 0, f(1);
return p;
}}
int main(void) {{
return f(0);
}}
"""

STORED = f"""{HEAD}\
int f(int p) {{
int x = 0;
return x = 5, 1;
}}
int main(void) {{
g = f(0);
g = 2;
return 0;
}}
"""

DECLARED = f"""\
#define AGAIN(a) g = 0; int a;
{HEAD}\
int main(void) {{
int n = 0;
again:
AGAIN(x)
g = 2;
x = 1;
n = n + 1;
if (n < 2)
goto again;
return 0;
}}
"""

INPUT_TWICE = f"""\
#define AND_RETURN 0; return
{HEAD}\
int f(int p) {{
g = AND_RETURN __VERIFIER_nondet_int();
}}
int main(void) {{
g = f(0) + f(0);
g = 5;
return g;
}}
"""

TWO_WAYS = f"""\
#define HIDDEN(v) if (v > 0) v = 0; else {{ v = 1; }}
{HEAD}\
int main(void) {{
g = __VERIFIER_nondet_int();
HIDDEN(g)
g = 5;
g = 6;
return g;
}}
"""


ARGUMENT = f"""{HEAD}\
int f(int p) {{
g = 5;
g = 6;
return g;
}}
int main(void) {{
g = __VERIFIER_nondet_int();
f(g);
return g;
}}
"""

INPUT = "$t1 = __VERIFIER_nondet_int()"
ONE = Condition("\\result == 1", "f")


@pytest.mark.parametrize("prune", [False, True], ids=["monitor", "prune"])
@pytest.mark.parametrize(
    ("text", "kind", "places"),
    [
        (RETURN, UT, (Place(10, "g = 0", Condition("x == 1", "f")), Place(8, "g = 2"))),
        (CALL, CAND, (Place(6, "g = 0", Condition("p == 3", "f")), Place(4, "g = 2"))),
        (STORED, UT, (Place(5, "x = 5", Condition("g == 1", "main")), Place(9, "g = 2"))),
        (DECLARED, UT, (Place(7, "g = 0", Condition("n == 1 && x == 0", "main")), Place(8, "g = 2"))),
        (INPUT_TWICE, CAND, (Place(5, INPUT, ONE), Place(5, INPUT), Place(9, "g = 5"))),
        (TWO_WAYS, UT, (Place(6, "!(g > 0)"), Place(7, "g = 5"))),
        (TWO_WAYS, CAND, (Place(6, "!(g > 0)"), Place(7, "g = 5"))),
        (TWO_WAYS, CAND, (Place(6, "g > 0"), Place(7, "g = 5"))),
    ],
    ids=[
        "a return leads to another frame",
        "a call leads to another frame",
        "what a call yields is stored",
        "a declaration makes a new object",
        "an input is read again",
        "excluded on one of two ways",
        "a candidate on one of two ways",
        "a candidate on the other way",
    ],
)
def test_what_changes_or_is_so_on_one_way_only_is_not_relied_on(
    text: str, kind: Acceptance, places: tuple[Place, ...], prune: bool, tmp_path: Path
) -> None:
    original = loaded(tmp_path, "p.c", text)
    automaton = way(original, kind, places)
    runs = runs_of(original, text)
    passing = Covering(original.program, way(original, kind, (Place(places[-1].line, places[-1].text),)))
    covering = Covering(original.program, automaton)
    assert any(passing.covers(kind, run.moments) and covering.is_needed(UT, run.moments) for run in runs)
    reduced = reduce_text(original, automaton, UT, parse_expression, prune=prune)
    left = {run.shown for run in runs_of(loaded(tmp_path, "r.c", reduced.text), text)}
    assert left <= {run.shown for run in runs}
    assert_needed_stay(original, automaton, UT, runs, left)


def test_an_argument_is_tested_where_the_callee_begins(tmp_path: Path) -> None:
    """The parameter is that of the callee, so that exactly the calls on which the condition holds are cut."""
    original = loaded(tmp_path, "p.c", ARGUMENT)
    automaton = way(original, UT, (Place(10, "f(g)", Condition("p == 1", "f")), Place(4, "g = 5")))
    reduced = reduce_text(original, automaton, UT, parse_expression)
    left = {run.shown for run in runs_of(loaded(tmp_path, "r.c", reduced.text), ARGUMENT)}
    covering = Covering(original.program, automaton)
    gone = set()
    for run in runs_of(original, ARGUMENT):
        beyond = covering.covers(UT, run.moments[:-1])
        assert (run.shown in left) != beyond
        gone |= {run.shown} if beyond else set()
    assert gone


LEAVING = f"""{HEAD}\
int f(int p) {{
g = 1;
g = 2;
return p;
}}
int main(void) {{
if (__VERIFIER_nondet_int()) {{
g = 7;
g = 8;
}}
f(0);
g = 3;
g = 4;
return 0;
}}
"""


@pytest.mark.parametrize("prune", [False, True], ids=["monitor", "prune"])
def test_where_no_run_is_left_all_that_follows_stays_also_behind_returns(prune: bool, tmp_path: Path) -> None:
    original = loaded(tmp_path, "p.c", LEAVING)

    def on(*texts: str) -> frozenset[EdgeReference]:
        return frozenset(e.reference for e in original.program.edges() if e.text in texts)

    decision = frozenset(e.reference for e in original.program.edges() if e.reference.line == 9)
    ways = [Transition(0, 0, decision), Transition(0, 1, on("f(0)")), Transition(1, 2, on("g = 2"))]
    automaton = Automaton((State(), State(), State(None, UT)), (*ways, Transition(0, 2, on("g = 7"))))
    reduced = reduce_text(original, automaton, UT, parse_expression, prune=prune)
    runs = runs_of(original, LEAVING)
    left = {run.shown for run in runs_of(loaded(tmp_path, "r.c", reduced.text), LEAVING)}
    assert left < {run.shown for run in runs}
    assert_needed_stay(original, automaton, UT, runs, left)
