"""Reading and writing memory through pointers."""

from __future__ import annotations

from typing import NamedTuple

from gia.cfa.graph import Edge
from gia.cfa.supergraph import Context
from gia.smt.encoding.memory import MemoryObject
from gia.smt.encoding.pointers import Target, quotient
from gia.smt.encoding.pool_access import havoc_block, havocked_pools, read_block, write_block
from gia.smt.encoding.state import SymbolicState
from gia.smt.encoding.world import World
from gia.smt.terms import (
    FALSE,
    TRUE,
    SortKind,
    Term,
    bv_const,
    bv_sort,
    conjunction,
    disjunction,
    implication,
    ite,
    negation,
    ule,
    variables_of,
)


def content_at(world: World, state: SymbolicState, address: Term | None) -> MemoryObject | None:
    """What the object at an address holds, ``None`` if that is not known."""
    if address is None:
        return None
    return state.objects.get(address) or world.literals.get(address) or world.undeclared(address)


def _possible(world: World, state: SymbolicState, pointer: Term) -> list[Target]:
    """The targets that an access through ``pointer`` may have: not null, and not excluded by the state's guard.

    An access through the null pointer, or a stray one, ends the program, so that nothing need be said about what
    follows.
    """
    targets = world.addresses.targets(pointer)
    if len(targets) == 1:
        return list(targets)
    valid = [target for target in targets if not target.is_nowhere] or list(targets)
    if len(valid) > 1 and any(target.address is None for target in valid):
        reachable = [target for target in valid if not conjunction(state.guard, target.guard).is_false]
        return reachable or valid
    return valid


class Within(NamedTuple):
    """An access begins at one of the ``places``, counted from ``begin``, or behind the end of the object."""

    begin: Term
    places: range

    def in_object(self, world: World, target: Target, content: MemoryObject, size: int) -> range | None:
        """The places in an object that the access may be at with so many bytes; ``None`` if that is not known."""
        begins = [t.offset.value for t in world.addresses.targets(self.begin) if t.address is target.address]
        begin = begins[0] if len(begins) == 1 else None
        if begin is None or content.size is None:
            return None
        first, end = begin + self.places.start, min(begin + self.places.stop, content.size - size + 1)
        return range(first, end, self.places.step)


def read(
    world: World, state: SymbolicState, pointer: Term, size: int, edge: Edge | None, *, within: Within | None = None
) -> Term:
    """The ``size`` bytes that ``pointer`` points to; arbitrary ones if it may point anywhere.

    Without an ``edge`` the program does not read them: then no execution ends because the pointer leads nowhere, or
    behind the end of an object. There are zeros then, so that a condition says the same before and after some code.
    """
    result: Term | None = None
    targets = _possible(world, state, pointer) if edge is not None else world.addresses.targets(pointer)
    for target in reversed(targets):
        content = content_at(world, state, target.address)
        found = read_block(world, state, target, size) if target.block is not None else None
        if found is not None:
            value = found
        elif content is not None:
            places = within.in_object(world, target, content, size) if within else None
            value = content.read(target.offset, size, places)
            if edge is None:
                value = _inside(world, target.offset, content.size, value)
        elif edge is None and target.is_nowhere:
            value = bv_const(0, 8 * size)
        else:
            if not target.is_nowhere:
                world.imprecise(edge, "a value is read through a pointer to an unknown object", by_state=True)
            value = world.names.fresh("read", bv_sort(8 * size))
        result = value if result is None else ite(target.guard, value, result)
    assert result is not None
    return result


