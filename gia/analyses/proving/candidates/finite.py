"""Variables and fields that hold nothing but constants of the program: modes of state machines, flags, what is copied.

Only the text decides: they may be set to constants, to truth values, and to others of this kind. What one holds before
it is set for the first time may be anything. Fields of the same name and structure are one, wherever they are. It is a
guess which is worth a look; nothing is trusted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from gia.analyses.proving.candidates.comparisons import compare_with_constant
from gia.analyses.proving.cells import Cell, cell_of, cells_in
from gia.cfa.expressions import (
    COMPARISONS,
    AddressOf,
    Binary,
    Cast,
    Expression,
    IntegerConstant,
    Unary,
    Variable,
    VariableReference,
    atoms_of,
    children,
    walk,
)
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Assign, Assume, Call, Input, Return, Unmodelled, operands_of
from gia.cfa.types import IntegerType

_TRUTH_VALUED = COMPARISONS | {"&&", "||"}


Settings = Sequence[tuple[Cell, Expression | None]]
"""What the integer variables and fields of a program are set to; ``None`` if that is not known."""


def settings_of(program: Program) -> Settings:
    """All of them, in the order of the edges."""
    return [setting for edge in program.edge_list for setting in _settings(program, edge)]


def finite_cells(program: Program, settings: Settings) -> frozenset[Cell]:
    """The integers that are set to constants and to each other only, and whose address nobody takes."""
    values: dict[Cell, list[Expression | None]] = {}
    for cell, value in settings:
        values.setdefault(cell, []).append(value)
    parts = (part for edge in program.edge_list for operand in operands_of(edge.operation) for part in walk(operand))
    exposed = {cell_of(part.operand) for part in parts if isinstance(part, AddressOf)}
    finite = {cell for cell in values if cell not in exposed}
    changed = True
    while changed:
        kept = {c for c in finite if all(value is not None and _is_finite(value, finite) for value in values[c])}
        changed = len(kept) < len(finite)
        finite = kept
    return frozenset(finite)


def feeding_cells(settings: Settings, among: frozenset[Cell], chosen: Iterable[Cell]) -> frozenset[Cell]:
    """Those ``among`` some from which values come to the ``chosen`` ones, which belong to them."""
    sources: dict[Cell, set[Cell]] = {}
    for cell, value in settings:
        if value is not None:
            sources.setdefault(cell, set()).update(among.intersection(cells_in(value)))
    found = set(chosen)
    pending = list(found)
    while pending:
        new = sources.get(pending.pop(), set()) - found
        found |= new
        pending += new
    return frozenset(found)


def counters(settings: Settings, edges: Iterable[Edge], finite: frozenset[Cell]) -> frozenset[Variable]:
    """The other integer variables on which conditions of the edges depend; inputs only if they are copied or used."""
    among = frozenset(cell for cell, _ in settings) - finite
    conditions = [edge.operation.condition for edge in edges if isinstance(edge.operation, Assume)]
    deciding = {cell for condition in conditions for cell in cells_in(condition)}
    computed = {cell for cell, value in settings if value is not None}
    used = {cell for _, value in settings if value is not None for cell in cells_in(value)}
    found = feeding_cells(settings, among, deciding) & among & (computed | used)
    return frozenset(cell for cell in found if isinstance(cell, Variable))


def constants_compared(edges: Iterable[Edge]) -> Mapping[Cell, frozenset[int]]:
    """The constants with which conditions of the edges compare each variable or field alone."""
    found: dict[Cell, set[int]] = {}
    for edge in edges:
        if isinstance(edge.operation, Assume):
            for atom in atoms_of(edge.operation.condition):
                cells = list(cells_in(atom))
                sides = children(atom) if isinstance(atom, Binary) else ()
                values = [e.value for e in sides if isinstance(e, IntegerConstant)] or [0]
                if len(cells) == 1:
                    found.setdefault(cells[0], set()).update(values)
    return {cell: frozenset(values) for cell, values in found.items()}


def choices(program: Program, settings: Settings, decided: frozenset[Cell]) -> list[Expression]:
    """Conditions on variables and fields that are set once, of which more than one branch sets what is ``decided``.

    Each such branch takes the same way. They have the value 1 or 0; those on most branches come first.
    """
    times = Counter(cell for cell, _ in settings)
    branches: dict[Expression, set[int]] = {}
    for edge in program.edge_list:
        if isinstance(edge.operation, Assume) and _sets(program, edge, decided):
            for atom in atoms_of(edge.operation.condition):
                cells = frozenset(cells_in(atom))
                fixed = all(times[cell] == 1 for cell in cells)
                if cells and fixed and not cells & decided and isinstance(atom.type, IntegerType):
                    truth = atom if _is_truth_value(atom) else compare_with_constant("!=", atom, 0)
                    branches.setdefault(truth, set()).add(edge.source)
    often = [truth for truth, sources in branches.items() if len(sources) > 1]
    return sorted(often, key=lambda truth: -len(branches[truth]))


def _is_truth_value(atom: Expression) -> bool:
    return isinstance(atom, Binary) and atom.operator in _TRUTH_VALUED


def _sets(program: Program, edge: Edge, cells: frozenset[Cell]) -> bool:
    """Whether one of the cells is set behind an edge, before the next branch."""
    leaving = program.functions[program.function_of_location[edge.source]].leaving
    seen: set[int] = set()
    location = edge.target
    while location not in seen and len(following := leaving.get(location, ())) == 1:
        seen.add(location)
        if any(cell in cells for cell, _ in _settings(program, following[0])):
            return True
        location = following[0].target
    return False


def constants_of(settings: Settings, cells: frozenset[Cell]) -> frozenset[int]:
    """The constants in what the cells are set to."""
    values = [value for cell, value in settings if cell in cells and value is not None]
    return frozenset(part.value for value in values for part in walk(value) if isinstance(part, IntegerConstant))


def _settings(program: Program, edge: Edge) -> Iterator[tuple[Cell, Expression | None]]:
    """The integer variables and fields that an edge sets, each with its value; ``None`` if that is not known."""
    for target, value in _targets(program, edge):
        cell = cell_of(target)
        if cell is not None and isinstance(target.type, IntegerType):
            yield cell, value


def _targets(program: Program, edge: Edge) -> Iterator[tuple[Expression, Expression | None]]:
    match edge.operation:
        case Assign(target=target, value=value):
            yield target, value
        case Input(target=target) if target is not None:
            yield target, target if isinstance(target.type, IntegerType) and target.type.is_bool else None
        case Unmodelled(writes=writes):
            yield from ((target, None) for target in writes or ())
        case Call(target=target, function=name, arguments=arguments):
            function = program.functions.get(name)
            if function is None:
                yield from ((each, None) for each in (target,) if each is not None)
                return
            parameters = map(VariableReference, function.parameters)
            yield from zip(parameters, arguments, strict=False)
            results = (e.operation.value for e in function.edges if isinstance(e.operation, Return))
            yield from ((target, value) for value in results if target is not None)


def _is_finite(value: Expression, finite: Container[object]) -> bool:
    match value:
        case IntegerConstant():
            return True
        case Cast(operand=operand):
            return _is_finite(operand, finite)
        case Unary(operator=operator):
            return operator == "!" or _is_finite(value.operand, finite)
        case Binary(operator=operator):
            return operator in _TRUTH_VALUED
    return cell_of(value) in finite
