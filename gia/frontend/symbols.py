"""The names that are visible at a place of the program (ISO C 6.2.1)."""

from __future__ import annotations

from msgspec import Struct, field

from gia.cfa.expressions import Expression, IntegerConstant, Variable
from gia.cfa.types import CType, FunctionType, IntegerType, StructType


class VariableSymbol(Struct, frozen=True):
    """An object. ``bytes`` is the size of a variable-length array, whose ``variable`` is a pointer to its start.

    ``strides`` are those of an array with rows of variable length, or of a pointer to such rows: see
    :mod:`gia.frontend.lowering.variable_length`.
    """

    variable: Variable
    bytes: Expression | None = None
    strides: tuple[Expression, ...] = ()

    @property
    def is_pointer_to_rows(self) -> bool:
        """Whether it is a pointer to arrays of variable length."""
        return self.bytes is None and bool(self.strides)

    def means(self, variable: Variable) -> bool:
        """Whether the name means in the program what ``variable`` means in expressions."""
        return self.variable == variable and self.bytes is None and not self.strides


class FunctionSymbol(Struct, frozen=True):
    """A function; ``noreturn`` and ``constructor`` are what its attributes say."""

    name: str
    type: FunctionType
    noreturn: bool = False
    system: bool = False
    """Declared in a system header."""
    declared: bool = True
    """Declared at all, and not only called."""
    in_block: bool = False
    """Declared in blocks only."""

    @property
    def has_prototype_for_file(self) -> bool:
        """Whether what it takes is known where the file ends, so that a definition could stand there."""
        return self.declared and not self.in_block and not self.type.unspecified


class TypeSymbol(Struct, frozen=True):
    """A name that ``typedef`` made; ``aligned`` is the least alignment of objects that are declared with it."""

    type: CType
    aligned: int = 1


class ConstantSymbol(Struct, frozen=True):
    """An enumeration constant."""

    value: IntegerConstant


class OpaqueSymbol(Struct, frozen=True):
    """A name declared with a type that is not supported: it does no harm as long as nobody uses it."""

    reason: str


Symbol = VariableSymbol | FunctionSymbol | TypeSymbol | ConstantSymbol | OpaqueSymbol


class Scope(Struct):
    """A scope: ordinary names and tags, and the scope around it, with the number of names that this had before."""

    outer: Scope | None = None
    names: dict[str, Symbol] = field(default_factory=dict)
    tags: dict[str, StructType | IntegerType] = field(default_factory=dict)
    before: int = 0

    def inner(self) -> Scope:
        """A scope inside of this one."""
        return Scope(self, before=len(self.names))

    def block(self) -> Scope:
        """The scope of a block that begins now, in which nothing is declared yet.

        The scopes around it in which nothing is declared are left out, since nothing will be before it ends: blocks
        nest deeply, as in long chains of ``else if``.
        """
        outer = self
        while outer.outer is not None and not outer.names and not outer.tags:
            outer = outer.outer
        return outer.inner()

    def find(self, name: str) -> Symbol | None:
        """What an ordinary name means here, ``None`` if nothing."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def find_tag(self, tag: str) -> StructType | IntegerType | None:
        """The struct, union or enumeration that a tag means here."""
        scope: Scope | None = self
        while scope is not None:
            if tag in scope.tags:
                return scope.tags[tag]
            scope = scope.outer
        return None

    @property
    def outermost(self) -> Scope:
        """The file scope."""
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        return scope
