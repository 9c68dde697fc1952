"""C's operators as typed expressions: operands in, conversions made explicit, constants folded (ISO C 6.5)."""

from __future__ import annotations

from gia.cfa.expressions import (
    COMPARISONS,
    AddressOf,
    Binary,
    Cast,
    Dereference,
    Expression,
    FunctionReference,
    IntegerConstant,
    Member,
    Subscript,
    Unary,
    VariableReference,
)
from gia.cfa.types import (
    INT,
    VOID,
    ArrayType,
    CType,
    FloatType,
    FunctionType,
    IntegerType,
    PointerType,
    StructType,
    TypeTable,
    is_scalar,
)
from gia.frontend import wide_bit_fields
from gia.frontend.conversions import (
    bit_field_width,
    common_type,
    constant_address,
    convert,
    decay,
    difference_type,
    fold_binary,
    fold_comparison,
    integer,
    promote,
    reduce_to,
)

NOTHING: Expression = Cast(IntegerConstant(0, INT), VOID)
"""The value of an expression of type void."""


class TypingError(Exception):
    """The operands do not fit the operator, or the front end does not know the construct."""


def is_arithmetic(type_: CType) -> bool:
    """Whether it is an integer or a floating type."""
    return isinstance(type_, IntegerType | FloatType)


def unary(operator: str, operand: Expression, types: TypeTable) -> Expression:
    """``+ - ~ !`` applied to a value."""
    if operator != "!" and wide_bit_fields.own_width(operand, types) is not None:
        return wide_bit_fields.negated(operator, operand, types)
    operand = promote(decay(operand), types)
    if not is_scalar(operand.type) or (operator != "!" and isinstance(operand.type, PointerType)):
        raise TypingError(f"operand of {operator} has type {operand.type}")
    if operator == "+":
        return operand
    if isinstance(operand, IntegerConstant):
        value = {"-": -operand.value, "~": ~operand.value}.get(operator, int(operand.value == 0))
        return integer(value, INT if operator == "!" else operand.type)
    return Unary(operator, operand, INT if operator == "!" else operand.type)


def binary(operator: str, left: Expression, right: Expression, types: TypeTable) -> Expression:
    """A binary operator other than assignment and comma, applied to values."""
    left, right = decay(left), decay(right)
    if not (is_scalar(left.type) and is_scalar(right.type)):
        raise TypingError(f"operands of {operator} have types {left.type} and {right.type}")
    if operator in ("&&", "||"):
        return logical(operator, left, right)
    known = wide_bit_fields.operands(operator, left, right, types, compared=operator in COMPARISONS)
    if known is None:
        return wide_bit_fields.arithmetic(operator, left, right, types)
    left, right = promote(known[0], types), promote(known[1], types)
    if isinstance(left.type, PointerType) or isinstance(right.type, PointerType):
        return _pointer_operation(operator, left, right, types)
    if operator in ("<<", ">>"):
        return _folded(operator, left, right, left.type)
    type_ = common_type(left.type, right.type)
    left, right = convert(left, type_), convert(right, type_)
    if operator in COMPARISONS:
        return _comparison(operator, left, right)
    return _folded(operator, left, right, type_)


def require_c_type(value: Expression, types: TypeTable) -> None:
    """Refuse a value whose type only gcc knows."""
    if wide_bit_fields.own_width(value, types) is not None:
        raise TypingError("the type of a bit-field wider than int, which has no name")


def logical(operator: str, left: Expression, right: Expression) -> Expression:
    """``&&`` or ``||`` of scalar values; a constant left side decides alone."""
    if isinstance(left, IntegerConstant):
        decided = (left.value != 0) == (operator == "||")
        if decided:
            return integer(int(operator == "||"))
        if isinstance(right, IntegerConstant):
            return integer(int(right.value != 0))
    return Binary(operator, left, right, INT)


def _folded(operator: str, left: Expression, right: Expression, type_: CType) -> Expression:
    if isinstance(type_, FloatType) and operator not in ("+", "-", "*", "/"):
        raise TypingError(f"operands of {operator} have type {type_}")
    if isinstance(left, IntegerConstant) and isinstance(right, IntegerConstant) and isinstance(type_, IntegerType):
        value = fold_binary(operator, left.value, right.value, type_)
        if value is not None:
            return IntegerConstant(value, type_)
    return Binary(operator, left, right, type_)


def _comparison(operator: str, left: Expression, right: Expression) -> Expression:
    if isinstance(left, IntegerConstant) and isinstance(right, IntegerConstant):
        return integer(fold_comparison(operator, left.value, right.value))
    return Binary(operator, left, right, INT)


def _pointer_operation(operator: str, left: Expression, right: Expression, types: TypeTable) -> Expression:
    if operator in COMPARISONS:
        type_ = left.type if isinstance(left.type, PointerType) else right.type
        return Binary(operator, convert(left, type_), convert(right, type_), INT)
    if operator == "+" and isinstance(right.type, PointerType):
        left, right = right, left
    if operator in ("+", "-") and isinstance(left.type, PointerType) and isinstance(right.type, IntegerType):
        _require_complete(left.type.target, types)
        if isinstance(right, IntegerConstant) and right.value == 0:
            return left
        return Binary(operator, left, right, left.type)
    if operator == "-" and isinstance(left.type, PointerType) and isinstance(right.type, PointerType):
        return Binary("-", left, convert(right, left.type), difference_type(types.data_model))
    raise TypingError(f"operands of {operator} have types {left.type} and {right.type}")


