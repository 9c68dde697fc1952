"""Models of library functions; what has none yields an arbitrary result and may change what its arguments point to."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from gia.cfa.allocations import DUPLICATING, MOVING
from gia.cfa.expressions import Expression, StringLiteral, walk
from gia.cfa.graph import EFFECT_SUFFIX, Program
from gia.cfa.library_effects import destination, library_function, limit_of, without_effect
from gia.cfa.local_bounds import greatest
from gia.cfa.operations import Call
from gia.cfa.places import Blocks
from gia.cfa.types import FunctionType, PointerType, is_scalar
from gia.frontend.library import BEYOND
from gia.smt.encoding.access import content_at, havoc_bytes, havoc_for_code, havoc_targets
from gia.smt.encoding.assignment import assign, block_pieces, copy_block, havoc_lvalue, store_at
from gia.smt.encoding.conversions import from_bits, is_signed, scalar_sort
from gia.smt.encoding.evaluator import Evaluator
from gia.smt.encoding.heap_blocks import ALIGNMENT, block_address, known_block
from gia.smt.encoding.library.copies import COPYING, copy_some, copy_text, fill_some, repeated
from gia.smt.encoding.library.error_number import LOCATION, after_library, known_error_number
from gia.smt.encoding.library.floats import SPLITTING
from gia.smt.encoding.library.strings import length_of
from gia.smt.encoding.library.values import PURE_MODELS
from gia.smt.encoding.memory import MemoryObject
from gia.smt.encoding.pool_access import allocate
from gia.smt.encoding.state import SymbolicState
from gia.smt.encoding.world import World
from gia.smt.terms import (
    BOOL,
    SortKind,
    Term,
    bv_add,
    bv_const,
    bv_mul,
    bv_sort,
    conjunction,
    const_array,
    equal,
    extract,
    ite,
    resize,
    ult,
)

_MOST_BYTES = 1 << 16


def call(evaluator: Evaluator, operation: Call, given: int | None = None) -> SymbolicState:
    """The evaluator's state after a call of a function without a body.

    ``given`` are the bits of its result in the execution that is followed: they stand for it if it has no model.
    """
    name = library_function(operation)
    evaluator.state = after_library(evaluator.world, evaluator.state, name)
    arguments = operation.arguments
    model = PURE_MODELS.get(name)
    if model is not None and all(is_scalar(argument.type) for argument in arguments):
        value = model(evaluator, [evaluator.value(argument) for argument in arguments])
        if value is not None:
            return _assign_result(evaluator, operation, value)
    effect = _EFFECTS.get(name)
    if effect is not None:
        after = effect(evaluator, operation)
        if after is not None:
            return after
    if not without_effect(operation):
        evaluator.state = _after_writing(evaluator, operation) or _after_unknown(evaluator, operation)
    return _unknown_result(evaluator, operation, given)


def _after_writing(evaluator: Evaluator, operation: Call) -> SymbolicState | None:
    """The state after a function that only writes bytes from where one argument leads on; else ``None``."""
    world, written = evaluator.world, destination(operation)
    if written is None:
        return None
    limit = limit_of(operation)
    size = None if limit is None else _greatest(evaluator, limit, evaluator.value(limit))
    reason = _not_modelled(world.program, operation.function)
    pointer = evaluator.value(written)
    return havoc_bytes(world, evaluator.state, pointer, evaluator.edge, reason, size=size)


def _greatest(evaluator: Evaluator, number: Expression, value: Term) -> int | None:
    """The greatest value that a number with this value may have, ``None`` if that is not known."""
    if value.value is not None or evaluator.edge is None:
        return value.value
    return greatest(evaluator.world.program, number, evaluator.edge.source)


def _after_unknown(evaluator: Evaluator, operation: Call) -> SymbolicState:
    """The state after a function that may change whatever its arguments lead to, and call functions it is given."""
    world, state, edge = evaluator.world, evaluator.state, evaluator.edge
    reason = _what_is_beyond(operation) or _not_modelled(world.program, operation.function)
    pointers = [argument for argument in operation.arguments if isinstance(argument.type, PointerType)]
    if any(_leads_to_function(evaluator, argument) for argument in pointers):
        return havoc_for_code(world, state, ((),), edge, reason)
    for argument in pointers:
        state = havoc_targets(world, state, evaluator.value(argument), edge, reason)
    return state


def _not_modelled(program: Program, function: str) -> str:
    """Why nothing is known of what a function without a body has done."""
    external = program.externals.get(function)
    if external is not None and external.is_input:
        return (
            f"the function {function.removesuffix(EFFECT_SUFFIX)}, which has no body, may have changed what it is given"
        )
    return f"the library function {function} is not modelled"


def _what_is_beyond(operation: Call) -> str:
    """What a model of the front end (:mod:`gia.frontend.models`) does not go into, as its call says; else empty."""
    message = operation.arguments[-1] if operation.function == BEYOND else None
    literal = next((part for part in walk(message) if isinstance(part, StringLiteral)), None) if message else None
    return "" if literal is None else f"not modelled: {literal.data[:-1].decode(errors='replace')}"


def _leads_to_function(evaluator: Evaluator, argument: Expression) -> bool:
    """Whether a pointer is one to a function, by its type or by what it certainly may point to."""
    assert isinstance(argument.type, PointerType)
    if isinstance(argument.type.target, FunctionType):
        return True
    targets = evaluator.world.addresses.targets(evaluator.value(argument))
    return any(target.address is not None and evaluator.world.is_function(target.address) for target in targets)


def _unknown_result(evaluator: Evaluator, operation: Call, given: int | None = None) -> SymbolicState:
    """The target may hold anything, or what was ``given``; of addresses, only the null pointer means the same here."""
    target, reason = operation.target, f"the result of {operation.function} is not modelled"
    if target is None:
        return evaluator.state
    if given is None or not is_scalar(target.type) or (given and isinstance(target.type, PointerType)):
        return havoc_lvalue(evaluator, target, reason)
    evaluator.world.imprecise(evaluator.edge, reason)
    sort = scalar_sort(target.type, evaluator.world.types)
    return assign(evaluator, target, from_bits(bv_const(given, sort.width), sort))


def _assign_result(evaluator: Evaluator, operation: Call, value: Term) -> SymbolicState:
    """Assign a result; integers are fitted to the width of the target."""
    target = operation.target
    if target is None:
        return evaluator.state
    sort = scalar_sort(target.type, evaluator.world.types)
    if value.sort != sort:
        if value.sort.kind is not SortKind.BV or sort.kind is not SortKind.BV:
            return _unknown_result(evaluator, operation)
        value = resize(value, sort.width, is_signed(target.type))
    return assign(evaluator, target, value)


def _error_number(evaluator: Evaluator, operation: Call) -> SymbolicState | None:
    """``__errno_location``."""
    evaluator.state, address = known_error_number(evaluator.world, evaluator.state)
    return _assign_result(evaluator, operation, address)


def _stored(evaluator: Evaluator, operation: Call) -> SymbolicState | None:
    """The state after a function with a model that stores what it computes."""
    copy = _STORING[library_function(operation)]
    result = copy(evaluator, [evaluator.value(argument) for argument in operation.arguments])
    return None if result is None else _assign_result(evaluator, operation, result)


_Effect = Callable[[Evaluator, Call], SymbolicState | None]


def _size(evaluator: Evaluator, value: Term) -> Term:
    """A ``size_t`` argument at the width of pointers."""
    return resize(value, evaluator.world.pointer_width, False)


def _allocate(evaluator: Evaluator, operation: Call, size: Term, *, zeroed: bool) -> tuple[SymbolicState, Term]:
    """A new block of memory, assigned to the call's target; allocation does not fail."""
    world = evaluator.world
    pool = None if evaluator.edge is None else world.pools.get(Blocks(evaluator.edge.number))
    if pool is not None:
        evaluator.state, address = allocate(world, evaluator.state, pool, zeroed=zeroed)
        return _assign_result(evaluator, operation, address), address
    name = world.names.fresh(f"{operation.function}", size.sort).name
    on_stack = operation.function == "alloca"
    frame = evaluator.context if on_stack else None
    block = None if evaluator.edge is None else known_block(world, evaluator.context, evaluator.edge.number)
    if block is not None:
        address = block_address(world, block)
    else:
        address = world.new_object(name, size.value, ALIGNMENT, frame=frame, heap=not on_stack)
    memory = MemoryObject(name, size.value, 0, {}, None, world.pointer_width, zeroed=zeroed, heap=True)
    evaluator.state = evaluator.state.with_objects({**evaluator.state.objects, address: memory})
    return _assign_result(evaluator, operation, address), address


