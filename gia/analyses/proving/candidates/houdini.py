"""Candidate invariants for each cut point: comparisons of integer variables with constants and with each other.

The candidates of C. Flanagan & K. R. M. Leino, *Houdini*, FME 2001, section 3, made from the program's text: variables
are compared with the constants and variables that the program brings them together with. Which of them hold is found
out by :mod:`gia.smt.invariants.induction`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from msgspec import Struct

from gia.analyses.proving.candidates.comparisons import bounds, compare, compare_with_constant
from gia.cfa.expressions import (
    Binary,
    Expression,
    IntegerConstant,
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
"""In larger classes of related variables only those are compared that meet in an operation."""


class Vocabulary(Struct, frozen=True):
    """Which variables and constants a program brings together: what candidate invariants are made of.

    ``related`` has for each variable the variables that it meets in an operation, ``constants`` the integers that it
    or a variable related to it is compared with, set to or combined with.
    """

    related: dict[Variable, frozenset[Variable]]
    constants: dict[Variable, tuple[int, ...]]
    classes: dict[Variable, frozenset[Variable]]

    @staticmethod
    def of(program: Program, edges: Iterable[Edge]) -> Vocabulary:
        """Collect the vocabulary of some edges of a program."""
        related: dict[Variable, set[Variable]] = {}
        constants: dict[Variable, set[int]] = {}
        for edge in edges:
            for group in _groups(program, edge):
                variables = sorted({v for e in group for v in _integers(e)}, key=_name)
                values = {part.value for e in group for part in walk(e) if isinstance(part, IntegerConstant)}
                for variable in variables:
                    related.setdefault(variable, set()).update(variables)
                    constants.setdefault(variable, set()).update(values)
        classes = _classes(related)
        gathered = {
            variable: tuple(sorted(set().union(*(constants[other] for other in members))))
            for variable, members in classes.items()
        }
        return Vocabulary({v: frozenset(found) for v, found in related.items()}, gathered, classes)


def _name(variable: Variable) -> tuple[str, str]:
    return (variable.function or "", variable.name)


def _integers(expression: Expression) -> Iterator[Variable]:
    """The integer variables that an expression mentions."""
    for part in walk(expression):
        if isinstance(part, VariableReference) and isinstance(part.type, IntegerType):
            yield part.variable


def _groups(program: Program, edge: Edge) -> Iterator[tuple[Expression, ...]]:
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


def _classes(related: dict[Variable, set[Variable]]) -> dict[Variable, frozenset[Variable]]:
    """The connected components of the relation."""
    classes: dict[Variable, frozenset[Variable]] = {}
    for variable in sorted(related, key=_name):
        if variable in classes:
            continue
        members = {variable}
        pending = [variable]
        while pending:
            for other in related[pending.pop()] - members:
                members.add(other)
                pending.append(other)
        component = frozenset(members)
        classes.update(dict.fromkeys(component, component))
    return classes


def candidates_at(vocabulary: Vocabulary, variables: Sequence[Variable], limit: int) -> tuple[Expression, ...]:
    """At most ``limit`` candidate invariants over ``variables``, the simplest first."""
    known = [v for v in variables if v in vocabulary.related and isinstance(v.type, IntegerType)]
    unary: list[Expression] = []
    for variable in known:
        unary += _with_constants(variable, vocabulary.constants[variable])
    binary: list[Expression] = []
    for left, right in combinations(known, 2):
        if right not in vocabulary.classes[left]:
            continue
        if right in vocabulary.related[left] or len(vocabulary.classes[left]) <= _SMALL_CLASS:
            binary += _with_each_other(left, right)
    half = limit // 2
    kept = unary[: max(half, limit - len(binary))]
    return (*kept, *binary[: limit - len(kept)])


def _with_constants(variable: Variable, constants: Sequence[int]) -> Iterator[Expression]:
    """``x == c``, ``x >= c``, ``x <= c``, ``x != c`` for the constants, their neighbours, and around zero."""
    assert isinstance(variable.type, IntegerType)
    around = sorted({c + d for c in (0, *constants) for d in (-1, 0, 1)}, key=lambda c: (abs(c), c))
    low, high = bounds(variable.type)
    for value in around:
        if low <= value <= high:
            for operator in ("==", ">=", "<=", "!="):
                if not (operator in (">=", "<=") and value == (low if operator == ">=" else high)):
                    yield compare_with_constant(operator, VariableReference(variable), value)


def _with_each_other(left: Variable, right: Variable) -> Iterator[Expression]:
    """The comparisons of two variables, where their types allow a meaningful one."""
    assert isinstance(left.type, IntegerType)
    assert isinstance(right.type, IntegerType)
    if left.type.signed != right.type.signed and max(left.type.width, right.type.width) >= INT.width:
        return
    for operator in ("==", "<=", ">=", "<", ">", "!="):
        yield compare(operator, VariableReference(left), VariableReference(right))


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
