"""Steps of other tools that do not fit our edges one to one."""

from gia.automaton.model import Acceptance, Condition, Metadata, State
from gia.automaton.wellformed import violations
from gia.cfa.graph import EdgeReference
from gia.exchange.steps import SILENT, Step, automaton_of

ASSIGN = EdgeReference("main", 1, 1, "assign")
OTHER = EdgeReference("main", 1, 9, "assign")
CALL = EdgeReference("main", 1, 5, "call")
LOOP = EdgeReference("main", 2, 1, "assume", "then")
END = (State(), State(), State(None, Acceptance.UT))


def covers(steps: list[Step], path: list[EdgeReference], *, split: bool = False) -> bool:
    """Whether some run of the automaton of the steps, from state 0 to the accepting one, follows the path."""
    automaton = automaton_of(END, steps, 0, Metadata(), is_split=split)
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
    """Steps of different texts, such as those of `x = f(i++)`, or the call and the assignment of what it returns."""
    both = frozenset({ASSIGN, OTHER})
    for steps, edge in (
        ([Step(0, 1, both), Step(1, 2, frozenset({ASSIGN}))], ASSIGN),
        ([Step(0, 1, frozenset({CALL})), Step(1, 2, frozenset({CALL}))], CALL),
    ):
        assert covers(steps, [edge])
        assert covers(steps, [edge, edge])


def test_rounds_of_a_loop_are_not_one_round() -> None:
    """A loop that was verified from its second round on was not verified in the first."""
    for edge in (LOOP, ASSIGN):
        steps = [Step(0, 1, frozenset({edge})), Step(1, 2, frozenset({edge}))]
        assert not covers(steps, [edge])
        assert covers(steps, [edge, edge])
        assert covers(steps, [edge], split=True)


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
