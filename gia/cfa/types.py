"""C types as values, and their layout in memory under a data model (ISO C 6.2.5, System V ABI)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeGuard

from msgspec import Struct, field


class DataModel(StrEnum):
    """The widths of C's integer types: ``ILP32`` (gcc ``-m32``) or ``LP64`` (gcc ``-m64``)."""

    ILP32 = "ILP32"
    LP64 = "LP64"

    @property
    def pointer_width(self) -> int:
        """Bits of a pointer, of ``long``, ``size_t`` and ``ptrdiff_t``."""
        return 32 if self is DataModel.ILP32 else 64


class VoidType(Struct, frozen=True):
    """``void``."""

    def __str__(self) -> str:
        return "void"


class IntegerType(Struct, frozen=True):
    """An integer type: ``name`` is its C spelling, ``width`` its bits (``_Bool``: 8, values 0 and 1)."""

    name: str
    width: int
    signed: bool

    @property
    def is_bool(self) -> bool:
        """Whether a conversion to this type yields 0 or 1 only."""
        return self.name == "_Bool"

    @property
    def bounds(self) -> tuple[int, int]:
        """The smallest and the greatest value."""
        if self.is_bool:
            return 0, 1
        if self.signed:
            return -(1 << (self.width - 1)), (1 << (self.width - 1)) - 1
        return 0, (1 << self.width) - 1

    def number(self, bits: int) -> int:
        """The number that ``0 <= bits < 2 ** width`` stand for: two's complement if the type is signed."""
        return bits - (1 << self.width) if self.signed and bits >> (self.width - 1) else bits

    def __str__(self) -> str:
        return self.name


class FloatType(Struct, frozen=True):
    """A floating type: ``float`` (32 bits), ``double`` (64), ``long double`` (80, x87 extended)."""

    name: str
    width: int

    def __str__(self) -> str:
        return self.name


class PointerType(Struct, frozen=True):
    """A pointer to ``target``."""

    target: CType

    def __str__(self) -> str:
        return declared(self)


class ArrayType(Struct, frozen=True):
    """An array; ``length`` is ``None`` for an incomplete or a variable-length one."""

    element: CType
    length: int | None

    def __str__(self) -> str:
        return declared(self)


class StructType(Struct, frozen=True):
    """A struct or union by its tag, unique in the program; its layout is in :class:`TypeTable`."""

    tag: str
    is_union: bool = False

    def __str__(self) -> str:
        return f"{'union' if self.is_union else 'struct'} {self.tag}"


class FunctionType(Struct, frozen=True):
    """A function; ``unspecified`` marks the old ``f()`` that says nothing about its parameters."""

    result: CType
    parameters: tuple[CType, ...]
    variadic: bool = False
    unspecified: bool = False

    def __str__(self) -> str:
        return declared(self)


CType = VoidType | IntegerType | FloatType | PointerType | ArrayType | StructType | FunctionType


def declared(type_: CType, name: str = "", tagged: Callable[[StructType], str] = str) -> str:
    """A declaration of ``name`` in C, the name of the type if it is empty (ISO C 6.7.6, 6.7.7).

    ``tagged`` gives the names of structs and unions.
    """
    while True:
        match type_:
            case PointerType(target=target):
                name = f"(*{name})" if isinstance(target, ArrayType | FunctionType) else f"*{name}"
                type_ = target
            case ArrayType(element=element, length=length):
                name, type_ = f"{name}[{'' if length is None else length}]", element
            case FunctionType(result=result):
                name, type_ = f"{name}({_parameters(type_, tagged)})", result
            case _:
                return f"{tagged(type_) if isinstance(type_, StructType) else type_} {name}".rstrip()


def _parameters(type_: FunctionType, tagged: Callable[[StructType], str]) -> str:
    if type_.unspecified and not type_.parameters:
        return ""
    shown = [declared(parameter, "", tagged) for parameter in type_.parameters]
    return ", ".join([*shown, "..."] if type_.variadic else shown) or "void"


