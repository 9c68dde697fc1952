"""Typed C expressions without side effects: the operands of the CFA's operations.

The front end has made every conversion explicit (integer promotions, usual arithmetic conversions,
array-to-pointer decay), split off every side effect, and turned every conditional expression into
control flow. What remains can be evaluated in any order and printed as C again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from operator import attrgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from gia.cfa.types import CType, FloatType, IntegerType, StructType

MIRRORED: Mapping[str, str] = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
"""The comparisons, each with its operator for swapped operands."""
NEGATED: Mapping[str, str] = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
"""The comparisons, each with the one that holds exactly when it does not."""
COMPARISONS = frozenset(MIRRORED)
"""The operators that compare two values."""


class Storage(StrEnum):
    """Where a variable lives, which decides how many instances it has and its initial value."""

    GLOBAL = "global"
    STATIC_LOCAL = "static"
    LOCAL = "local"
    PARAMETER = "parameter"
    TEMPORARY = "temporary"
    """Made by the front end: the value of a conditional expression, a call or an input."""
    GHOST = "ghost"
    """A name for a value in the contract of a function (:mod:`gia.cfa.contracts`); no object of the program."""


class Variable(Struct, frozen=True):
    """A variable.

    ``name`` is unique within its function (globals: within the program). It is the name in the
    source; the k-th declaration (k ≥ 2, in source order) of that name in the same function is
    called ``name$k``. Temporaries are called ``$t1``, ``$t2``, …, numbered per function.
    ``function`` is ``None`` for globals.
    """

    name: str
    type: CType
    storage: Storage
    function: str | None = None

    @property
    def is_static(self) -> bool:
        """Whether there is one instance for the whole run, zero-initialised."""
        return self.storage in (Storage.GLOBAL, Storage.STATIC_LOCAL)

    @property
    def is_of_no_frame(self) -> bool:
        """Whether it means the same in every frame: if it is static, or a ghost that belongs to no function."""
        return self.is_static or (self.storage is Storage.GHOST and self.function is None)

    def __str__(self) -> str:
        return self.name


class IntegerConstant(Struct, frozen=True):
    """An integer, already reduced to the range of its type."""

    value: int
    type: IntegerType


class FloatConstant(Struct, frozen=True):
    """A floating constant by its C spelling (as in the source, or hexadecimal), which is exact."""

    text: str
    type: FloatType


class StringLiteral(Struct, frozen=True):
    """A string literal: an lvalue array of ``data`` (with its terminating zero).

    Equal literals are one object; an array that only looks like a literal (``__func__``) has an ``owner``.
    """

    data: bytes
    type: CType
    owner: str = ""


class VariableReference(Struct, frozen=True):
    """The variable as an lvalue or its value."""

    variable: Variable

    @property
    def type(self) -> CType:
        """The variable's type."""
        return self.variable.type


class FunctionReference(Struct, frozen=True):
    """A function designator; only below :class:`AddressOf`."""

    name: str
    type: CType


class Unary(Struct, frozen=True):
    """``operator`` is ``-``, ``~`` or ``!`` (``!`` yields int 0 or 1); ``operand`` is promoted."""

    operator: str
    operand: Expression
    type: CType


class Binary(Struct, frozen=True):
    """A binary operator on operands already converted to their common type.

    ``+ - * / % << >> & | ^`` yield ``type``; ``== != < <= > >=`` yield int 0 or 1, their operands
    have one type; ``&&`` and ``||`` appear only where evaluating both sides has no effect.
    ``pointer + integer``, ``pointer - integer`` count elements; ``pointer - pointer`` counts elements.
    """

    operator: str
    left: Expression
    right: Expression
    type: CType


class Cast(Struct, frozen=True):
    """A conversion, explicit in the source or not."""

    operand: Expression
    type: CType


class Dereference(Struct, frozen=True):
    """``*pointer``: an lvalue (``a[i]`` on a pointer is ``*(a + i)``)."""

    pointer: Expression
    type: CType


class Subscript(Struct, frozen=True):
    """``array[index]`` where ``array`` is an lvalue of array type; an lvalue. ``index`` keeps its own type."""

    array: Expression
    index: Expression
    type: CType


class Member(Struct, frozen=True):
    """``base.field`` where ``base`` is an lvalue of struct or union type (``p->f`` is ``(*p).f``)."""

    base: Expression
    field: str
    type: CType

    @property
    def struct(self) -> StructType:
        """The type of the base."""
        assert isinstance(self.base.type, StructType)
        return self.base.type


