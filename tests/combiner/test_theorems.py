"""Theorems 2 and 3 of Haltermann & Wehrheim (SoSyM 2024), on all executions of small programs with loops and calls.

The programs, their executions and what it means to be covered are those of ``tests/reducer``, which tests Theorem 1.
"""

from dataclasses import dataclass

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gia.automaton.model import Acceptance, Automaton, Condition, State, Transition
from gia.automaton.operations import reduce
from gia.automaton.wellformed import violations
from gia.cfa.graph import EdgeReference, Program
from gia.combiner import Contradiction, combine
from gia.reducer import reduce_program
from tests.automaton import reference as ref
from tests.cfa.data_programs import data_programs
from tests.cfa.graphs import law
from tests.reducer.test_residual import Trace, automata, covered, parse, traces

UT, RT, CAND = Acceptance


@dataclass(frozen=True)
class World:
    """A program, its executions up to a length, and the edges that are targets."""

    program: Program
    executions: tuple[Trace, ...]
    targets: frozenset[EdgeReference]

    def hits(self, trace: Trace) -> bool:
        return any(now.edge in self.targets for now in trace)

    def language(self, automaton: Automaton, kind: Acceptance) -> frozenset[int]:
        return frozenset(n for n, trace in enumerate(self.executions) if covered(automaton, kind, trace))

    def correct(self, automaton: Automaton) -> bool:
        """Definition 4, as far as executions show it."""
        return not any(
            covered(automaton, UT, trace) if self.hits(trace) else covered(automaton, RT, trace)
            for trace in self.executions
        )


@st.composite
def worlds(draw: st.DrawFn) -> World:
    program = draw(data_programs())
    executions = sorted(traces(program), key=lambda trace: (len(trace), repr(trace)))
    references = [edge.reference for edge in program.edges()]
    targets = draw(st.frozensets(st.sampled_from(references), min_size=1, max_size=3))
    return World(program, tuple(executions), targets)


def as_kind(automaton: Automaton, kind: Acceptance) -> Automaton:
    """The automaton with all its accepting states in one set."""
    states = tuple(State(state.invariant, kind if state.accept else None) for state in automaton.states)
    final = {n for n, state in enumerate(states) if state.accept}
    transitions = tuple(t for t in automaton.transitions if t.source not in final or t.target == t.source)
    return replace(automaton, states=states, transitions=transitions)


def a_prover(draw: st.DrawFn, world: World) -> Automaton:
    """A sound over-approximating tool: any exclusion that is correct; nothing if it does not find one."""
    for _ in range(4):
        claim = as_kind(draw(automata(world.program)), UT)
        if world.correct(claim):
            return claim
    return Automaton((State(),), ())


def a_tester(draw: st.DrawFn, world: World, reduced: Program) -> Automaton:
    """A sound under-approximating tool: an execution of the program that it is given, up to a target in it."""
    found = [trace for trace in traces(reduced) if trace and trace[-1].edge in world.targets]
    if not found:
        return Automaton((State(),), ())
    found.sort(key=repr)
    return spelled_out(draw(st.sampled_from(found)))


def spelled_out(trace: Trace) -> Automaton:
    """The path of an execution, edge by edge, with the values of its inputs."""
    transitions = []
    for number, now in enumerate(trace):
        value = None
        if now.edge.kind == "input" and now.returned is not None:
            value = Condition(f"\\result == {now.returned}", "main")
        transitions.append(Transition(number, number + 1, frozenset({now.edge}), value))
    return Automaton((*[State()] * len(trace), State(None, RT)), tuple(transitions))


@given(worlds(), st.data())
@settings(parent=law(40 * ref.FACTOR))
def test_theorem_3_nothing_is_ever_lost(world: World, data: st.DataObject) -> None:
    """Whatever sound tools are asked, in whatever order, behind whatever reducer: what is known only grows."""
    known = Automaton((State(),), ())
    for _ in range(3):
        kind = data.draw(st.sampled_from([UT, RT]))
        reduced = reduce_program(world.program, known, kind, parse).program
        proves = data.draw(st.booleans())
        added = a_prover(data.draw, world) if proves else a_tester(data.draw, world, reduced)
        assert world.correct(added)
        after = combine([known, added])
        assert violations(after) == ()
        ut, rt = world.language(known, UT), world.language(known, RT)
        if proves:
            assert world.language(after, RT) == rt
            assert world.language(after, UT) == ut | world.language(added, UT)
        else:
            assert world.language(after, UT) == ut
            assert world.language(after, RT) == rt | world.language(added, RT)
        assert world.correct(after)
        known = after


@given(worlds(), st.data())
@settings(parent=law(40 * ref.FACTOR))
def test_theorem_2_exactly_the_union(world: World, data: st.DataObject) -> None:
    """Any number of automata, in any order, in any grouping; again with what is known, it does not grow."""
    parts = [data.draw(automata(world.program)) for _ in range(data.draw(st.integers(1, 4)))]
    try:
        together = combine(parts)
        shuffled = combine(data.draw(st.permutations(parts)))
        grouped = combine([combine(parts[:2]), *parts[2:]])
    except Contradiction:
        assume(False)
    for kind in (UT, RT):
        union = frozenset[int]().union(*(world.language(part, kind) for part in parts))
        for result in (together, shuffled, grouped):
            assert world.language(result, kind) == union
    assert shuffled == together
    assert combine([together, *parts]) == combine([together, together, *parts])
    again = combine([together])
    assert again == together == reduce(together)
    cand = frozenset[int]().union(*(world.language(part, CAND) for part in parts))
    assert world.language(together, CAND) <= cand
