"""The actor ``value``: explicit values of the variables that matter, found out by counterexamples.

Source: D. Beyer & S. Löwe, *Explicit-state software model checking based on CEGAR and interpolation*, FASE 2013. A
precision is the set of variables that are tracked at a cut point. Deviation: values are found by a solver over large
blocks, so that a variable may also have a few values at the end of one block: one abstract state for each combination.
A variable with more of them is not tracked there. Direction OA.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gia.analyses.predicate.blocks import Blocks
from gia.analyses.predicate.counterexamples import Counterexamples
from gia.analyses.predicate.horn_sources import relevant_variables
from gia.analyses.predicate.paths import Explanation, Facts, InfeasiblePath
from gia.analyses.predicate.reachability import ReachabilityGraph
from gia.analyses.predicate.search import WITHOUT_ABSTRACTION, Search
from gia.analyses.predicate.states import EVERYTHING, AbstractState, as_term
from gia.analyses.proving.candidates.comparisons import compare_with_constant
from gia.analyses.proving.proof import NOTHING, begin
from gia.analyses.request import ActorRequest
from gia.automaton.model import Automaton
from gia.automaton.union import union
from gia.cfa.expressions import Expression
from gia.cfa.supergraph import Node
from gia.cfa.types import IntegerType
from gia.smt.solvers.solver import Result
from gia.smt.terms import Term, bv_const, disjunction, distinct, signed

FIRST_SHARE = 0.6
"""The share of the time for what needs no values: that often proves most."""
MOST_VALUATIONS = 12
"""With more combinations of values at the end of a block, variables are left out until there are fewer."""


class ExplicitValues:
    """The domain: a state gives some variables a value; ``precision`` are references to the tracked variables."""

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks

    def successors(
        self, start: Node | None, state: AbstractState, cut: Node, precision: tuple[Expression, ...]
    ) -> tuple[AbstractState, ...]:
        """One state for each combination of values at ``cut``."""
        blocks = self.blocks
        premises = [blocks.guard(start, cut), *self.premises(start, state)]
        tracked = [] if blocks.is_unknown(cut) else list(precision)
        while tracked:
            found, complete = self._valuations(start, cut, premises, tracked)
            if complete:
                return tuple(self._state(tracked, values) for values in found)
            kinds = Counter({i: len({values[i] for values in found}) for i in range(len(tracked))})
            del tracked[kinds.most_common(1)[0][0]]
        return () if blocks.ask(start, premises) is Result.UNSAT else (EVERYTHING,)

    def predicates(self, facts: Sequence[Expression]) -> Sequence[Expression]:
        """The variables to track."""
        return facts

    def premises(self, start: Node | None, state: AbstractState) -> list[Term]:
        """A state where a block starts, as assumptions."""
        return [] if start is None else [as_term(state, lambda expression: self.blocks.at_start(start, expression))]

    def _valuations(
        self, start: Node | None, cut: Node, premises: Sequence[Term], tracked: Sequence[Expression]
    ) -> tuple[list[tuple[int, ...]], bool]:
        """The combinations of values, unsigned, and whether these are all."""
        blocks = self.blocks
        exit_, encoder = blocks.block(start).exits[cut], blocks.proof.induction.encoder
        terms = [encoder.evaluate(reference, exit_, cut.context) for reference in tracked]
        found: list[tuple[int, ...]] = []
        others: list[Term] = []
        while True:
            answer = blocks.ask(start, [*premises, *others])
            if answer is not Result.SAT:
                return found, answer is Result.UNSAT
            if len(found) == MOST_VALUATIONS:
                return found, False
            values = tuple(blocks.value(start, term) for term in terms)
            found.append(values)
            pairs = zip(terms, values, strict=True)
            others.append(disjunction(*(distinct(term, bv_const(value, term.width)) for term, value in pairs)))

    def _state(self, tracked: Sequence[Expression], values: Sequence[int]) -> AbstractState:
        literals = []
        for reference, value in zip(tracked, values, strict=True):
            assert isinstance(reference.type, IntegerType)
            number = signed(value, reference.type.width) if reference.type.signed else value
            literals.append((compare_with_constant("==", reference, number), True))
        return (frozenset(literals),)


def tracked_for(path: InfeasiblePath) -> Explanation | None:
    """A smallest set of variables whose values exclude the path, at each of its cut points; ``None`` if all do not."""
    points = relevant_variables(path)
    chosen = list(dict.fromkeys(reference for point in points for reference in point.references))

    def precision(kept: Sequence[Expression]) -> Facts:
        return [[reference for reference in point.references if reference in kept] for point in points]

    if not _excludes(path, precision(chosen)):
        return None
    for reference in list(chosen):
        fewer = [other for other in chosen if other != reference]
        if _excludes(path, precision(fewer)):
            chosen = fewer
    return Explanation(precision(chosen))


def _excludes(path: InfeasiblePath, precision: Facts) -> bool:
    """Whether the abstraction with this precision does not follow the path to its claim."""
    domain = ExplicitValues(path.blocks)
    states: tuple[AbstractState, ...] = (EVERYTHING,)
    for index, cut in enumerate(path.cuts):
        start, tracked = path.starts[index], tuple(precision[index])
        after = [found for state in states for found in domain.successors(start, state, cut, tracked)]
        states = tuple(dict.fromkeys(after))
    end = path.starts[-1]
    guard = path.blocks.guard(end, path.claim)
    return all(path.blocks.ask(end, [*domain.premises(end, state), guard]) is Result.UNSAT for state in states)


def run(request: ActorRequest) -> Automaton:
    """Explore with explicit values until every open goal is decided or the time is used up."""
    proof = begin(request)
    if proof is None:
        return NOTHING
    proof.search(WITHOUT_ABSTRACTION, FIRST_SHARE)
    blocks = Blocks(proof)
    graph = ReachabilityGraph(blocks, ExplicitValues(blocks), {})
    left = {goal.id: goal for goal in proof.open_goals}
    search = Search(proof, graph, Counterexamples(proof), lambda path, _: tracked_for(path), left)
    search.conclude()
    return union([proof.automaton(), *search.tests])
