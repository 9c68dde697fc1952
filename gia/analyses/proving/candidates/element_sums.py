"""Sums of elements of an array: so many elements as the index says are at most as often the largest one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gia.analyses.proving.candidates.array_accesses import Access
from gia.analyses.proving.candidates.assigned import Assigned
from gia.analyses.proving.candidates.comparisons import converted, stripped
from gia.analyses.proving.candidates.element_bounds import ConstantsOfElements
from gia.cfa.expressions import Binary, Expression, IntegerConstant, Variable, VariableReference
from gia.cfa.graph import Edge
from gia.cfa.operations import Assign
from gia.cfa.types import INT, LONG_LONG, IntegerType


def bounds_of_sums(
    edges: Sequence[Edge],
    access_of: Callable[[Expression], Access | None],
    elements: ConstantsOfElements,
    assigned: Assigned,
    number: Expression,
) -> Iterator[Expression]:
    """``s <= greatest * i`` and ``s >= smallest * i`` where ``s += a[i]``, and that much more where ``s`` begins so."""
    for edge in edges:
        for total, summand in _added(edge):
            access = access_of(summand)
            if access is None or access.variable is None or access.at(number) not in elements:
                continue
            index = VariableReference(access.variable)
            values = elements[access.at(number)]
            for begin in _beginnings(assigned, total):
                yield _bound("<=", total, begin, max(values), index)
                yield _bound(">=", total, begin, min(values), index)


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


def _bound(operator: str, total: Variable, begin: int, factor: int, index: VariableReference) -> Expression:
    limit = converted(index, LONG_LONG)
    if factor != 1:
        limit = Binary("*", IntegerConstant(factor, LONG_LONG), limit, LONG_LONG)
    if begin:
        limit = Binary("+", IntegerConstant(begin, LONG_LONG), limit, LONG_LONG)
    return Binary(operator, converted(VariableReference(total), LONG_LONG), limit, INT)
