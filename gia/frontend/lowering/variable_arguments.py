"""Variable arguments of the program's own functions, as ordinary objects.

The caller puts the arguments behind the declared ones into an array, and passes its address as one more parameter,
which the text does not show. A ``va_list`` is as the ABI has it: a pointer to the next argument (System V i386), or a
structure in which all registers are used up, so that the next argument is where ``overflow_arg_area`` points to (System
V AMD64, 3.5.7). So C that is written from the CFA may pass lists on to ``vprintf`` and its like.

An integer fills its word with zeros above it, as a register is filled by gcc. A ``long double`` is not aligned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from gia.cfa.expressions import Dereference, Expression, LValue, VariableReference
from gia.cfa.types import (
    CHAR,
    UNSIGNED_INT,
    VOID,
    ArrayType,
    CType,
    FunctionType,
    IntegerType,
    PointerType,
    StructType,
)
from gia.frontend import operators
from gia.frontend.conversions import as_unsigned, convert, decay, integer, size_type
from gia.frontend.operators import TypingError

if TYPE_CHECKING:
    from gia.frontend.lowering.context import FunctionContext
    from gia.frontend.parsing.syntax import Node

PARAMETER: Final = "$arguments"
"""The name of the parameter that the text does not show."""
POINTER: Final = PointerType(VOID)
"""Its type."""
_REGISTERS_USED: Final = {"gp_offset": 48, "fp_offset": 176}
"""The structure says so by these offsets."""


class VariableArguments:
    """Lowers what concerns variable arguments in one function."""

    def __init__(self, context: FunctionContext) -> None:
        self._context = context
        self._word = size_type(context.types.data_model)

    def packed(self, node: Node, type_: FunctionType, arguments: Sequence[Expression]) -> tuple[Expression, ...]:
        """The arguments of a call of a variadic function of the program, those behind the declared ones in an array.

        A call with too few has none behind them either.
        """
        count = len(type_.parameters)
        declared, others = tuple(arguments[:count]), arguments[count:]
        if len(declared) < count:
            return declared
        if not others:
            return (*declared, convert(integer(0), POINTER))
        words = [self._words(other.type) for other in others]
        context = self._context
        array = context.graph.reference(ArrayType(self._word, sum(words)))
        context.declare_local(array.variable, node)
        for number, other in enumerate(others):
            place = operators.subscript(array, integer(sum(words[:number])), context.types)
            context.assign(*self._stored(place, other), node)
        return (*declared, convert(decay(array), POINTER))

    def start(self, list_: Expression, node: Node) -> None:
        """``va_start``. Raises :class:`TypingError` where there is no such list or no such arguments, as the others."""
        target, first = self._next(list_), self._context.variable_arguments
        if first is None:
            raise TypingError("va_start in a function without variable arguments")
        if _is_structure(list_):
            for name, offset in _REGISTERS_USED.items():
                used = operators.member(operators.dereference(list_), name, self._context.types)
                self._context.assign(used, integer(offset, UNSIGNED_INT), node)
        self._context.assign(target, convert(VariableReference(first), target.type), node)

    def copy(self, target: Expression, source: Expression, node: Node) -> None:
        """``va_copy``."""
        if _is_structure(target):
            target, source = operators.dereference(target), operators.dereference(source)
        if not isinstance(target, LValue):
            raise TypingError("a variable argument list that is no object")
        self._context.assign(target, source, node)

    def argument(self, list_: Expression, type_: CType, node: Node) -> Expression:
        """``va_arg``: the next argument, in a temporary."""
        following, types = self._next(list_), self._context.types
        place = self._context.in_temporary(convert(following, PointerType(CHAR)), node)
        size = integer(self._words(type_) * types.size_of(self._word), self._word)
        behind = operators.binary("+", place, size, types)
        self._context.assign(following, convert(behind, following.type), node)
        if self._is_word(type_):
            value = convert(Dereference(convert(place, PointerType(self._word)), self._word), type_)
        else:
            value = Dereference(convert(place, PointerType(type_)), type_)
        target = self._context.graph.reference(type_)
        self._context.assign(target, value, node)
        return target

    # ------------------------------------------------------------------ parts
    def _words(self, type_: CType) -> int:
        size = self._context.types.size_of(self._word)
        return -(-self._context.types.size_of(type_) // size)

    def _is_word(self, type_: CType) -> bool:
        """Whether a value is put into a word as a number."""
        return isinstance(type_, IntegerType) and self._words(type_) == 1

    def _stored(self, place: Expression, value: Expression) -> tuple[Expression, Expression]:
        """Target and value of the assignment that puts an argument into the array."""
        if self._is_word(value.type):
            assert isinstance(value.type, IntegerType)
            return place, convert(convert(value, as_unsigned(value.type)), self._word)
        pointer = operators.address_of(place)
        return Dereference(convert(pointer, PointerType(value.type)), value.type), value

    def _next(self, list_: Expression) -> LValue:
        """Where a list, a pointer to a structure or an object, says where its next argument is."""
        object_ = list_
        if _is_structure(list_):
            object_ = operators.member(operators.dereference(list_), "overflow_arg_area", self._context.types)
        if not (isinstance(object_, LValue) and isinstance(object_.type, PointerType)):
            raise TypingError("a variable argument list that is no object")
        return object_


def _is_structure(list_: Expression) -> bool:
    return isinstance(list_.type, PointerType) and isinstance(list_.type.target, StructType)
