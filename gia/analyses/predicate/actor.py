"""The actor ``predicate``: lazy predicate abstraction with refinement by counterexamples, for all open goals at once.

Source: E. Clarke, O. Grumberg, S. Jha, Y. Lu & H. Veith, *Counterexample-guided abstraction refinement*, CAV 2000;
Daca, Gupta & Henzinger, VMCAI 2016, Algorithm 2: a goal that is decided leaves the set, and the analysis goes on with
the others in the same reachability graph. Direction OA: a feasible counterexample becomes a candidate test, which
somebody has to execute.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gia.analyses import stages
from gia.analyses.known import Conditions, atoms_of, conditions_by_location, known_invariants, meaningful_at
from gia.analyses.predicate.abstraction import Abstraction
from gia.analyses.predicate.blocks import Blocks
from gia.analyses.predicate.counterexamples import Counterexamples
from gia.analyses.predicate.evidence import candidate_test, graph_automaton
from gia.analyses.predicate.reachability import Hit, ReachabilityGraph
from gia.analyses.predicate.sources import SOURCES, InfeasiblePath, predicates_for
from gia.analyses.predicate.states import as_expressions
from gia.analyses.proof import NOTHING, Candidates, Proof, begin
from gia.analyses.request import ActorRequest
from gia.automaton.model import Automaton
from gia.automaton.union import union
from gia.cfa.expressions import Expression
from gia.cfa.goals import Goal
from gia.cfa.supergraph import Node
from gia.errors import InputError
from gia.smt.control_graph import ArcKey, OutOfTimeError
from gia.smt.solver import Result


@dataclass
class _Search:
    """One run: the graph so far, the goals that are left, and what became of the others.

    ``left`` are the goals that no feasible counterexample reaches so far; ``given_up`` says why there is no proof of a
    goal; ``tests`` are candidates to be executed.
    """

    proof: Proof
    graph: ReachabilityGraph
    counterexamples: Counterexamples
    sources: Sequence[str]
    left: dict[str, Goal]
    given_up: dict[str, str] = field(default_factory=dict)
    tests: list[Automaton] = field(default_factory=list)
    refinements: int = 0

    @property
    def claims(self) -> list[ArcKey[Node]]:
        """The arcs that are still to be excluded."""
        return [claim for goal in self.left.values() for claim in self.proof.claims_of(goal)]

    def run(self) -> bool:
        """Explore and refine until no goal can be reached in the abstraction, or time is up; whether it is finished."""
        try:
            while (hit := self.graph.explore(self.claims)) is not None:
                self._examine(hit)
        except OutOfTimeError:
            return False
        return True

    def _examine(self, hit: Hit) -> None:
        """Decide a counterexample: a test, a better precision, or the goal is given up."""
        path = hit.node.path
        cuts = tuple(node.cut for node in path if node.cut is not None)
        judgement = self.counterexamples.judge(cuts, hit.claim)
        if judgement.result is Result.SAT:
            program = self.proof.program
            self.tests.append(candidate_test(program, judgement.inputs, [hit.claim.edge]))
            self._leave(hit.claim, "a candidate test reaches it")
        elif judgement.result is Result.UNKNOWN:
            self._leave(hit.claim, "the solver did not decide whether a path to it is feasible")
        else:
            infeasible = InfeasiblePath(self.graph.blocks, self.counterexamples, cuts, hit.claim)
            facts = predicates_for(infeasible, self.sources)
            if facts is None or not self.graph.refine(path, facts):
                self._leave(hit.claim, "no predicates exclude an infeasible path to it")
            else:
                self.refinements += 1

    def _leave(self, claim: ArcKey[Node], reason: str) -> None:
        """The goals of a claim are no longer looked at."""
        for name, goal in list(self.left.items()):
            if claim.edge in goal.edges:
                del self.left[name]
                self.given_up[name] = reason

    def invariants(self) -> Candidates:
        """What the finished graph says about each cut point."""
        return {cut: as_expressions(states) for cut in self.proof.shape.cuts if (states := self.graph.states_at(cut))}


def run(request: ActorRequest) -> Automaton:
    """Explore the program's abstraction until every open goal is decided or the time is used up.

    Option ``sources``: where predicates come from, in the order in which they are tried.
    """
    proof = begin(request)
    if proof is None:
        return NOTHING
    proof.search((("no invariants", stages.no_candidates), ("known invariants", known_invariants)))
    sources = chosen_sources(request)
    blocks = Blocks(proof)
    known = conditions_by_location(proof.program, request.gia)
    graph = ReachabilityGraph(blocks, Abstraction(blocks), initial_precisions(proof, known))
    left = {goal.id: goal for goal in proof.open_goals}
    search = _Search(proof, graph, Counterexamples(proof), sources, left)
    finished = search.run()
    request.report(
        f"{'finished' if finished else 'out of time'}: {len(graph.nodes)} abstract states, "
        f"{search.refinements} refinements, {len(search.left) if finished else 0} goals proven, "
        f"{len(search.tests)} candidate tests"
    )
    for name, reason in search.given_up.items():
        request.report(f"{name}: {reason}")
    return union(list(_found(search, finished)))


def _found(search: _Search, finished: bool) -> Iterator[Automaton]:
    """What is known: a proof if the graph is finished, else the graph as it is; and candidate tests."""
    proof = search.proof
    if finished and search.left:
        try:
            proof.add(search.invariants())
            proof.report("invariants of the abstraction")
        except OutOfTimeError:
            finished = False
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
        found[cut] = tuple(dict.fromkeys(atom for e in usable for atom in atoms_of(e)))
    return found
