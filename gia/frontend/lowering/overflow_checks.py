"""``__builtin_add_overflow`` and its like as arithmetic in a type that is wide enough.

Source: GCC manual, *Built-in functions to perform arithmetic with overflow checking*.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from gia.cfa.expressions import Binary, Expression, VariableReference
from gia.cfa.types import (
    INT,
    INT128,
    LONG_LONG,
    UNSIGNED_INT128,
    UNSIGNED_LONG_LONG,
    CType,
    DataModel,
    IntegerType,
    PointerType,
)
from gia.frontend import operators
from gia.frontend.conversions import bit_field_width, convert
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.operators import TypingError
from gia.frontend.parsing.syntax import Node

_NAME = re.compile(r"__builtin_[su]?(add|sub|mul)l{0,2}_overflow(_p)?")
_OPERATORS: Final = {"add": "+", "sub": "-", "mul": "*"}


def is_overflow_check(name: str) -> bool:
    """Whether this is the name of such a function."""
    return _NAME.fullmatch(name) is not None


def lower_overflow_check(
    context: FunctionContext,
    node: Node,
    arguments: Sequence[Expression],
    example: Expression,
    target: VariableReference | None,
) -> bool:
    """Lower a call of such a function, unless gcc has no type that is wide enough; whether it was lowered.

    The third argument says where the result goes. Where the name ends in ``_p``, the type of the result is that of
    ``example``, the third argument as it is written.
    """
    name = node.name.name
    match = _NAME.fullmatch(name)
    assert match is not None
    left, right, place = arguments
    only_asked = match[2] is not None
    if only_asked and bit_field_width(example, context.types) is not None:
        raise TypingError(f"{name} with a bit-field as the example of a type")
    type_ = example.type if only_asked else place.type.target if isinstance(place.type, PointerType) else None
    wide = _wide_type(match[1], (left.type, right.type, type_), context.types.data_model)
    if wide is None or type_ is None:
        return False
    exact = context.in_temporary(Binary(_OPERATORS[match[1]], convert(left, wide), convert(right, wide), wide), node)
    stored = convert(exact, type_)
    if not only_asked:
        context.assign(operators.dereference(place), stored, node, context.unit.text(node))
    if target is not None:
        overflows = Binary("!=", convert(stored, wide), exact, INT)
        context.assign(target, convert(overflows, target.type), node, context.unit.text(node))
    return True


def _wide_type(operator: str, types: Sequence[CType | None], model: DataModel) -> IntegerType | None:
    """A type that has the exact result and tells it from every value of the result's type; ``None`` if there is none.

    ``types`` are those of both operands and of the result. It has twice as many bits: so every sum and difference fits
    if it is signed, and every product unless both factors are unsigned.
    """
    integers = [type_ for type_ in types if isinstance(type_, IntegerType)]
    if len(integers) < len(types):
        return None
    unsigned = operator != "sub" and not any(type_.signed for type_ in integers[:2])
    widest = max(type_.width for type_ in integers)
    if widest <= INT.width:
        return UNSIGNED_LONG_LONG if unsigned else LONG_LONG
    if widest <= LONG_LONG.width and model is DataModel.LP64:  # gcc has no wider type for ILP32
        return UNSIGNED_INT128 if unsigned else INT128
    return None
