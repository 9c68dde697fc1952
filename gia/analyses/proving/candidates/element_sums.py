"""Sums of elements of an array: so many elements as the index says are at most as often the largest one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from gia.analyses.proving.candidates.assigned import Assigned
from gia.analyses.proving.candidates.comparisons import compare_with_constant, converted, stripped
from gia.analyses.proving.candidates.element_bounds import ElementConstants
from gia.cfa.expressions import Binary, Expression, IntegerConstant, Variable, VariableReference
from gia.cfa.graph import Edge
from gia.cfa.operations import Assign
from gia.cfa.types import INT, LONG_LONG, IntegerType


def bounds_of_sums(
    edges: Sequence[Edge], elements: ElementConstants, assigned: Assigned, indices: Collection[Variable]
) -> Iterator[Expression]:
    """``s <= greatest * i`` and ``s >= smallest * i`` where ``s += a[i]``, and that much more where ``s`` begins so.

    A constant that is added counts elements, whatever the index in the same function is.
    """
    for edge in edges:
        for total, summand in _added(edge):
            for index, values in _ranges(total, summand, elements, indices):
                for begin in _beginnings(assigned, total):
                    yield _bound("<=", total, begin, max(values), index)
                    yield _bound(">=", total, begin, min(values), index)


def _ranges(
    total: Variable, summand: Expression, elements: ElementConstants, indices: Collection[Variable]
) -> Iterator[tuple[Variable, frozenset[int]]]:
    """The index variables that say how often something was added, and between which values that is."""
    access = elements.access_of(summand)
    if access is not None and access.variable is not None:
        yield access.variable, elements.of(access)
    elif isinstance(summand, IntegerConstant) and total not in indices:
        for index in indices:
            if index.function == total.function:
                yield index, frozenset({0, summand.value})


def _added(edge: Edge) -> Iterator[tuple[Variable, Expression]]:
    """The integer variable to which the edge adds something, and what it adds."""
    match edge.operation:
        case Assign(target=VariableReference(variable=variable, type=IntegerType()), value=value):
            match stripped(value):
                case Binary(operator="+", left=left, right=right):
                    for side, other in ((left, right), (right, left)):
                        if stripped(side) == VariableReference(variable):
                            yield variable, stripped(other)


def _beginnings(assigned: Assigned, total: Variable) -> Iterator[int]:
    """The constants with which a sum may begin."""
    constants = dict.fromkeys(v.value for v in assigned.get(total, ()) if isinstance(v, IntegerConstant))
    yield from constants or (0,)


def _bound(operator: str, total: Variable, begin: int, factor: int, index: Variable) -> Expression:
    if not factor:
        return compare_with_constant(operator, VariableReference(total), begin)
    limit = converted(VariableReference(index), LONG_LONG)
    if factor != 1:
        limit = Binary("*", IntegerConstant(factor, LONG_LONG), limit, LONG_LONG)
    if begin:
        limit = Binary("+", IntegerConstant(begin, LONG_LONG), limit, LONG_LONG)
    return Binary(operator, converted(VariableReference(total), LONG_LONG), limit, INT)