def _require_complete(type_: CType, types: TypeTable) -> None:
    try:
        types.size_of(type_)
    except ValueError as error:
        raise TypingError(str(error)) from None


def cast(value: Expression, type_: CType, types: TypeTable) -> Expression:
    """An explicit conversion; a number computed from a null pointer (``offsetof``) becomes a constant."""
    value = wide_bit_fields.unmarked(decay(value))
    if type_ == VOID or (value.type == type_ and bit_field_width(value, types) is not None):
        return Cast(value, type_)  # a bit-field, once converted, is none any more: it is promoted as its type is
    if isinstance(type_, StructType) and value.type == type_:
        return value
    if not is_convertible(value.type, type_):
        raise TypingError(f"a value of type {value.type} cannot be converted to {type_}")
    if isinstance(type_, IntegerType) and isinstance(value.type, PointerType):
        number = constant_address(value, types)
        if number is not None:
            return IntegerConstant(reduce_to(number, type_), type_)
    return convert(value, type_)


def is_convertible(source: CType, target: CType) -> bool:
    """Whether both are scalar types and C converts one to the other, as no pointer to a floating type or back."""
    if not is_scalar(source) or not is_scalar(target):
        return False
    pointers = isinstance(source, PointerType) or isinstance(target, PointerType)
    return not (pointers and (isinstance(source, FloatType) or isinstance(target, FloatType)))


def assignable(value: Expression, type_: CType, types: TypeTable) -> Expression:
    """The value converted as if by assignment to an object of ``type_``."""
    if isinstance(type_, StructType):
        if value.type != type_:
            raise TypingError(f"a value of type {value.type} where {type_} is needed")
        return value
    return cast(value, type_, types)


def address_of(operand: Expression) -> Expression:
    """``&operand`` of an lvalue or a function designator."""
    if isinstance(operand, Dereference):
        return convert(operand.pointer, PointerType(operand.type))
    return AddressOf(operand, PointerType(operand.type))


def dereference(pointer: Expression) -> Expression:
    """``*pointer``; pointers to known objects become those objects."""
    pointer = decay(pointer)
    if not isinstance(pointer.type, PointerType):
        raise TypingError(f"operand of * has type {pointer.type}")
    target = pointer.type.target
    if isinstance(pointer, AddressOf):
        if isinstance(target, FunctionType) and isinstance(pointer.operand, FunctionReference):
            return pointer.operand
        if pointer.operand.type == target:
            return pointer.operand
        if isinstance(pointer.operand.type, ArrayType) and pointer.operand.type.element == target:
            return Subscript(pointer.operand, integer(0), target)
    return Dereference(pointer, target)


def subscript(array: Expression, index: Expression, types: TypeTable) -> Expression:
    """``array[index]``."""
    if isinstance(index.type, ArrayType | PointerType):
        array, index = index, array
    if isinstance(array.type, ArrayType):
        return Subscript(array, promote(wide_bit_fields.unmarked(index), types), array.type.element)
    return dereference(binary("+", array, index, types))


def member(base: Expression, name: str, types: TypeTable) -> Expression:
    """``base.name``, through anonymous members where necessary."""
    if not isinstance(base.type, StructType):
        raise TypingError(f"{name} is selected from a value of type {base.type}")
    path = find_member(base.type, name, types)
    if path is None:
        raise TypingError(f"{base.type} has no member {name}")
    for step in path:
        assert isinstance(base.type, StructType)
        base = Member(base, step, types.field(base.type, step).type)
    return base


def member_holding(base: VariableReference, type_: CType, types: TypeTable) -> Member:
    """The member of a union for a value of that type: one of the same type, or a pointer for a pointer or a zero."""
    assert isinstance(base.type, StructType)
    layout = types.layouts.get(base.type.tag) if base.type.is_union else None
    whole = [field for field in layout.fields if field.bit_width is None] if layout is not None else []
    same = [field for field in whole if field.type == type_]
    pointers = [field for field in whole if isinstance(field.type, PointerType)]
    if not same and not (pointers and isinstance(type_, PointerType | IntegerType)):
        raise TypingError(f"a value of type {type_} where {base.type} is needed")
    found = (same or pointers)[0]
    return Member(base, found.name, found.type)


def find_member(struct: StructType, name: str, types: TypeTable) -> tuple[str, ...] | None:
    """The members to be selected one after the other to come to ``name``; ``None`` if there is none."""
    layout = types.layouts.get(struct.tag)
    if layout is None:
        return None
    for candidate in layout.fields:
        if candidate.name == name:
            return (name,)
        if candidate.name.startswith("$") and isinstance(candidate.type, StructType):
            inner = find_member(candidate.type, name, types)
            if inner is not None:
                return (candidate.name, *inner)
    return None