def _malloc(evaluator: Evaluator, operation: Call) -> SymbolicState | None:
    size = _size(evaluator, evaluator.value(operation.arguments[0]))
    return _allocate(evaluator, operation, size, zeroed=False)[0]


def _calloc(evaluator: Evaluator, operation: Call) -> SymbolicState | None:
    count, size = (_size(evaluator, evaluator.value(argument)) for argument in operation.arguments)
    return _allocate(evaluator, operation, bv_mul(count, size), zeroed=True)[0]


def _realloc(evaluator: Evaluator, operation: Call) -> SymbolicState:
    """A new block; it holds what the old one did if it is known which block that was.

    A size of zero may free the block, with the null pointer as the result.
    """
    world = evaluator.world
    old = world.addresses.targets(evaluator.value(operation.arguments[0]))
    size = _size(evaluator, evaluator.value(operation.arguments[1]))
    for factor in operation.arguments[2:]:
        size = bv_mul(size, _size(evaluator, evaluator.value(factor)))
    content = content_at(world, evaluator.state, old[0].address) if len(old) == 1 else None
    state, address = _allocate(evaluator, operation, size, zeroed=False)
    if all(target.is_null for target in old):
        return state
    if content is not None and content.heap and address in state.objects:
        evaluator.state = state.with_objects({**state.objects, address: _grown(world, content, size)})
    else:
        world.imprecise(evaluator.edge, f"what a block holds that {operation.function} gives is not known")
    zero = bv_const(0, size.width)
    freed = conjunction(equal(size, zero), world.names.fresh("freed", BOOL))
    return _assign_result(evaluator, operation, ite(freed, zero, address))


