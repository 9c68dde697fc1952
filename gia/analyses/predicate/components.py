"""``predicate`` taken apart into three actors that exchange GIA files and nothing else: component-based CEGAR.

Source: Haltermann & Wehrheim, SoSyM 2024, sections 6 and 8 (CC-Gia), after Beyer, Haltermann, Lemberger & Wehrheim,
*Decomposing software verification into off-the-shelf components*, ICSE 2022. What each keeps is in the files:

* ``model-explorer`` (OA) builds the abstraction from all conditions of the GIA, and reports abstract counterexamples as
  candidate paths, and what the abstraction excludes;
* ``feasibility-checker`` (UA) looks for executions of the candidates (all paths of each), and reports tests;
* ``precision-refiner`` (OA) excludes infeasible candidates, with predicates as invariants where they hold, and what
  these exclude if they are inductive as they are.

Deviation: a candidate that the checker leaves undecided is no special kind of candidate; the refiner judges itself
whether it is infeasible, so that the two may also work at the same time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from gia.analyses.predicate.abstraction import Abstraction
from gia.analyses.predicate.actor import chosen_sources, initial_precisions
from gia.analyses.predicate.atoms import with_atoms
from gia.analyses.predicate.blocks import Blocks
from gia.analyses.predicate.candidates import MOST_PATHS, CandidatePath, candidate_paths
from gia.analyses.predicate.counterexamples import Counterexamples
from gia.analyses.predicate.evidence import loop_automaton, path_automaton
from gia.analyses.predicate.paths import Explanation, InfeasiblePath, selected
from gia.analyses.predicate.reachability import ReachabilityGraph
from gia.analyses.predicate.search import invariants_of
from gia.analyses.predicate.sources import predicates_for
from gia.analyses.proving.candidates.known import conditions_by_location
from gia.analyses.proving.proof import NOTHING, Candidates, Proof, begin
from gia.analyses.request import ActorRequest, whole_number
from gia.analyses.testing.campaign import campaign
from gia.automaton.model import Acceptance, Automaton
from gia.automaton.union import union
from gia.cfa.expressions import Expression
from gia.cfa.supergraph import Node
from gia.native import InputValue
from gia.smt.invariants.control_graph import ArcKey, OutOfTimeError
from gia.smt.solvers.solver import Result


def run_explorer(request: ActorRequest) -> Automaton:
    """The actor ``model-explorer``: candidates of the abstraction that the conditions of the GIA make, and proofs.

    Option ``candidates``: how many paths to each goal are reported at most.
    """
    proof = begin(request)
    if proof is None:
        return NOTHING
    blocks = Blocks(proof)
    precisions = initial_precisions(proof, conditions_by_location(proof.program, request.gia))
    graph = ReachabilityGraph(blocks, Abstraction(blocks), precisions)
    found: list[CandidatePath] = []
    try:
        left = _explore(proof, graph, found, whole_number(request, "candidates", 1))
        if left:
            proof.add(invariants_of(proof, graph))
    except OutOfTimeError:
        request.report("out of time")
    predicates = sum(len(precision) for precision in graph.precisions.values())
    request.report(f"{predicates} predicates, {len(graph.nodes)} abstract states: {len(found)} candidates")
    proof.report("abstraction")
    return union([proof.automaton(), *_as_automata(proof, found)])


def _as_automata(proof: Proof, found: Sequence[CandidatePath]) -> Iterator[Automaton]:
    """Candidates that pass the same cut points are one automaton: it has all paths through their blocks."""
    claims: dict[tuple[Node, ...], set[ArcKey[Node]]] = {}
    for path in found:
        claims.setdefault(path.cuts, set()).add(path.claim)
    for cuts, taken in claims.items():
        yield path_automaton(proof, cuts, taken, Acceptance.CAND)


def _explore(proof: Proof, graph: ReachabilityGraph, found: list[CandidatePath], most: int) -> set[str]:
    """Explore the whole graph, adding candidates to ``found``; the goals that are not reached in it.

    A counterexample that the GIA excludes already is none to report; its goal is not proven for that, since the
    abstraction that reaches it may stand for other paths too.
    """
    excluded = frozenset(candidate_paths(proof, proof.request.gia, Acceptance.UT))
    counts = {goal.id: 0 for goal in proof.open_goals}
    goals_of = {claim: goal.id for goal in proof.open_goals for claim in proof.claims_of(goal)}
    claims = dict(goals_of)
    while (hit := graph.explore(claims)) is not None:
        name = goals_of[hit.claim]
        cuts = tuple(node.cut for node in hit.node.path if node.cut is not None)
        if CandidatePath(cuts, hit.claim) not in excluded:
            found.append(CandidatePath(cuts, hit.claim))
        counts[name] += 1
        graph.excuse(hit)
        if counts[name] >= most:
            claims = {claim: goal for claim, goal in claims.items() if goal != name}
    return {name for name, count in counts.items() if count == 0}


def run_feasibility_checker(request: ActorRequest) -> Automaton:
    """The actor ``feasibility-checker``: a test for each candidate path of the GIA that an execution follows."""
    proof = begin(request)
    if proof is None:
        return NOTHING
    feasible: list[tuple[InputValue, ...]] = []
    candidates = candidate_paths(proof, request.gia)
    counterexamples = Counterexamples(proof)
    for path in candidates:
        try:
            judgement = counterexamples.judge(path.cuts, path.claim)
        except OutOfTimeError:
            request.report("out of time")
            break
        if judgement.result is Result.SAT:
            feasible.append(tuple(InputValue(i.function, i.type, i.bits) for i in judgement.inputs))
    request.report(f"{len(feasible)} of {len(candidates)} candidates are feasible")
    if not feasible:
        return NOTHING
    with campaign(request) as found:
        for inputs in dict.fromkeys(feasible):
            found.execute(inputs)
        request.report(f"{len(found.tests)} tests reach open goals")
        return found.automaton()


def run_refiner(request: ActorRequest) -> Automaton:
    """The actor ``precision-refiner``: infeasible candidates as ``ut``, with the predicates that exclude them.

    Option ``sources``: where predicates come from, in the order in which they are tried.
    """
    proof = begin(request)
    if proof is None:
        return NOTHING
    precisions = initial_precisions(proof, conditions_by_location(proof.program, request.gia))
    known = {cut: list(predicates) for cut, predicates in precisions.items()}
    found = list(_excluded(proof, request, known))
    request.report(f"{len(found)} candidates are excluded")
    if found:
        found.append(_invariant(proof, known))
    return union(found)


def _invariant(proof: Proof, known: Candidates) -> Automaton:
    """What the predicates exclude as they are: then there is no need to explore an abstraction."""
    try:
        proof.add(known)
    except OutOfTimeError:
        return NOTHING
    proof.report("predicates as invariants")
    return proof.automaton()


def _excluded(proof: Proof, request: ActorRequest, known: dict[Node, list[Expression]]) -> Iterator[Automaton]:
    """The infeasible candidates with their predicates, which are added to those that are ``known``."""
    blocks, counterexamples = Blocks(proof), Counterexamples(proof)
    sources = chosen_sources(request)
    excluded = candidate_paths(proof, request.gia, Acceptance.UT)
    turns = Counter(path.claim for path in excluded if len(excluded) < MOST_PATHS)  # those of a loop have no end
    try:
        for path in candidate_paths(proof, request.gia):
            if counterexamples.judge(path.cuts, path.claim).result is not Result.UNSAT:
                continue
            infeasible = InfeasiblePath(blocks, counterexamples, *path)
            facts = selected(infeasible, [known[cut] for cut in path.cuts])
            found = Explanation(facts) if facts is not None else None
            if found is None:
                found = predicates_for(infeasible, sources, turns[path.claim])
                turns[path.claim] += 1
            if found is None:
                request.report("no predicates exclude an infeasible candidate")
                found = Explanation([[] for _ in path.cuts])
            for cut, predicates in (*zip(path.cuts, found.facts, strict=True), *found.loops.items()):
                known[cut] = list(dict.fromkeys((*known[cut], *with_atoms(predicates))))
            if found.loops:
                yield loop_automaton(proof, path.claim, found.loops)
            else:
                yield path_automaton(proof, path.cuts, [path.claim], Acceptance.UT, found.facts)
    except OutOfTimeError:
        request.report("out of time")
