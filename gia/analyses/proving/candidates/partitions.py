"""What may hold in each mode of a state machine: values of variables, kept apart by those of the mode variables.

A state machine is a loop whose body depends on variables that hold constants. For each cut point, an abstract state has
a case for each combination of values of its modes that may be there; in each case, the values that other variables may
have, and differences between counters that are constant. It is found from below: as long as the solver knows an
execution of a block from a state that is covered to one that is not, that one is added.

Source: T. Reps, M. Sagiv & G. Yorsh, *Symbolic implementation of the best transformer*, VMCAI 2004 (models of the block
that are not covered yet); X. Rival & L. Mauborgne, *The trace partitioning abstract domain*, TOPLAS 2007 (cases by the
values of variables).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce
from itertools import combinations

from msgspec import Struct, field

from gia.analyses.proving.candidates.comparisons import (
    compare_with_constant,
    converted,
    integer_type,
    number_of,
    unsigned_type,
)
from gia.analyses.proving.candidates.finite import (
    choices,
    constants_compared,
    constants_of,
    counters,
    feeding_cells,
    finite_cells,
    settings_of,
)
from gia.analyses.proving.candidates.houdini import Vocabulary
from gia.analyses.proving.cells import Cell, Numbers, cell_of
from gia.analyses.proving.proof import Candidates, Proof
from gia.cfa.expressions import (
    Binary,
    Expression,
    Variable,
    VariableReference,
    variables_of,
)
from gia.cfa.supergraph import Node
from gia.cfa.types import INT
from gia.smt.invariants.block_solver import BlockSolver
from gia.smt.invariants.control_graph import OutOfTimeError, check_deadline
from gia.smt.solvers.solver import Result
from gia.smt.terms import Term, bv_const, conjunction, disjunction, equal, negation

MOST_CASES = 100
"""With more cases at a cut point, the mode that is compared with the fewest constants is no longer told apart."""
MOST_VALUES = 6
"""A variable with more values in a case may have any."""
MOST_COUNTERS = 40
"""So many other variables, and so many differences, are looked at for each cut point."""
MOST_CHOICES = 2
"""So many conditions on variables that never change are told apart, like modes."""

Values = frozenset[int]
Case = tuple[int, ...]


class Tracked(Struct, frozen=True):
    """An integer expression of which at most ``most`` values (bits) are kept, all ``among`` some, if there are any."""

    expression: Expression
    most: int
    among: frozenset[int] = frozenset()

    def joined(self, known: Values | None, new: Values | None) -> Values | None:
        """The values of both; ``None`` is any value."""
        if known is None or new is None:
            return None
        both = known | new
        return both if len(both) <= self.most and (not self.among or both <= self.among) else None

    def compare(self, operator: str, value: int) -> Expression:
        """Its comparison with a value, given as bits."""
        return compare_with_constant(operator, self.expression, number_of(self.expression, value))

    def equals(self, value: int) -> Expression:
        """That it has this value, given as bits."""
        return self.compare("==", value)


class Cases(Struct):
    """The abstract state of a cut point: for each combination of values of ``modes``, the values of ``others``.

    ``anything``: every state may be there.
    """

    modes: list[Tracked]
    others: list[Tracked]
    found: dict[Case, tuple[Values | None, ...]] = field(default_factory=dict)
    anything: bool = False

    def add(self, case: Case, values: Sequence[Values | None]) -> None:
        """Cover the states with these values of modes and others, as bits."""
        self._join(case, tuple(values))
        for place in reversed(range(len(self.modes))):
            mode, value = self.modes[place], case[place]
            if mode.joined(frozenset(), frozenset({value})) is None:
                self._forget_mode(place)
        while len(self.found) > MOST_CASES:
            self._forget_mode(len(self.modes) - 1)

    def _join(self, case: Case, new: tuple[Values | None, ...]) -> None:
        known = self.found.get(case)
        if known is None:
            known = (frozenset(),) * len(self.others)
        self.found[case] = tuple(o.joined(k, n) for o, k, n in zip(self.others, known, new, strict=True))

    def _forget_mode(self, place: int) -> None:
        """A mode becomes one of the others."""
        before = self.found
        self.others.append(self.modes.pop(place))
        self.found = {}
        for case, known in before.items():
            self._join((*case[:place], *case[place + 1 :]), (*known, frozenset({case[place]})))

    def in_case(self, case: Case) -> list[Expression]:
        """What tells a case from others."""
        return [mode.equals(value) for mode, value in zip(self.modes, case, strict=True)]

    def facts(self, case: Case) -> list[Expression]:
        """What holds in a case."""
        pairs = zip(self.others, self.found[case], strict=True)
        return [_joined("||", map(other.equals, sorted(values))) for other, values in pairs if values is not None]


def cases_of_modes(proof: Proof) -> Iterator[Candidates]:
    """The stage: the values of flags in each case, if the program has modes."""
    yield facts_in_cases(proof, proof.deadline, with_counters=False)


def counters_in_modes(proof: Proof) -> Iterator[Candidates]:
    """The stage: the values of other variables and their differences, too."""
    yield facts_in_cases(proof, proof.deadline, with_counters=True)


def facts_in_cases(proof: Proof, deadline: float, *, with_counters: bool) -> Candidates:
    """What holds at each cut point by the values of flags (and counters) in each case; nothing if there are no modes.

    Raises :class:`~gia.smt.invariants.control_graph.OutOfTimeError`; the next call goes on from there.
    """
    search = proof.unfinished.get(with_counters)
    if not isinstance(search, _Search):
        search = proof.unfinished[with_counters] = _Search(proof, with_counters)
    if not any(cases.modes for cases in search.cases.values()):
        return {}
    search.run(deadline)
    return {cut: tuple(_as_facts(cases)) for cut, cases in search.cases.items()}


def _as_facts(cases: Cases) -> Iterator[Expression]:
    """A conjunction for the cases: what holds in all, which there are, and what holds in each."""
    if cases.anything or not cases.found:
        return
    facts = {case: cases.facts(case) for case in sorted(cases.found)}  # not in the order of the solver's models
    common = set.intersection(*(set(found) for found in facts.values()))
    yield from (fact for fact in next(iter(facts.values())) if fact in common)
    if not cases.modes:
        return
    yield _joined("||", [_joined("&&", cases.in_case(case)) for case in facts])
    for case, found in facts.items():
        special = [fact for fact in found if fact not in common]
        if special:
            others = [mode.compare("!=", value) for mode, value in zip(cases.modes, case, strict=True)]
            yield _joined("||", [*others, _joined("&&", special)])


def _joined(operator: str, parts: Sequence[Expression] | Iterator[Expression]) -> Expression:
    return reduce(lambda left, right: Binary(operator, left, right, INT), parts)


class _Search:
    """The least fixpoint."""

    def __init__(self, proof: Proof, with_counters: bool) -> None:
        self.proof = proof
        self.deadline = proof.deadline
        self._pending: dict[tuple[Node | None, Case], None] = {(None, ()): None}
        settings = settings_of(proof.program)
        finite = finite_cells(proof.program, settings)
        self._compared = constants_compared(proof.shape.edges)
        self._feeding = feeding_cells(settings, finite, [cell for cell in self._compared if cell in finite])
        self._constants = frozenset({0, 1}).union(constants_of(settings, self._feeding), *self._compared.values())
        self._integers = Numbers.of(proof.shape.edges)
        self._choices = choices(proof.program, settings, self._feeding)[:MOST_CHOICES]
        self._counters: frozenset[Variable] = frozenset()
        self._related: Mapping[Cell, frozenset[Cell]] = {}
        if with_counters and self._feeding:
            self._counters = counters(settings, proof.shape.edges, finite)
            self._related = Vocabulary.of(proof.program, proof.shape.edges).related
        self.cases = {cut: self._cases_at(cut) for cut in proof.shape.cuts}
        self._reached: set[Node] = set()
        self._formulas: dict[tuple[Node | None, Node | None, Case, tuple[Values | None, ...]], Term] = {}
        self._values: dict[tuple[Node | None, Node | None, int], list[Term]] = {}

    def _cases_at(self, cut: Node) -> Cases:
        """The variables of a cut point, those that are compared with most constants first."""
        shape = self.proof.shape
        if cut in shape.unknown or cut in shape.borders:
            return Cases([], [], anything=True)
        variables = self.proof.variables(cut)
        finite = [e for e in self._integers.at(variables) if cell_of(e) in self._feeding]
        modes = [e for e in finite if cell_of(e) in self._compared]
        modes.sort(key=lambda e: -len(self._compared_with(e)))
        others = [self._tracked(e, MOST_VALUES) for e in finite if e not in modes]
        counted = [v for v in variables if v in self._counters and v in self._related]
        others += [self._tracked(VariableReference(v), 1) for v in counted][:MOST_COUNTERS]
        others += self._differences(counted)
        chosen = [e for e in self._choices if modes and variables_of(e) <= frozenset(variables)]
        return Cases([self._tracked(e, MOST_VALUES) for e in (*modes, *chosen)], others)

    def _compared_with(self, expression: Expression) -> frozenset[int]:
        cell = cell_of(expression)
        return self._compared.get(cell, frozenset()) if cell is not None else frozenset()

    def _tracked(self, expression: Expression, most: int) -> Tracked:
        width = integer_type(expression).width
        written = self._constants if most > 1 else frozenset()
        return Tracked(expression, most, frozenset(value & ((1 << width) - 1) for value in written))

    def _differences(self, counted: Sequence[Variable]) -> list[Tracked]:
        """Differences of variables that the program brings together."""
        found = []
        for left, right in combinations(counted, 2):
            width = integer_type(VariableReference(left)).width
            if right in self._related[left] and integer_type(VariableReference(right)).width == width:
                type_ = unsigned_type(width)
                sides = [converted(VariableReference(v), type_) for v in (left, right)]
                found.append(Tracked(Binary("-", sides[0], sides[1], type_), 1))
        return found[:MOST_COUNTERS]

    def run(self, deadline: float) -> None:
        """Follow the blocks, from one case after the other, until nothing new is found."""
        self.deadline = deadline
        while self._pending:
            item = next(iter(self._pending))
            del self._pending[item]  # it may come back while it is looked at
            try:
                self._look(*item)
            except OutOfTimeError:
                self._pending[item] = None
                raise

    def _look(self, start: Node | None, case: Case) -> None:
        """Follow a block from one case."""
        if start is not None and case not in self._cases_of(start):
            return  # a mode was forgotten since then
        solver = self.proof.induction.solver_of(start, self.deadline)
        premises = self._premises(solver, case)
        for cut in solver.block.exits:
            self._follow(solver, premises, cut)

    def _cases_of(self, cut: Node) -> Collection[Case]:
        """The cases from which blocks are followed."""
        cases = self.cases[cut]
        return cases.found if not cases.anything else ((),)

    def _premises(self, solver: BlockSolver[Node], case: Case) -> list[Term]:
        """What is known where a block starts in a case, and what it does not do."""
        block, proof = solver.block, self.proof
        known = [negation(guard) for claim, guard in block.guards.items() if claim in proof.excluded]
        if block.start is None:
            return known
        known += [solver.condition(None, e) for e in proof.invariants.get(block.start, ())]
        if not self.cases[block.start].anything:
            known.append(self._term(solver, None, case))
        return known

    def _follow(self, solver: BlockSolver[Node], premises: Sequence[Term], cut: Node) -> None:
        """Cover all states in which a block reaches a cut point; the cases that become more are pending."""
        cases = self.cases[cut]
        while not (cases.anything and cut in self._reached):
            check_deadline(self.deadline)
            covered = () if cases.anything else cases.found
            missing = [negation(self._term(solver, cut, case)) for case in covered]
            answer = solver.ask([*premises, solver.block.exits[cut].guard, *missing])
            if answer is Result.UNSAT:
                return
            before = dict(cases.found)
            self._reached.add(cut)
            cases.anything |= answer is Result.UNKNOWN
            if not cases.anything:
                self._cover(solver, cut)
            changed = [case for case in self._cases_of(cut) if cases.anything or before.get(case) != cases.found[case]]
            self._pending.update(((cut, case), None) for case in changed)

    def _cover(self, solver: BlockSolver[Node], cut: Node) -> None:
        """Add the state of the solver's model."""
        cases, terms = self.cases[cut], self._terms(solver, cut)
        case = tuple(solver.value(term) for term in terms[: len(cases.modes)])
        known = cases.found.get(case, (frozenset(),) * len(cases.others))
        others = zip(known, terms[len(cases.modes) :], strict=True)
        cases.add(case, [None if values is None else frozenset({solver.value(term)}) for values, term in others])

    def _term(self, solver: BlockSolver[Node], cut: Node | None, case: Case) -> Term:
        """A case as a formula, where a block ends or where it starts."""
        node = cut if cut is not None else solver.block.start
        assert node is not None
        cases = self.cases[node]
        key = (solver.block.start, cut, case, cases.found[case])
        found = self._formulas.get(key)
        if found is None:
            allowed = [*(frozenset({value}) for value in case), *cases.found[case]]
            pairs = zip(self._terms(solver, cut), allowed, strict=True)
            found = conjunction(*(_is_among(term, values) for term, values in pairs if values is not None))
            self._formulas[key] = found
        return found

    def _terms(self, solver: BlockSolver[Node], cut: Node | None) -> list[Term]:
        """The values of modes and others where a block ends, or where it starts."""
        node = cut if cut is not None else solver.block.start
        assert node is not None
        cases = self.cases[node]
        key = (solver.block.start, cut, len(cases.modes))
        if key not in self._values:
            state = solver.block.initial if cut is None else solver.block.exits[cut]
            evaluate = self.proof.induction.encoder.evaluate
            tracked = (*cases.modes, *cases.others)
            self._values[key] = [evaluate(each.expression, state, node.context) for each in tracked]
        return self._values[key]


def _is_among(term: Term, values: Values) -> Term:
    return disjunction(*(equal(term, bv_const(value, term.width)) for value in sorted(values)))
