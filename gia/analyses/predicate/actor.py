"""The actor ``predicate``: lazy predicate abstraction with refinement by counterexamples, for all open goals at once.

Direction OA. What it has when its time ends are the excluded parts of the abstraction (``ut``) and its frontier as
candidates, with the abstract states as invariants.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gia.analyses.predicate.abstraction import Abstraction
from gia.analyses.predicate.atoms import with_atoms
from gia.analyses.predicate.blocks import Blocks
from gia.analyses.predicate.counterexamples import Counterexamples
from gia.analyses.predicate.evidence import graph_automaton
from gia.analyses.predicate.reachability import ReachabilityGraph
from gia.analyses.predicate.search import WITHOUT_ABSTRACTION, Search
from gia.analyses.predicate.sources import SOURCES, predicates_for
from gia.analyses.proving.candidates.known import Conditions, conditions_by_location, meaningful_at
from gia.analyses.proving.proof import NOTHING, Proof, begin
from gia.analyses.request import ActorRequest
from gia.automaton.model import Automaton
from gia.automaton.union import union
from gia.cfa.expressions import Expression
from gia.cfa.supergraph import Node
from gia.errors import InputError

FIRST_SHARE: Final = 0.3
"""The share of the time for what needs no abstraction."""


def run(request: ActorRequest) -> Automaton:
    """Explore the program's abstraction until every open goal is decided or the time is used up.

    Option ``sources``: where predicates come from, in the order in which they are tried first.
    """
    proof = begin(request)
    if proof is None:
        return NOTHING
    proof.search(WITHOUT_ABSTRACTION, FIRST_SHARE)
    sources = chosen_sources(request)
    blocks = Blocks(proof)
    known = conditions_by_location(proof.program, request.gia)
    graph = ReachabilityGraph(blocks, Abstraction(blocks), initial_precisions(proof, known))
    left = {goal.id: goal for goal in proof.open_goals}
    search = Search(proof, graph, Counterexamples(proof), lambda path, turn: predicates_for(path, sources, turn), left)
    finished = search.conclude()
    return union(list(_found(search, finished)))


def _found(search: Search, finished: bool) -> Iterator[Automaton]:
    """What is known: a proof if the graph is finished, else the graph as it is; and candidate tests."""
    proof = search.proof
    yield proof.automaton()
    if not finished:
        given_up = [claim for goal in proof.goals if goal.id in search.given_up for claim in proof.claims_of(goal)]
        yield graph_automaton(proof, search.graph, given_up)
    yield from search.tests


def chosen_sources(request: ActorRequest) -> tuple[str, ...]:
    """The option ``sources``; :class:`InputError` for an unknown one."""
    text = request.options.get("sources", "")
    names = tuple(text.replace(",", " ").split()) or tuple(SOURCES)
    for name in names:
        if name not in SOURCES:
            raise InputError(f"there is no source of predicates {name!r}", hint=f"there are {', '.join(SOURCES)}")
    return names


def initial_precisions(proof: Proof, known: Conditions) -> dict[Node, tuple[Expression, ...]]:
    """The predicates at each cut point that a GIA knows: its conditions, and the atoms of which they consist."""
    found = {}
    for cut in proof.shape.cuts:
        usable = [e for e in known.get(cut.location, ()) if meaningful_at(proof.supergraph, cut, e)]
        found[cut] = tuple(with_atoms(usable))
    return found
