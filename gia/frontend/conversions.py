"""Conversions of C values made explicit (ISO C 6.3), and arithmetic on constants."""

from __future__ import annotations

import math

from gia.cfa.expressions import (
    AddressOf,
    Cast,
    Dereference,
    Expression,
    FloatConstant,
    FunctionReference,
    IntegerConstant,
    Member,
    Subscript,
)
from gia.cfa.types import (
    DOUBLE,
    FLOAT,
    INT,
    LONG_DOUBLE,
    UNSIGNED_INT,
    ArrayType,
    CType,
    DataModel,
    FloatType,
    FunctionType,
    IntegerType,
    PointerType,
    TypeTable,
    VoidType,
    long_type,
)
from gia.frontend.literals import float_value

_RANKS = {"_Bool": 0, "char": 1, "short": 2, "int": 3, "long": 4, "long long": 5, "__int128": 6}


def rank(type_: IntegerType) -> int:
    """The integer conversion rank (6.3.1.1)."""
    return _RANKS[type_.name.removeprefix("unsigned ").removeprefix("signed ")]


def as_unsigned(type_: IntegerType) -> IntegerType:
    """The unsigned type that corresponds to an integer type."""
    if not type_.signed:
        return type_
    return IntegerType(f"unsigned {type_.name.removeprefix('signed ')}", type_.width, False)


def size_type(model: DataModel) -> IntegerType:
    """``size_t``."""
    return UNSIGNED_INT if model is DataModel.ILP32 else long_type(model, signed=False)


def difference_type(model: DataModel) -> IntegerType:
    """``ptrdiff_t``."""
    return INT if model is DataModel.ILP32 else long_type(model)


def reduce_to(value: int, type_: IntegerType) -> int:
    """The value modulo 2^width, in the range of ``type_``; 0 or 1 for ``_Bool``."""
    if type_.is_bool:
        return int(value != 0)
    return type_.number(value & ((1 << type_.width) - 1))


def integer(value: int, type_: IntegerType = INT) -> IntegerConstant:
    """The constant ``value`` reduced to ``type_``."""
    return IntegerConstant(reduce_to(value, type_), type_)


def zero(type_: CType) -> Expression:
    """The zero of a scalar type."""
    return convert(integer(0), type_)


def convert(value: Expression, type_: CType) -> Expression:
    """``value`` converted to ``type_``; constants are converted at once where this is exact."""
    if value.type == type_:
        return value
    if isinstance(type_, IntegerType):
        match value:
            case IntegerConstant(value=number):
                return integer(number, type_)
            case FloatConstant() if value.type.width < 80 and (folded := _float_to_integer(value, type_)) is not None:
                return folded
            case Cast(operand=IntegerConstant(value=number), type=PointerType()):
                return integer(number, type_)
    match value:
        case Cast(operand=IntegerConstant() as origin, type=PointerType()) if isinstance(type_, PointerType):
            return Cast(origin, type_)
    return Cast(value, type_)


def _float_to_integer(constant: FloatConstant, type_: IntegerType) -> IntegerConstant | None:
    number = float_value(constant)
    if type_.is_bool:
        return IntegerConstant(int(number != 0), type_)
    if not math.isfinite(number) or reduce_to(math.trunc(number), type_) != math.trunc(number):
        return None
    return IntegerConstant(math.trunc(number), type_)


def decay(value: Expression) -> Expression:
    """An array or function designator as the pointer that it becomes in most contexts (6.3.2.1)."""
    match value.type:
        case ArrayType(element=element):
            return AddressOf(value, PointerType(element))
        case FunctionType():
            if isinstance(value, Dereference):
                return value.pointer
            return AddressOf(value, PointerType(value.type))
    return value


def bit_field_width(value: Expression, types: TypeTable) -> int | None:
    """The width of the bit-field that ``value`` is, ``None`` if it is none."""
    if isinstance(value, Member):
        return types.field(value.struct, value.field).bit_width
    return None


def promoted_type(type_: IntegerType, bits: int | None = None) -> IntegerType:
    """The type that integer promotion gives to ``type_``, or to a bit-field of it with ``bits`` bits."""
    if bits is not None and bits <= 32 and rank(type_) <= 5:
        return INT if type_.signed or bits < 32 else UNSIGNED_INT
    return INT if rank(type_) < 3 else type_


def promote(value: Expression, types: TypeTable) -> Expression:
    """The value after integer promotion (6.3.1.1); other types stay."""
    if isinstance(value.type, IntegerType):
        return convert(value, promoted_type(value.type, bit_field_width(value, types)))
    return value


def promote_argument(value: Expression, types: TypeTable) -> Expression:
    """The value after the default argument promotions (6.5.2.2)."""
    return convert(value, DOUBLE) if value.type == FLOAT else promote(value, types)


def common_type(left: CType, right: CType) -> IntegerType | FloatType:
    """The type that the usual arithmetic conversions (6.3.1.8) give two promoted arithmetic operands."""
    for floating in (LONG_DOUBLE, DOUBLE, FLOAT):
        if floating in (left, right):
            return floating
    assert isinstance(left, IntegerType) and isinstance(right, IntegerType)
    if left == right:
        return left
    if left.signed == right.signed:
        return left if rank(left) >= rank(right) else right
    unsigned, signed = (right, left) if left.signed else (left, right)
    if rank(unsigned) >= rank(signed):
        return unsigned
    return signed if signed.width > unsigned.width else as_unsigned(signed)


def fold_binary(operator: str, left: int, right: int, type_: IntegerType) -> int | None:
    """The value of an operation on operands of one type, reduced to ``type_``; ``None`` where C defines none."""
    if operator in ("/", "%"):
        if right == 0:
            return None
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return reduce_to(quotient if operator == "/" else left - quotient * right, type_)
    if operator in ("<<", ">>"):
        if not 0 <= right < type_.width:
            return None
        return reduce_to(left << right if operator == "<<" else left >> right, type_)
    values = {"+": left + right, "-": left - right, "*": left * right, "&": left & right, "|": left | right}
    return reduce_to(values[operator] if operator in values else left ^ right, type_)


def fold_comparison(operator: str, left: int, right: int) -> int:
    """0 or 1, for one of ``== != < <= > >=``."""
    order = {"==": left == right, "!=": left != right, "<": left < right, "<=": left <= right, ">": left > right}
    return int(order.get(operator, left >= right))


def constant_address(pointer: Expression, types: TypeTable) -> int | None:
    """The number of a pointer that is computed from a number alone, as in ``&((struct s *)0)->f``."""
    match pointer:
        case Cast(operand=IntegerConstant(value=number)):
            return number
        case Cast(operand=operand, type=PointerType()):
            return constant_address(operand, types)
        case AddressOf(operand=operand) if not isinstance(operand, FunctionReference):
            return _constant_place(operand, types)
    return None


def _constant_place(lvalue: Expression, types: TypeTable) -> int | None:
    match lvalue:
        case Dereference(pointer=pointer):
            return constant_address(pointer, types)
        case Member(base=base, field=name):
            start = _constant_place(base, types)
            return None if start is None else start + types.field(lvalue.struct, name).offset
        case Subscript(array=array, index=IntegerConstant(value=index), type=type_):
            start = _constant_place(array, types)
            return None if start is None else start + index * types.size_of(type_)
    return None


def is_void(type_: CType) -> bool:
    """Whether it is ``void``."""
    return isinstance(type_, VoidType)
