"""The error number of the C library, which ``errno`` names: any function of the library may change it, and any input.

Inputs, because the function that a test makes one of may be of the library in the real program. What is known to leave
the number alone works on the memory and the values that it is given only.
"""

from __future__ import annotations

from typing import Final

from gia.cfa.types import INT
from gia.smt.encoding.library.bits import BIT_MODELS
from gia.smt.encoding.library.copies import COPYING
from gia.smt.encoding.library.strings import TEXT_MODELS
from gia.smt.encoding.state import SymbolicState
from gia.smt.encoding.world import World, library_instance
from gia.smt.terms import Term, bv_sort

LOCATION: Final = "__errno_location"
"""The function that returns its address, the same in each call (there is one thread)."""

_NAME: Final = "errno"
_LEAVING_IT_ALONE: Final = frozenset(
    {LOCATION, "__ctype_b_loc", "abs", "labs", "llabs", "imaxabs", "expect", "isalnum", "isalpha", "isblank", "iscntrl"}
    | {"isdigit", "isgraph", "islower", "isprint", "ispunct", "isspace", "isupper", "isxdigit", "tolower", "toupper"}
    | COPYING.keys()
    | BIT_MODELS.keys()
    | TEXT_MODELS.keys()
)


def known_error_number(world: World, state: SymbolicState) -> tuple[SymbolicState, Term]:
    """The address of the error number, and the state in which it has a value: any if nothing was known of it."""
    address = world.library_variable(_NAME, INT)
    if address in state.objects:
        return state, address
    name = world.names.fresh(_NAME, bv_sort(1)).name
    return state.with_objects({**state.objects, address: world.arbitrary(name, INT)}), address


def after_library(world: World, state: SymbolicState, function: str) -> SymbolicState:
    """The state in which a function of the library has set the error number to anything, if it may do so."""
    return state if function in _LEAVING_IT_ALONE else without_error_number(world, state)


def without_error_number(world: World, state: SymbolicState) -> SymbolicState:
    """The state in which nothing is known of the error number."""
    address = world.known_address(library_instance(_NAME))  # most programs never ask for it
    if address not in state.objects:
        return state
    return state.with_objects({place: content for place, content in state.objects.items() if place is not address})
