"""What the variables of a program are assigned, as far as candidates for invariants need it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gia.analyses.proving.candidates.array_indices import linear_sum
from gia.cfa.expressions import (
    Expression,
    FloatConstant,
    IntegerConstant,
    Storage,
    Variable,
    VariableReference,
    rewritten,
)
from gia.cfa.graph import Edge
from gia.cfa.operations import Assign, Call, Input
from gia.cfa.types import IntegerType, PointerType

Assigned = Mapping[Variable, Sequence[Expression | None]]
"""What variables are assigned, ``None`` where that is no expression."""

Constants = Mapping[Variable, IntegerConstant]
"""Variables that have one value only, as far as the text says."""


def assigned_in(edges: Iterable[Edge]) -> Assigned:
    """What the edges assign to variables, in their order."""
    values: dict[Variable, list[Expression | None]] = {}
    for edge in edges:
        match edge.operation:
            case Assign(target=VariableReference(variable=variable), value=value):
                values.setdefault(variable, []).append(value)
            case Input(target=VariableReference(variable=variable)) | Call(target=VariableReference(variable=variable)):
                values.setdefault(variable, []).append(None)
    return values


def definitions_of(assigned: Assigned) -> Mapping[Variable, Expression]:
    """The values of local variables that one assignment alone gives a value."""
    found = {}
    for variable, given in assigned.items():
        only = given[0]
        local = variable.storage in (Storage.TEMPORARY, Storage.LOCAL)
        simple = isinstance(variable.type, PointerType) or isinstance(only, IntegerConstant | FloatConstant)
        if len(given) == 1 and local and only is not None and not simple:
            found[variable] = only
    return found


def constants_of(assigned: Assigned) -> Constants:
    """The local integers that one assignment alone gives a value, which is made of constants and others of them."""
    found: dict[Variable, IntegerConstant] = {}
    for variable, (value, *others) in assigned.items():
        is_local = variable.storage in (Storage.TEMPORARY, Storage.LOCAL)
        if not is_local or others or value is None or not isinstance(variable.type, IntegerType):
            continue
        total = linear_sum(with_constants(value, found))
        least, greatest = variable.type.bounds
        if total is not None and set(total) <= {None} and least <= total.get(None, 0) <= greatest:
            found[variable] = IntegerConstant(total.get(None, 0), variable.type)
    return found


def with_constants(expression: Expression, constants: Constants) -> Expression:
    """The expression with the constants in the places of the variables."""
    return rewritten(
        expression, lambda part: constants.get(part.variable) if isinstance(part, VariableReference) else None
    )