class AddressOf(Struct, frozen=True):
    """``&lvalue``, and the decay of an array (``&array[0]``: operand of array type, ``type`` pointer to element)."""

    operand: Expression
    type: CType


class Result(Struct, frozen=True):
    r"""``\result`` in an assumption of a GIA: the value that the input on this edge returned."""

    type: CType


Expression = (
    IntegerConstant
    | FloatConstant
    | StringLiteral
    | VariableReference
    | FunctionReference
    | Unary
    | Binary
    | Cast
    | Dereference
    | Subscript
    | Member
    | AddressOf
    | Result
)

LValue = VariableReference | Dereference | Subscript | Member


_Operands = Callable[[Any], tuple[Expression, ...]]
_OPERANDS: Mapping[type, _Operands] = {
    Unary: lambda expression: (expression.operand,),
    Cast: lambda expression: (expression.operand,),
    AddressOf: lambda expression: (expression.operand,),
    Dereference: lambda expression: (expression.pointer,),
    Member: lambda expression: (expression.base,),
    Binary: attrgetter("left", "right"),
    Subscript: attrgetter("array", "index"),
}
"""The operands by the kind of the expression: a table, since large programs are walked through many times."""


def children(expression: Expression) -> tuple[Expression, ...]:
    """The direct operands."""
    operands = _OPERANDS.get(type(expression))
    return () if operands is None else operands(expression)


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and everything below it, parents first."""
    pending = [expression]
    while pending:
        current = pending.pop()
        yield current
        pending += children(current)[::-1]


def without_casts(expression: Expression) -> Expression:
    """The expression without the conversions around it."""
    while isinstance(expression, Cast):
        expression = expression.operand
    return expression


def whole_of(lvalue: Expression) -> Expression:
    """The lvalue that an lvalue is a part of, or itself: a variable, or what a pointer leads to."""
    while isinstance(lvalue, Member | Subscript | Cast):
        lvalue = children(lvalue)[0]
    return lvalue


def pointer_under(expression: Expression) -> Variable | None:
    """The variable that a pointer is made of, or that leads to where an lvalue lies; it comes first in them."""
    while not isinstance(expression, VariableReference) and (inner := children(expression)):
        expression = inner[0]
    return expression.variable if isinstance(expression, VariableReference) else None


def written_constant(expression: Expression) -> int | None:
    """The value of an integer constant, as it is without the conversions around it; ``None`` for anything else."""
    found = without_casts(expression)
    return found.value if isinstance(found, IntegerConstant) else None


def variables_of(expression: Expression) -> frozenset[Variable]:
    """The variables that the expression mentions (read, written through, or with their address taken)."""
    return frozenset(e.variable for e in walk(expression) if isinstance(e, VariableReference))


def conjuncts_of(expression: Expression) -> Iterator[Expression]:
    """The parts of a conjunction, from left to right."""
    pending = [expression]
    while pending:
        part = pending.pop()
        if isinstance(part, Binary) and part.operator == "&&":
            pending += (part.right, part.left)
        else:
            yield part


def atoms_of(expression: Expression) -> Iterator[Expression]:
    """The conditions that ``&&``, ``||`` and ``!`` join, from left to right."""
    pending = [expression]
    while pending:
        part = pending.pop()
        if isinstance(part, Binary) and part.operator in ("&&", "||"):
            pending += (part.right, part.left)
        elif isinstance(part, Unary) and part.operator == "!":
            pending.append(part.operand)
        else:
            yield part


def rewritten(expression: Expression, change: Callable[[Expression], Expression | None]) -> Expression:
    """The expression with every part that ``change`` gives something for replaced by that, outermost parts first."""
    found = change(expression)
    if found is not None:
        return found
    match expression:
        case Unary() | Cast() | AddressOf():
            return replace(expression, operand=rewritten(expression.operand, change))
        case Binary(left=left, right=right):
            return replace(expression, left=rewritten(left, change), right=rewritten(right, change))
        case Dereference(pointer=pointer):
            return replace(expression, pointer=rewritten(pointer, change))
        case Subscript(array=array, index=index):
            return replace(expression, array=rewritten(array, change), index=rewritten(index, change))
        case Member(base=base):
            return replace(expression, base=rewritten(base, change))
    return expression
