"""Names of variables, functions and types in C output and in the expressions of exchange files.

The CFA's names contain ``$`` where the source has none (``x$2``, ``$t1``), which not every C tool takes. In C output
it becomes ``__``; static locals, which become globals, get their function in front; underscores are appended where two
names would be the same, or where a local would hide something that its function may mention.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Protocol

from msgspec import Struct

from gia.cfa.expressions import Storage, Variable
from gia.cfa.graph import Function, Program
from gia.cfa.types import StructType
from gia.errors import InternalError

KEYWORDS = frozenset(
    """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm typeof
    alignas alignof bool constexpr false nullptr static_assert thread_local true typeof_unqual
    linux unix i386
    """.split()  # noqa: SIM905
)
"""Words that cannot name anything in C output: keywords up to C23 and gcc's predefined macros without underscores."""


class Namer(Protocol):
    """How the things that an expression mentions are written."""

    def variable(self, variable: Variable) -> str:
        """The name of a variable."""

    def function(self, name: str) -> str:
        """The name of a function."""

    def type(self, type_: StructType) -> str:
        """``struct tag`` or ``union tag``."""

    def member(self, name: str) -> str:
        """The name of a field."""


def identifier(name: str) -> str:
    """``name`` as a plain C identifier (not necessarily a fresh one)."""
    plain = re.sub(r"\W", "__", name, flags=re.ASCII)
    return f"_{plain}" if plain[:1].isdigit() else plain


class ScopedNames(Struct, frozen=True):
    """The names in C output inside one function (or, with no locals, at file scope)."""

    functions: Mapping[str, str]
    statics: Mapping[Variable, str]
    tags: Mapping[str, str]
    locals: Mapping[Variable, str]

    def variable(self, variable: Variable) -> str:
        """The name of a static object or of a local of this function."""
        found = self.statics.get(variable) or self.locals.get(variable)
        if found is None:
            raise InternalError(f"the variable {variable} of {variable.function} is used outside its function")
        return found

    def function(self, name: str) -> str:
        """The name of a function."""
        return self.functions.get(name, name)

    def type(self, type_: StructType) -> str:
        """``struct tag`` or ``union tag``."""
        return f"{'union' if type_.is_union else 'struct'} {self.tags.get(type_.tag, identifier(type_.tag))}"

    def member(self, name: str) -> str:
        """The name of a field."""
        return field_name(name)


def field_name(name: str) -> str:
    """The name of a field in C output."""
    plain = identifier(name)
    return f"{plain}_" if plain in KEYWORDS else plain


class ProgramNames:
    """The names of everything in the C output of one program, fixed when it is made.

    ``extra`` are static objects that the program mentions but does not define (``stdin``).
    """

    def __init__(self, program: Program, extra: Iterable[Variable] = ()) -> None:
        taken = set(KEYWORDS)
        self._functions: dict[str, str] = {}
        for name in [*program.externals, *program.functions]:
            self._functions[name] = _fresh(identifier(name), taken)
        self._statics: dict[Variable, str] = {}
        for variable in [*(initialiser.variable for initialiser in program.statics), *extra]:
            base = identifier(variable.name)
            if variable.storage is Storage.STATIC_LOCAL:
                base = f"{variable.function}__{base}"
            self._statics[variable] = _fresh(base, taken)
        tags: set[str] = set()
        self._tags = {tag: _fresh(identifier(tag), tags) for tag in program.types.layouts}
        self._taken = frozenset(taken)

    def at_file_scope(self) -> ScopedNames:
        """The names outside functions."""
        return ScopedNames(self._functions, self._statics, self._tags, {})

    def inside(self, function: Function) -> ScopedNames:
        """The names inside a function; its locals hide nothing."""
        taken = set(self._taken)
        found = {
            variable: _fresh(identifier(variable.name), taken)
            for variable in dict.fromkeys((*function.parameters, *function.locals))
            if not variable.is_static
        }
        return ScopedNames(self._functions, self._statics, self._tags, found)


class ExchangeNames(Struct, frozen=True):
    """The names in an expression of an exchange file whose scope is the function ``scope`` (``""``: globals only).

    A local of the scope has its own name; a global or a function has its name, or ``$$name`` where a local of the scope
    (visible or not) has that name too; a local of another function ``g`` is ``g$$name``. ``local_names`` are the names
    of the scope's locals, ``None`` if they are not known: then every global variable is written ``$$name``.
    """

    scope: str
    local_names: frozenset[str] | None

    def variable(self, variable: Variable) -> str:
        """The name of a variable."""
        if variable.storage is Storage.GHOST:
            return variable.name
        if variable.function is None:
            hidden = self.local_names is None or variable.name in self.local_names
            return f"$${variable.name}" if hidden and self.scope else variable.name
        return variable.name if variable.function == self.scope else f"{variable.function}$${variable.name}"

    def function(self, name: str) -> str:
        """The name of a function."""
        hidden = self.local_names is not None and name in self.local_names
        return f"$${name}" if hidden else name

    def type(self, type_: StructType) -> str:
        """``struct tag`` or ``union tag``."""
        return str(type_)

    def member(self, name: str) -> str:
        """The name of a field."""
        return name


def local_names(program: Program, scope: str) -> frozenset[str]:
    """The names of all variables that belong to a function (static locals included); none for scope ``""``."""
    function = program.functions.get(scope)
    if function is None:
        return frozenset()
    statics = (found.variable.name for found in program.statics if found.variable.function == scope)
    return frozenset([*(found.name for found in (*function.parameters, *function.locals)), *statics])


def _fresh(base: str, taken: set[str]) -> str:
    """``base`` with as many underscores behind it as make it differ from all of ``taken``, which it joins."""
    while base in taken:
        base += "_"
    taken.add(base)
    return base
