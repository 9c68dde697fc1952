"""What is said of ``rt`` claims on more than what was executed, by the enumeration of paths with their states."""

from time import monotonic

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.cfa.expressions import Binary, VariableReference
from gia.cfa.operations import Assume, Return
from gia.cfa.types import INT
from gia.checker import Outcome, Reached, check_reached, claims_beyond
from tests.automaton import reference as ref
from tests.checker.test_exclusions import claims, executed

RT = Acceptance.RT


def run_of(path: ref.Path) -> Automaton:
    """A run without accepting states, edge by edge."""
    found = executed(path)
    last = len(path.edges)
    return Automaton((State(),) * (last + 1), found.transitions)


def ends(automaton: Automaton, path: ref.Path) -> bool:
    """Whether an ``rt`` run ends with the path. What the path goes on to after its target is reached, none is about."""
    final = automaton.accepting(RT)
    return any(len(run) == len(path.edges) + 1 and run[-1] in final for run in ref.runs(automaton, path))


def answers(program, automaton, runs, targets, seconds=3.0) -> list[tuple[Automaton, Reached]]:
    goals = frozenset(program.edge_list[number].reference for number in targets)
    beyond = claims_beyond(automaton, [])
    found = check_reached(program, beyond, runs, goals, deadline=monotonic() + seconds)
    return [(claim.automaton, answer) for claim, answer in zip(beyond, found, strict=True)]


@settings(max_examples=30 * ref.FACTOR, deadline=None)
@given(claims(RT), st.data())
def test_answers_are_true(case, data):
    program, automaton, targets = case
    among = list(ref.paths(program, 5))
    feasible = [path for path in among if path.feasible and path.edges]
    assume(feasible)
    hits = [path for path in feasible if any(edge.number in targets for edge in path.edges)]
    chosen = data.draw(st.lists(st.sampled_from(hits or feasible), min_size=1, max_size=3))
    for claim, answer in answers(program, automaton, [run_of(path) for path in chosen], targets):
        covered = [path for path in among if ends(claim, path)]
        possible = [path for path in covered if path.feasible]
        if answer.outcome is Outcome.CERTIFIED:
            assert all(any(edge.number in targets for edge in path.edges) for path in possible)
            assert any(ref.covers(claim, RT, path) for path in chosen)
            assert answer.wider or covered == possible
        elif answer.reason == "no execution takes such a path":
            assert possible == []


def choice():
    """``input x; if (x < 1) skip; if (x < 1) return; return``: edges 0 to 6; 4 is the second then."""
    return ref.make_program(
        main=[
            (0, 1, ref.STEPS[3]),
            (1, 2, Assume(ref.less(ref.X, 1), True)),
            (1, 2, Assume(ref.less(ref.X, 1), False)),
            (2, 3, Assume(ref.less(ref.X, 1), True)),
            (2, 4, Assume(ref.less(ref.X, 1), False)),
            (3, -1, Return(None)),
            (4, -1, Return(None)),
        ]
    )


def word(program, numbers, **assumptions: str) -> Automaton:
    """A path edge by edge, with assumptions on some of its steps (``_0``: the first)."""
    transitions = []
    for place, number in enumerate(numbers):
        text = assumptions.get(f"_{place}")
        edges = frozenset({program.edge_list[number].reference})
        transitions.append(Transition(place, place + 1, edges, Condition(text, "main") if text else None))
    return Automaton((*[State()] * len(numbers), State(None, RT)), tuple(transitions))


def the_run(program, value: int) -> Automaton:
    found = [
        p for p in ref.paths(program, 4) if p.feasible and p.configurations[-1]["x"] == value and len(p.edges) == 4
    ]
    return run_of(found[0])


@pytest.mark.parametrize(
    ("numbers", "value", "runs", "outcome", "words"),
    [
        ((0, 1, 3), "0", (0, 1), Outcome.CERTIFIED, "test 1 was executed on such a path"),
        ((0, 2, 4), "1", (0, 1), Outcome.CERTIFIED, "test 2 was executed on such a path"),
        ((0, 2, 3), "0", (0, 1), Outcome.REFUTED, "no execution takes such a path"),
        ((0, 1, 3), "1", (0, 1), Outcome.REFUTED, "no execution takes such a path"),
        ((0, 1, 3), "0", (1,), Outcome.NOT_CHECKABLE, "no test was executed on such a path; an execution with"),
        ((0, 1), "0", (0, 1), Outcome.REFUTED, "an execution with the inputs 0 takes p.c:2:1 then and reaches no goal"),
    ],
    ids=["right", "the other side", "a wrong decision", "a wrong value", "not executed", "no goal"],
)
def test_a_path_without_the_conditions_of_its_decisions(numbers, value, runs, outcome, words):
    program = choice()
    claim = word(program, numbers, _0=f"\\result == {value}")
    found = answers(program, claim, [the_run(program, run) for run in runs], {3, 4})
    assert [(answer.outcome, answer.wider) for _, answer in found] == [(outcome, "")]
    assert found[0][1].reason.startswith(words)


def test_inputs_alone_describe_more_than_an_execution():
    program = choice()
    read = Transition(0, 1, frozenset({program.edge_list[0].reference}), Condition("\\result == 0", "main"))
    goal = Transition(1, 2, frozenset({program.edge_list[3].reference}))
    claim = Automaton((State(), State(), State(None, RT)), (read, Transition(1, 1, ANY), goal))
    ((_, answer),) = answers(program, claim, [the_run(program, 0)], {3, 4})
    assert answer.outcome is Outcome.CERTIFIED
    assert answer.wider.startswith("it describes paths as well that no execution takes, over p.c:3:1 else where")


def test_a_decision_with_one_side_leaves_it_open_what_else_is_described():
    same = Binary("==", VariableReference(ref.X), VariableReference(ref.Y), INT)
    program = ref.make_program(main=[(0, 1, ref.STEPS[3]), (1, 2, Assume(same, True)), (2, -1, Return(None))])
    claim = word(program, (0, 1, 2), _0="\\result == 0")
    run = run_of(next(p for p in ref.paths(program, 3) if p.feasible and len(p.edges) == 3))
    ((_, answer),) = answers(program, claim, [run], {2})
    assert answer.outcome is Outcome.CERTIFIED
    assert "was not decided" in answer.wider


def test_without_time_nothing_is_said():
    program = choice()
    claim = word(program, (0, 1, 3), _0="\\result == 0")
    ((_, answer),) = answers(program, claim, [the_run(program, 0)], {3, 4}, seconds=-1)
    assert answer.outcome is Outcome.NOT_CHECKABLE
    assert "time" in answer.reason
