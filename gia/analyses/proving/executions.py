"""Executions of blocks: what holds at cut points, with inputs that are given or drawn at random.

What is executed are the formulas of the blocks. Memory whose units differ between blocks is not carried from one to the
next: samples may be impossible in the program, which costs candidates and never a proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from gia.analyses.proving.samples import Samples
from gia.cfa.expressions import Expression
from gia.cfa.supergraph import Node
from gia.smt.encoding.state import SymbolicState, input_records
from gia.smt.invariants.blocks import Block, Use
from gia.smt.invariants.control_graph import check_deadline
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

Inputs = Sequence[int]
"""The bits of what an execution reads, in its order."""

_STEPS = 40
"""How many blocks a random execution, or a call in it, may be long."""
_DEPTH = 80
"""How many calls may be active that blocks summarise."""
_RANGES = (40, 200)
"""Other numbers are below one of these."""
_INTERESTING = (0, 1, 2, 3, 5, 8, 10, 100, -1, -2)


class Assignment(dict[Term, Value]):
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


class _Arrival(NamedTuple):
    """What is to be evaluated of a state at a cut point.

    First what the variables ``carried`` of the block that begins there become, then what is observed.
    """

    evaluation: Evaluation
    carried: Sequence[Term]


class Course:
    """What random executions evaluate in blocks, made once for all of them; it ends after the deadline."""

    def __init__(
        self, induction: Induction[Node], places: Mapping[Node, tuple[Expression, ...]], deadline: float
    ) -> None:
        self._induction = induction
        self._places = places
        self.deadline = deadline
        self._exits: dict[tuple[Node | None, Node | None], tuple[Sequence[Node], Evaluation]] = {}
        self._arrivals: dict[tuple[Node, int], _Arrival] = {}
        self._inputs: dict[Node | None, Sequence[tuple[Evaluation, Term]]] = {}

    def block(self, start: Node | None) -> Block[Node]:
        """The block that begins at a cut point, or at the start of the program."""
        check_deadline(self.deadline)
        return self._induction.block(start, self.deadline)

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


class Execution:
    """One execution from the program's start; calls that blocks summarise are executed where they stand.

    First it reads ``inputs``, then at random, often the value ``preferred``, if there is one.
    """

    def __init__(
        self, course: Course, samples: Samples, random: Random, preferred: int | None, inputs: Inputs = ()
    ) -> None:
        self.course = course
        self.samples = samples
        self.random = random
        self.preferred = preferred
        self._inputs = iter(inputs)
        self._returned: dict[tuple[Node, tuple[Value, ...]], _Ended | None] = {}

    def run(self, start: Node | None = None, values: Mapping[Term, Value] = MappingProxyType({})) -> None:
        """Execute blocks until none follows, or there were enough.

        The first one is that of the cut point ``start``, or of the program's start, with these ``values`` of its
        variables and inputs.
        """
        self._follow(start, values, None, _DEPTH)

    def _follow(self, start: Node | None, carried: Mapping[Term, Value], end: Node | None, depth: int) -> _Ended | None:
        """What holds where the execution comes to ``end``; ``None`` if it does not."""
        for _ in range(_STEPS):
            block = self.course.block(start)
            assignment = Assignment(self.random, self.preferred)
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

    def _read(self, start: Node | None, assignment: Assignment) -> None:
        """Give the inputs that the block reads their values, in the order of the execution."""
        for guard, variable in self.course.inputs(start):
            if not guard.values(assignment)[0]:
                continue
            value = next(self._inputs, None)
            if value is None:
                return
            assignment[variable] = value & ((1 << variable.width) - 1)

    def _observe(self, cut: Node, state: SymbolicState, assignment: Assignment) -> dict[Term, Value]:
        """Record the values at a cut point; those of its state for the block that begins there."""
        evaluation, targets = self.course.arrival(cut, state)
        values = evaluation.values(assignment)
        carried = dict(zip(targets, values, strict=False))
        observed = values[len(targets) :]
        numbers = tuple(int(value) for value in observed if isinstance(value, int))
        if len(numbers) == len(observed):
            self.samples.add(cut, numbers, carried)
        return carried

    def _call(self, use: Use[Node], assignment: Assignment, depth: int) -> bool:
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
    assignment: Assignment


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
