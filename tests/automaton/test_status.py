"""The status of goals against an enumeration of the paths."""

from dataclasses import dataclass
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from gia.automaton import status
from gia.automaton.initial import initial_gia
from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.automaton.status import covered_edges, edges_not_excluded, goal_status, unreachable_goals
from gia.automaton.union import union
from gia.cfa.operations import Assume, Call, Return, Skip
from gia.verdict import GoalStatus

from . import reference as ref

UT, RT = State(None, Acceptance.UT), State(None, Acceptance.RT)


@dataclass(frozen=True)
class SomeGoal:
    id: str
    edges: frozenset[int]


def goals(program):
    return [SomeGoal(str(edge.number), frozenset({edge.number})) for edge in program.edge_list]


def by_status(program, automaton, status):
    return {int(goal) for goal, found in goal_status(program, automaton, goals(program)).items() if found is status}


@settings(max_examples=60 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(max_states=5))
def test_the_unreachable_goals_are_those_of_this_status(case):
    program, (automaton,) = case
    found = {int(goal) for goal in unreachable_goals(program, automaton, goals(program))}
    assert found == by_status(program, automaton, GoalStatus.UNREACHABLE)
    states = (state._replace(accept=None) if state.accept is Acceptance.UT else state for state in automaton.states)
    only_rt = Automaton(tuple(states), automaton.transitions, automaton.initial)
    found = {int(goal) for goal in unreachable_goals(program, only_rt, goals(program))}
    assert found == by_status(program, only_rt, GoalStatus.UNREACHABLE)


@settings(max_examples=60 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(conditions=(), kinds=(Acceptance.UT,)))
def test_unreachable_means_that_every_path_is_covered(case):
    """Without conditions, the status is exact: the enumeration only needs to be long enough to find every hole."""
    program, (automaton,) = case
    open_edges = edges_not_excluded(program, automaton)
    seen = set()
    for path in ref.paths(program, 8):
        if path.edges and not ref.covers(automaton, Acceptance.UT, path):
            seen.add(path.edges[-1].number)
    assert seen <= open_edges


@settings(max_examples=60 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(conditions=(), kinds=(Acceptance.UT,)))
def test_calls_seen_as_steps_hide_no_path(case):
    """In every second state a run waits for a return. It does not see what is called, and excludes no less for that."""
    program, (automaton,) = case
    returns = {edge.reference for edge in program.edge_list if isinstance(edge.operation, Return)}
    waiting = [number for number in range(1, len(automaton.states), 2) if automaton.states[number].accept is None]
    transitions = [Transition(state, state, ANY) for state in waiting]
    for transition in automaton.transitions:
        edges = returns if transition.edges is ANY else returns & transition.edges
        transitions.append(transition._replace(edges=frozenset(edges)) if transition.source in waiting else transition)
    automaton = Automaton(automaton.states, tuple(transitions))
    whole = edges_not_excluded(program, automaton)
    with patch.multiple(status, MORE_SETS=0, LEAST_SETS=0):
        open_edges = edges_not_excluded(program, automaton)
    assert whole <= open_edges
    for path in ref.paths(program, 8):
        if path.edges and not ref.covers(automaton, Acceptance.UT, path):
            assert path.edges[-1].number in open_edges


@settings(max_examples=60 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(kinds=(Acceptance.UT,)))
def test_conditions_never_exclude_a_feasible_path(case):
    """Automata without invariants: what counts as unreachable is covered on every feasible path."""
    program, (automaton,) = case
    automaton = Automaton(tuple(state._replace(invariant=None) for state in automaton.states), automaton.transitions)
    open_edges = edges_not_excluded(program, automaton)
    for path in ref.paths(program, 6):
        if path.feasible and path.edges and path.edges[-1].number not in open_edges:
            assert ref.covers(automaton, Acceptance.UT, path)


@settings(max_examples=40 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(conditions=(), kinds=(Acceptance.UT,), max_states=3))
def test_open_means_that_some_path_is_not_covered(case):
    program, (automaton,) = case
    for number in edges_not_excluded(program, automaton):
        assert _escapes(program, automaton, number)


def _escapes(program, automaton, number):
    """Whether a path to the edge escapes, by the plain product with explicit stacks of bounded height."""
    entry = program.functions[program.entry]
    start = (entry.name, entry.entry, (), frozenset({automaton.initial}))
    seen, pending = {start}, [start]
    final = automaton.accepting(Acceptance.UT)
    while pending:
        function, location, stack, states = pending.pop()
        for edge in program.functions[function].leaving[location]:
            after = frozenset(
                t.target
                for t in automaton.transitions
                if t.source in states and (t.edges is ANY or edge.reference in t.edges)
            )
            if (states | after) & final or len(stack) > 6:
                continue
            if edge.number == number:
                return True
            node = (*ref._move(program, edge, function, stack), after)
            if node not in seen:
                seen.add(node)
                pending.append(node)
    return False


