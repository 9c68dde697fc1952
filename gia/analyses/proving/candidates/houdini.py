"""Candidate invariants for each cut point: comparisons of integers with constants and with each other.

The candidates of C. Flanagan & K. R. M. Leino, *Houdini*, FME 2001, section 3, made from the program's text: variables
and fields are compared with the constants, variables and fields that the program brings them together with. Which of
them hold is found out by :mod:`gia.smt.invariants.induction`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, combinations, islice

from msgspec import Struct

from gia.analyses.proving.candidates.comparisons import compare, compare_with_constant, integer_type
from gia.analyses.proving.cells import Cell, Field, cell_of
from gia.cfa.expressions import (
    Binary,
    Expression,
    IntegerConstant,
    Storage,
    Variable,
    VariableReference,
    atoms_of,
    variables_of,
    walk,
)
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Assign, Assume, Call, Input, Return
from gia.cfa.types import INT, IntegerType

_SMALL_CLASS = 10
"""In larger classes of related cells only those are compared that meet in an operation."""


class Vocabulary(Struct, frozen=True):
    """Which variables, fields and constants a program brings together: what candidate invariants are made of.

    ``related`` has for each cell the cells that it meets in an operation, ``classes`` all that are related to it over
    others, ``own`` the integers that it is compared with, set to or combined with, ``constants`` those of all of these.
    """

    related: dict[Cell, frozenset[Cell]]
    own: dict[Cell, frozenset[int]]
    constants: dict[Cell, frozenset[int]]
    classes: dict[Cell, frozenset[Cell]]

    @staticmethod
    def of(program: Program, edges: Iterable[Edge]) -> Vocabulary:
        """Collect the vocabulary of some edges of a program."""
        related: dict[Cell, set[Cell]] = {}
        constants: dict[Cell, set[int]] = {}
        for edge in edges:
            for group in groups_of(program, edge):
                cells = {cell for e in group for cell in integers_in(e)}
                values = {part.value for e in group for part in walk(e) if isinstance(part, IntegerConstant)}
                for cell in sorted(cells, key=_name):
                    related.setdefault(cell, set()).update(cells)
                    constants.setdefault(cell, set()).update(values)
        _see_through_temporaries(related)
        classes = _classes(related)
        gathered = {
            members: frozenset().union(*(constants[other] for other in members)) for members in classes.values()
        }
        return Vocabulary(
            {cell: frozenset(found) for cell, found in related.items()},
            {cell: frozenset(found) for cell, found in constants.items()},
            {cell: gathered[members] for cell, members in classes.items()},
            classes,
        )

    def meet(self, left: Cell, right: Cell) -> bool:
        """Whether it is worth while to compare two of its cells."""
        members = self.classes[left]
        return right in members and (right in self.related[left] or len(members) <= _SMALL_CLASS)


def _see_through_temporaries(related: dict[Cell, set[Cell]]) -> None:
    """What meets the same temporary of the front end meets: a part of an expression that has one."""
    for cell in [cell for cell in related if isinstance(cell, Variable) and cell.storage is Storage.TEMPORARY]:
        for other in tuple(related[cell]):
            related[other] |= related[cell]


def _name(cell: Cell) -> tuple[bool, str, str]:
    match cell:
        case Field(tag=tag, name=name):
            return (True, tag, name)
    return (False, cell.function or "", cell.name)


def integers_in(expression: Expression) -> Iterator[Cell]:
    """The integer variables and fields that an expression mentions, also to say where something is."""
    for part in walk(expression):
        cell = cell_of(part)
        if cell is not None and isinstance(part.type, IntegerType):
            yield cell


def groups_of(program: Program, edge: Edge) -> Iterator[tuple[Expression, ...]]:
    """The expressions of an edge that belong together."""
    match edge.operation:
        case Assign(target=target, value=value):
            yield (target, value)
        case Assume(condition=condition):
            yield from ((part,) for part in atoms_of(condition))
        case Call(target=target, function=name, arguments=arguments):
            function = program.functions.get(name)
            for parameter, argument in zip(function.parameters if function else (), arguments, strict=False):
                yield (VariableReference(parameter), argument)
            for returned in function.edges if function and target is not None else ():
                if isinstance(returned.operation, Return) and returned.operation.value is not None:
                    assert target is not None
                    yield (target, returned.operation.value)
        case Input(target=target) if target is not None:
            yield (target,)


def _classes(related: dict[Cell, set[Cell]]) -> dict[Cell, frozenset[Cell]]:
    """The connected components of the relation."""
    classes: dict[Cell, frozenset[Cell]] = {}
    for cell in sorted(related, key=_name):
        if cell in classes:
            continue
        members = {cell}
        pending = [cell]
        while pending:
            for other in related[pending.pop()] - members:
                members.add(other)
                pending.append(other)
        component = frozenset(members)
        classes.update(dict.fromkeys(component, component))
    return classes


def candidates_at(vocabulary: Vocabulary, places: Iterable[Expression], limit: int) -> tuple[Expression, ...]:
    """At most ``limit`` candidate invariants over integer variables and fields, those of the first ones first.

    Each is compared with its own constants before any is compared with those of others. The same is said of one field
    in several structures before something else is: one may hold only together with the others.
    """
    known = [(place, cell) for place in places if (cell := cell_of(place)) in vocabulary.related]
    alike: dict[Cell, list[Expression]] = {}
    for place, cell in known:
        alike.setdefault(cell, []).append(place)
    unary: dict[Expression, None] = {}
    for constants in (vocabulary.own, vocabulary.constants):
        for cell, found in alike.items():
            said = zip(*(_with_constants(place, constants[cell]) for place in found), strict=True)
            unary.update(dict.fromkeys(chain.from_iterable(said)))
    binary: list[Expression] = []
    for (left, cell), (right, other) in combinations(known, 2):
        if vocabulary.meet(cell, other):
            binary += _with_each_other(left, right)
    half = limit // 2
    kept = tuple(islice(unary, max(half, limit - len(binary))))
    return (*kept, *binary[: limit - len(kept)])


def _with_constants(place: Expression, constants: Iterable[int]) -> Iterator[Expression]:
    """``x == c``, ``x >= c``, ``x <= c``, ``x != c`` for the constants, their neighbours, and around zero."""
    around = sorted({c + d for c in (0, *constants) for d in (-1, 0, 1)}, key=lambda c: (abs(c), c))
    low, high = integer_type(place).bounds
    for value in around:
        if low <= value <= high:
            for operator in ("==", ">=", "<=", "!="):
                if not (operator in (">=", "<=") and value == (low if operator == ">=" else high)):
                    yield compare_with_constant(operator, place, value)


def _with_each_other(left: Expression, right: Expression) -> Iterator[Expression]:
    """The comparisons of two integers, where their types allow a meaningful one."""
    first, second = integer_type(left), integer_type(right)
    if first.signed != second.signed and max(first.width, second.width) >= INT.width:
        return
    for operator in ("==", "<=", ">=", "<", ">", "!="):
        yield compare(operator, left, right)


def conditions_of(edges: Iterable[Edge]) -> list[Expression]:
    """The atomic conditions of the program, in its order."""
    conditions = (edge.operation.condition for edge in edges if isinstance(edge.operation, Assume))
    return list(dict.fromkeys(atom for condition in conditions for atom in atoms_of(condition)))


def one_step_later(edges: Iterable[Edge]) -> Iterator[Expression]:
    """``x - 1 <= y`` for the conditions ``x < y`` and ``x <= y`` of the program between variables, and mirrored.

    Where a loop goes on while ``x <= y``, this holds at its head, if ``x`` grows by 1.
    """
    found: dict[Expression, None] = {}
    for atom in conditions_of(edges):
        if not isinstance(atom, Binary) or atom.operator not in ("<", "<=", ">", ">="):
            continue
        small, great = (atom.left, atom.right) if atom.operator in ("<", "<=") else (atom.right, atom.left)
        if not isinstance(small.type, IntegerType) or not variables_of(small) or not variables_of(great):
            continue
        one = IntegerConstant(1, small.type)
        found[Binary("<=", Binary("-", small, one, small.type), great, INT)] = None
        found[Binary("<=", small, great, INT)] = None
    yield from found