def _grown(world: World, old: MemoryObject, size: Term) -> MemoryObject:
    """A copy of a block with another size. What lies beyond the old size is arbitrary; of a zeroed block without a
    variable below, everything is."""
    grown = replace(old, size=size.value)
    return _beyond(world, old, grown) if old.zeroed else grown


def _beyond(world: World, old: MemoryObject, grown: MemoryObject) -> MemoryObject:
    """The grown copy of a block that was allocated as zeros."""
    if grown.size is not None and old.size is not None and grown.size <= old.size:
        return grown
    return world.havocked(grown)


def _duplicate(evaluator: Evaluator, operation: Call) -> SymbolicState:
    """``strdup`` and ``strndup``."""
    source, *limits = (evaluator.value(argument) for argument in operation.arguments)
    world, length = evaluator.world, length_of(evaluator, source)
    if length is None:
        length = world.names.fresh("length", bv_sort(world.pointer_width))
    for limit in limits:
        length = ite(ult(limit, length), limit, length)
    size = bv_add(length, bv_const(1, length.width))
    evaluator.state, block = _allocate(evaluator, operation, size, zeroed=False)
    if block not in evaluator.state.objects or not copy_text(evaluator, block, source, *limits):
        world.imprecise(evaluator.edge, f"what a block holds that {operation.function} gives is not known")
    return evaluator.state


def _copy(evaluator: Evaluator, operation: Call) -> SymbolicState | None:
    """``memcpy`` and ``memmove``."""
    target, source, size = (evaluator.value(argument) for argument in operation.arguments)
    if size.value is None:
        most = _greatest(evaluator, operation.arguments[2], size)
        copied = copy_some(evaluator, [target, source, size], most)
        return None if copied is None else _assign_result(evaluator, operation, copied)
    evaluator.state = copy_block(evaluator, target, source, size.value)
    return _assign_result(evaluator, operation, target)


def _fill(evaluator: Evaluator, operation: Call) -> SymbolicState | None:
    """``memset``."""
    target, value, size = (evaluator.value(argument) for argument in operation.arguments)
    if size.value is None:
        most = _greatest(evaluator, operation.arguments[2], size)
        filled = fill_some(evaluator, [target, value, size], most)
        return None if filled is None else _assign_result(evaluator, operation, filled)
    byte = extract(value, 7, 0)
    whole = _fill_whole(evaluator, target, byte, size.value)
    if whole is not None:
        evaluator.state = whole
        return _assign_result(evaluator, operation, target)
    if size.value > _MOST_BYTES:
        return None
    for offset, length in block_pieces(evaluator, target, size.value):
        place = bv_add(target, bv_const(offset, target.width))
        evaluator.state = store_at(evaluator, place, repeated(byte, length))
    return _assign_result(evaluator, operation, target)


def _fill_whole(evaluator: Evaluator, target: Term, byte: Term, size: int) -> SymbolicState | None:
    """The state after filling exactly one object, ``None`` if the block is not one."""
    places = evaluator.world.addresses.targets(target)
    content = content_at(evaluator.world, evaluator.state, places[0].address) if len(places) == 1 else None
    if content is None or places[0].offset.value != 0 or content.size != size or places[0].address is None:
        return None
    unit = content.unit or 1
    base = const_array(content.pointer_width, repeated(byte, unit))
    filled = MemoryObject(content.name, size, unit, {}, base, content.pointer_width, heap=content.heap)
    if not content.unit and byte.value == 0:
        filled = MemoryObject(content.name, size, 0, {}, None, content.pointer_width, zeroed=True, heap=content.heap)
    return evaluator.state.with_objects({**evaluator.state.objects, places[0].address: filled})


_STORING = {**COPYING, **SPLITTING}
_EFFECTS: Mapping[str, _Effect] = {
    **dict.fromkeys(_STORING, _stored),
    **dict.fromkeys(("malloc", "alloca"), _malloc),
    "calloc": _calloc,
    **dict.fromkeys(MOVING, _realloc),
    **dict.fromkeys(("memcpy", "memmove"), _copy),
    **dict.fromkeys(DUPLICATING, _duplicate),
    "memset": _fill,
    LOCATION: _error_number,
}