@settings(max_examples=60 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(conditions=(), kinds=(Acceptance.RT,), max_states=4))
def test_covered_means_that_an_rt_path_passes_the_edge(case):
    program, (automaton,) = case
    numbers = frozenset(edge.number for edge in program.edge_list)
    covered = covered_edges(program, automaton, numbers)
    last = set()
    for path in ref.paths(program, 7):
        if path.edges and ref.covers(automaton, Acceptance.RT, path):
            shorter = ref.Path(path.edges[:-1], path.configurations[:-1], True)
            if not ref.covers(automaton, Acceptance.RT, shorter):
                last.add(path.edges[-1].number)
    assert automaton.states[automaton.initial].accept is not None or last <= covered
    assert all(_passed_by_some_rt_path(program, automaton, number) for number in covered)


def _leading_to(references):
    """What takes a step into ``rt`` on each of some edges."""
    ends = frozenset(references)
    return Automaton((State(), RT), (Transition(0, 0, ANY, None), Transition(0, 1, ends, None)))


@settings(max_examples=300 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(conditions=(), kinds=(Acceptance.RT,), max_states=5), st.randoms(), st.booleans())
def test_covered_is_what_must_be_passed_whether_the_paths_of_tests_suffice_or_not(case, random, simple):
    program, (drawn,) = case
    edges = program.edge_list
    automaton = _leading_to(edge.reference for edge in random.sample(edges, random.randint(1, 2))) if simple else drawn
    wanted = frozenset(edge.number for edge in random.sample(edges, random.randint(0, len(edges))))
    found = covered_edges(program, automaton, wanted)
    with patch.object(status, "_steps_into", lambda *_: {(-1, -1)}):  # which no path ever takes
        assert covered_edges(program, automaton, wanted) == found


def _passed_by_some_rt_path(program, automaton, number):
    """The plain product of single runs with explicit stacks of bounded height, and whether the edge was passed."""
    entry = program.functions[program.entry]
    start = (entry.name, entry.entry, (), automaton.initial, False)
    seen, pending = {start}, [start]
    while pending:
        function, location, stack, state, passed = pending.pop()
        for edge in program.functions[function].leaving[location]:
            for source, target, edges, _ in automaton.transitions:
                if source != state or not (edges is ANY or edge.reference in edges) or len(stack) > 6:
                    continue
                node = (*ref._move(program, edge, function, stack), target, passed or edge.number == number)
                if automaton.states[target] == RT:
                    if node[-1]:
                        return True
                elif node not in seen:
                    seen.add(node)
                    pending.append(node)
    return False


def test_goals_in_functions_that_nobody_calls_are_unreachable():
    program = ref.make_program(main=[(0, -1, Return(None))], f=[(0, -1, Return(None))])
    automaton = initial_gia(program, goals(program))
    assert by_status(program, automaton, GoalStatus.OPEN) == {0}
    assert by_status(program, automaton, GoalStatus.UNREACHABLE) == {1}


def test_contexts_are_kept_apart():
    """``f`` is called twice; the goal in it is excluded in one call only, then in both."""
    program = ref.make_program(
        main=[(0, 1, Call(None, "f", ())), (1, 2, Call(None, "f", ())), (2, -1, Return(None))],
        f=[(0, 1, Skip()), (1, -1, Return(None))],
    )
    first, second, _, goal, back = (frozenset({edge.reference}) for edge in program.edge_list)
    region = [Transition(0, 1, first), Transition(1, 0, back), Transition(0, 2, second), Transition(2, 0, back)]
    once = Automaton((State(), State(), State(), UT), (*region, Transition(2, 3, goal), Transition(1, 1, goal)), 0)
    both = Automaton((State(), State(), State(), UT), (*region, Transition(2, 3, goal), Transition(1, 3, goal)), 0)
    assert 3 not in by_status(program, once, GoalStatus.UNREACHABLE)
    assert by_status(program, once, GoalStatus.UNREACHABLE) == {2}
    assert by_status(program, both, GoalStatus.UNREACHABLE) == {1, 2, 3, 4}


