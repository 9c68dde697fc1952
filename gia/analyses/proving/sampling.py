"""Executions of blocks, with the inputs of tests and at random: which values the variables have at cut points, for
guessing what always holds.

Source: the dynamic detection of likely invariants, M. D. Ernst et al., TSE 2001. Deviation: what is executed are the
formulas of the blocks. Memory whose units differ between blocks is not carried from one to the next: samples may be
impossible in the program, which costs candidates and never a proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, islice
from random import Random
from typing import NamedTuple

from msgspec import Struct, field

from gia.analyses.proving.cells import Numbers, elements_of
from gia.cfa.expressions import Expression, IntegerConstant, Member, Subscript, Variable, VariableReference, walk
from gia.cfa.operations import operands_of
from gia.cfa.supergraph import Node
from gia.cfa.types import IntegerType
from gia.smt.encoding.state import SymbolicState, input_records
from gia.smt.invariants.blocks import Block, Use
from gia.smt.invariants.control_graph import OutOfTimeError, check_deadline
from gia.smt.invariants.induction import Induction
from gia.smt.terms import (
    Evaluation,
    Kind,
    SortKind,
    Term,
    Value,
    bv_const,
    default_value,
    evaluate_all,
    variables_of,
)

Sample = tuple[int, ...]
"""The values of the places of a cut point, unsigned, in the order of :attr:`Samples.places`."""
Inputs = Sequence[int]
"""The bits of what an execution reads, in its order."""

_STEPS = 40
"""How many blocks a random execution, or a call in it, may be long."""
_DEPTH = 80
"""How many calls may be active that blocks summarise."""
_IDLE = 10
"""So many executions may bring nothing new."""
_MOST_STATES = 60
"""So many states of a cut point are kept."""
_MOST_CONSTANTS = 40
_MOST_IN_MEMORY = 8
_RANGES = (40, 200)
"""Other numbers are below one of these."""
_INTERESTING = (0, 1, 2, 3, 5, 8, 10, 100, -1, -2)


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


class _Assignment(dict[Term, Value]):
    """The values of variables; one that is asked for first gets a random one, often the one that is ``preferred``."""

    def __init__(self, random: Random, preferred: int | None) -> None:
        super().__init__()
        self.random = random
        self.preferred = preferred

    def get(self, key: Term, default: object = None, /) -> Value:
        """The value of a variable."""
        if key not in self:
            self[key] = self._draw(key)
        return self[key]

    def _draw(self, variable: Term) -> Value:
        if variable.sort.kind is SortKind.BOOL:
            return self.random.random() < 0.5
        if variable.sort.kind is not SortKind.BV:
            return default_value(variable.sort)
        if self.preferred is not None and self.random.random() < 0.5:
            return self.preferred & ((1 << variable.width) - 1)
        if self.random.random() < 0.7:
            return self.random.choice(_INTERESTING) & ((1 << variable.width) - 1)
        return self.random.randrange(min(1 << variable.width, self.random.choice(_RANGES)))


def draw_samples(
    induction: Induction[Node],
    places: Mapping[Node, tuple[Expression, ...]],
    *,
    seed: int,
    most: int,
    deadline: float,
    tests: Iterable[Inputs] = (),
) -> Samples:
    """Execute the blocks with the inputs of tests, and then at random, until every cut point has ``most`` different
    samples, or no run finds new ones.

    ``places`` are variables, and what :func:`integers_in_memory` finds. After ``deadline``, what was seen by then.
    """
    random = Random(seed)
    samples = Samples(dict(places), {cut: {} for cut in places})
    course = _Course(induction, samples.places, deadline)
    constants = _constants(induction)
    preferred = cycle((*constants, None))
    idle = 0
    try:
        for inputs in tests:
            _Execution(course, samples, random, None, inputs).run()
        while idle < _IDLE + len(constants) and samples.wanting(most):
            before = samples.wanting(most)
            _Execution(course, samples, random, next(preferred)).run()
            idle = idle + 1 if samples.wanting(most) == before else 0
    except OutOfTimeError:
        pass
    return samples


def integers_in_memory(
    induction: Induction[Node], variables: Mapping[Node, Sequence[Variable]], deadline: float
) -> dict[Node, tuple[Expression, ...]]:
    """The integers in arrays and structures that the program names, of elements that it computes those in small arrays.

    Of each cut point those in its ``variables`` that are carried from block to block, as variables are. A field that is
    named by a pointer belongs to every structure that has it.
    """
    operands = (expression for edge in induction.shape.edges for expression in operands_of(edge.operation))
    parts = dict.fromkeys(p for operand in operands for p in walk(operand) if isinstance(p.type, IntegerType))
    constant = [part for part in parts if _owner(part) is not None]
    computed = (part for part in parts if _owner(part) is None)
    named = (*constant, *(each for part in computed for each in elements_of(part)))
    numbers = Numbers.of(induction.shape.edges)
    found: dict[Node, tuple[Expression, ...]] = {}
    for cut, visible in variables.items():
        initial = induction.block(cut, deadline).initial
        inside = (place for place in dict.fromkeys((*named, *numbers.at(visible))) if _owner(place) in visible)
        carried = (
            place for place in inside if induction.encoder.evaluate(place, initial, cut.context).kind is Kind.VARIABLE
        )
        found[cut] = tuple(islice(carried, _MOST_IN_MEMORY))
    return found


def _owner(place: Expression) -> Variable | None:
    """The variable that a place at a constant distance from its begin is a part of; ``None`` for anything else."""
    part = place
    while True:
        match part:
            case Subscript(array=array, index=IntegerConstant()):
                part = array
            case Member(base=base):
                part = base
            case VariableReference(variable=variable) if part is not place:
                return variable
            case _:
                return None


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


def _constants(induction: Induction[Node]) -> tuple[int, ...]:
    """Those of the program if calls are summarised: the values of functions for the arguments that it allows matter."""
    if not induction.shape.borders:
        return ()
    expressions = (e for edge in induction.shape.edges for e in operands_of(edge.operation))
    found = {part.value for e in expressions for part in walk(e) if isinstance(part, IntegerConstant)}
    return tuple(sorted(found))[:_MOST_CONSTANTS]


class _Arrival(NamedTuple):
    """What is to be evaluated of a state at a cut point.

    First what the variables ``carried`` of the block that begins there become, then what is observed.
    """

    evaluation: Evaluation
    carried: Sequence[Term]


class _Course:
    """What random executions evaluate in blocks, made once for all of them; it ends after the deadline."""

    def __init__(
        self, induction: Induction[Node], places: Mapping[Node, tuple[Expression, ...]], deadline: float
    ) -> None:
        self._induction = induction
        self._places = places
        self._deadline = deadline
        self._exits: dict[tuple[Node | None, Node | None], tuple[Sequence[Node], Evaluation]] = {}
        self._arrivals: dict[tuple[Node, int], _Arrival] = {}
        self._inputs: dict[Node | None, Sequence[tuple[Evaluation, Term]]] = {}

    def block(self, start: Node | None) -> Block[Node]:
        """The block that begins at a cut point, or at the start of the program."""
        check_deadline(self._deadline)
        return self._induction.block(start, self._deadline)

    def exits(self, start: Node | None, end: Node | None) -> tuple[Sequence[Node], Evaluation]:
        """The cut points at the end of a block, and their guards; of the ends of calls only ``end``."""
        if (start, end) not in self._exits:
            block, borders = self.block(start), self._induction.shape.borders
            cuts = [cut for cut in block.exits if cut == end or cut not in borders]
            self._exits[start, end] = cuts, Evaluation([block.exits[cut].guard for cut in cuts])
        return self._exits[start, end]

    def inputs(self, start: Node | None) -> Sequence[tuple[Evaluation, Term]]:
        """The inputs that a block may read, in an order that agrees with every path, and whether it does."""
        if start not in self._inputs:
            exits = self.block(start).exits.values()
            records = {record.number: record for state in exits for record in input_records(state)}
            self._inputs[start] = [
                (Evaluation([records[number].guard]), variable)
                for number in sorted(records)
                for variable in variables_of(records[number].term)
            ]
        return self._inputs[start]

    def arrival(self, cut: Node, state: SymbolicState) -> _Arrival:
        """What to evaluate where a block comes to a cut point in a state, one of those that the block has."""
        key = (cut, id(state))
        if key not in self._arrivals:
            sources, targets = _correspondence(state, self.block(cut))
            encoder = self._induction.encoder
            observed = [encoder.evaluate(place, state, cut.context) for place in self._places.get(cut, ())]
            self._arrivals[key] = _Arrival(Evaluation([*sources, *observed]), targets)
        return self._arrivals[key]


class _Execution:
    """One execution from the program's start; calls that blocks summarise are executed where they stand.

    First it reads ``inputs``, then at random, often the value ``preferred``, if there is one.
    """

    def __init__(
        self, course: _Course, samples: Samples, random: Random, preferred: int | None, inputs: Inputs = ()
    ) -> None:
        self.course = course
        self.samples = samples
        self.random = random
        self.preferred = preferred
        self._inputs = iter(inputs)
        self._returned: dict[tuple[Node, tuple[Value, ...]], _Ended | None] = {}

    def run(self) -> None:
        """Execute blocks until none follows, or there were enough."""
        self._follow(None, {}, None, _DEPTH)

    def _follow(self, start: Node | None, carried: dict[Term, Value], end: Node | None, depth: int) -> _Ended | None:
        """What holds where the execution comes to ``end``; ``None`` if it does not."""
        for _ in range(_STEPS):
            block = self.course.block(start)
            assignment = _Assignment(self.random, self.preferred)
            assignment.update(carried)
            self._read(start, assignment)
            if not all(self._call(use, assignment, depth) for use in block.uses):
                return None
            cuts, guards = self.course.exits(start, end)
            start = next((cut for cut, holds in zip(cuts, guards.values(assignment), strict=True) if holds), None)
            if start is None:
                return None
            carried = self._observe(start, block.exits[start], assignment)
            if start == end:
                return _Ended(block.exits[start], assignment)
        return None

    def _read(self, start: Node | None, assignment: _Assignment) -> None:
        """Give the inputs that the block reads their values, in the order of the execution."""
        for guard, variable in self.course.inputs(start):
            if not guard.values(assignment)[0]:
                continue
            value = next(self._inputs, None)
            if value is None:
                return
            assignment[variable] = value & ((1 << variable.width) - 1)

    def _observe(self, cut: Node, state: SymbolicState, assignment: _Assignment) -> dict[Term, Value]:
        """Record the values at a cut point; those of its state for the block that begins there."""
        evaluation, targets = self.course.arrival(cut, state)
        values = evaluation.values(assignment)
        carried = dict(zip(targets, values, strict=False))
        observed = values[len(targets) :]
        numbers = tuple(int(value) for value in observed if isinstance(value, int))
        if len(numbers) == len(observed):
            self.samples.add(cut, numbers, carried)
        return carried

    def _call(self, use: Use[Node], assignment: _Assignment, depth: int) -> bool:
        """Execute a call if the execution comes to it, and give its results to the variables that stand for them."""
        assignment[use.returned] = True
        if not evaluate_all([use.end.guard], assignment)[0]:
            return True
        if use.entry is None or use.begin is None or depth == 0:
            return False
        carried = self._observe(use.entry, use.begin, assignment)
        key = (use.entry, tuple(carried.values()))
        if key not in self._returned:
            self._returned[key] = self._follow(use.entry, carried, use.contract, depth - 1)
        ended = self._returned[key]
        if ended is None:
            return False
        results = {
            term: ended.state.values[instance]
            for instance, term in use.end.values.items()
            if term.kind is Kind.VARIABLE and instance in ended.state.values and term not in assignment
        }
        assignment.update(zip(results, evaluate_all(list(results.values()), ended.assignment), strict=True))
        return True


class _Ended(NamedTuple):
    """The end of a call, and the values of the variables in its state."""

    state: SymbolicState
    assignment: _Assignment


def _correspondence(state: SymbolicState, following: Block[Node]) -> tuple[Sequence[Term], Sequence[Term]]:
    """The terms of a state, and the variables of the next block's start that get their values."""
    sources: list[Term] = []
    targets: list[Term] = []
    for instance, variable in following.initial.values.items():
        if instance in state.values:
            sources.append(state.values[instance])
            targets.append(variable)
    for address, content in following.initial.objects.items():
        known = state.objects.get(address)
        if known is None:
            continue
        for offset, cell in content.cells.items():
            sources.append(known.read(bv_const(offset, known.pointer_width), cell.width // 8))
            targets.append(cell)
        base, elements = content.base, known.elements
        if base is not None and base.kind is Kind.VARIABLE and elements is not None and elements.sort == base.sort:
            sources.append(elements)
            targets.append(base)
    return sources, targets
