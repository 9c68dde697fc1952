"""What is certified of an automaton is correct, by the enumeration of paths with their concrete states."""

from dataclasses import dataclass
from time import monotonic

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.cfa.operations import Assume, Return
from gia.checker import Outcome, check_exclusions, claims_beyond
from tests.automaton import reference as ref

UT, RT = Acceptance.UT, Acceptance.RT


@dataclass(frozen=True)
class Target:
    """A goal with one edge."""

    id: str
    edges: frozenset[int]


def certified(program, automaton, targets, seconds=3.0):
    """Whether every ``ut`` claim is certified."""
    goals = [Target(str(number), frozenset({number})) for number in sorted(targets)]
    results = check_exclusions(program, automaton, goals, deadline=monotonic() + seconds)
    return all(result.outcome is Outcome.CERTIFIED for result in results)


def correct(automaton, targets, among):
    """Definition 4 for ``P_ut``, without the invariants: they are claims themselves."""
    bare = Automaton(tuple(state._replace(invariant=None) for state in automaton.states), automaton.transitions)
    return not any(
        path.feasible and any(edge.number in targets for edge in path.edges) and ref.covers(bare, UT, path)
        for path in among
    )


@st.composite
def claims(draw, kind):
    """A program, targets, and an automaton with many transitions towards one state that makes a claim."""
    program = draw(ref.programs())
    edges = [edge.reference for edge in program.edge_list]
    drawn = draw(ref.automata(edges, kinds=(), max_states=3))
    last = len(drawn.states)
    number = st.integers(0, last - 1)
    maybe = st.none() | st.sampled_from([Condition(text, "main") for text in ref.TEXTS])
    some = st.frozensets(st.sampled_from(edges), min_size=1, max_size=2)
    ways = [Transition(draw(number), last, draw(some), draw(maybe)) for _ in range(draw(st.integers(1, 2)))]
    loops = [Transition(n, n, draw(st.none() | some)) for n in range(last)]
    targets = draw(st.frozensets(st.sampled_from(range(len(edges))), min_size=1, max_size=2))
    automaton = Automaton((*drawn.states, State(None, kind)), (*ways, *loops, *drawn.transitions))
    return program, automaton, targets


@settings(max_examples=60 * ref.FACTOR, deadline=None)
@given(claims(UT))
def test_what_is_certified_is_correct(case):
    program, automaton, targets = case
    if certified(program, automaton, targets):
        assert correct(automaton, targets, ref.paths(program, 6))


@settings(max_examples=40 * ref.FACTOR, deadline=None)
@given(claims(UT), st.data())
def test_a_mutation_of_a_correct_claim_is_caught(case, data):
    """From a correct automaton, every change of one claim is correct as well or is not certified."""
    program, automaton, targets = case
    among = list(ref.paths(program, 6))
    right = [t for t in automaton.transitions if t.target != len(automaton.states) - 1]
    for claim in automaton.transitions:
        tried = Automaton(automaton.states, (*right, claim))
        if claim not in right and correct(tried, targets, among):
            right.append(claim)
    automaton = Automaton(automaton.states, tuple(right))
    mutant = data.draw(mutants(program, automaton))
    if certified(program, mutant, targets):
        assert correct(mutant, targets, among)


def mutants(program, automaton):
    """Automata that differ in one transition or one state."""
    edges = [edge.reference for edge in program.edge_list]
    places = st.sampled_from(range(len(automaton.states)))
    conditions = st.sampled_from([None, *(Condition(text, "main") for text in (*ref.TEXTS, "y != 0", "x < 2"))])
    changes = st.one_of(
        st.none(),
        st.builds(lambda target: {"target": target}, places),
        st.builds(lambda assumption: {"assumption": assumption}, conditions),
        st.builds(lambda found: {"edges": found}, st.none() | st.frozensets(st.sampled_from(edges), min_size=1)),
    )

    def changed(number, change):
        rest = (*automaton.transitions[:number], *automaton.transitions[number + 1 :])
        more = () if change is None else (automaton.transitions[number]._replace(**change),)
        return Automaton(automaton.states, (*rest, *more))

    def accepted(number, invariant, accept):
        states = list(automaton.states)
        states[number] = State(invariant if number else None, accept)
        return Automaton(tuple(states), automaton.transitions)

    in_transitions = st.builds(changed, st.sampled_from(range(len(automaton.transitions))), changes)
    return in_transitions | st.builds(accepted, places, conditions, st.sampled_from([None, UT]))


def test_a_refuted_path_is_certified_and_a_feasible_one_is_refuted():
    """Loop-free, without invariants: the claim says that the formula of the path is unsatisfiable."""
    small, again = (
        [(n, n + 1, Assume(ref.less(ref.X, 1), True)), (n, n + 1, Assume(ref.less(ref.X, 1), False))] for n in (0, 1)
    )
    program = ref.make_program(main=[*small, *again, (2, -1, Return(None))])
    yes, _, _, no, _ = (frozenset({edge.reference}) for edge in program.edge_list)
    claim = [Transition(0, 1, yes), Transition(1, 2, no)]
    automaton = Automaton((State(), State(), State(None, UT)), tuple(claim))
    assert certified(program, automaton, {3})
    wrong = Automaton(automaton.states, (claim[0], Transition(1, 2, ANY)))
    results = check_exclusions(program, wrong, [Target("t", frozenset({4}))], deadline=monotonic() + 5)
    assert {(result.edge, result.outcome) for result in results} == {(2, Outcome.REFUTED), (3, Outcome.CERTIFIED)}