def test_a_case_distinction_counts_and_half_of_it_does_not():
    program = ref.make_program(main=[(0, 1, Skip()), (1, 2, Skip()), (2, -1, Return(None))])
    first, second, _ = (frozenset({edge.reference}) for edge in program.edge_list)
    low, high = Condition("x < 1", "main"), Condition("!(x < 1)", "main")
    states = (State(), State(), State(), UT)
    half = [Transition(0, 1, first, low), Transition(1, 3, second)]
    assert by_status(program, Automaton(states, tuple(half), 0), GoalStatus.UNREACHABLE) == set()
    whole = [*half, Transition(0, 2, first, high), Transition(2, 3, second)]
    assert by_status(program, Automaton(states, tuple(whole), 0), GoalStatus.UNREACHABLE) == {1, 2}


def test_the_condition_of_the_edge_itself_holds_on_it():
    decision = [(0, 1, Assume(ref.less(ref.X, 1), outcome)) for outcome in (True, False)]
    program = ref.make_program(main=[*decision, (1, -1, Return(None))])
    then, other, _ = (frozenset({edge.reference}) for edge in program.edge_list)
    for text, edge, excluded in (("x < 1", then, {0}), ("!(x < 1)", other, {1}), ("x < 1", other, set())):
        automaton = Automaton((State(), UT), (Transition(0, 1, edge, Condition(text, "main")),), 0)
        assert by_status(program, automaton, GoalStatus.UNREACHABLE) == excluded


def test_a_test_covers_its_goal_and_what_it_must_have_passed():
    program = ref.make_program(
        main=[(0, 1, Skip()), (1, 2, Skip()), (1, 2, Skip()), (2, 3, Skip()), (3, -1, Return(None))]
    )
    edges = [edge.reference for edge in program.edge_list]
    transitions = (Transition(0, 0, frozenset(edges[:3])), Transition(0, 1, frozenset({edges[3]})))
    compact = Automaton((State(), RT), transitions, 0)
    assert by_status(program, compact, GoalStatus.COVERED) == {0, 3}


def test_covered_wins_over_unreachable():
    program = ref.make_program(main=[(0, -1, Return(None))])
    edge = frozenset({program.edge_list[0].reference})
    automaton = Automaton((State(), UT, RT), (Transition(0, 1, edge), Transition(0, 2, edge)), 0)
    assert by_status(program, automaton, GoalStatus.COVERED) == {0}


@settings(max_examples=60 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(count=3, conditions=(), kinds=(Acceptance.UT,), max_states=4))
def test_several_parts_together_exclude_what_each_path_has_in_some_of_them(case):
    """The goals that the union excludes are those to which every path is covered by one part or another."""
    program, parts = case
    together = union(parts)
    left = edges_not_excluded(program, together)
    assert all(left <= edges_not_excluded(program, part) for part in parts)
    escaping = set()
    for path in ref.paths(program, 7):
        if path.edges and not any(ref.covers(part, Acceptance.UT, path) for part in parts):
            escaping.add(path.edges[-1].number)
    assert escaping <= left
    assert all(_escapes(program, together, number) for number in left)


@settings(max_examples=60 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(count=2, kinds=(Acceptance.UT,), max_states=4))
def test_conditions_of_several_parts_never_exclude_a_feasible_path(case):
    program, parts = case
    bare = [Automaton(tuple(s._replace(invariant=None) for s in part.states), part.transitions) for part in parts]
    left = edges_not_excluded(program, union(bare))
    for path in ref.paths(program, 6):
        if path.feasible and path.edges and path.edges[-1].number not in left:
            assert any(ref.covers(part, Acceptance.UT, path) for part in bare)


def test_what_would_need_too_large_a_product_is_not_excluded():
    """Runs that remember each decision: there are as many sets of them as paths, and none is in another."""
    count = 18
    decisions = [(at, at + 1, Assume(ref.less(ref.X, 1), way)) for at in range(count) for way in (True, False)]
    program = ref.make_program(main=[*decisions, (count, count + 1, Skip()), (count + 1, -1, Return(None))])
    *decided, leaving, returning = program.edge_list
    end = 1 + len(decided)
    remembering = [Transition(0, 1 + number, frozenset({edge.reference})) for number, edge in enumerate(decided)]
    staying = [Transition(state, state, frozenset(edge.reference for edge in decided)) for state in range(end)]
    excluding = [Transition(state, end, frozenset({leaving.reference})) for state in range(end)]
    states = (*[State()] * end, UT)
    few = Automaton(states, (*remembering, *staying, excluding[0]), 0)
    assert edges_not_excluded(program, few) == {edge.number for edge in decided}
    many = Automaton(states, (*remembering, *staying, *excluding), 0)
    assert edges_not_excluded(program, many) == {*(edge.number for edge in decided), leaving.number, returning.number}
