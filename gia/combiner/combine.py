"""The combiner: everything that several automata know, in one that is no larger than it must be.

Source: Haltermann & Wehrheim, SoSyM 2024, Definition 7 and section 7.2. Deviations from their Algorithm 2: the
automata are put side by side under a fresh initial state and then reduced, instead of being multiplied,
so that the result is at most as large as the inputs together and combining an automaton with itself
gives it back; it takes any number of automata.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gia.automaton.arrays import Arrays
from gia.automaton.bulk import bulk_allocation
from gia.automaton.model import (
    ANY,
    Acceptance,
    ActorRecord,
    Automaton,
    Metadata,
    Transition,
)
from gia.automaton.operations import reduce, reduced, settled_union
from gia.automaton.simulation import Claim, Matching, void_claims
from gia.automaton.trimming import replaced
from gia.cfa.graph import EdgeReference
from gia.combiner.contradiction import refuse_contradiction
from gia.errors import InputError, Position


def combine(automata: Sequence[Automaton], names: Sequence[str] = ()) -> Automaton:
    """The combination, reduced and in canonical form; ``names`` are what errors call the automata.

    Before: each automaton is well-formed, and all are about one program and specification.
    After: ``P_ut`` and ``P_rt`` are the unions of those of the automata. ``P_cand`` is the union without
    candidates that the automata show to be decided or less precise than another. Combining is
    commutative, and ``combine([A, A]) == combine([A])``.

    Raises :class:`~gia.combiner.contradiction.Contradiction` if a path is covered as ``ut`` and as ``rt``
    as far as the automata alone show it, and :class:`~gia.errors.InputError` for different programs.
    """
    known_as = [*names, *(f"automaton {number}" for number in range(len(names) + 1, len(automata) + 1))]
    if not automata:
        raise InputError("nothing to combine", hint="give at least one automaton")
    metadata = combined_metadata([automaton.metadata for automaton in automata], known_as)
    with bulk_allocation():
        arrays = settled_union(automata, metadata).trimmed()
        if less_precise := _less_precise_candidates(arrays):  # to be dropped before reducing merges them with others
            together = reduce(_without_claims(arrays.graph().automaton(), less_precise))
        else:  # what is decided is dropped at once, so that there is no need to reduce a second time
            together = reduced(arrays.without_steps(Acceptance.CAND, arrays.edges_into(Acceptance.RT)))
        refuse_contradiction(together, automata, known_as)
        return _settle_candidates(together)


def without_decided(automaton: Automaton, edges: Collection[EdgeReference]) -> Automaton:
    """The automaton without the steps into ``F_cand`` on these edges, reduced.

    Before: the automaton is reduced, as combinations are. For those who know more than the automata: that the goals
    with these edges are decided. ``P_ut`` and ``P_rt`` stay. A candidate that is entered on any edge (``*``) stays.
    """
    rest = _without_steps(automaton, frozenset(edges))
    return automaton if rest is automaton else reduce(rest)


def combined_metadata(metadata: Sequence[Metadata], names: Sequence[str]) -> Metadata:
    """What the automata say about the task, with all actors, each once, in the order of the automata.

    Raises :class:`~gia.errors.InputError` if two of them are about different programs, data models or
    specifications: the claims of one mean nothing for the other.
    """
    for field, what in _SAME.items():
        first: tuple[str, str] | None = None
        for record, name in zip(metadata, names, strict=True):
            value = getattr(record, field)
            if first is None and value:
                first = (value, name)
            elif first is not None and value and value != first[0]:
                problem = f"its {what} is {value!r}, that of {first[1]} is {first[0]!r}"
                raise InputError(problem, Position(name), "combine only what is about the same program and task")
    known = {f: next((getattr(m, f) for m in metadata if getattr(m, f)), "") for f in ("program", *_SAME)}
    actors: dict[ActorRecord, None] = dict.fromkeys(actor for record in metadata for actor in record.actors)
    created = max((record.created for record in metadata), default="")
    return Metadata(**known, created=created, actors=tuple(actors))


_SAME = {"sha256": "program's hash", "data_model": "data model", "specification": "specification"}


def _less_precise_candidates(arrays: Arrays) -> tuple[Claim, ...]:
    """The candidates for which a more precise one is known; looks only at the part with the candidates.

    Before: only ``*`` loops leave accepting states, so that a step into ``F_cand`` serves no run to ``ut`` or ``rt``.
    """
    part = arrays.towards(Acceptance.CAND)
    if not part.has_conditions():
        return ()
    return void_claims(part.graph().automaton(), Acceptance.CAND, Acceptance.CAND, Matching.STRONGER)


def _settle_candidates(automaton: Automaton) -> Automaton:
    """Without the candidates that are decided, and those for which a more precise one is known.

    Before and after: the automaton is reduced, so that a step into ``F_cand`` serves no run to ``ut`` or ``rt``.
    """
    while True:
        settled = automaton
        decided = _edges_into(settled, Acceptance.RT)
        settled = _without_steps(settled, decided)
        for judge, matching in ((Acceptance.UT, Matching.WEAKER), (Acceptance.CAND, Matching.STRONGER)):
            claims = void_claims(settled, Acceptance.CAND, judge, matching)
            settled = _without_claims(settled, claims)
        if settled == automaton:
            return automaton
        automaton = reduce(settled)


def _edges_into(automaton: Automaton, kind: Acceptance) -> frozenset[EdgeReference]:
    """The edges that transitions into ``F_kind`` carry; those of ``*`` transitions are not listed."""
    final = automaton.accepting(kind)
    entering = {t.edges for t in automaton.transitions if t.target in final and t.source not in final and t.edges}
    return frozenset().union(*(edges for edges in entering if edges is not None))


def _without_steps(automaton: Automaton, decided: frozenset[EdgeReference]) -> Automaton:
    """Without the steps from outside of ``F_cand`` into it on the decided edges."""
    candidates = automaton.accepting(Acceptance.CAND)
    kept = []
    for transition in automaton.transitions:
        source, target, edges, assumption = transition
        if edges is ANY or target not in candidates or source in candidates or decided.isdisjoint(edges):
            kept.append(transition)
        elif rest := edges - decided:
            kept.append(Transition(source, target, rest, assumption))
    return (
        automaton
        if len(kept) == len(automaton.transitions) and tuple(kept) == automaton.transitions
        else replaced(automaton, automaton.states, kept)
    )


def _without_claims(automaton: Automaton, claims: Sequence[Claim]) -> Automaton:
    """Without the transitions of the claims, on their edges."""
    if not claims:
        return automaton
    void = {claim.transition: claim.edges for claim in claims}
    kept = []
    for transition in automaton.transitions:
        source, target, edges, assumption = transition
        if transition not in void:
            kept.append(transition)
            continue
        gone = void[transition]
        if edges is not ANY and gone is not ANY and (rest := edges - gone):
            kept.append(Transition(source, target, rest, assumption))
    return replaced(automaton, automaton.states, kept)
