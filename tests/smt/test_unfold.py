"""The unfolding: goals and their inputs, bounds, merging, stops, and what the encoder does where C is undefined."""

from collections.abc import Sequence
from time import monotonic

import pytest

from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Assume
from gia.cfa.supergraph import Node, Supergraph
from gia.cfa.types import DataModel
from gia.smt.encoding.encoder import Encoder, Mode
from gia.smt.encoding.state import InputBits, inputs_under
from gia.smt.encoding.unfold import Unfolding, unfold
from gia.smt.solvers import make_solver
from gia.smt.solvers.solver import Result
from gia.smt.terms import Term, negation
from gia.verdict import StopKind
from tests.smt.native import load_text


def edge(program: Program, text: str) -> Edge:
    (found,) = [candidate for candidate in program.edge_list if candidate.text == text]
    return found


def unfolded(
    text: str, *, bound: int = 10, mode: Mode = Mode.OVER, recursion: int = 0
) -> tuple[Program, Encoder, Unfolding]:
    program = load_text(text, DataModel.LP64)
    encoder = Encoder(program, mode)
    watch = frozenset(found.number for found in program.edge_list)
    return program, encoder, unfold(Supergraph(program, recursion), encoder, bound=bound, watch=watch)


def solve(unfolding: Unfolding, target: Edge) -> list[InputBits] | None:
    """Inputs that take an edge, ``None`` if none does."""
    solver = make_solver()
    for guard, state in unfolding.reached.get(target.number, []):
        if solver.check([guard], 10.0) is Result.SAT:
            return inputs_under(state, solver.value)
    return None


def values(inputs: Sequence[InputBits] | None) -> list[tuple[str, int]]:
    assert inputs is not None
    return [(found.function.removeprefix("__VERIFIER_nondet_"), found.bits) for found in inputs]


def test_inputs_come_in_the_order_of_the_path() -> None:
    program, _, unfolding = unfolded(
        """
        int main(void) {
            int a = __VERIFIER_nondet_int(), goal = 0;
            char c = 0;
            if (a > 100) c = __VERIFIER_nondet_char(); else a += __VERIFIER_nondet_short();
            unsigned u = __VERIFIER_nondet_uint();
            if (a == 107 && c == 'q' && u == 5) goal = 1;
            if (a == 80 && c == 0 && u == 6) goal = 2;
            return goal;
        }"""
    )
    assert values(solve(unfolding, edge(program, "goal = 1"))) == [("int", 107), ("char", ord("q")), ("uint", 5)]
    short = values(solve(unfolding, edge(program, "goal = 2")))
    assert [name for name, _ in short] == ["int", "short", "uint"]
    assert (short[0][1] + short[1][1]) % (1 << 16) == 80
    assert not unfolding.beyond
    assert unfolding.stop_reason is StopKind.EXHAUSTED


LOOP = """
int main(void) {
    int n = __VERIFIER_nondet_int(), sum = 0, hit = 0;
    for (int i = 0; i < n; i++) sum += __VERIFIER_nondet_int() & 1;
    if (sum == 4) hit = 1;
    return hit;
}"""


@pytest.mark.parametrize(("bound", "found"), [(3, False), (4, True)])
def test_the_bound_counts_iterations(bound: int, found: bool) -> None:
    program, _, unfolding = unfolded(LOOP, bound=bound)
    inputs = solve(unfolding, edge(program, "hit = 1"))
    assert (inputs is not None) is found
    assert len(unfolding.beyond) == 1
    if inputs is not None:
        assert inputs[0].bits == 4
        assert [read.bits & 1 for read in inputs[1:]] == [1, 1, 1, 1]


def test_iterations_that_cannot_leave_are_free() -> None:
    program, _, unfolding = unfolded(
        """
        int table[300];
        int main(void) {
            int done = 0;
            for (int i = 0; i < 300; i++) table[i] = i * i;
            unsigned k = __VERIFIER_nondet_uint();
            if (k < 300 && table[k] == 17 * 17) done = 1;
            return done;
        }""",
        bound=1,
    )
    assert not unfolding.beyond
    assert values(solve(unfolding, edge(program, "done = 1"))) == [("uint", 17)]


def test_merged_paths_stay_few() -> None:
    """Two to the power of 40 paths."""
    choices = "\n".join(f"if (__VERIFIER_nondet_int() > {place}) sum += {place};" for place in range(40))
    program, _, unfolding = unfolded(f"int main(void) {{ int sum = 0; {choices} if (sum == 3) sum = -1; return sum; }}")
    assert unfolding.edges < 300
    inputs = solve(unfolding, edge(program, "sum = -1"))
    assert inputs is not None
    chosen = [place for place, read in enumerate(inputs) if place < read.bits < 1 << 31]
    assert sum(chosen) == 3


def test_what_is_infeasible_has_no_model() -> None:
    program, _, unfolding = unfolded(
        """
        int main(void) {
            unsigned char c = __VERIFIER_nondet_uchar();
            int dead = 0;
            if (c > 255) dead = 1;
            if ((c & 3) == 3 && c % 2 == 0) dead = 2;
            if (dead != 0 && c == 4) dead = 3;
            return dead;
        }"""
    )
    assert edge(program, "dead = 1").number not in unfolding.reached
    for text in ("dead = 2", "dead = 3"):
        assert solve(unfolding, edge(program, text)) is None


def test_the_edges_that_leave_a_state_exclude_each_other() -> None:
    """Also where the condition reads something unknown."""
    program, _, unfolding = unfolded(
        "int main(void) { int *p = __VERIFIER_nondet_ulong(); if (*p) return 1; return 0; }"
    )
    guards = [
        guard
        for found in program.edge_list
        if isinstance(found.operation, Assume)
        for guard, _ in unfolding.reached[found.number]
    ]
    assert guards[1] is negation(guards[0])


