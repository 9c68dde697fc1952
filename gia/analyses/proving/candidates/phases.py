"""What holds in each phase of a loop: equations on either side of a condition that its executions change once or often.

Source: R. Sharma, I. Dillig, T. Dillig & A. Aiken, *Simplifying loop invariant generation using splitter predicates*,
CAV 2011. Deviations: the loop stays as it is, and an invariant says what holds on one side of a splitter; what that may
be is seen in samples. Phases that no execution comes to in time are entered from a state that the invariants allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, islice, product
from random import Random
from time import monotonic

from msgspec import Struct

from gia.analyses.proving.candidates.comparisons import compare_with_constant, number_of, opposite, stripped
from gia.analyses.proving.candidates.congruences import congruences
from gia.analyses.proving.candidates.equations import equations
from gia.analyses.proving.candidates.houdini import conditions_of
from gia.analyses.proving.candidates.known import meaningful_at
from gia.analyses.proving.executions import Course, Execution
from gia.analyses.proving.proof import Candidates, Proof
from gia.analyses.proving.samples import Sample, Samples
from gia.cfa.expressions import COMPARISONS, Binary, Expression, IntegerConstant
from gia.cfa.expressions import variables_of as variables_of_expression
from gia.cfa.supergraph import Node
from gia.cfa.types import INT, IntegerType
from gia.smt.solvers.solver import Result
from gia.smt.terms import SortKind, Term, Value, evaluate_all, variables_of

_MOST_SPLITTERS = 6
"""So many conditions split the states of a cut point."""
_MOST_FACTS = 12
"""So much is said of each side."""
_ROUNDS = 4
"""So many times sides are entered one after the other, each time from what is known then."""


_ENTERING = 0.4
"""The share of the time that is left for entering all of them."""


class Side(Struct, frozen=True):
    """The states of a cut point in which a condition holds."""

    cut: Node
    condition: Expression


_Sorted = Mapping[Side, Mapping[Sample, None]]
"""The samples on each side."""


def phases(proof: Proof) -> Iterator[Candidates]:
    """The stage: what holds on each side of the conditions of the program, entered one after the other."""
    search = _Search(proof)
    seen = search.sort(proof.samples)
    yield search.candidates([seen])
    for _ in range(_ROUNDS):
        known = {cut: len(kept) for cut, kept in proof.invariants.items()}
        missed = [side for side, found in seen.items() if not found]
        entered = [search.sort(samples) for samples in search.enter(missed)]
        if not entered:
            return
        yield search.candidates(entered)
        if known == {cut: len(kept) for cut, kept in proof.invariants.items()}:
            return  # from there nothing else is entered


class _Search:
    """The sides of the cut points, and executions that begin where one is entered."""

    def __init__(self, proof: Proof) -> None:
        self._proof = proof
        self._places = proof.samples.places
        self._random = Random(proof.request.seed)
        self._course = Course(proof.induction, self._places, proof.deadline)
        known = [condition for condition in conditions_of(proof.shape.edges) if _compares_integers(condition)]
        self._splits = {cut: self._splits_at(cut, known) for cut in proof.samples.values}

    def _splits_at(self, cut: Node, known: Iterable[Expression]) -> tuple[tuple[Side, Side], ...]:
        """The two sides of each condition that splits the states of a cut point."""
        meant = [condition for condition in known if meaningful_at(self._proof.supergraph, cut, condition)]
        meant.sort(key=_is_of_no_function)  # the function's own conditions first, not those of what the library keeps
        return tuple((Side(cut, each), Side(cut, opposite(each))) for each in meant[:_MOST_SPLITTERS])

    def sort(self, samples: Samples) -> _Sorted:
        """The samples on each side; those that do not say on which one they are belong to none."""
        found: dict[Side, dict[Sample, None]] = {}
        encoder = self._proof.induction.encoder
        for cut, splits in self._splits.items():
            sides = tuple(dict.fromkeys(chain.from_iterable(splits)))
            found.update({side: {} for side in sides})
            initial = self._course.block(cut).initial
            terms = [encoder.condition(side.condition, initial, cut.context) for side in sides]
            needed = frozenset[Term]().union(*map(variables_of, terms))
            for sample, state in zip(samples.values.get(cut, ()), samples.states.get(cut, ()), strict=False):
                if needed <= state.keys():
                    for side in compress(sides, evaluate_all(terms, state)):
                        found[side][sample] = None
        return found

    def candidates(self, groups: Sequence[_Sorted]) -> Candidates:
        """What the samples on a side have in common, in each group of executions, unless those beyond it have, too."""
        return {
            cut: list(
                dict.fromkeys(fact for group in groups for split in splits for fact in self._facts_on(split, group))
            )
            for cut, splits in self._splits.items()
        }

    def _facts_on(self, split: tuple[Side, Side], group: _Sorted) -> Iterator[Expression]:
        here, beyond = split
        on_both = bool(group[here] and group[beyond])
        common = frozenset(self._facts(here.cut, [*group[here], *group[beyond]]) if on_both else ())
        for side, other in (split, (beyond, here)):
            facts = self._facts(side.cut, list(group[side]))
            new = (fact for fact in facts if fact not in common and fact != side.condition)
            yield from (Binary("||", other.condition, fact, INT) for fact in islice(new, _MOST_FACTS))

    def _facts(self, cut: Node, seen: Sequence[Sample]) -> Iterator[Expression]:
        """What samples have in common: first of numbers that vary in them, then constants, then of both."""
        settled = _constants(self._proof.invariants.get(cut, ()))
        columns = dict(zip(self._places[cut], zip(*seen, strict=True), strict=False))
        open_ = {place: values for place, values in columns.items() if place not in settled}
        varying = {place: values for place, values in open_.items() if len(set(values)) > 1}
        yield from equations(list(varying), list(zip(*varying.values(), strict=True)))
        yield from congruences(list(varying), list(zip(*varying.values(), strict=True)))
        for place, values in open_.items():
            if place not in varying:
                yield compare_with_constant("==", place, number_of(place, values[0]))
        yield from equations(list(open_), list(zip(*open_.values(), strict=True)))

    def enter(self, sides: Sequence[Side]) -> Iterator[Samples]:
        """The samples of executions that begin where a side is entered, as many as there is time for."""
        now = monotonic()
        end = now + _ENTERING * (self._proof.deadline - now)
        known = {cut: self._proof.invariants.get(cut, ()) for cut in self._proof.cuts}
        for side, start in product(sides, (None, *self._proof.cuts)):
            if monotonic() > end:
                return
            values = self._entry(side, start, known)
            if values is not None:
                samples = Samples(self._places)
                Execution(self._course, samples, self._random, None).run(start, values)
                yield samples

    def _entry(self, side: Side, start: Node | None, known: Candidates) -> dict[Term, Value] | None:
        """Values of the variables and inputs of a block, allowed by what is known, with which it enters a side."""
        proof = self._proof
        solver = proof.induction.solver_of(start, proof.deadline)
        if side.cut not in solver.block.exits:
            return None
        query = [
            *solver.premises(known),
            solver.block.exits[side.cut].guard,
            solver.condition(side.cut, side.condition),
        ]
        if start == side.cut:
            query.append(solver.condition(None, opposite(side.condition)))
        if solver.ask(query) is not Result.SAT:
            return None
        variables = sorted(frozenset().union(*map(variables_of, query)), key=lambda variable: variable.name)
        return {each: solver.value(each) for each in variables if each.sort.kind in (SortKind.BOOL, SortKind.BV)}


def _constants(invariants: Iterable[Expression]) -> frozenset[Expression]:
    """What is known to have one value only."""
    equal = [e for e in invariants if isinstance(e, Binary) and e.operator == "=="]
    sides = [(e.left, e.right) for e in equal] + [(e.right, e.left) for e in equal]
    return frozenset(stripped(side) for side, other in sides if isinstance(other, IntegerConstant))


def _is_of_no_function(condition: Expression) -> bool:
    return all(variable.function is None for variable in variables_of_expression(condition))


def _compares_integers(condition: Expression) -> bool:
    return (
        isinstance(condition, Binary)
        and condition.operator in COMPARISONS
        and isinstance(condition.left.type, IntegerType)
        and isinstance(condition.right.type, IntegerType)
    )
