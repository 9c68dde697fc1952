"""Executed tests become GIAs, and the tests are read off them again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.automaton.union import union
from gia.automaton.wellformed import violations
from gia.cfa.goals import Criterion, Goal, goals_of
from gia.cfa.graph import Program
from gia.cfa.operations import Assume, Input
from gia.cfa.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    INT128,
    LONG_DOUBLE,
    LONG_LONG,
    SHORT,
    UNSIGNED_INT,
    UNSIGNED_LONG_LONG,
    VOID,
    CType,
    DataModel,
    FloatType,
    IntegerType,
    PointerType,
    long_type,
)
from gia.combiner.combine import combine
from gia.exchange.gia_xml import gia_bytes, read_gia
from gia.exchange.suites import tests_gia
from gia.exchange.suites.input_assumptions import constant_of, equation
from gia.exchange.suites.reading_tests import tests_of
from gia.exchange.suites.tests_gia import test_to_gia
from gia.frontend import LoadedProgram, load
from gia.frontend.exchange_expressions import parse_expression
from gia.native import InputValue, InstrumentedProgram, Missing, Runner, Tracing, compile_instrumented

SOURCE = r"""
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);
void reach_error(void) { }
int twice(int y) { if (y > 100) return 0; return 2 * y; }
int never_called(int y) { __VERIFIER_assume(y < 50); return y > 3 && y < 9; }
int main(void)
{
    int n = __VERIFIER_nondet_int(), sum = 0;
    __VERIFIER_assume(n != 77);
    for (int i = 0; i < n && i < 20; i++) {
        int x = __VERIFIER_nondet_int();
        if (x > 5)
            sum += twice(x);
        else
            sum--;
        switch (__VERIFIER_nondet_char()) { case 'a': sum++; break; case 'b': sum += 10; }
    }
    if (__VERIFIER_nondet_double() > 0.5 && sum == 13)
        reach_error();
    return 0;
}
"""


class Setting:
    """A program, its goals and the means to run it."""

    def __init__(self, folder: Path, runner: Runner) -> None:
        path = folder / "p.c"
        path.write_text(SOURCE)
        self.loaded: LoadedProgram = load(path, data_model=DataModel.ILP32)
        self.program: Program = self.loaded.program
        self.goals: tuple[Goal, ...] = goals_of(self.program, Criterion.BRANCHES)
        self.error = goals_of(self.program, Criterion.ERROR_CALL)
        self.binary: InstrumentedProgram = compile_instrumented(self.loaded, folder)
        self.runner = runner

    def gia(self, *literals: str, goals: tuple[Goal, ...] | None = None) -> Automaton:
        execution = self.runner.run(self.binary, literals)
        return test_to_gia(self.program, execution, self.goals if goals is None else goals)


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Setting]:
    with Runner() as runner:
        yield Setting(tmp_path_factory.mktemp("p"), runner)


def literals(automaton: Automaton, program: Program) -> list[list[str]]:
    return [[value.literal for value in test.inputs] for test in tests_of(automaton, program)]


TEST = ("1", "7", "'b'", "0.25")


def test_the_compact_form(setting: Setting) -> None:
    automaton = setting.gia(*TEST)
    assert violations(automaton) == ()
    assert len(automaton.states) == 6  # one before each input, one after the last, one for the goals
    edges = setting.program.by_reference
    texts = []
    for transition in automaton.transitions:
        if transition.edges is not ANY and any(isinstance(edges[e].operation, Input) for e in transition.edges):
            assert transition.target == transition.source + 1
            texts.append(transition.assumption and transition.assumption.text)
        elif transition.target != 5 and transition.edges is not ANY and transition.assumption is None:
            assert transition.edges is setting.program.unconditional and transition.source == transition.target
        elif transition.target != transition.source:
            assert automaton.states[transition.target].accept is Acceptance.RT
        elif transition.edges is not ANY:
            (edge,) = transition.edges
            assert isinstance(edges[edge].operation, Assume) and transition.assumption is not None
            assert transition.assumption.scope == edge.function
    assert texts == [r"\result == 1", r"\result == 7", r"\result == 98", r"\result == 0.25"]


def test_conditions_without_probes_are_on_the_path_too(setting: Setting) -> None:
    automaton = setting.gia(*TEST)
    conditions = {t.assumption.text for t in automaton.transitions if t.assumption and t.source == t.target == 1}
    assert {"!(n != 77)", "n != 77"} <= conditions


def test_what_is_never_called_is_not_on_the_path(setting: Setting) -> None:
    never = {edge.reference for edge in setting.program.functions["never_called"].edges}
    assert any(isinstance(edge.operation, Assume) for edge in setting.program.functions["never_called"].edges)
    conditional = (transition for transition in setting.gia(*TEST).transitions if transition.assumption is not None)
    assert all(never.isdisjoint(transition.edges) for transition in conditional if transition.edges is not ANY)


def test_conditions_can_be_parsed_in_their_scope(setting: Setting) -> None:
    for transition in setting.gia(*TEST).transitions:
        if transition.assumption is not None and r"\result" not in transition.assumption.text:
            parse_expression(transition.assumption.text, transition.assumption.scope, setting.program)


def test_goals_are_those_that_were_reached(setting: Setting) -> None:
    execution = setting.runner.run(setting.binary, TEST)
    (test,) = tests_of(setting.gia(*TEST), setting.program)
    assert test.inputs == execution.inputs
    reached = {goal.id for goal in setting.goals if goal.edges & execution.covered_edges}
    by_edge = {setting.program.edge_list[n].reference: goal.id for goal in setting.goals for n in goal.edges}
    assert {by_edge[edge] for edge in test.goals} == reached
    assert len(reached) == 6


def test_inputs_after_the_last_goal_are_left_out(setting: Setting) -> None:
    automaton = setting.gia("2", "7", "'b'", "7", "'b'", "0.25", goals=setting.goals[:2])
    assert [len(test.inputs) for test in tests_of(automaton, setting.program)] == [2]


def test_an_error_call_is_a_goal(setting: Setting) -> None:
    automaton = setting.gia("1", "6", "'a'", "0.75", goals=setting.error)
    assert literals(automaton, setting.program) == [["1", "6", "97", "0.75"]]
    (transition,) = (t for t in automaton.transitions if t.target == 5 and t.source != 5)
    assert transition.assumption is None and {e.kind for e in transition.edges or ()} == {"call"}


def test_a_run_that_reaches_nothing(setting: Setting) -> None:
    automaton = setting.gia("0", goals=())
    assert violations(automaton) == ()
    assert automaton.accepting(Acceptance.RT) == frozenset()
    assert tests_of(automaton, setting.program) == ()


def test_full_and_segmented_traces_give_the_same(setting: Setting) -> None:
    full = setting.runner.run(setting.binary, TEST, tracing=Tracing.FULL)
    assert test_to_gia(setting.program, full, setting.goals) == setting.gia(*TEST)


RUNS = st.lists(st.lists(st.sampled_from(["0", "1", "2", "7", "97", "98", "0.75"]), min_size=1, max_size=7), max_size=5)


@settings(max_examples=40, deadline=None)
@given(RUNS)
def test_several_tests_are_read_back(setting: Setting, runs: list[list[str]]) -> None:
    automata = [setting.gia(*run) for run in runs]
    single = [test for automaton in automata for test in tests_of(automaton, setting.program)]
    found = tests_of(union(automata), setting.program)
    inputs = {test.inputs for test in single}
    maximal = {a for a in inputs if not any(b[: len(a)] == a and b != a for b in inputs)}
    assert {test.inputs for test in found} == maximal and len(found) == len(maximal)
    for test in found:
        expected = {
            edge for other in single if test.inputs[: len(other.inputs)] == other.inputs for edge in other.goals
        }
        assert set(test.goals) == expected


@settings(max_examples=60, deadline=None)
@given(RUNS.map(lambda runs: [[*run, *(["0"] * 30 * (len(run) % 2))] for run in runs]), st.booleans())
def test_zeros_at_the_end_are_one_state(setting: Setting, runs: list[list[str]], in_file: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tests_gia, "LONG_TAIL", 3)
        automata = [setting.gia(*run) for run in runs]
    for automaton, run in zip(automata, runs, strict=True):
        assert violations(automaton) == ()
        assert len(automaton.states) <= len(run) + 2
    promised = {edge for automaton in automata for test in tests_of(automaton, setting.program) for edge in test.goals}
    together = union(automata)
    found = tests_of(read_gia(gia_bytes(together)) if in_file else together, setting.program)
    assert {edge for test in found for edge in test.goals} == promised
    for test in found:
        missing = Missing.ZERO if test.then_zeros else Missing.STOP
        execution = setting.runner.run(setting.binary, [value.literal for value in test.inputs], missing=missing)
        covered = {setting.program.edge_list[number].reference for number in execution.covered_edges}
        assert covered.issuperset(test.goals)


def test_a_long_tail_is_short(setting: Setting) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tests_gia, "LONG_TAIL", 3)
        automaton = setting.gia("9", "7", *["0"] * 20)
    assert len(automaton.states) == 4  # before each of two inputs, for the zeros, and for the goals
    (test,) = tests_of(automaton, setting.program)
    assert test.then_zeros and test.case.then_zeros
    assert [value.literal for value in test.inputs] == ["9", "7"]
    assert len(test.goals) == len(tests_of(setting.gia("9", "7", *["0"] * 20), setting.program)[0].goals)


def test_zeros_of_several_kinds_are_one_test(setting: Setting) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tests_gia, "LONG_TAIL", 3)
        runs = (["20", *["0"] * 41], ["20", *["0"] * 30, "7", *["0"] * 10], ["20", *["0"] * 32, "7", *["0"] * 8])
        together = union([setting.gia(*run) for run in runs])
    found = tests_of(together, setting.program)
    assert sorted(len(test.inputs) for test in found) == [1, 32, 34]
    assert {test.inputs[-1].literal for test in found} == {"20", "7"}
    assert all(test.then_zeros for test in found)


def test_after_combination_and_a_file(setting: Setting) -> None:
    runs = [TEST, ("0", "0.75"), ("1", "7", "'a'", "0.25"), ("2", "200", "'x'", "0")]
    combined = combine([setting.gia(*run) for run in runs])
    expected = sorted(literals(union([setting.gia(*run) for run in runs]), setting.program))
    assert sorted(literals(combined, setting.program)) == expected
    assert sorted(literals(read_gia(gia_bytes(combined)), setting.program)) == expected


def test_foreign_automata(setting: Setting) -> None:
    inputs = [edge.reference for edge in setting.program.edge_list if isinstance(edge.operation, Input)]
    goal = frozenset(setting.program.edge_list[n].reference for n in setting.goals[0].edges)
    first, second = frozenset(inputs[:1]), frozenset(inputs[1:2])
    rt = State(accept=Acceptance.RT)
    automaton = Automaton(
        (State(), State(), State(), rt, State(accept=Acceptance.UT)),
        (
            Transition(0, 1, first, Condition(r"(x > 3) && (\result == (int)5)", "main")),
            Transition(0, 2, first),
            Transition(1, 0, ANY),
            Transition(1, 1, second, Condition(r"7 == \result", "main")),
            Transition(1, 3, goal),
            Transition(2, 3, second, Condition(r"\result == 'x'", "main")),
            Transition(2, 4, ANY),
            Transition(3, 3, ANY),
        ),
    )
    assert literals(automaton, setting.program) == [["5", "0", "120"], ["0", "120"]]


def test_degenerate_automata(setting: Setting) -> None:
    loop = Transition(0, 0, ANY)
    assert tests_of(Automaton((State(accept=Acceptance.CAND),), (loop,)), setting.program) == ()
    (test,) = tests_of(Automaton((State(accept=Acceptance.RT),), (loop,)), setting.program)
    assert (test.inputs, test.goals) == ((), ())
    assert test.case.inputs == ()


def test_a_long_test_needs_no_deep_stack(setting: Setting) -> None:
    edge = frozenset([next(e.reference for e in setting.program.edge_list if isinstance(e.operation, Input))])
    chain = [Transition(i, i + 1, edge, Condition(rf"\result == {i}", "main")) for i in range(5000)]
    states = (*(State() for _ in range(5000)), State(accept=Acceptance.RT))
    (test,) = tests_of(Automaton(states, tuple(chain)), setting.program)
    assert [value.bits for value in test.inputs] == list(range(5000))


SCALARS: list[CType] = [
    *(BOOL, CHAR, SHORT, INT, UNSIGNED_INT, LONG_LONG, UNSIGNED_LONG_LONG, INT128, long_type(DataModel.LP64)),
    *(FLOAT, DOUBLE, LONG_DOUBLE, PointerType(VOID)),
]


@given(st.data(), st.sampled_from(SCALARS))
def test_assumptions_fix_the_value(data: st.DataObject, type_: CType) -> None:
    match type_:
        case IntegerType(is_bool=True):
            bits = data.draw(st.integers(0, 1))
        case IntegerType(width=width) | FloatType(width=(32 | 64) as width):
            bits = data.draw(st.integers(0, (1 << width) - 1))
        case FloatType():
            bits = data.draw(st.integers(1, 0x7FFF)) << 64 | 1 << 63 | data.draw(st.integers(0, (1 << 63) - 1))
        case _:
            bits = data.draw(st.integers(0, (1 << 64) - 1))
    read = constant_of(equation(InputValue("f", type_, bits)), type_)
    if isinstance(type_, FloatType) and "nan" in InputValue("f", type_, bits).literal:
        assert read is not None and InputValue("f", type_, read).literal == "nan"
    else:
        assert read == bits


@pytest.mark.parametrize("text", ["inf", "-inf", "nan"])
@pytest.mark.parametrize("type_", [FLOAT, DOUBLE, LONG_DOUBLE])
def test_special_floats(text: str, type_: FloatType) -> None:
    from gia.native import parse_literal

    bits = parse_literal(text).bits(type_)
    assert constant_of(equation(InputValue("f", type_, bits)), type_) == bits


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"\result == 5", 5),
        (r"( ( \result ) == ( 5 ) )", 5),
        (r"-5 == \result", 2**32 - 5),
        (r"(unsigned int)\result == 0x10U", 16),
        (r"x == 3 && \result == 4 && y", 4),
        (r"(x == 3 && (\result == 4))", 4),
        (r"c == ')' && \result == 4", 4),
        (r"\result == '('", 40),
        (r"\result == 5 || y", None),
        (r"!(\result == 5)", None),
        (r"\result == y", None),
        (r"\result > 5", None),
        (r"x ? \result == 5 : 1", None),
        ("", None),
        ("((", None),
    ],
)
def test_what_an_assumption_fixes(text: str, value: int | None) -> None:
    assert constant_of(text, INT) == value
