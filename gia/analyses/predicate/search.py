"""The loop of CEGAR: explore, judge a counterexample, refine; whatever the abstract domain is.

Source: E. Clarke, O. Grumberg, S. Jha, Y. Lu & H. Veith, *Counterexample-guided abstraction refinement*, CAV 2000;
Daca, Gupta & Henzinger, VMCAI 2016, Algorithm 2: a goal that is decided leaves the set, and the analysis goes on with
the others in the same reachability graph. A feasible counterexample becomes a candidate test, which somebody has to
execute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from msgspec import Struct, field

from gia.analyses.predicate.counterexamples import Counterexamples
from gia.analyses.predicate.evidence import candidate_test
from gia.analyses.predicate.paths import Explanation, InfeasiblePath
from gia.analyses.predicate.reachability import Hit, ReachabilityGraph
from gia.analyses.predicate.states import as_expressions
from gia.analyses.proving import stages
from gia.analyses.proving.candidates.known import known_invariants
from gia.analyses.proving.proof import Candidates, Proof, Stage
from gia.automaton.model import Automaton
from gia.cfa.goals import Goal
from gia.cfa.supergraph import Node
from gia.exchange.obstacles import undecided_line
from gia.smt.invariants.control_graph import ArcKey, OutOfTimeError
from gia.smt.solvers.solver import Result

WITHOUT_ABSTRACTION: Final = (
    Stage("no invariants", stages.no_candidates, 9),
    Stage("known invariants", known_invariants),
)
"""What is tried before there is an abstraction."""


class Search(Struct):
    """One run: the graph so far, the goals that are left, and what became of the others.

    ``left`` are the goals that no feasible counterexample reaches so far; ``given_up`` says why there is no proof of a
    goal; ``tests`` are candidates to be executed. ``explain`` finds what an abstraction has to know at the cut points
    of an infeasible path so that it excludes it; it is told how often it was asked for the claim before.
    """

    proof: Proof
    graph: ReachabilityGraph
    counterexamples: Counterexamples
    explain: Callable[[InfeasiblePath, int], Explanation | None]
    left: dict[str, Goal]
    given_up: dict[str, str] = field(default_factory=dict)
    tests: list[Automaton] = field(default_factory=list)
    refinements: int = 0
    turns: Counter[ArcKey[Node]] = field(default_factory=Counter)

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
            for claim in judgement.taken:
                self._leave(claim, "a candidate test for it is not confirmed")
        elif judgement.result is Result.UNKNOWN:
            self._leave(hit.claim, "the solver did not decide whether a path to it is feasible")
        else:
            infeasible = InfeasiblePath(self.graph.blocks, self.counterexamples, cuts, hit.claim)
            found = self.explain(infeasible, self.turns[hit.claim])
            self.turns[hit.claim] += 1
            for cut, invariants in found.loops.items() if found is not None else ():
                self.graph.add_predicates(cut, self.graph.domain.predicates(invariants))
            if found is None or not self.graph.refine(path, found.facts):
                self._leave(hit.claim, "the abstraction cannot exclude an infeasible path to it")
            else:
                self.refinements += 1

    def _leave(self, claim: ArcKey[Node], reason: str) -> None:
        """The goals of a claim are no longer looked at."""
        for name, goal in list(self.left.items()):
            if claim.edge in goal.edges:
                del self.left[name]
                self.given_up[name] = reason

    def conclude(self) -> bool:
        """Search, and let the proof check what the graph says; whether it is finished and its invariants hold."""
        finished = self.run()
        proof = self.proof
        proof.request.report(
            f"{'finished' if finished else 'out of time'}: {len(self.graph.nodes)} abstract states, "
            f"{self.refinements} refinements, {len(self.left) if finished else 0} goals proven, "
            f"{len(self.tests)} candidate tests"
        )
        for name, reason in self.given_up.items():
            proof.request.report(undecided_line(name, reason))
        if finished and self.left:
            try:
                proof.add(invariants_of(proof, self.graph))
                proof.report("invariants of the abstraction")
            except OutOfTimeError:
                return False
        return finished


def invariants_of(proof: Proof, graph: ReachabilityGraph) -> Candidates:
    """What a finished graph says about each cut point."""
    return {cut: as_expressions(states) for cut in proof.shape.cuts if (states := graph.states_at(cut))}
