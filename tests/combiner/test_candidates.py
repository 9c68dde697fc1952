"""What the combiner leaves out of the candidates, and that nothing else is lost (Definition 7)."""

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.cfa.graph import EdgeReference, Program
from gia.combiner import Contradiction, combine
from tests.automaton import reference as ref

UT, RT, CAND = Acceptance
TEXTS = ("x < 1", "x < 1 && y == 0")

Run = tuple[frozenset[str], ...]
"""The conditions of each step, as the parts between ``&&``: those on the transition and those of its target."""


@st.composite
def candidates_and_claims(draw: st.DrawFn) -> tuple[Program, list[Automaton]]:
    """A program and two or three automata that make one claim each, on some edges, a candidate among them."""
    program = draw(ref.programs())
    references = [edge.reference for edge in program.edge_list]
    some = st.frozensets(st.sampled_from(references), min_size=1, max_size=4)
    texts = draw(st.sampled_from([(), (), TEXTS]))
    maybe = st.sampled_from([None, *(Condition(text, "main") for text in texts)])
    parts = []
    for kind in (CAND, *draw(st.lists(st.sampled_from([UT, UT, RT, CAND]), min_size=1, max_size=2))):
        ways = [Transition(0, 0, draw(st.none() | some)), Transition(0, 1, draw(some), draw(maybe))]
        behind = [Transition(1, 1, ANY)] if kind is CAND else []
        parts.append(Automaton((State(), State(draw(maybe), kind)), (*ways, *behind)))
    return program, parts


def candidate_runs(automaton: Automaton, path: ref.Path, *, whatever_holds: bool) -> Iterator[Run]:
    """The runs to a candidate, up to where they come to it."""

    def parts(condition: Condition | None, side: str) -> set[str]:
        return {f"{side} {part}" for part in condition.text.split(" && ")} if condition else set()

    pending: list[tuple[int, Run]] = [(automaton.initial, ())]
    while pending:
        state, run = pending.pop()
        if automaton.states[state].accept is CAND:
            yield run
        elif len(run) < len(path.edges):
            edge, after = path.edges[len(run)].reference, path.configurations[len(run) + 1]
            for _, target, edges, assumption in automaton.leaving[state]:
                invariant = automaton.states[target].invariant
                if (edges is ANY or edge in edges) and (
                    whatever_holds or (ref.holds(assumption, after) and ref.holds(invariant, after))
                ):
                    step = parts(assumption, "on") | parts(invariant, "behind")
                    pending.append((target, (*run, frozenset(step))))


def is_more_precise(one: Run, other: Run) -> bool:
    """Whether a run to the same place needs all that the other needs, and more."""
    return len(one) == len(other) and one != other and all(a >= b for a, b in zip(one, other, strict=True))


def covered_edges(automata: Sequence[Automaton]) -> frozenset[EdgeReference]:
    """The edges on which tests reach their goals."""
    ends = [t.edges for a in automata for t in a.transitions if a.states[t.target].accept is RT]
    return frozenset[EdgeReference]().union(*(edges for edges in ends if edges is not ANY))


@settings(max_examples=60 * ref.FACTOR, deadline=None)
@given(candidates_and_claims())
def test_a_candidate_goes_only_if_it_is_decided_or_a_more_precise_one_is_known(
    case: tuple[Program, list[Automaton]],
) -> None:
    program, automata = case
    try:
        combined = combine(automata)
    except Contradiction:
        assume(False)
    among = list(ref.paths(program, 4))
    covered = covered_edges(automata)
    for path in among:
        if ref.covers(combined, CAND, path) or ref.covers(combined, UT, path):
            continue
        known = [run for a in automata for run in candidate_runs(a, path, whatever_holds=True)]
        for lost in (run for a in automata for run in candidate_runs(a, path, whatever_holds=False)):
            decided = path.edges[len(lost) - 1].reference in covered
            assert decided or any(is_more_precise(run, lost) for run in known)


A, B = (frozenset({EdgeReference("main", line, 1, "assume", "then")}) for line in (1, 2))


@pytest.mark.parametrize("kind", [UT, RT])
def test_what_is_decided_on_one_edge_stays_a_candidate_on_the_others(kind: Acceptance) -> None:
    candidate = Automaton((State(), State(None, CAND)), (Transition(0, 1, A | B), Transition(1, 1, ANY)))
    decided = Automaton((State(), State(None, kind)), (Transition(0, 1, A),))
    rest = Automaton(candidate.states, (Transition(0, 1, B), Transition(1, 1, ANY)))
    assert combine([candidate, decided]) == combine([rest, decided])


def test_a_more_precise_candidate_on_one_edge_leaves_the_others() -> None:
    candidate = Automaton((State(), State(None, CAND)), (Transition(0, 1, A | B), Transition(1, 1, ANY)))
    where = Condition("x < 1", "main")
    precise = Automaton(candidate.states, (Transition(0, 1, A, where), Transition(1, 1, ANY)))
    both = Automaton(candidate.states, (Transition(0, 1, B), *precise.transitions))
    assert combine([candidate, precise]) == combine([both])
