"""The residual reducer at calls, and where conditions exclude each other: small programs that say the law plainly."""

from pathlib import Path

import pytest

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.cfa.graph import EdgeReference, Program
from gia.frontend.exchange_expressions import parse_expression
from gia.reducer import reduce_program
from tests.reducer.test_residual import traces
from tests.reducer.text_programs import Covering, loaded

HEAD = "int g;\n"

RECURSION = f"""{HEAD}\
int f(int p) {{
int x = 1;
if (p < 1)
f(p + 1);
return p;
}}
int main(void) {{
f(0);
return 0;
}}
"""

UNFOLLOWED = f"""{HEAD}\
int h(void) {{
g = 1;
return 0;
}}
int main(void) {{
h();
g = 2;
return 0;
}}
"""

CONSTANTS = f"""{HEAD}\
int main(void) {{
g = 2;
g = 3;
return 0;
}}
"""


def edge(program: Program, line: int, text: str) -> frozenset[EdgeReference]:
    found = frozenset(e.reference for e in program.edges() if (e.reference.line, e.text) == (line, text))
    assert found
    return found


def assert_kept(program: Program, transitions: list[Transition], kept: frozenset[str] = frozenset()) -> None:
    """No execution is covered, and all stay; the last state is ``ut``."""
    last = max(t.target for t in transitions)
    automaton = Automaton((*[State()] * last, State(None, Acceptance.UT)), tuple(transitions))
    reduced = reduce_program(program, automaton, Acceptance.UT, parse_expression, error_functions=kept)
    covering = Covering(program, automaton)
    original = traces(program)
    assert not any(covering.covers(Acceptance.UT, trace) for trace in original)
    assert traces(reduced.program) == original


@pytest.mark.parametrize("text", ["p == 0", "x == 1"])
def test_a_condition_at_a_recursive_call_is_about_the_callee(text: str, tmp_path: Path) -> None:
    """It holds for the caller's object of that name, not for the callee's."""
    program = loaded(tmp_path, "p.c", RECURSION).program
    call, leave = edge(program, 5, "f(p + 1)"), edge(program, 6, "return p")
    loops = [Transition(0, 0, ANY), Transition(1, 1, ANY)]
    assert_kept(program, [*loops, Transition(0, 1, call, Condition(text, "f")), Transition(1, 2, leave)])


def test_what_an_unfollowed_function_does_moves_the_runs(tmp_path: Path) -> None:
    """After the call comes an edge of the callee, which the automaton does not allow there."""
    program = loaded(tmp_path, "p.c", UNFOLLOWED).program
    call, write = edge(program, 7, "h()"), edge(program, 8, "g = 2")
    assert_kept(program, [Transition(0, 0, ANY), Transition(0, 1, call), Transition(1, 2, write)], frozenset({"h"}))


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_a_value_that_is_one_constant_is_no_other(order: tuple[int, int], tmp_path: Path) -> None:
    program = loaded(tmp_path, "p.c", CONSTANTS).program
    write, again = edge(program, 3, "g = 2"), edge(program, 4, "g = 3")
    right, wrong = order
    yes, no = (Condition(f"g == {value}", "main") for value in (2, 1))
    ways = [Transition(0, right, write, yes), Transition(0, wrong, write, no)]
    assert_kept(program, [*ways, Transition(right, 3, write), Transition(wrong, 3, again)])
