"""Steps of other tools that do not fit our edges one to one."""

from gia.automaton.model import Acceptance, Condition, Metadata, State
from gia.automaton.wellformed import violations
from gia.cfa.graph import EdgeReference
from gia.exchange.steps import SILENT, Step, automaton_of

ASSIGN = EdgeReference("main", 1, 1, "assign")
LOOP = EdgeReference("main", 2, 1, "assume", "then")
END = (State(), State(), State(None, Acceptance.UT))


def covers(steps: list[Step], path: list[EdgeReference], *, split: bool = False) -> bool:
    """Whether some run of the automaton of the steps, from state 0 to the accepting one, follows the path."""
    automaton = automaton_of(END, steps, 0, Metadata(), split_conditions=split)
    assert violations(automaton) == ()
    states = {automaton.initial}
    accepting = automaton.accepting(Acceptance.UT)
    for edge in path:
        if states & accepting:
            return True
        states = {
            t.target for t in automaton.transitions if t.source in states and (t.edges is None or edge in t.edges)
        }
    return bool(states & accepting)


def test_silent_steps_need_no_edge() -> None:
    steps = [Step(0, 1, SILENT), Step(1, 2, frozenset({ASSIGN}))]
    assert covers(steps, [ASSIGN])
    assert covers([Step(0, 1, frozenset({ASSIGN})), Step(1, 2, SILENT)], [ASSIGN])
    assert covers([Step(0, 2, SILENT)], [])
    assert not covers(steps, [LOOP])


def test_one_edge_may_take_several_steps_or_one() -> None:
    steps = [Step(0, 1, frozenset({ASSIGN})), Step(1, 2, frozenset({ASSIGN}))]
    assert covers(steps, [ASSIGN])
    assert covers(steps, [ASSIGN, ASSIGN])


def test_rounds_of_a_loop_are_not_one_round() -> None:
    """A loop that was verified from its second round on was not verified in the first."""
    steps = [Step(0, 1, frozenset({LOOP})), Step(1, 2, frozenset({LOOP}))]
    assert not covers(steps, [LOOP])
    assert covers(steps, [LOOP, LOOP])
    assert covers(steps, [LOOP], split=True)


def test_assumptions_of_steps_in_a_row_hold_together() -> None:
    steps = [
        Step(0, 1, frozenset({ASSIGN}), Condition("x > 0", "main")),
        Step(1, 2, frozenset({ASSIGN}), Condition("x < 9", "main")),
    ]
    automaton = automaton_of(END, steps, 0, Metadata())
    texts = {t.assumption.text for t in automaton.transitions if t.assumption is not None}
    assert texts == {"x > 0", "x < 9", "(x > 0) && (x < 9)"}
    other = [steps[0], Step(1, 2, frozenset({ASSIGN}), Condition("y < 9", "other"))]
    assert not covers(other, [ASSIGN])