VOID = VoidType()
BOOL = IntegerType("_Bool", 8, False)
CHAR = IntegerType("char", 8, True)
SIGNED_CHAR = IntegerType("signed char", 8, True)
UNSIGNED_CHAR = IntegerType("unsigned char", 8, False)
SHORT = IntegerType("short", 16, True)
UNSIGNED_SHORT = IntegerType("unsigned short", 16, False)
INT = IntegerType("int", 32, True)
UNSIGNED_INT = IntegerType("unsigned int", 32, False)
LONG_LONG = IntegerType("long long", 64, True)
UNSIGNED_LONG_LONG = IntegerType("unsigned long long", 64, False)
INT128 = IntegerType("__int128", 128, True)
UNSIGNED_INT128 = IntegerType("unsigned __int128", 128, False)
FLOAT = FloatType("float", 32)
DOUBLE = FloatType("double", 64)
LONG_DOUBLE = FloatType("long double", 80)


def long_type(model: DataModel, signed: bool = True) -> IntegerType:
    """``long`` or ``unsigned long`` under ``model``; also ``ptrdiff_t`` and ``size_t`` for LP64."""
    return IntegerType("long" if signed else "unsigned long", model.pointer_width, signed)


def is_scalar(type_: CType) -> bool:
    """Whether values of this type are integers, floats or pointers."""
    return isinstance(type_, IntegerType | FloatType | PointerType)


def is_of_unknown_length(type_: CType) -> TypeGuard[ArrayType]:
    """Whether this is the type of an array whose declaration does not say how long it is."""
    return isinstance(type_, ArrayType) and type_.length is None


class Field(Struct, frozen=True):
    """A member of a struct or union: ``offset`` in bytes; for a bit-field also its bits.

    A bit-field occupies ``bit_width`` bits from bit ``bit_offset`` (least significant first) of the
    storage unit of ``type`` that starts at ``offset``.
    """

    name: str
    type: CType
    offset: int
    bit_offset: int = 0
    bit_width: int | None = None


class Layout(Struct, frozen=True):
    """Size and alignment in bytes, and the fields, of a complete struct or union.

    Anonymous members are kept as fields with an invented name; the front end resolves accesses
    through them into nested member accesses.
    """

    size: int
    alignment: int
    fields: tuple[Field, ...]

    def field(self, name: str) -> Field:
        """The field of that name; ``KeyError`` if there is none."""
        for candidate in self.fields:
            if candidate.name == name:
                return candidate
        raise KeyError(name)


class TypeTable(Struct, frozen=True):
    """The data model and the layouts of all complete structs and unions of a program, by tag."""

    data_model: DataModel
    layouts: Mapping[str, Layout] = field(default_factory=dict)

    def size_of(self, type_: CType) -> int:
        """Bytes of a complete type; ``ValueError`` for an incomplete one."""
        match type_:
            case IntegerType(width=width):
                return width // 8
            case FloatType(width=80):
                return 12 if self.data_model is DataModel.ILP32 else 16
            case FloatType(width=width):
                return width // 8
            case PointerType():
                return self.data_model.pointer_width // 8
            case ArrayType(element=element, length=int() as length):
                return length * self.size_of(element)
            case StructType(tag=tag) if tag in self.layouts:
                return self.layouts[tag].size
            case VoidType() | FunctionType():
                return 1  # GNU C: arithmetic on void* and function pointers counts bytes
        raise ValueError(f"the size of the incomplete type {type_} is not known")

    def align_of(self, type_: CType) -> int:
        """Alignment in bytes of a complete type inside a struct; ``ValueError`` for an incomplete one."""
        match type_:
            case ArrayType(element=element):
                return self.align_of(element)
            case StructType(tag=tag) if tag in self.layouts:
                return self.layouts[tag].alignment
        size = self.size_of(type_)
        return min(size, 4) if self.data_model is DataModel.ILP32 else size

    def has_pointers(self, type_: CType) -> bool:
        """Whether an object of a type is a pointer or has one in it."""
        match type_:
            case PointerType():
                return True
            case ArrayType(element=element):
                return self.has_pointers(element)
            case StructType(tag=tag) if tag in self.layouts:
                return any(self.has_pointers(found.type) for found in self.layouts[tag].fields)
        return False

    def field(self, type_: StructType, name: str) -> Field:
        """The field ``name`` of a complete struct or union."""
        return self.layouts[type_.tag].field(name)
