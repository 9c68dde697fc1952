"""Functions without a body: which of them are inputs, and what the program notes of them."""

from __future__ import annotations

from gia.cfa.types import CType, IntegerType, PointerType
from gia.errors import Position
from gia.frontend import library
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.operators import TypingError
from gia.frontend.symbols import FunctionSymbol


def note_external(context: FunctionContext, symbol: FunctionSymbol, position: Position) -> None:
    """Note the use of a function that may have no body."""
    defined = context.unit.defined
    if symbol.name == library.MEMORY and symbol.name not in defined:
        raise TypingError(f"{symbol.name} without a model: it must be called by its name")
    name = symbol.name if symbol.name in defined else library.library_name(symbol.name)
    never_returns = symbol.noreturn and is_of_others(symbol)
    most = largest_value(symbol)
    if symbol.declared:
        _warn_of_other_type(context, name, symbol.type.result, position)
    context.add_external(name, symbol.type, is_input(symbol), position, most=most, never_returns=never_returns)


def is_input(symbol: FunctionSymbol) -> bool:
    """Whether a function, if it has no body, is an input of the program; not one that never returns."""
    return is_of_others(symbol) and not symbol.noreturn


def is_of_others(symbol: FunctionSymbol) -> bool:
    """Whether nothing is known of what a function does if it has no body."""
    if symbol.name in library.INPUTS_OF_LIBRARY or symbol.name.startswith(library.INPUT_PREFIX):
        return True
    known = library.ERROR_FUNCTIONS | library.ASSUME | library.HALTING
    return symbol.name not in known and not library.is_library(symbol.name, symbol.system)


def largest_value(symbol: FunctionSymbol) -> int | None:
    """The largest value of an input that is never negative, see :class:`~gia.cfa.graph.ExternalFunction`."""
    return library.LARGEST_RANDOM if symbol.system and symbol.name in library.INPUTS_OF_LIBRARY else None


def _warn_of_other_type(context: FunctionContext, name: str, declared: CType, position: Position) -> None:
    """Say once that the program takes other values from an input function than its name says."""
    unit = context.unit
    named = library.type_of_input(name, context.types.data_model)
    if named is None or name in unit.defined or name in unit.externals or _have_same_values(named, declared):
        return
    unit.warn(position, f"{name} is declared to give {declared}, not {named}: in tests, its values are {declared}")


def _have_same_values(one: CType, other: CType) -> bool:
    """Whether what one function gives is read as the same bits by callers of the other."""
    match one, other:
        case IntegerType(), IntegerType():
            return one.width == other.width and one.is_bool == other.is_bool
        case PointerType(), PointerType():
            return True
    return one == other