def _inside(world: World, offset: Term, limit: int | None, value: Term) -> Term:
    """The ``value`` at an offset if that lies in its object of ``limit`` bytes, else zeros.

    The end of an object may be unknown (``None``). Then all elements of an endless array have values, and what does not
    look like one of them may have any.
    """
    size = value.width // 8
    index = quotient(offset, size) if offset.value is None else None
    if limit is None:
        begins = ule(offset, bv_const((1 << (offset.width - 1)) - 1, offset.width))
        return value if index is not None else ite(begins, value, world.names.fresh("outside", value.sort))
    if limit < size:
        return bv_const(0, value.width)
    if index is not None:
        inside = ule(index, bv_const(limit // size - 1, offset.width))
    else:
        inside = ule(offset, bv_const(limit - size, offset.width))
    return ite(inside, value, bv_const(0, value.width))


def write(
    world: World, state: SymbolicState, pointer: Term, value: Term, edge: Edge | None, *, within: Within | None = None
) -> SymbolicState:
    """The state after writing ``value`` (whole bytes) to where ``pointer`` points.

    A pointer to an unknown object may point into any object: all lose their contents. The null pointer points nowhere.
    """
    targets = _possible(world, state, pointer)
    if any(_is_unknown(world, state, target) for target in targets):
        world.imprecise(edge, "a value is written through a pointer to an unknown object", by_state=True)
        state = _havoc_memory(world, state)
    objects = dict(state.objects)
    for target in targets:
        content = objects.get(target.address) if target.address is not None else None
        content = content or content_at(world, state, target.address)
        if content is None or target.address is None:
            continue
        certain = target.guard.is_true or len(targets) == 1
        size = value.width // 8
        places = within.in_object(world, target, content, size) if within else None
        new = value if certain else ite(target.guard, value, content.read(target.offset, size, places))
        objects[target.address] = content.write(target.offset, new, places)
    state = state.with_objects(objects)
    for target in targets:
        if target.block is not None:
            state = write_block(world, state, target, value, TRUE if len(targets) == 1 else target.guard)
    return state.with_guard(conjunction(state.guard, leads_somewhere(world, pointer)))


def _is_unknown(world: World, state: SymbolicState, target: Target) -> bool:
    known = target.is_nowhere or target.block is not None
    return not known and content_at(world, state, target.address) is None


def leads_somewhere(world: World, pointer: Term) -> Term:
    """What holds where an access through ``pointer`` does not end the program, as far as stray pointers do that."""
    targets = world.addresses.targets(pointer)
    if all(target.is_nowhere for target in targets) or not any(target.stray for target in targets):
        return TRUE
    return negation(disjunction(*(target.guard for target in targets if target.is_nowhere)))


def _havoc_memory(world: World, state: SymbolicState) -> SymbolicState:
    """The state in which every memory object may hold anything."""
    state = havocked_pools(world, state)
    return state.with_objects({address: world.havocked(content) for address, content in state.objects.items()})


def havoc_for_code(
    world: World, state: SymbolicState, contexts: tuple[Context, ...], edge: Edge | None, reason: str
) -> SymbolicState:
    """The state after running unknown code that may name the variables of ``contexts`` (``()``: the statics)."""
    world.imprecise(edge, reason)
    state = _havoc_memory(world, state)
    named = {instance for instance in state.values if instance[0] in contexts} - world.of_pools
    values = {
        instance: world.names.fresh(instance[1], value.sort) if instance in named else value
        for instance, value in state.values.items()
    }
    return SymbolicState(state.guard, values, state.objects, state.inputs)


def havoc_bytes(
    world: World, state: SymbolicState, pointer: Term, edge: Edge | None, reason: str, *, size: int | None
) -> SymbolicState | None:
    """The state after so many bytes at most (``None``: any number) were written from where ``pointer`` leads on.

    ``None`` if it is not known which objects it may lead to.
    """
    targets = _possible(world, state, pointer)
    if any(_is_unknown(world, state, target) for target in targets):
        return None
    world.imprecise(edge, reason)
    objects = dict(state.objects)
    for target in targets:
        content = content_at(world, state, target.address)
        if content is not None and target.address is not None:
            objects[target.address] = world.scrambled(content, target.offset, size)
    state = state.with_objects(objects)
    for target in targets:
        if target.block is not None:
            state = havoc_block(world, state, target, size, target.guard)
    return state


def havoc_targets(world: World, state: SymbolicState, pointer: Term, edge: Edge | None, reason: str) -> SymbolicState:
    """The state in which the objects that ``pointer`` points into, and all that they point to, may hold anything."""
    world.imprecise(edge, reason)
    objects = dict(state.objects)
    pending = [address for address, _, known in _places(world, pointer) if known]
    if any(not known for _, _, known in _places(world, pointer)):
        return _havoc_memory(world, state)
    seen: set[Term] = set()
    while pending:
        address = pending.pop()
        content = content_at(world, state, address)
        if address in seen or content is None:
            continue
        seen.add(address)
        objects[address] = world.havocked(content)
        contents = [*content.cells.values(), *([content.base] if content.base is not None else [])]
        pending.extend(found for found in variables_of(*contents) if found in world.addresses)
        for part in contents:
            may_be_pointer = part.width == world.pointer_width and part.value is None
            if may_be_pointer and part.sort.kind is SortKind.BV and any(not k for _, _, k in _places(world, part)):
                return _havoc_memory(world, state)
    return state.with_objects(objects)


def _places(world: World, pointer: Term) -> list[tuple[Term, Term, bool]]:
    """Address, offset and whether the object is known, for every place of an object that a pointer may lead to."""
    return [
        (pointer if target.address is None else target.address, target.offset, target.address is not None)
        for target in world.addresses.targets(pointer)
        if target.is_known or (target.offset.value is None and not target.stray)
    ]


def in_bounds(world: World, pointer: Term, size: int) -> Term:
    """Whether an access of ``size`` bytes is valid, as far as that is known: unknown objects count as valid."""
    targets = world.addresses.targets(pointer)
    return conjunction(*(implication(target.guard, _valid(world, target, size)) for target in targets))


def _valid(world: World, target: Target, size: int) -> Term:
    if target.is_nowhere:
        return FALSE
    limit = world.addresses.info(target.address).size if target.address is not None else None
    if limit is None:
        return TRUE
    return ule(target.offset, bv_const(limit - size, target.offset.width)) if limit >= size else FALSE
