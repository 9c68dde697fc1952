"""The checker accepts correct proofs, and no change of a proof makes it accept a reachable goal."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.cfa.goals import Goal
from gia.cfa.impossible import never_taken
from gia.cfa.operations import Call
from gia.checker import Outcome, certify
from gia.combiner import combine
from gia.frontend import LoadedProgram
from tests.checker.programs import EXAMPLES, branches, load_text, verify

UNREACHABLE = Automaton((State(), State(None, Acceptance.UT)), (Transition(0, 1, ANY), Transition(1, 1, ANY)))
"""Claims that nothing is ever reached."""


@pytest.fixture(scope="module", params=sorted(EXAMPLES))
def example(request, tmp_path_factory):
    text, unreachable = EXAMPLES[request.param]
    directory = tmp_path_factory.mktemp(request.param)
    loaded = load_text(directory, text)
    goals = branches(loaded)
    assert unreachable <= {goal.id for goal in goals}
    return loaded, goals, unreachable, verify(loaded, goals, directory)


def test_proofs_of_the_verifier_are_certified(example):
    loaded, goals, unreachable, automaton = example
    report = certify(loaded.program, automaton, goals, deadline=monotonic() + 20)
    assert report.certified == unreachable


def test_a_claim_without_evidence_is_not_certified_against_the_truth(example):
    loaded, goals, unreachable, _ = example
    report = certify(loaded.program, UNREACHABLE, goals, deadline=monotonic() + 20)
    assert report.certified <= unreachable


def test_without_time_nothing_is_certified_but_what_no_path_leads_to(example):
    loaded, goals, _, automaton = example
    report = certify(loaded.program, automaton, goals, deadline=monotonic() - 1)
    never = never_taken(loaded.program)
    assert report.certified == {goal.id for goal in goals if goal.edges <= never}
    left = {result.outcome for result in report.results if result.goal.id not in report.certified}
    assert left == {Outcome.NOT_CHECKABLE}


ELEMENTS = """int a[100];
int main(void) {
  int i;
  for (i = 0; i < 100; i++)
    a[i] = 7;
  if (a[__VERIFIER_nondet_uint() % 100] != 7)
    return 1;
  return 0;
}
"""


@pytest.mark.parametrize(
    ("invariant", "holds"),
    [
        (r"i >= 0 && (!(0 <= \any && \any < i) || a[\any] == 7)", True),
        (r"i >= 0 && (!(0 <= \any && \any <= i) || a[\any] == 7)", False),
        (r"i >= 0 && (!(0 <= \any) || a[\any] == 7)", False),
        (r"i >= 0 && (!(0 <= \any && \any < i) || a[\any] == \any)", False),
        (r"i >= 0 && (!(0 <= \any && \any < i) || a[\any] >= 7)", False),
    ],
)
def test_an_invariant_may_speak_of_every_element(invariant: str, holds: bool, tmp_path: Path):
    assert _is_certified(invariant, ELEMENTS, tmp_path) == holds


OUTSIDE = """int a[1] = {7}, k = -5;
int main(void) {
  int i;
  for (i = 0; i < 100; i++)
    ;
  if (i == 100)
    return 1;
  return 0;
}
"""


@pytest.mark.parametrize("invariant", ["a[k] == 0 && a[0] == 7", "a[k] == 0 && *a == 7 && k < 0", "a[k] != a[k]"])
def test_an_invariant_does_not_gain_by_elements_that_are_not_there(invariant: str, tmp_path: Path):
    assert not _is_certified(invariant, OUTSIDE, tmp_path)


def _is_certified(invariant: str, text: str, directory: Path) -> bool:
    """Whether an invariant at the head of the loop proves that main:8:3:then is not reached."""
    loaded = load_text(directory, text)
    goals = tuple(goal for goal in branches(loaded) if goal.id == "main:8:3:then")
    assert goals
    heads = frozenset(e.reference for e in loaded.program.edge_list if e.text.startswith(("i = 0", "i++")))
    ends = frozenset(loaded.program.edge_list[number].reference for goal in goals for number in goal.edges)
    states = (State(), State(Condition(invariant, "main")), State(None, Acceptance.UT))
    moves = [Transition(0, 0, ANY), Transition(0, 1, heads), Transition(1, 0, ANY), Transition(1, 1, heads)]
    automaton = Automaton(states, (*moves, Transition(0, 2, ends), Transition(1, 2, ends), Transition(2, 2, ANY)))
    return bool(certify(loaded.program, automaton, goals, deadline=monotonic() + 20).certified)


def mutations(automaton: Automaton) -> st.SearchStrategy[Automaton]:
    """Automata that differ from a correct proof in one place: a state, an invariant, or a transition."""
    states = range(len(automaton.states))
    invariants = st.sampled_from([None, Condition("0"), Condition("1"), Condition("2 > 1 + x", "main"), Condition("(")])

    def with_state(number: int, state: State) -> Automaton:
        changed = (*automaton.states[:number], state, *automaton.states[number + 1 :])
        return replace(automaton, states=changed)

    def with_transition(number: int, changed: Transition | None) -> Automaton:
        rest = (*automaton.transitions[:number], *automaton.transitions[number + 1 :])
        return replace(automaton, transitions=rest if changed is None else (*rest, changed))

    invariant = st.builds(
        lambda number, found: with_state(number, automaton.states[number]._replace(invariant=found)),
        st.sampled_from(states),
        invariants,
    )
    accept = st.builds(
        lambda number: with_state(number, automaton.states[number]._replace(accept=Acceptance.UT)),
        st.sampled_from(states),
    )
    numbers = st.sampled_from(range(len(automaton.transitions)))
    redirected = st.builds(
        lambda number, target: with_transition(number, automaton.transitions[number]._replace(target=target)),
        numbers,
        st.sampled_from(states),
    )
    widened = st.builds(
        lambda number: with_transition(number, automaton.transitions[number]._replace(edges=ANY)), numbers
    )
    dropped = st.builds(lambda number: with_transition(number, None), numbers)
    return st.one_of(invariant, accept, redirected, widened, dropped)


@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_mutation_makes_a_reachable_goal_certified(example, data):
    loaded, goals, unreachable, automaton = example
    if not automaton.transitions:
        return
    mutant = data.draw(mutations(automaton))
    report = certify(loaded.program, mutant, goals, deadline=monotonic() + 20)
    assert report.certified <= unreachable


def test_a_counterexample_names_place_and_values(tmp_path: Path):
    loaded = load_text(
        tmp_path,
        "int main(void) {\n  int i = 0;\n  while (i < 20)\n    i++;\n  if (i == 20)\n    return 1;\n  return 0;\n}\n",
    )
    goal = next(goal for goal in branches(loaded) if goal.id == "main:7:3:else")
    report = certify(loaded.program, UNREACHABLE, [goal], deadline=monotonic() + 20)
    (result,) = report.results
    assert result.outcome is Outcome.REFUTED
    assert result.position is not None and result.position.line == 7
    assert "i = " in result.reason
    assert not result.from_start


def test_a_reached_goal_is_refuted_from_the_start(tmp_path: Path):
    loaded = load_text(tmp_path, "int main(void) {\n  if (__VERIFIER_nondet_int())\n    return 1;\n  return 0;\n}\n")
    report = certify(loaded.program, UNREACHABLE, branches(loaded), deadline=monotonic() + 20)
    assert all(result.outcome is Outcome.REFUTED and result.from_start for result in report.results)


def test_an_unrolled_proof_is_certified(tmp_path: Path):
    """A loop-free automaton: one state for each iteration, without any invariant."""
    loaded = load_text(
        tmp_path,
        "int main(void) {\n  int i = 0, n = 3;\n  while (i < n)\n    i++;\n  if (i != n)\n    return 1;\n"
        "  return 0;\n}\n",
    )
    program = loaded.program
    goals = {goal.id: goal for goal in branches(loaded)}
    references = {name: frozenset(program.edge_list[n].reference for n in goal.edges) for name, goal in goals.items()}
    stay, leave, wrong = references["main:5:3:then"], references["main:5:3:else"], references["main:7:3:then"]
    others = frozenset(edge.reference for edge in program.edges()) - stay - leave - wrong
    accepting = 5
    transitions = [Transition(state, state, others) for state in range(5)]
    transitions += [Transition(state, state + 1, stay) for state in range(3)]
    transitions += [Transition(state, accepting, leave) for state in range(3)]
    transitions += [Transition(3, accepting, stay), Transition(3, 4, leave), Transition(4, accepting, wrong)]
    transitions.append(Transition(accepting, accepting, ANY))
    states = (*(State() for _ in range(5)), State(None, Acceptance.UT))
    automaton = Automaton(states, tuple(transitions))
    report = certify(program, automaton, [goals["main:7:3:then"]], deadline=monotonic() + 20)
    assert report.certified == {"main:7:3:then"}
    shorter = replace(automaton, transitions=tuple(t for t in transitions if t != Transition(2, 3, stay)))
    assert not certify(program, shorter, [goals["main:7:3:then"]], deadline=monotonic() + 20).certified


def test_a_loop_that_never_goes_on_is_no_cycle(tmp_path: Path):
    """The automaton may say nothing of the function that would be called a second time."""
    loaded = load_text(
        tmp_path,
        "static int twice(int a) { return 2 * a; }\nint main(void) {\n  do {\n    if (twice(1) != 2)\n      return 1;\n"
        "  } while (0);\n  return 0;\n}\n",
    )
    (wrong,) = [goal for goal in branches(loaded) if goal.id == "main:6:5:then"]
    failing = frozenset(loaded.program.edge_list[number].reference for number in wrong.edges)
    calls = frozenset(e.reference for e in loaded.program.edges() if isinstance(e.operation, Call))
    others = frozenset(e.reference for e in loaded.program.edges()) - calls - failing
    automaton = Automaton(
        (State(), State(), State(None, Acceptance.UT)),
        (
            Transition(0, 1, calls),
            Transition(1, 1, others | calls),
            Transition(1, 2, failing),
            Transition(2, 2, ANY),
        ),
    )
    assert certify(loaded.program, automaton, [wrong], deadline=monotonic() + 20).certified == {wrong.id}


TWO_PROOFS = """int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0, j = 0;
  while (i < n) i++;
  if (i < 0)
    return 1;
  while (j > n) j--;
  if (j > 0)
    return 2;
  return 0;
}
"""


def test_combined_proofs_are_certified_together(tmp_path: Path):
    loaded = load_text(tmp_path, TWO_PROOFS)
    goals = [goal for goal in branches(loaded) if goal.id in ("main:6:3:then", "main:9:3:then")]
    proofs = [verify(loaded, (goal,), tmp_path) for goal in goals]
    for goal, proof in zip(goals, proofs, strict=True):
        assert certify(loaded.program, proof, goals, deadline=monotonic() + 20).certified == {goal.id}
    together = combine(proofs)
    assert certify(loaded.program, together, goals, deadline=monotonic() + 20).certified == {goal.id for goal in goals}


CASES = """int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = x;
  while (__VERIFIER_nondet_int()) { if (x < 0) y = -1; else y = 1; }
  if (x == 0 && y < 0)
    return 1;
  return 0;
}
"""


def _by_cases(loaded: LoadedProgram, goal: Goal, *cases: str) -> Automaton:
    """A proof by cases on the input, each with the invariant that it needs at the loop."""
    program = loaded.program
    (read,) = (e.reference for e in program.edges() if e.reference.line == 4 and e.reference.kind == "input")
    (begin,) = (e.reference for e in program.edges() if e.text == "y = x")
    goal_edges = frozenset(program.edge_list[number].reference for number in goal.edges)
    others = frozenset(edge.reference for edge in program.edges()) - goal_edges - {read, begin}
    invariants = ("x < 0", "x > 0 || (x == 0 && y >= 0)")
    states = [State(), State(None, Acceptance.UT)]
    transitions = [Transition(0, 0, others), Transition(1, 1, ANY)]
    for condition, invariant in zip(cases, invariants, strict=True):
        known, looping = len(states), len(states) + 1
        states += [State(), State(Condition(invariant, "main"))]
        transitions += [
            Transition(0, known, frozenset({read}), Condition(condition, "main")),
            Transition(known, known, others),
            Transition(known, looping, frozenset({begin})),
            Transition(looping, looping, others),
            Transition(looping, 1, goal_edges),
        ]
    return Automaton(tuple(states), tuple(transitions))


@pytest.mark.parametrize(
    ("cases", "complete"),
    [
        (("x < 0", "x >= 0"), True),
        (("x < 0", "!(x < 0)"), True),
        ((r"\result < 0", r"\result >= 0"), True),
        (("x < 0", "x > 0"), False),
        (("x < 1", "x >= 1"), False),
        (("x < 0", "nothing >= 0"), False),
    ],
)
def test_assumptions_are_cases(cases: tuple[str, str], complete: bool, tmp_path: Path):
    loaded = load_text(tmp_path, CASES)
    (goal,) = (goal for goal in branches(loaded) if goal.id == "main:7:3:then")
    proof = _by_cases(loaded, goal, *cases)
    assert bool(certify(loaded.program, proof, [goal], deadline=monotonic() + 20).certified) is complete