def test_a_claim_that_is_right_only_under_its_assumptions_is_certified():
    """On the inputs for which the assumption holds the branch is infeasible; on all inputs it is not."""
    decision = [(1, 2, Assume(ref.less(ref.X, 1), True)), (1, 3, Assume(ref.less(ref.X, 1), False))]
    program = ref.make_program(main=[(0, 1, ref.STEPS[3]), *decision, (2, -1, Return(None)), (3, -1, Return(None))])
    read, yes, no, *_ = (frozenset({edge.reference}) for edge in program.edge_list)

    def excluding(edges, on_input, on_branch=None):
        ways = Transition(0, 1, read, on_input), Transition(1, 2, edges, on_branch)
        return Automaton((State(), State(), State(None, UT)), ways)

    less, more = Condition("x < 1", "main"), Condition("!(x < 1)", "main")
    targets = {1, 2}
    assert certified(program, excluding(no, less), targets)
    assert certified(program, excluding(yes, more), targets)
    assert certified(program, excluding(no, None, less), targets)
    for wrong in (excluding(no, None), excluding(no, more), excluding(yes, less), excluding(ANY, less)):
        assert not certified(program, wrong, targets)


def test_what_reaches_no_target_may_be_excluded_although_it_is_feasible():
    decision = [(0, 1, Assume(ref.less(ref.X, 1), True)), (0, 2, Assume(ref.less(ref.X, 1), False))]
    program = ref.make_program(main=[*decision, (1, -1, Return(None)), (2, -1, Return(None))])
    first = frozenset({program.edge_list[0].reference})
    automaton = Automaton((State(), State(None, UT)), (Transition(0, 1, first),))
    assert certified(program, automaton, {3})
    assert not certified(program, automaton, {2})
    assert not certified(program, automaton, {0})


def test_without_time_and_with_unknown_conditions_nothing_is_certified():
    program = ref.make_program(main=[(0, 1, Assume(ref.less(ref.X, 1), False)), (1, -1, Return(None))])
    edge = frozenset({program.edge_list[0].reference})
    automaton = Automaton((State(), State(None, UT)), (Transition(0, 1, edge),))
    assert certified(program, automaton, {0})
    assert not certified(program, automaton, {0}, seconds=-1)
    unclear = Automaton(automaton.states, (Transition(0, 1, edge, Condition("nothing", "main")),))
    assert not certified(program, unclear, {0})


def executed(path):
    """The automaton of a path that was executed: its edges, with the values that the inputs had."""
    transitions = []
    for number, (edge, after) in enumerate(zip(path.edges, path.configurations[1:], strict=True)):
        found = after.get("\\result")
        value = None if found is None else Condition(f"\\result == {found}", "main")
        transitions.append(Transition(number, number + 1, frozenset({edge.reference}), value))
    return Automaton((*[State()] * len(path.edges), State(None, RT)), tuple(transitions))


@settings(max_examples=60 * ref.FACTOR, deadline=None)
@given(claims(RT), st.data())
def test_what_is_not_beyond_the_tests_was_executed(case, data):
    program, automaton, _ = case
    among = [path for path in ref.paths(program, 4) if path.edges]
    feasible = [path for path in among if path.feasible]
    assume(feasible)
    tests = [executed(path) for path in data.draw(st.lists(st.sampled_from(feasible), min_size=1, max_size=4))]
    if data.draw(st.booleans()):
        automaton = data.draw(mutants(program, data.draw(st.sampled_from(tests))))
    if not claims_beyond(automaton, tests):
        for path in among:
            if ref.covers(automaton, RT, path):
                assert any(ref.covers(test, RT, path) for test in tests)


def test_a_claim_on_more_than_what_was_executed_is_beyond_it():
    edge = ref.make_program(main=[(0, 1, ref.STEPS[3]), (1, -1, Return(None))]).edge_list[0].reference
    edges = frozenset({edge})
    value = Condition("\\result == 1", "main")
    test = Automaton((State(), State(None, RT)), (Transition(0, 1, edges, value),))
    assert claims_beyond(test, [test]) == ()
    assert [found.edges for found in claims_beyond(Automaton(test.states, (Transition(0, 1, edges),)), [test])] == [
        edges
    ]
    assert [found.edges for found in claims_beyond(Automaton(test.states, (Transition(0, 1, ANY),)), [test])] == [ANY]
    assert [found.edges for found in claims_beyond(Automaton((State(None, RT),), ()), [test])] == [ANY]
    assert claims_beyond(Automaton((State(),), ()), [test]) == ()
