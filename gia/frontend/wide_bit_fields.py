"""Bit-fields wider than ``int``: gcc computes with them in types of their width, which C does not have.

``field - 1`` is 2^40 - 1 for an unsigned field of 40 bits that is zero. Where the other operand has a wider type, or
where only a comparison asks, values of declared types give the same result. Nothing else is expressed here.

Source: ISO C 6.3.1.1 leaves the promoted type open; gcc's ``c_common_type`` takes the operand of the greater precision.
"""

from __future__ import annotations

from gia.cfa.expressions import Binary, Cast, Expression, IntegerConstant
from gia.cfa.types import IntegerType, TypeTable
from gia.frontend.conversions import as_unsigned, bit_field_width, convert, promote

_MODULAR = frozenset({"+", "-", "*", "&", "|", "^", "<<", ">>"})
"""Operators that give the low bits, which are stored, whatever stands above them."""


def own_width(value: Expression, types: TypeTable) -> int | None:
    """The width of the type that only gcc knows; ``None`` if C knows the type of ``value``."""
    width = bit_field_width(value, types)
    return None if width is None or width <= 32 or width == types.size_of(value.type) * 8 else width


def as_declared(value: Expression, types: TypeTable) -> Expression:
    """Such a bit-field as a value of its declared type; all other values as they are."""
    return value if own_width(value, types) is None else Cast(value, value.type)


def updated(operator: str, target: Expression, types: TypeTable) -> Expression:
    """The left operand of ``target operator= …``, in its declared type where that changes nothing that is stored."""
    return as_declared(target, types) if operator in _MODULAR else target


def operands(
    operator: str, left: Expression, right: Expression, types: TypeTable, *, compared: bool
) -> tuple[Expression, Expression] | None:
    """Operands whose types C knows and that give gcc's result; ``None`` if there are none."""
    if own_width(left, types) is None and own_width(right, types) is None:
        return left, right
    if operator in ("<<", ">>"):  # the left operand alone decides the type
        return (left, as_declared(right, types)) if own_width(left, types) is None else None
    first, second = _decided(left, right, types), _decided(right, left, types)
    if first is not None and second is not None:
        return first, second
    return _compared(left, right, types) if compared else None


def _decided(value: Expression, other: Expression, types: TypeTable) -> Expression | None:
    """The value in the type that ``other`` decides; ``None`` if it does not decide it alone."""
    width = own_width(value, types)
    if width is None:
        return value
    type_ = promote(other, types).type
    if not isinstance(type_, IntegerType):  # a float, or a pointer that is indexed
        return as_declared(value, types)
    if own_width(other, types) is not None or type_.width <= width:
        return None
    return convert(as_declared(value, types), type_)


def _compared(left: Expression, right: Expression, types: TypeTable) -> tuple[Expression, Expression]:
    """Operands of a comparison, converted to the wider of their types, unsigned if one of two as wide is."""
    (first, first_type), (second, second_type) = _typed(left, types), _typed(right, types)
    width = max(first, second)
    common = first_type if first == width else second_type
    if first == second and not (first_type.signed and second_type.signed):
        common = as_unsigned(common)
    return _within(left, width, common, types), _within(right, width, common, types)


def _typed(value: Expression, types: TypeTable) -> tuple[int, IntegerType]:
    type_ = promote(value, types).type
    assert isinstance(type_, IntegerType)
    return own_width(value, types) or type_.width, type_


def _within(value: Expression, width: int, type_: IntegerType, types: TypeTable) -> Expression:
    """The value modulo 2^width, if ``type_`` is unsigned; it fits if ``type_`` is signed."""
    converted = convert(as_declared(promote(value, types), types), type_)
    if type_.signed:
        return converted
    return Binary("&", converted, IntegerConstant((1 << width) - 1, type_), type_)
