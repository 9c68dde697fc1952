"""What was seen at cut points in executions of blocks, for guessing what always holds.

Source: the dynamic detection of likely invariants, M. D. Ernst et al., TSE 2001. Deviation: what is executed are the
formulas of the blocks (:mod:`gia.analyses.proving.executions`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from gia.cfa.expressions import Expression
from gia.cfa.supergraph import Node
from gia.smt.invariants.control_graph import check_deadline
from gia.smt.invariants.induction import Induction
from gia.smt.terms import Term, Value, evaluate_all, variables_of

Sample = tuple[int, ...]
"""The values of the places of a cut point, unsigned, in the order of :attr:`Samples.places`."""

_MOST_STATES = 60
"""So many states of a cut point are kept."""


class Samples(Struct):
    """What was seen at each cut point, in places that hold integers."""

    places: dict[Node, tuple[Expression, ...]] = field(default_factory=dict)
    values: dict[Node, dict[Sample, None]] = field(default_factory=dict)
    states: dict[Node, list[Mapping[Term, Value]]] = field(default_factory=dict)
    """States with the first of these samples: the values of variables of the block that begins at the cut point."""

    def add(self, cut: Node, sample: Sample, state: Mapping[Term, Value]) -> None:
        """Note what was seen, unless it is known; at a cut point without places nobody looks."""
        if cut not in self.places:
            return
        known = self.values.setdefault(cut, {})
        if sample not in known:
            known[sample] = None
            states = self.states.setdefault(cut, [])
            if len(states) < _MOST_STATES:
                states.append(state)

    def wanting(self, most: int) -> int:
        """How many samples there are too few, if each cut point is to have ``most``."""
        return sum(max(0, most - len(found)) for found in self.values.values())


def consistent(
    induction: Induction[Node], samples: Samples, cut: Node, candidates: Sequence[Expression], deadline: float
) -> tuple[Expression, ...]:
    """The candidates that hold in all states that were seen at a cut point, as far as these say anything about them."""
    initial = induction.block(cut, deadline).initial
    terms = {candidate: induction.encoder.condition(candidate, initial, cut.context) for candidate in candidates}
    states = samples.states.get(cut, [])
    known = set.intersection(*map(set, states)) if states else set()
    left = {candidate: term for candidate, term in terms.items() if known.issuperset(variables_of(term))}
    wrong: set[Expression] = set()
    for state in states:
        check_deadline(deadline)
        holds = evaluate_all(list(left.values()), state)
        wrong.update(candidate for candidate, true in zip(left, holds, strict=True) if not true)
        left = {candidate: term for candidate, term in left.items() if candidate not in wrong}
    return tuple(candidate for candidate in terms if candidate not in wrong)
