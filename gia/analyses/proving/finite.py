"""Variables that hold nothing but constants of the program: the modes of state machines, flags, and what is copied.

Only the text decides: a variable may be set to constants, to truth values, and to other such variables. What it holds
before it is set for the first time may be anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gia.analyses.proving.known import atoms_of
from gia.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Expression,
    IntegerConstant,
    Unary,
    Variable,
    VariableReference,
    children,
    variables_of,
    walk,
)
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Assign, Assume, Call, Input, Return, Unmodelled, operands_of
from gia.cfa.types import IntegerType

_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "&&", "||")


def finite_variables(program: Program) -> frozenset[Variable]:
    """The integer variables that are set to constants and to each other only, and whose address nobody takes."""
    settings: dict[Variable, list[Expression | None]] = {}
    exposed: set[Variable] = set()
    for edge in program.edge_list:
        for variable, value in _settings(program, edge):
            settings.setdefault(variable, []).append(value)
        for operand in operands_of(edge.operation):
            exposed |= {e.operand.variable for e in walk(operand) if _exposes(e)}  # type: ignore[union-attr]
    finite = {v for v in settings if isinstance(v.type, IntegerType) and v not in exposed}
    changed = True
    while changed:
        kept = {v for v in finite if all(value is not None and _is_finite(value, finite) for value in settings[v])}
        changed = len(kept) < len(finite)
        finite = kept
    return frozenset(finite)


def feeding_variables(program: Program, among: frozenset[Variable], chosen: Iterable[Variable]) -> frozenset[Variable]:
    """Those ``among`` some variables from which values come to the ``chosen`` ones, which belong to them."""
    sources: dict[Variable, set[Variable]] = {}
    for edge in program.edge_list:
        for variable, value in _settings(program, edge):
            if value is not None:
                sources.setdefault(variable, set()).update(variables_of(value) & among)
    found = set(chosen)
    pending = list(found)
    while pending:
        new = sources.get(pending.pop(), set()) - found
        found |= new
        pending += new
    return frozenset(found)


def counters(program: Program, edges: Iterable[Edge], finite: frozenset[Variable]) -> frozenset[Variable]:
    """The other integer variables on which conditions of the edges depend; inputs only if they are copied or used."""
    settings = [(v, value) for edge in program.edge_list for v, value in _settings(program, edge)]
    among = frozenset(v for v, _ in settings if isinstance(v.type, IntegerType)) - finite
    conditions = [edge.operation.condition for edge in edges if isinstance(edge.operation, Assume)]
    deciding = {variable for condition in conditions for variable in variables_of(condition)}
    computed = {v for v, value in settings if value is not None}
    used = {v for _, value in settings if value is not None for v in variables_of(value)}
    return feeding_variables(program, among, deciding) & among & (computed | used)


def _exposes(expression: Expression) -> bool:
    return isinstance(expression, AddressOf) and isinstance(expression.operand, VariableReference)


def _settings(program: Program, edge: Edge) -> Iterator[tuple[Variable, Expression | None]]:
    """The variables that an edge sets, each with its value; ``None`` if that is not known."""
    match edge.operation:
        case Assign(target=VariableReference(variable=variable), value=value):
            yield variable, value
        case Input(target=VariableReference(variable=variable)):
            yield variable, None if not _is_truth_value(variable) else VariableReference(variable)
        case Unmodelled(writes=writes):
            yield from ((e.variable, None) for e in writes or () if isinstance(e, VariableReference))
        case Call(target=target, function=name, arguments=arguments):
            function = program.functions.get(name)
            if function is not None:
                yield from zip(function.parameters, arguments, strict=False)
            if isinstance(target, VariableReference):
                for returned in function.edges if function is not None else ():
                    if isinstance(returned.operation, Return):
                        yield target.variable, returned.operation.value
                if function is None:
                    yield target.variable, None


def _is_truth_value(variable: Variable) -> bool:
    return isinstance(variable.type, IntegerType) and variable.type.is_bool


def _is_finite(value: Expression, finite: Iterable[Variable]) -> bool:
    match value:
        case IntegerConstant():
            return True
        case VariableReference(variable=variable):
            return variable in finite
        case Cast(operand=operand):
            return _is_finite(operand, finite)
        case Unary(operator=operator):
            return operator == "!" or _is_finite(value.operand, finite)
        case Binary(operator=operator):
            return operator in _COMPARISONS
    return False


def constants_compared(edges: Iterable[Edge]) -> Mapping[Variable, frozenset[int]]:
    """The constants with which conditions of the edges compare each variable alone."""
    found: dict[Variable, set[int]] = {}
    for edge in edges:
        if isinstance(edge.operation, Assume):
            for atom in atoms_of(edge.operation.condition):
                names = [e.variable for e in walk(atom) if isinstance(e, VariableReference)]
                sides = children(atom) if isinstance(atom, Binary) else ()
                values = [e.value for e in sides if isinstance(e, IntegerConstant)] or [0]
                if len(names) == 1:
                    found.setdefault(names[0], set()).update(values)
    return {variable: frozenset(values) for variable, values in found.items()}
