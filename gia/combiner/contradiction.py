"""Contradictions: a path that one automaton calls excluded (``ut``) and another one reached (``rt``).

Source: Haltermann & Wehrheim, SoSyM 2024, Definition 7 (its precondition). What is found here is certain: an
``rt`` claim all of whose runs are matched by ``ut`` runs under conditions that the texts imply, at or
before the point where the target is reached. Whether runs meet that have other conditions, only an
execution can tell: :func:`doubt` says where that is so, :mod:`gia.checker.meeting` decides it on the program.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from gia.automaton.conditions import implies
from gia.automaton.model import ANY, Acceptance, Automaton, Condition, Transition
from gia.automaton.product import reaching
from gia.automaton.simulation import Claim, Matching, void_claims
from gia.cfa.graph import EdgeReference
from gia.combiner.overlap import Search, may_meet, possible_overlap, sources_of
from gia.errors import GiaError

SHOWN = 15
"""Steps of a path that are shown at its beginning, and at its end."""


class Step:
    """One step of a witness: an edge (``None``: any edge) and the conditions on it."""

    def __init__(self, edge: EdgeReference | None, assumption: Condition | None, invariant: Condition | None) -> None:
        self.edge = edge
        self.assumption = assumption
        self.invariant = invariant

    def __str__(self) -> str:
        edge = self.edge
        place = "any edge"
        if edge is not None:
            branch = f" {edge.branch}" if edge.branch else ""
            place = f"{edge.function}:{edge.line}:{edge.column} {edge.kind}{branch}"
        conditions = [condition.text for condition in (self.assumption, self.invariant) if condition]
        return f"{place} [{' && '.join(conditions)}]" if conditions else place


class Contradiction(GiaError):  # noqa: N818 - it is the name of the thing, not of an accident
    """A path is covered as ``ut`` by one automaton and as ``rt`` by another (or the same) one.

    ``excluding`` and ``reaching`` name the two; ``witness`` is a shortest run of the ``rt`` automaton on
    such a path, step by step.
    """

    exit_status = 2

    def __init__(self, excluding: str, reaching: str, witness: tuple[Step, ...], certain: str = "") -> None:
        self.excluding = excluding
        self.reaching = reaching
        self.witness = witness
        path = listed([str(step) for step in witness])
        same = excluding == reaching
        subject = f"{excluding} contradicts itself: it says" if same else f"{excluding} says that"
        middle = "that a path is" if same else "a path is"
        second = "and reaches" if same else f"but {reaching} says that it is feasible and reaches"
        super().__init__(
            f"{subject} {middle} infeasible or reaches no target, {second} one{certain}:\n{path}",
            hint="run `gia check --program` on both: the claim that fails is wrong; "
            "`gia combine --program P.c --keep executed` keeps what an execution confirms",
        )


def refuse_contradiction(union: Automaton, automata: Sequence[Automaton], names: Sequence[str]) -> None:
    """Raises :class:`Contradiction` if the union of the automata certainly contradicts itself."""
    _refuse_empty_path(automata, names)
    if not may_meet(union):
        return
    claims = void_claims(union, Acceptance.RT, Acceptance.UT, Matching.WEAKER)
    if claims:
        witness = _shortest_run(union, Acceptance.RT, claims)
        excluding = _covering(automata, names, witness, Acceptance.UT)
        claiming = _covering(automata, names, witness, Acceptance.RT)
        excluding, claiming = (who([name], automata, names) or name for name in (excluding, claiming))
        raise Contradiction(excluding, claiming, witness)


def doubt(combined: Automaton, automata: Sequence[Automaton], names: Sequence[str]) -> str:
    """Where the combination of the automata may contradict itself, for people; empty if it certainly does not.

    For automata that :func:`refuse_contradiction` accepts: claims of both kinds meet on some word, but whether it is a
    path of the program that one execution takes, only the program can tell.
    """
    found = possible_overlap(combined)
    if found is Search.NONE:
        return ""
    if isinstance(found, Search):
        return "whether the files contradict each other was not decided: that would take too long"
    excluding, claiming = (
        who(sources_of(automata, names, found.edges, kind), automata, names) for kind in (Acceptance.UT, Acceptance.RT)
    )
    steps = [
        str(Step(edge, taken.assumption, combined.states[taken.target].invariant))
        for taken, edge in zip(found.reaching, found.edges, strict=True)
    ]
    return (
        f"{excluding} may contradict {claiming}: if this is a path that one execution can take, the first says that "
        f"it is infeasible or reaches no target, the second that it reaches one:\n{listed(steps)}"
    )


def listed(steps: Sequence[str]) -> str:
    """The steps of a path, numbered; of a long one the beginning and the end."""
    lines = [f"    {number}. {step}" for number, step in enumerate(steps, 1)]
    if len(lines) > 2 * SHOWN + 1:
        lines[SHOWN:-SHOWN] = [f"    … {len(lines) - 2 * SHOWN} steps"]
    return "\n".join(lines)


def who(found: Sequence[str], automata: Sequence[Automaton], names: Sequence[str]) -> str:
    """The named automata, each with the actors that its metadata has."""
    described = []
    for automaton, name in zip(automata, names, strict=True):
        if name in found:
            actors = ", ".join(dict.fromkeys(actor.name for actor in automaton.metadata.actors))
            described.append(f"{name} (by {actors})" if actors else name)
    return " and ".join(dict.fromkeys(described))


def _refuse_empty_path(automata: Sequence[Automaton], names: Sequence[str]) -> None:
    """One automaton decides every path, the empty one included, and another one decides some path otherwise."""
    for kind, other in ((Acceptance.UT, Acceptance.RT), (Acceptance.RT, Acceptance.UT)):
        for automaton, name in zip(automata, names, strict=True):
            if automaton.states[automaton.initial].accept is not kind:
                continue
            for second, second_name in zip(automata, names, strict=True):
                if second.initial in reaching(second, other):
                    pair = (name, second_name) if kind is Acceptance.UT else (second_name, name)
                    excluding, claiming = (who([found], automata, names) for found in pair)
                    raise Contradiction(excluding, claiming, _shortest_run(second, other, _all_claims(second, other)))


def _all_claims(automaton: Automaton, kind: Acceptance) -> list[Claim]:
    final = automaton.accepting(kind)
    return [Claim(t, t.edges) for t in automaton.transitions if t.target in final and t.source not in final]


def _shortest_run(automaton: Automaton, kind: Acceptance, claims: Sequence[Claim]) -> tuple[Step, ...]:
    """A run with fewest steps to ``F_kind`` that ends in one of the claims; by order of transitions among equals."""
    if automaton.states[automaton.initial].accept is kind:
        return ()
    last: dict[int, Claim] = {}
    for claim in claims:
        last.setdefault(claim.transition.source, claim)
    useful = reaching(automaton, kind)
    entered: dict[int, Transition | None] = {automaton.initial: None}
    pending = deque([automaton.initial])
    while pending:
        state = pending.popleft()
        if state in last:
            claim = last[state]
            run = [Transition(*claim.transition[:2], claim.edges, claim.transition.assumption)]
            while (before := entered[run[0].source]) is not None:
                run.insert(0, before)
            return tuple(_step(automaton, transition) for transition in run)
        for transition in automaton.leaving[state]:
            if transition.target in useful and transition.target not in entered:
                entered[transition.target] = transition
                pending.append(transition.target)
    raise AssertionError("a claim is reachable in a trimmed automaton")


def _step(automaton: Automaton, transition: Transition) -> Step:
    edge = None if transition.edges is ANY else min(transition.edges)
    return Step(edge, transition.assumption, automaton.states[transition.target].invariant)


def _covering(automata: Sequence[Automaton], names: Sequence[str], word: Sequence[Step], kind: Acceptance) -> str:
    """The first automaton with a run of this kind on a prefix of the word, under conditions that the word implies."""
    for automaton, name in zip(automata, names, strict=True):
        final = automaton.accepting(kind)
        states = {automaton.initial}
        for step in word:
            states = {t.target for state in states - final for t in automaton.leaving[state] if _matches(t, step)} | (
                states & final
            )
            states = {s for s in states if implies(step.invariant, automaton.states[s].invariant)} | (states & final)
        if states & final:
            return name
    return " and ".join(names)


def _matches(transition: Transition, step: Step) -> bool:
    carried = transition.edges is ANY or (step.edge is not None and step.edge in transition.edges)
    return carried and implies(step.assumption, transition.assumption)
