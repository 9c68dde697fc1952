"""Checks the single ``ut`` claims of a GIA: that the paths which they cover are infeasible, or reach no target.

Source: Haltermann & Wehrheim, SoSyM 2024, Definition 4 (``P_ut`` of a correct GIA). A claim is a transition into
``F_ut``. It is certified if no execution can take an edge on which a run ends with it, given that earlier claims hold:
that is proven as in :mod:`gia.checker.certify`; for a path without loops and invariants it says that the formula of the
path is unsatisfiable. Or, if the control flow alone shows that no path through it reaches a target, before or after.

While :func:`~gia.checker.certify.certify` asks whether goals are unreachable, this asks whether everything that the
automaton excludes may be excluded, as reducers will do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from time import monotonic

from msgspec import Struct
from msgspec.structs import replace

from gia.automaton.model import Acceptance, Automaton, Transition
from gia.cfa.goals import Goal
from gia.cfa.graph import Program
from gia.cfa.hiding import hidden
from gia.cfa.impossible import is_impossible
from gia.cfa.supergraph import Node
from gia.checker.certify import NODE_LIMIT, Certification, Cuts, Outcome
from gia.checker.product import ProductNode
from gia.errors import Position
from gia.smt.invariants.blocks import Skeleton
from gia.smt.invariants.control_graph import ArcKey, OutOfTimeError, TooLargeError
from gia.smt.invariants.fixpoint import Fixpoint


class Exclusion(Struct, frozen=True):
    """What became of one claim: a transition into ``F_ut`` on one edge of the program (by number).

    ``reason`` and ``position`` are for people, as in :class:`~gia.checker.certify.ClaimResult`.
    """

    transition: Transition
    edge: int
    outcome: Outcome
    reason: str = ""
    position: Position | None = None


def check_exclusions(
    program: Program, automaton: Automaton, goals: Iterable[Goal], *, deadline: float
) -> tuple[Exclusion, ...]:
    """What became of each ``ut`` claim of a well-formed automaton, by transition and edge.

    Claims that no path of the program makes are left out. ``deadline`` is a value of ``time.monotonic``.
    """
    if not automaton.accepting(Acceptance.UT):
        return ()
    targets = frozenset(number for goal in goals for number in goal.edges)
    return _Exclusions(program, automaton, targets, deadline).results()


class _Exclusions:
    """One check."""

    def __init__(self, program: Program, automaton: Automaton, targets: frozenset[int], deadline: float) -> None:
        self.program = program
        self.automaton = automaton
        self.targets = targets
        self.deadline = deadline
        self.final = automaton.accepting(Acceptance.UT)
        self.certification = Certification(program, automaton, (), deadline)

    def results(self) -> tuple[Exclusion, ...]:
        """All results; nothing is certified if the program has code that no path shows."""
        claimed = self._claimed_edges()
        beyond = hidden(self.program)
        if self.automaton.initial in self.final or beyond is not None:
            everything = Transition(self.automaton.initial, self.automaton.initial, None)
            why = "it covers the empty path" if beyond is None else beyond[1]
            return (Exclusion(everything, min(claimed, default=0), Outcome.NOT_CHECKABLE, why),)
        impossible = frozenset(number for number in claimed if is_impossible(self.program.edge_list[number]))
        known = tuple(Exclusion(*key, Outcome.CERTIFIED) for key in self._all(impossible))
        left = claimed - impossible
        return (*known, *self._checked(left)) if left else known

    def _checked(self, edges: frozenset[int]) -> tuple[Exclusion, ...]:
        """The results on some edges that transitions into ``F_ut`` carry."""
        unrolled = self._by_unrolling(edges)
        if unrolled is not None:
            return tuple(Exclusion(*key, Outcome.CERTIFIED) for key in unrolled)
        found: dict[tuple[Transition, int], Exclusion] = {}
        for cuts in self.certification.ways:
            share = max(0.0, self.deadline - monotonic()) * (1.0 if cuts is Cuts.EVERYWHERE else 0.5)
            try:
                results = self._attempt(edges, cuts, monotonic() + share)
            except OutOfTimeError:
                results = [self._unknown(key, "the time for checking is used up") for key in self._all(edges)]
            except TooLargeError:
                why = f"program and automaton together have more than {NODE_LIMIT} nodes"
                return tuple(self._unknown(key, why) for key in self._all(edges))
            for result in results:
                known = found.get((result.transition, result.edge))
                if known is None or known.outcome is not Outcome.CERTIFIED:
                    found[result.transition, result.edge] = result
            if all(result.outcome is Outcome.CERTIFIED for result in found.values()):
                break
        return tuple(found.values())

    def _by_unrolling(self, edges: frozenset[int]) -> Collection[tuple[Transition, int]] | None:
        """The claims, if all hold because the automaton follows all executions to where they end; else ``None``."""
        deeper = self.certification.following_to_the_end()
        found = None if deeper is None else deeper.unrolled(edges, lambda node: bool(node.states))
        if deeper is None or found is None or deeper.product.incomplete:
            return None
        claims = found.shape.claims & deeper.product.claimed
        if not claims <= found.proven:
            return None
        ordered = sorted((claim for claim in claims if claim.edge in edges), key=lambda key: (key.edge, key.case))
        return dict.fromkeys((made, claim.edge) for claim in ordered for made in self._made_by(claim))

    def _claimed_edges(self) -> frozenset[int]:
        """The edges that transitions into ``F_ut`` carry."""
        numbers: set[int] = set()
        for transition in self.automaton.transitions:
            if transition.target in self.final and transition.source not in self.final:
                wanted = transition.edges
                numbers |= {e.number for e in self.program.edge_list if wanted is None or e.reference in wanted}
        return frozenset(numbers)

    def _all(self, edges: frozenset[int]) -> list[tuple[Transition, int]]:
        return [
            (t, number)
            for t in self.automaton.transitions
            for number in sorted(edges)
            if t.target in self.final and t.source not in self.final and self._carries(t, number)
        ]

    def _carries(self, transition: Transition, number: int) -> bool:
        return transition.edges is None or self.program.edge_list[number].reference in transition.edges

    def _unknown(self, key: tuple[Transition, int], why: str) -> Exclusion:
        return Exclusion(*key, Outcome.NOT_CHECKABLE, why, self.program.edge_list[key[1]].position)

    def _attempt(self, edges: frozenset[int], cuts: Cuts, deadline: float) -> list[Exclusion]:
        """One fixpoint for all claims; see :class:`~gia.checker.certify.Certification`."""
        shape = self.certification.shape(edges, cuts, deadline)
        product = self.certification.product
        claims = frozenset(key for key in shape.claims if key in product.claimed and key.edge in edges)
        harmless = frozenset(claims) & self._harmless(shape, claims)
        fixpoint = self.certification.fixpoint(
            replace(shape, goals=frozenset(), claims=claims - harmless, beyond=frozenset()), deadline
        )
        worst: dict[tuple[Transition, int], Exclusion] = {}
        for claim in sorted(claims, key=lambda key: (key.edge, key.case)):
            result = self._result(claim, fixpoint, harmless, shape.beyond)
            for transition in self._made_by(claim):
                key = (transition, claim.edge)
                if key not in worst or _RANK[worst[key].outcome] < _RANK[result.outcome]:
                    worst[key] = replace(result, transition=transition)
        for key in self._all(shape.beyond):
            worst[key] = self._unknown(key, "it may be made inside a recursive call")
        if product.incomplete:
            why = "an assumption on its runs cannot be evaluated"
            return [self._unknown(key, why) for key in self._all(edges)]
        return list(worst.values())

    def _result(
        self,
        claim: ArcKey[ProductNode],
        fixpoint: Fixpoint[ProductNode],
        harmless: frozenset[ArcKey[ProductNode]],
        beyond: frozenset[int],
    ) -> Exclusion:
        """What became of the claims on one arc."""
        made = Transition(self.automaton.initial, self.automaton.initial, None), claim.edge
        if claim.edge not in beyond and (claim in harmless or claim in fixpoint.proven):
            return Exclusion(*made, Outcome.CERTIFIED)
        if claim in fixpoint.refuted:
            reason, position = self.certification.explain(fixpoint.refuted[claim])
            return Exclusion(*made, Outcome.REFUTED, reason, position)
        return self._unknown(made, "the solver did not decide whether the path is feasible")

    def _made_by(self, claim: ArcKey[ProductNode]) -> list[Transition]:
        """The transitions with which runs may end on an arc."""
        return [
            transition
            for state in claim.source.states
            for transition in self.automaton.leaving[state]
            if transition.target in self.final and self._carries(transition, claim.edge)
        ]

    def _harmless(
        self, shape: Skeleton[ProductNode], claims: frozenset[ArcKey[ProductNode]]
    ) -> frozenset[ArcKey[ProductNode]]:
        """The claims on arcs before and behind which the control flow has no target."""
        tainted = self._behind_targets(shape)
        onward: dict[Node, bool] = {}
        found = []
        for claim in claims:
            if claim.edge in self.targets or claim.source in tainted:
                continue
            arcs = [arc for arc in shape.arcs[claim.source] if (arc.edge.number, arc.case) == claim[1:]]
            if all(arc.step is not None and not self._leads_to_target(arc.target.node, onward) for arc in arcs):
                found.append(claim)
        return frozenset(found)

    def _behind_targets(self, shape: Skeleton[ProductNode]) -> set[ProductNode]:
        """The nodes that some path reaches after a target, or after a call of which nothing is known."""
        tainted: set[ProductNode] = set()
        pending = [
            arc.target
            for leaving in shape.arcs.values()
            for arc in leaving
            if arc.edge.number in self.targets or arc.step is None
        ]
        while pending:
            node = pending.pop()
            if node not in tainted:
                tainted.add(node)
                pending.extend(arc.target for arc in shape.arcs.get(node, ()))
        return tainted

    def _leads_to_target(self, start: Node, known: dict[Node, bool]) -> bool:
        """Whether some path from a node of the inlined program has a target; calls beyond the limit may have one."""
        if start in known:
            return known[start]
        supergraph = self.certification.supergraph
        pending, seen = [start], {start}
        answer = False
        while pending and not answer:
            node = pending.pop()
            if supergraph.contracts.function_in(node.context[:1]) is not None:  # who has called is not known
                answer = True
                break
            steps = supergraph.successors(node)
            leaving = supergraph.function_of(node).leaving[node.location]
            answer = len(steps) < len(leaving) or any(step.edge.number in self.targets for step in steps)
            for step in steps:
                if step.target not in seen:
                    seen.add(step.target)
                    pending.append(step.target)
        known[start] = answer
        return answer


_RANK = {Outcome.CERTIFIED: 0, Outcome.NOT_CHECKABLE: 1, Outcome.REFUTED: 2}