UNDEFINED = """
int main(void) {
    int d = __VERIFIER_nondet_int(), zero = 0, array[4] = {1, 2, 3, 4}, seen = 0;
    int quotient = 7 / d;
    if (d == 0) seen = 1;
    int shifted = 1 << d;
    if (d == 40) seen = 2;
    int element = array[d];
    if (d == 9) seen = 3;
    int uninitialised;
    if (uninitialised == 77) seen = 4;
    return quotient + shifted + element + seen + zero;
}"""


def test_undefined_behaviour_is_anything_or_left_out() -> None:
    program, _, over = unfolded(UNDEFINED)
    for text in ("seen = 1", "seen = 2", "seen = 3", "seen = 4"):
        assert solve(over, edge(program, text)) is not None
    program, _, under = unfolded(UNDEFINED, mode=Mode.UNDER)
    for text in ("seen = 1", "seen = 2", "seen = 3"):
        assert solve(under, edge(program, text)) is None


def test_what_is_not_modelled_is_recorded() -> None:
    _, encoder, unfolding = unfolded(
        """
        int strange(int *p);
        #include <stdlib.h>
        int main(void) { int x = 1, y = 1; wctomb((char *)&x, 65); if (x == 5) y = 2; return y; }"""
    )
    assert any("wctomb" in imprecision.reason for imprecision in encoder.imprecisions)
    assert unfolding.imprecisions == encoder.imprecisions


def test_arbitrary_states_name_their_variables() -> None:
    program = load_text(
        "int g; struct { int a[2]; } s; int f(int p) { int l = p; return l; } int main(void) { return f(g); }",
        DataModel.LP64,
    )
    encoder = Encoder(program)
    call = next(found for found in program.edge_list if found.text.startswith("f(") or "f(g)" in found.text)
    context = (call.number,)
    node = Node(context, program.functions["f"].entry)
    state = encoder.arbitrary_state(node)
    found = {variable.name: encoder.variable_at(state, frame, variable) for variable, frame in encoder.living(context)}
    assert {"g", "s", "p", "l"} <= set(found)
    named = {name: term for name, term in found.items() if isinstance(term, Term)}
    assert len(set(named.values())) == len(named)
    assert named["l"] is encoder.variable_at(encoder.arbitrary_state(node), context, _variable(program, "l"))
    assert found["s"] is None


def _variable(program: Program, name: str):  # type: ignore[no-untyped-def]
    return next(local for function in program.functions.values() for local in function.locals if local.name == name)


def test_a_stop_collects_the_merged_state() -> None:
    program = load_text("int main(void) { int x = __VERIFIER_nondet_int(); if (x) x = 1; return x; }", DataModel.LP64)
    target = edge(program, "return x").source
    unfolding = unfold(Supergraph(program), Encoder(program), stop=lambda node: node.location == target)
    assert unfolding.stopped[Node((), target)].guard.is_true


def test_limits_are_kept() -> None:
    program = load_text(
        "int main(void) { unsigned x = __VERIFIER_nondet_uint(); while (1) { x = x * 3 + 1; if (x == 9) x = 2; } }",
        DataModel.LP64,
    )
    started = monotonic()
    unfolding = unfold(Supergraph(program), Encoder(program), bound=10**9, deadline=started + 0.3)
    assert unfolding.stop_reason is StopKind.TIME
    assert unfolding.beyond
    assert monotonic() - started < 1.0
    unfolding = unfold(Supergraph(program), Encoder(program), bound=10**9, most_nodes=100)
    assert (unfolding.stop_reason, unfolding.nodes) == (StopKind.ROUNDS, 100)


def test_a_function_given_to_the_library_may_change_statics() -> None:
    program, _, unfolding = unfolded(
        """
        #define _GNU_SOURCE
        #include <stdlib.h>
        int counter, seen;
        int compare(const void *a, const void *b, void *c) { counter++; return 0; }
        int main(void) {
            int array[2] = {2, 1};
            qsort_r(array, 2, sizeof(int), compare, 0);
            if (counter == 1) seen = 1;
            return 0;
        }"""
    )
    assert solve(unfolding, edge(program, "seen = 1")) is not None


def test_variable_arguments_are_followed() -> None:
    program, encoder, unfolding = unfolded(
        """
        #include <stdarg.h>
        int __VERIFIER_nondet_int(void);
        static long total(const char *kinds, ...) {
            va_list list, copy;
            long result = 0;
            va_start(list, kinds);
            va_copy(copy, list);
            for (; *kinds; kinds++)
                switch (*kinds) {
                case 'i': result += va_arg(list, int); break;
                case 'l': result += va_arg(list, long); break;
                case 'd': result += (long)va_arg(list, double); break;
                }
            result += va_arg(copy, int);
            va_end(list);
            return result;
        }
        int main(void) {
            int a = __VERIFIER_nondet_int(), found = 0, wrong = 0;
            long sum = total("idil", a, 2.5f, (signed char)-3, 1000000000000L);
            if (sum == 1000000000000L - 1 + 2 * (long)a) found = 1; else wrong = 1;
            if (sum == 1000000000019L) found = 2;
            return found;
        }"""
    )
    inputs = solve(unfolding, edge(program, "found = 2"))
    assert inputs is not None and [found.bits for found in inputs] == [10]
    assert solve(unfolding, edge(program, "wrong = 1")) is None
    assert not encoder.imprecisions
