"""Bit-fields wider than ``int``: gcc computes with them in types of their width, which C does not have.

``field - 1`` is 2^40 - 1 for an unsigned field of 40 bits that is zero. Where the other operand has a wider type, or
where only a comparison asks, values of declared types give the same result. Everywhere else the result is computed in
the declared type and reduced to the width. That it has a width of its own is told by two casts to the type that it has,
which nothing else makes.

Source: ISO C 6.3.1.1 leaves the promoted type open; gcc's ``c_common_type`` takes the operand of the greater precision.
"""

from __future__ import annotations

from gia.cfa.expressions import Binary, Cast, Expression, IntegerConstant, Member, Unary
from gia.cfa.types import INT, IntegerType, TypeTable
from gia.frontend.conversions import as_unsigned, bit_field_width, convert, promote

_MODULAR = frozenset({"+", "-", "*", "&", "|", "^", "<<", ">>"})
"""Operators that give the low bits, which are stored, whatever stands above them."""


def own_width(value: Expression, types: TypeTable) -> int | None:
    """The width of the type that only gcc knows; ``None`` if C knows the type of ``value``."""
    reduced = unmarked(value)
    if reduced is not value:
        return _reduced_width(reduced)
    width = bit_field_width(value, types)
    return None if width is None or width <= 32 or width == types.size_of(value.type) * 8 else width


def as_declared(value: Expression, types: TypeTable) -> Expression:
    """Such a value as one of its declared type; all other values as they are."""
    if own_width(value, types) is None:
        return value
    return Cast(value, value.type) if isinstance(value, Member) else unmarked(value)


def unmarked(value: Expression) -> Expression:
    """A value whose type no longer matters, without the two casts that :func:`with_width` has made."""
    match value:
        case Cast(operand=Cast(operand=reduced, type=inner), type=outer) if inner == outer == reduced.type:
            return reduced
    return value


def updated(operator: str, target: Expression, types: TypeTable) -> Expression:
    """The left operand of ``target operator= …``, in its declared type where that changes nothing that is stored."""
    return as_declared(target, types) if operator in _MODULAR else target


def with_width(value: Expression, width: int) -> Expression:
    """A value of a declared type reduced to a width, which is the width of its type then."""
    type_ = value.type
    assert isinstance(type_, IntegerType)
    above = IntegerConstant(type_.width - width, INT)
    if type_.signed:
        reduced = Binary(">>", Binary("<<", value, above, type_), above, type_)
    else:
        reduced = Binary("&", value, IntegerConstant((1 << width) - 1, type_), type_)
    return Cast(Cast(reduced, type_), type_)


def _reduced_width(value: Expression) -> int | None:
    """The width to which :func:`with_width` has reduced a value."""
    match value:
        case Binary(operator="&", right=IntegerConstant(value=mask)):
            return mask.bit_length()
        case Binary(operator=">>", right=IntegerConstant(value=above), type=IntegerType(width=width)):
            return width - above
    return None


def negated(operator: str, operand: Expression, types: TypeTable) -> Expression:
    """``+``, ``-`` or ``~`` of a value with a width of its own."""
    width, declared = own_width(operand, types), as_declared(operand, types)
    assert width is not None
    return with_width(declared if operator == "+" else Unary(operator, declared, declared.type), width)


def arithmetic(operator: str, left: Expression, right: Expression, types: TypeTable) -> Expression:
    """The result where a value with a width of its own decides the type."""
    if operator in ("<<", ">>"):
        width, declared = own_width(left, types), as_declared(left, types)
        assert width is not None
        return with_width(Binary(operator, declared, promote(as_declared(right, types), types), declared.type), width)
    width, common = _common(left, right, types)
    first, second = (_within(operand, width, common, types) for operand in (left, right))
    return with_width(Binary(operator, first, second, common), width)


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
    """Operands of a comparison, converted to the wider of their types."""
    width, common = _common(left, right, types)
    return _within(left, width, common, types), _within(right, width, common, types)


def _common(left: Expression, right: Expression, types: TypeTable) -> tuple[int, IntegerType]:
    """The width and the declared type of the wider operand, unsigned if one of two as wide is."""
    (first, first_type), (second, second_type) = _typed(left, types), _typed(right, types)
    width = max(first, second)
    common = first_type if first == width else second_type
    if first == second and not (first_type.signed and second_type.signed):
        common = as_unsigned(common)
    return width, common


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
