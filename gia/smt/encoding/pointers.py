"""Pointer terms: which object and offset they stand for, by their structure.

Every object has a variable as its address. A pointer is an address, a sum with one address in it, or a choice between
pointers; whatever else it may be is unknown.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from gia.cfa.supergraph import Context
from gia.cfa.types import CType
from gia.smt.terms import (
    FALSE,
    TRUE,
    Kind,
    Term,
    bv_add,
    bv_const,
    bv_mul,
    bv_neg,
    conjunction,
    disjunction,
    equal,
    ite,
    negation,
    select,
    signed,
    slt,
)

_MOST_TARGETS = 48
_FEW = 8
"""Beyond so many targets, several offsets into one object become one offset that is a choice."""
_DEPTH = 200
_PAGE = 4096


class BlockOf(NamedTuple):
    """A block of a pool (:mod:`gia.smt.encoding.pools`), which has the addresses of all blocks by their numbers."""

    addresses: Term
    number: Term

    @property
    def address(self) -> Term:
        """Where it begins."""
        return select(self.addresses, self.number)


class Target(NamedTuple):
    """Where a pointer points if ``guard`` holds: ``offset`` bytes into the object at ``address``, or into a ``block``.

    Both are ``None`` if nothing is known: then ``offset`` is the pointer itself. ``stray``: no execution with
    defined behaviour accesses memory there, because no object was assigned to the pointer.
    """

    guard: Term
    address: Term | None
    offset: Term
    stray: bool = False
    block: BlockOf | None = None

    @property
    def is_known(self) -> bool:
        """Whether it is an object."""
        return self.address is not None or self.block is not None

    @property
    def is_null(self) -> bool:
        """Whether this is the null pointer, or lies in the page of it, where no object is."""
        return not self.is_known and self.offset.value is not None and self.offset.value < _PAGE

    @property
    def is_nowhere(self) -> bool:
        """Whether no execution with defined behaviour accesses memory here."""
        return self.stray or self.is_null


class ObjectInfo(Struct, frozen=True):
    """What does not change about an object: its name, its size in bytes (``None``: unknown), and its alignment.

    ``type`` is that of a variable, ``None`` for other objects. ``frame`` is the context of the frame that the object
    ends with; ``heap`` is a block that lives until it is freed. Without either it lives as long as the program.
    """

    name: str
    size: int | None
    alignment: int
    type: CType | None = None
    frame: Context | None = None
    heap: bool = False


class AddressTable:
    """The addresses of all objects that an encoder knows, and the targets of pointers."""

    def __init__(self) -> None:
        self._info: dict[Term, ObjectInfo] = {}
        self._targets: dict[Term, tuple[Target, ...]] = {}
        self._pools: set[Term] = set()

    def add_stray(self, pointer: Term) -> None:
        """Make a variable known that stands for a pointer to no object, whatever its value is."""
        self._targets[pointer] = (Target(TRUE, None, pointer, stray=True),)

    def add_pool(self, addresses: Term) -> None:
        """Make a pool of blocks known by the array of their addresses."""
        self._pools.add(addresses)

    def add(self, address: Term, info: ObjectInfo) -> None:
        """Make an object known."""
        self._info.setdefault(address, info)

    def info(self, address: Term) -> ObjectInfo:
        """What is known about the object at ``address``."""
        return self._info[address]

    def __contains__(self, term: Term) -> bool:
        return term in self._info

    def items(self) -> list[tuple[Term, ObjectInfo]]:
        """All objects, in the order in which they became known."""
        return list(self._info.items())

    def targets(self, pointer: Term) -> tuple[Target, ...]:
        """Where ``pointer`` may point; exactly one of the guards holds."""
        return self._targets_of(pointer, _DEPTH)

    def _targets_of(self, pointer: Term, depth: int) -> tuple[Target, ...]:
        if pointer in self._info:
            return (Target(TRUE, pointer, bv_const(0, pointer.width)),)
        found = self._targets.get(pointer)
        if found is None:
            if depth == 0:
                return (_unknown(pointer),)
            found = self._targets[pointer] = self._resolve(pointer, depth - 1)
        return found

    def _resolve(self, pointer: Term, depth: int) -> tuple[Target, ...]:
        match pointer.kind:
            case Kind.BV_ADD:
                return self._resolve_sum(pointer, depth)
            case Kind.ITE:
                condition, then, other = pointer.children
                return self._choice(pointer, condition, self._targets_of(then, depth), self._targets_of(other, depth))
            case Kind.SELECT if pointer.children[0] in self._pools:
                return _in_pool(pointer)
            case Kind.SELECT if pointer.children[0].kind in (Kind.STORE, Kind.ITE):
                array, index = pointer.children
                if array.kind is Kind.STORE:
                    inner, place, then = array.children
                    condition, other = equal(index, place), select(inner, index)
                else:
                    condition = array.children[0]
                    then, other = (select(branch, index) for branch in array.children[1:])
                return self._choice(pointer, condition, self._targets_of(then, depth), self._targets_of(other, depth))
        return (_unknown(pointer),)

    def _resolve_sum(self, pointer: Term, depth: int) -> tuple[Target, ...]:
        for place in (0, 1):
            base, rest = pointer.children[place], pointer.children[1 - place]
            targets = self._targets_of(base, depth) if base.value is None else ()
            if any(target.is_known or target.stray for target in targets):
                return tuple(t if t.is_null else t._replace(offset=bv_add(t.offset, rest)) for t in targets)
        return (_unknown(pointer),)

    def _choice(
        self, pointer: Term, condition: Term, then: tuple[Target, ...], other: tuple[Target, ...]
    ) -> tuple[Target, ...]:
        found = [target._replace(guard=conjunction(condition, target.guard)) for target in then]
        otherwise = negation(condition)
        found += [target._replace(guard=conjunction(otherwise, target.guard)) for target in other]
        grouped = _grouped([target for target in found if not target.guard.is_false])
        if len(grouped) > _FEW:
            grouped = _one_per_object(grouped)
        return grouped if len(grouped) <= _MOST_TARGETS else (_unknown(pointer),)


def _unknown(pointer: Term) -> Target:
    return Target(TRUE, None, pointer)


def _in_pool(pointer: Term) -> tuple[Target, ...]:
    """Where the address of a block leads, by its number: negative ones stand for pointers that lead nowhere."""
    number = pointer.children[1]
    zero, nowhere = bv_const(0, number.width), bv_const(0, pointer.width)
    found = (
        Target(slt(zero, number), None, nowhere, block=BlockOf(*pointer.children)),
        Target(equal(number, zero), None, nowhere),
        Target(slt(number, zero), None, pointer, stray=True),
    )
    return tuple(target for target in found if not target.guard.is_false)


def _grouped(targets: list[Target]) -> tuple[Target, ...]:
    """One target per place."""
    guards: dict[tuple[Term | None, Term, bool, BlockOf | None], Term] = {}
    for target in targets:
        key = target[1:]
        guards[key] = disjunction(guards.get(key, FALSE), target.guard)
    if len(guards) == 1:
        return tuple(Target(TRUE, *place) for place in guards)
    return tuple(Target(guard, *place) for place, guard in guards.items())


def _one_per_object(targets: tuple[Target, ...]) -> tuple[Target, ...]:
    """The same targets with the offsets into one object as one term."""
    merged: dict[tuple[Term | None, bool, Term | None], Target] = {}
    for target in targets:
        key = target.address, target.stray, target.block and target.block.addresses
        known = merged.get(key)
        merged[key] = target if known is None else _either(target, known)
    return tuple(merged.values())


def _either(target: Target, other: Target) -> Target:
    """One of two places in one object or pool."""
    guard = disjunction(other.guard, target.guard)
    offset = ite(target.guard, target.offset, other.offset)
    block = target.block
    if block is not None and other.block is not None:
        block = BlockOf(block.addresses, ite(target.guard, block.number, other.block.number))
    return Target(guard, target.address, offset, target.stray, block)


def quotient(offset: Term, divisor: int) -> Term | None:
    """``offset / divisor`` if every summand is a multiple by its form, else ``None``.

    Exact for offsets that do not wrap around; in an execution without undefined memory accesses none does.
    """
    return offset if divisor == 1 else _Division(divisor).of(offset, _DEPTH)


class _Division:
    """Divides terms by one number; remembers the quotients of shared parts."""

    def __init__(self, divisor: int) -> None:
        self._divisor = divisor
        self._known: dict[Term, Term | None] = {}

    def of(self, term: Term, depth: int) -> Term | None:
        """The quotient, ``None`` if the form of the term does not show that there is one."""
        if term not in self._known:
            self._known[term] = self._compute(term, depth - 1) if depth else None
        return self._known[term]

    def _compute(self, term: Term, depth: int) -> Term | None:
        if term.value is not None:
            return self._divide(term.value, term.width)
        match term.kind:
            case Kind.BV_ADD:
                left, right = (self.of(child, depth) for child in term.children)
                return bv_add(left, right) if left is not None and right is not None else None
            case Kind.BV_MUL if term.children[1].value is not None:
                factor = self._divide(term.children[1].value, term.width)
                return bv_mul(term.children[0], factor) if factor is not None else None
            case Kind.BV_NEG:
                inner = self.of(term.children[0], depth)
                return bv_neg(inner) if inner is not None else None
            case Kind.ITE:
                then, other = (self.of(child, depth) for child in term.children[1:])
                return ite(term.children[0], then, other) if then is not None and other is not None else None
        return None

    def _divide(self, value: int, width: int) -> Term | None:
        value = signed(value, width)
        return bv_const(value // self._divisor, width) if value % self._divisor == 0 else None
