"""Checks the claims of a GIA that goals are unreachable, from the automaton and the program alone.

The invariants of the automaton are proven inductive at the nodes of its product with the program where its runs
carry them (what is not inductive is dropped), and the edges of the goals infeasible under them. A goal is certified
if no execution can take one of its edges; this holds whoever wrote the automaton and whatever else is wrong in it.

Sources: Haltermann & Wehrheim, SoSyM 2024, Definition 4 (correct GIA); Beyer, Dangl, Dietsch & Heizmann, *Correctness
witnesses*, FSE 2016 (checking a proof by its invariants).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum, StrEnum
from functools import cached_property
from time import monotonic

from msgspec import Struct

from gia.automaton.model import Automaton
from gia.automaton.status import unreachable_goals
from gia.automaton.wellformed import violations
from gia.cfa.expressions import Expression, Variable, conjuncts_of
from gia.cfa.goals import Goal
from gia.cfa.graph import Program
from gia.cfa.heap import heap_pools
from gia.cfa.hiding import hidden
from gia.cfa.impossible import never_taken
from gia.cfa.relevance import Relevance
from gia.cfa.short_loops import short_loops
from gia.cfa.supergraph import UNROLLED_RECURSION, Supergraph
from gia.cfa.wto import order
from gia.checker.conditions import Conditions
from gia.checker.product import ProductGraph, ProductNode
from gia.checker.unrolled import Unrolled, unrolled
from gia.errors import Position
from gia.smt.encoding.encoder import Encoder, Mode
from gia.smt.invariants.blocks import Skeleton, skeleton
from gia.smt.invariants.control_graph import ArcKey, EndingGraph, OutOfTimeError, TooLargeError, visible_variables
from gia.smt.invariants.fixpoint import Counterexample, Fixpoint
from gia.smt.invariants.induction import Induction
from gia.smt.solvers import make_solver

NODE_LIMIT = 100_000
"""Products with more nodes are not checked."""

_AT_ONCE = 0.5
"""The share of the time that trying all claims at once may take."""

_UNROLLED = 0.3
"""The share of the time that may be spent on following recursion."""

_NO_TIME = "the time for checking is used up"


class Outcome(StrEnum):
    """What became of a claim."""

    CERTIFIED = "certified"
    """The goal is unreachable: every step of the proof was checked."""
    REFUTED = "refuted"
    """The evidence does not prove the claim: it allows an execution of some block that reaches the goal."""
    NOT_CHECKABLE = "not checkable"
    """The claim could be neither certified nor refuted."""


class Cuts(Enum):
    """Where the graph is cut besides where its cycles need it."""

    NOWHERE = "nowhere"
    HEADS = "heads"
    """At the heads of loops: behind a call of which the automaton says little, a cycle may be cut elsewhere first."""
    EVERYWHERE = "everywhere"
    """At all nodes that carry invariants."""


class ClaimResult(Struct, frozen=True):
    """What became of the claim that a goal is unreachable.

    ``reason`` is for people; ``position`` is where in the program the problem is. ``from_start`` says of a refuted
    claim that the counterexample begins at the program's start, so that only an over-approximated operation can keep it
    from being a real execution; otherwise it begins at a state that the invariants allow.
    """

    goal: Goal
    outcome: Outcome
    reason: str = ""
    position: Position | None = None
    from_start: bool = False


class CheckReport(Struct, frozen=True):
    """The results in the order of the goals, and remarks about evidence that was left out."""

    results: tuple[ClaimResult, ...]
    remarks: tuple[str, ...] = ()

    @property
    def certified(self) -> frozenset[str]:
        """The ids of the certified goals."""
        return frozenset(result.goal.id for result in self.results if result.outcome is Outcome.CERTIFIED)


def certify(program: Program, automaton: Automaton, goals: Iterable[Goal], *, deadline: float) -> CheckReport:
    """Check that the goals are unreachable, on the evidence of ``automaton``.

    ``deadline`` is a value of ``time.monotonic``; when it has passed, what is not decided is not checkable.
    """
    claimed = tuple(goals)
    wrong = violations(automaton)
    if wrong:
        return _undecided(claimed, f"the automaton is not well-formed: {wrong[0]}")
    beyond = hidden(program)
    if beyond is not None:
        edge, what = beyond
        return _undecided(claimed, what, edge.position)
    left = tuple(goal for goal in claimed if not goal.edges <= program.derived(never_taken))
    try:
        report = Certification(program, automaton, left, deadline).report() if left else CheckReport(())
    except TooLargeError:
        report = _undecided(left, f"program and automaton together have more than {NODE_LIMIT} nodes")
    results = {result.goal.id: result for result in report.results}
    everything = tuple(results.get(goal.id) or _certified(goal) for goal in claimed)
    return CheckReport(everything, report.remarks)


def check_claims(program: Program, automaton: Automaton, goals: Iterable[Goal], *, deadline: float) -> CheckReport:
    """Check every goal of ``goals`` that the automaton claims to be unreachable."""
    wanted = tuple(goals)
    unreachable = unreachable_goals(program, automaton, wanted)
    claimed = [goal for goal in wanted if goal.id in unreachable]
    return certify(program, automaton, claimed, deadline=deadline)


def _certified(goal: Goal) -> ClaimResult:
    return ClaimResult(goal, Outcome.CERTIFIED)


def _undecided(goals: Sequence[Goal], reason: str, position: Position | None = None) -> CheckReport:
    return CheckReport(tuple(ClaimResult(goal, Outcome.NOT_CHECKABLE, reason, position) for goal in goals))


class Certification:
    """One check of one automaton on its product with the program."""

    def __init__(
        self,
        program: Program,
        automaton: Automaton,
        goals: tuple[Goal, ...],
        deadline: float,
        recursion_limit: int = 0,
    ) -> None:
        self.program = program
        self.automaton = automaton
        self.goals = goals
        self.deadline = deadline
        self.supergraph = Supergraph(program, recursion_limit)
        self.conditions = Conditions(self.supergraph)
        self.product = ProductGraph(self.supergraph, automaton, self.conditions)

    def report(self) -> CheckReport:
        """Prove what can be proven and say what became of each goal.

        First all claims are tried at once, and then as evidence that follows every execution to its end. Then the graph
        is cut only where its cycles need it: longer blocks lose less. What is left open then is tried with the heads of
        loops as cut points, and at last with every node that carries an invariant.
        """
        if self._all_hold(monotonic() + _AT_ONCE * max(0.0, self.deadline - monotonic())):
            return CheckReport(tuple(map(_certified, self.goals)), self.conditions.remarks)
        results = {goal.id: ClaimResult(goal, Outcome.NOT_CHECKABLE, _NO_TIME) for goal in self.goals}
        results |= {goal.id: _certified(goal) for goal in self._proven_by_unrolling()}
        for cuts in self.ways:
            left = [goal for goal in self.goals if results[goal.id].outcome is not Outcome.CERTIFIED]
            if not left:
                break
            share = max(0.0, self.deadline - monotonic()) * (1.0 if cuts is Cuts.EVERYWHERE else 0.5)
            try:
                results |= {result.goal.id: result for result in self._attempt(left, cuts, monotonic() + share)}
            except OutOfTimeError:
                continue
        return CheckReport(tuple(results[goal.id] for goal in self.goals), self.conditions.remarks)

    def _all_hold(self, deadline: float) -> bool:
        """Whether all goals are unreachable: then nothing is executed behind one, and need not be looked at.

        For an execution that takes edges of goals is, up to the first one, an execution of the graph that ends there.
        """
        edges = frozenset(number for goal in self.goals for number in goal.edges)
        graph = EndingGraph(self.product, lambda _, arc: arc.edge.number in edges)
        cuts = Cuts.HEADS if Cuts.HEADS in self.ways else Cuts.NOWHERE
        try:
            shape = skeleton(
                self.program,
                graph,
                edges,
                required=lambda node: self._is_cut(node, cuts),
                limit=NODE_LIMIT,
                deadline=deadline,
            )
            return not shape.beyond & edges and self.fixpoint(shape, deadline).proven == shape.claims
        except OutOfTimeError:
            return False

    def _proven_by_unrolling(self) -> list[Goal]:
        """The goals that are unreachable because the evidence follows all executions to where they end."""
        deeper = self.following_to_the_end()
        if deeper is None:
            return []
        edges = frozenset(number for goal in self.goals for number in goal.edges)
        relevance = Relevance(self.program, edges)
        found = deeper.unrolled(edges, lambda node: relevance.leads_to_goal(deeper.supergraph, node.node))
        return [goal for goal in self.goals if found is not None and found.excludes(goal.edges)]

    def following_to_the_end(self) -> Certification | None:
        """A check that inlines recursive calls as well, for a share of the time.

        ``None`` if that is this check: nothing is recursive, and there are no blocks that a longer path tells apart.
        """
        if not self.supergraph.contracts.contexts and not self.program.derived(heap_pools):
            return None
        deadline = monotonic() + _UNROLLED * max(0.0, self.deadline - monotonic())
        return Certification(self.program, self.automaton, self.goals, deadline, UNROLLED_RECURSION)

    def unrolled(self, edges: frozenset[int], leads_on: Callable[[ProductNode], bool]) -> Unrolled | None:
        """What evidence shows that follows recursion, see :func:`~gia.checker.unrolled.unrolled`."""

        def prove(shape: Skeleton[ProductNode]) -> frozenset[ArcKey[ProductNode]]:
            return self.fixpoint(shape, self.deadline).proven

        return unrolled(self.product, edges, leads_on, prove, limit=NODE_LIMIT, deadline=self.deadline)

    @property
    def ways(self) -> tuple[Cuts, ...]:
        """In which ways the graph is cut, one after the other; without recursion, cycles are cut at heads anyway."""
        return tuple(Cuts) if self.supergraph.contracts.contexts else (Cuts.NOWHERE, Cuts.EVERYWHERE)

    def _attempt(self, goals: Sequence[Goal], cuts: Cuts, deadline: float) -> list[ClaimResult]:
        """One fixpoint for some goals."""
        shape = self.shape(frozenset(number for goal in goals for number in goal.edges), cuts, deadline)
        fixpoint = self.fixpoint(shape, deadline)
        if cuts is Cuts.EVERYWHERE:
            self._remark_dropped(fixpoint)
        return [self._result(goal, shape, fixpoint) for goal in goals]

    def shape(self, edges: frozenset[int], cuts: Cuts, deadline: float) -> Skeleton[ProductNode]:
        """The part of the product that leads to some edges."""
        return self.shape_with(edges, lambda node: self._is_cut(node, cuts), deadline)

    def _is_cut(self, node: ProductNode, cuts: Cuts) -> bool:
        if cuts is Cuts.HEADS:
            return node.node.location in self._heads
        return cuts is Cuts.EVERYWHERE and bool(self.product.invariants(node))

    @cached_property
    def _heads(self) -> frozenset[int]:
        """The heads of the loops that are not unrolled."""
        heads = (head for function in self.program.functions.values() for head in order(function).heads)
        return frozenset(heads) - short_loops(self.program).keys()

    def shape_with(
        self, edges: frozenset[int], required: Callable[[ProductNode], bool], deadline: float | None = None
    ) -> Skeleton[ProductNode]:
        """As :meth:`shape`, with cut points where ``required`` says so."""
        return skeleton(
            self.program,
            self.product,
            edges,
            claimed=self.product.claimed.__contains__,
            required=required,
            limit=NODE_LIMIT,
            deadline=self.deadline if deadline is None else deadline,
        )

    def fixpoint(self, shape: Skeleton[ProductNode], deadline: float) -> Fixpoint[ProductNode]:
        """The inductive ones among the invariants, and which of the claims of ``shape`` hold under them."""
        candidates = {cut: self._candidates(cut) for cut in shape.cuts}
        return self.induction(shape).fixpoint(candidates, shape.claims, deadline)

    def induction(self, shape: Skeleton[ProductNode]) -> Induction[ProductNode]:
        """Inductive reasoning over a shape, without invariants yet.

        Without cycles, a path takes each arc once, and the blocks of an allocation are told apart.
        """
        encoder = Encoder(self.program, Mode.OVER, with_pools=bool(shape.cuts))
        return Induction(shape, encoder, make_solver, variables=self._variables)

    def _variables(self, node: ProductNode) -> tuple[Variable, ...]:
        return visible_variables(self.supergraph, node.node)

    def _candidates(self, cut: ProductNode) -> tuple[Expression, ...]:
        """The invariants at a cut point that can be evaluated there."""
        found = (self.conditions.invariant_at(condition, cut.node) for condition in self.product.invariants(cut))
        return tuple(part for expression in found if expression is not None for part in conjuncts_of(expression))

    def _remark_dropped(self, fixpoint: Fixpoint[ProductNode]) -> None:
        """Note the invariants that are not inductive."""
        for cut, kept in fixpoint.invariants.items():
            for condition in self.product.invariants(cut):
                expression = self.conditions.invariant_at(condition, cut.node)
                if expression is not None and not frozenset(kept).issuperset(conjuncts_of(expression)):
                    self.conditions.remark(condition, "it is not inductive")

    def _result(self, goal: Goal, shape: Skeleton[ProductNode], fixpoint: Fixpoint[ProductNode]) -> ClaimResult:
        """What the fixpoint says about one goal: certified if each of its arcs is proven infeasible."""
        position = self.program.edge_list[min(goal.edges)].position
        if shape.beyond & goal.edges:
            reason = "the goal may be reached inside a recursive call"
            return ClaimResult(goal, Outcome.NOT_CHECKABLE, reason, position)
        claims = [claim for edge in sorted(goal.edges) for claim in shape.claims_on.get(edge, ())]
        if fixpoint.proven.issuperset(claims):
            return _certified(goal)
        refuted = [fixpoint.refuted[claim] for claim in claims if claim in fixpoint.refuted]
        if not refuted or not fixpoint.undecided.isdisjoint(claims):
            reason = "the solver did not decide whether the goal's edge is feasible"
            return ClaimResult(goal, Outcome.NOT_CHECKABLE, reason, position)
        example = min(refuted, key=lambda example: example.start is not None)
        reason, position = self.explain(example)
        return ClaimResult(goal, Outcome.REFUTED, reason, position, example.start is None and not example.summarised)

    def explain(self, example: Counterexample[ProductNode]) -> tuple[str, Position]:
        """A counterexample for people, and where its edge is."""
        edge = self.program.edge_list[example.arc.edge]
        values = ", ".join(f"{name} = {value}" for name, value in example.values)
        if example.start is None:
            where = "from the start of the program"
        else:
            place = self._entering(example.start)
            carried = " and ".join(condition.text for condition in self.product.invariants(example.start))
            where = f"from {place} under the invariant {carried or 'true'}"
        text = f"{edge.text or edge.reference.kind} can be executed {where}"
        return (f"{text} with {values}" if values else text), edge.position

    def _entering(self, node: ProductNode) -> str:
        """A cut point by its position in the source."""
        function = self.supergraph.function_of(node.node)
        leaving = function.leaving[node.node.location]
        position = leaving[0].position if leaving else function.position
        return f"{position} in {function.name}"
