"""Symbolic states: the guard under which they are reached, and what every variable and object holds there.

States are values: stepping and merging make new ones that share what did not change. A merged state stands for all
paths that were merged, with one formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from gia.cfa.graph import Edge
from gia.cfa.supergraph import Context
from gia.cfa.types import CType
from gia.smt.encoding.memory import MemoryObject, merge_objects
from gia.smt.terms import Kind, Term, disjunction, ite, negation, split_common

Instance = tuple[Context, str]
"""One instance of a scalar variable: the context of its frame (``()`` for statics) and its name, qualified by its
function. Variables whose address is taken, and aggregates, are memory objects instead."""


class InputRecord(Struct, frozen=True, eq=False):
    """An input that some path reads: ``term`` is its value as bits, ``guard`` the condition under which it is read.

    ``number`` ascends along every path.
    """

    number: int
    guard: Term
    term: Term
    function: str
    type: CType
    edge: Edge
    context: Context


class InputTrace(Struct, frozen=True, eq=False):
    """The inputs read on all paths into a state: one more input after ``earlier[0]``, or two traces joined."""

    earlier: tuple[InputTrace, ...]
    record: InputRecord | None = None


class InputBits(Struct, frozen=True):
    """One input as a test has to supply it: ``bits`` is the object representation, unsigned, of ``type``."""

    function: str
    type: CType
    bits: int
    edge: int


class SymbolicState(Struct, frozen=True, eq=False):
    """All executions that reach a point of the unfolding.

    ``guard`` holds for exactly those assignments whose execution gets here. ``values`` has the scalar variables,
    ``objects`` the memory objects by their address term; one that is missing may hold anything.
    """

    guard: Term
    values: Mapping[Instance, Term]
    objects: Mapping[Term, MemoryObject]
    inputs: InputTrace | None = None

    def with_guard(self, guard: Term) -> SymbolicState:
        """The same contents under another guard."""
        return SymbolicState(guard, self.values, self.objects, self.inputs)

    def with_value(self, instance: Instance, value: Term) -> SymbolicState:
        """The state after an assignment to a scalar variable."""
        values = dict(self.values)
        values[instance] = value
        return SymbolicState(self.guard, values, self.objects, self.inputs)

    def with_values(self, values: Mapping[Instance, Term]) -> SymbolicState:
        """The state with other values."""
        return SymbolicState(self.guard, values, self.objects, self.inputs)

    def with_objects(self, objects: Mapping[Term, MemoryObject]) -> SymbolicState:
        """The state with other memory contents."""
        return SymbolicState(self.guard, self.values, objects, self.inputs)


def merge(left: SymbolicState, right: SymbolicState) -> SymbolicState:
    """The state for the executions of both; their guards must exclude each other.

    What exists on one side only may hold anything afterwards: it was never declared on the other.
    """
    if left.guard.is_false:
        return right
    if right.guard.is_false:
        return left
    condition = _distinction(left.guard, right.guard)
    guard = disjunction(left.guard, right.guard)
    values = left.values
    if values is not right.values:
        values = _merge_values(condition, left.values, right.values)
    objects = left.objects
    if objects is not right.objects:
        objects = _merge_memory(condition, left.objects, right.objects)
    return SymbolicState(guard, values, objects, _join(left.inputs, right.inputs))


def _distinction(left: Term, right: Term) -> Term:
    """What tells two exclusive guards apart: holds under ``left``, does not under ``right``."""
    _, first, second = split_common(left, right)
    junctions = (Kind.AND, Kind.OR)
    return negation(second) if first.kind in junctions and second.kind not in junctions else first


def _merge_values(
    condition: Term, left: Mapping[Instance, Term], right: Mapping[Instance, Term]
) -> Mapping[Instance, Term]:
    result: dict[Instance, Term] = {}
    for instance, value in left.items():
        other = right.get(instance)
        if other is value:
            result[instance] = value
        elif other is not None:
            result[instance] = ite(condition, value, other)
    return result


def _merge_memory(
    condition: Term, left: Mapping[Term, MemoryObject], right: Mapping[Term, MemoryObject]
) -> Mapping[Term, MemoryObject]:
    result: dict[Term, MemoryObject] = {}
    for address, content in left.items():
        other = right.get(address)
        if other is content:
            result[address] = content
        elif other is not None:
            result[address] = merge_objects(condition, content, other)
        elif content.heap:  # the other side has no pointer to it
            result[address] = content
    result.update((address, content) for address, content in right.items() if content.heap and address not in left)
    return result


def _join(left: InputTrace | None, right: InputTrace | None) -> InputTrace | None:
    if left is right or right is None:
        return left
    if left is None:
        return right
    if right.record is not None and left in right.earlier:
        return right
    return InputTrace((left, right))


def input_records(state: SymbolicState) -> list[InputRecord]:
    """All inputs that paths into ``state`` may have read, in an order that agrees with every path."""
    found: dict[int, InputRecord] = {}
    pending = [state.inputs] if state.inputs else []
    seen: set[int] = set()
    while pending:
        trace = pending.pop()
        if id(trace) in seen:
            continue
        seen.add(id(trace))
        if trace.record is not None:
            found[trace.record.number] = trace.record
        pending.extend(trace.earlier)
    return [found[number] for number in sorted(found)]


def inputs_under(state: SymbolicState, value: Callable[[Term], int]) -> list[InputBits]:
    """The inputs that one execution reads before it reaches ``state``, in its order.

    ``value`` gives the values of terms in a model of ``state.guard`` (:meth:`gia.smt.solvers.solver.Solver.value`).
    """
    return [
        InputBits(record.function, record.type, value(record.term), record.edge.number)
        for record in input_records(state)
        if value(record.guard)
    ]
