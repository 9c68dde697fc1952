"""The abstract post image of a block: which combinations of predicates may hold where it ends.

Source: S. Graf & H. Saïdi, *Construction of abstract state graphs with PVS*, CAV 1997 (predicate abstraction); Beyer,
Keremoglu & Wendler, *Predicate abstraction with adjustable-block encoding*, FMCAD 2010 (one abstraction for each block,
however large); S. Lahiri, R. Nieuwenhuis & A. Oliveras, *SMT techniques for fast predicate abstraction*, CAV 2006 (all
solutions from one incremental solver). Predicates with one possible value are found first, by models of all of them
at once (cartesian abstraction); of the others all combinations are enumerated while they are few.
"""

from __future__ import annotations

from collections.abc import Sequence

from gia.analyses.predicate.atoms import with_atoms
from gia.analyses.predicate.blocks import Blocks
from gia.analyses.predicate.states import EVERYTHING, AbstractState, Cube, as_term, merged
from gia.cfa.expressions import Expression
from gia.cfa.supergraph import Node
from gia.smt.solvers.solver import Result
from gia.smt.terms import Term, conjunction, disjunction, negation

MOST_CUBES = 24
"""With more combinations than this, the predicates are taken one by one."""


class Abstraction:
    """Post images, each computed once."""

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self._posts: dict[tuple[Node | None, AbstractState, Node, tuple[Expression, ...]], AbstractState | None] = {}

    def successors(
        self, start: Node | None, state: AbstractState, cut: Node, precision: tuple[Expression, ...]
    ) -> tuple[AbstractState, ...]:
        """What may hold at ``cut`` after the block from ``start`` in ``state``: at most one abstract state."""
        key = (start, state, cut, precision)
        if key not in self._posts:
            self._posts[key] = self._compute(start, state, cut, precision)
        found = self._posts[key]
        return () if found is None else (found,)

    def predicates(self, facts: Sequence[Expression]) -> Sequence[Expression]:
        """The facts and their atoms."""
        return with_atoms(facts)

    def _premises(self, start: Node | None, state: AbstractState) -> list[Term]:
        """An abstract state where a block starts, as assumptions."""
        if start is None:
            return []
        return [as_term(state, lambda expression: self.blocks.at_start(start, expression))]

    def _compute(
        self, start: Node | None, state: AbstractState, cut: Node, precision: tuple[Expression, ...]
    ) -> AbstractState | None:
        blocks = self.blocks
        premises = [*self._premises(start, state), blocks.guard(start, cut)]
        terms = [] if blocks.is_unknown(cut) else [blocks.at_exit(start, cut, e) for e in precision]
        answer = blocks.ask(start, premises)
        if answer is Result.UNSAT:
            return None
        if answer is Result.UNKNOWN or not terms:
            return EVERYTHING
        first = [bool(blocks.value(start, term)) for term in terms]
        fixed = self._fixed(start, premises, terms, first)
        certain: Cube = frozenset((precision[i], first[i]) for i in fixed)
        free = [i for i in range(len(terms)) if i not in fixed]
        cubes = self._combinations(start, premises, terms, free, first)
        if cubes is None:
            return (certain,)
        return merged(certain | frozenset((precision[i], holds) for i, holds in cube) for cube in cubes)

    def _fixed(self, start: Node | None, premises: list[Term], terms: Sequence[Term], first: list[bool]) -> set[int]:
        """The predicates that have no other value than in the first model."""
        signed = [term if holds else negation(term) for term, holds in zip(terms, first, strict=True)]
        fixed = {i for i, term in enumerate(signed) if not term.is_false}
        while fixed:
            together = conjunction(*(signed[i] for i in sorted(fixed)))
            answer = self.blocks.ask(start, [*premises, negation(together)])
            if answer is Result.UNSAT:
                return fixed
            if answer is Result.UNKNOWN:
                return {i for i in sorted(fixed) if self.blocks.implies(start, premises, signed[i])}
            fixed = {i for i in sorted(fixed) if self.blocks.value(start, signed[i])}
        return fixed

    def _combinations(
        self, start: Node | None, premises: list[Term], terms: Sequence[Term], free: list[int], first: list[bool]
    ) -> list[list[tuple[int, bool]]] | None:
        """All values of the free predicates together; ``None`` if there are too many."""
        found: list[list[tuple[int, bool]]] = []
        values = first
        blocked: list[Term] = []
        while free:
            if len(found) >= MOST_CUBES:
                return None
            found.append([(i, values[i]) for i in free])
            blocked.append(disjunction(*(negation(terms[i]) if values[i] else terms[i] for i in free)))
            answer = self.blocks.ask(start, [*premises, *blocked])
            if answer is Result.UNSAT:
                break
            if answer is Result.UNKNOWN:
                return None
            values = [bool(self.blocks.value(start, term)) for term in terms]
        return found or [[]]
