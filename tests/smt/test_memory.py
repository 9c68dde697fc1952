"""Memory objects against an array of bytes: constant and symbolic offsets, all sizes, merged states."""

from dataclasses import dataclass
from random import Random

import pytest

from gia.smt.encoding.memory import MemoryObject, merge_objects
from gia.smt.encoding.pointers import AddressTable, ObjectInfo, quotient
from gia.smt.terms import (
    ArrayValue,
    Kind,
    Term,
    Value,
    array_sort,
    bool_variable,
    bv_add,
    bv_and,
    bv_const,
    bv_mul,
    bv_sort,
    bv_variable,
    conjunction,
    const_array,
    disjunction,
    distinct,
    equal,
    evaluate,
    ite,
    negation,
    postorder,
    store,
    variable,
    zero_extend,
)

WIDTH = 32
SIZE = 16


@dataclass
class Both:
    """An object and the bytes that it has under the assignment."""

    content: MemoryObject
    data: bytearray


def new_object(random: Random, assignment: dict[Term, Value]) -> Both:
    kind = random.randrange(4)
    unit = random.choice([1, 2, 4, 8])
    if kind == 0:
        base = const_array(WIDTH, bv_const(0, 8 * unit))
        return Both(MemoryObject("zero", SIZE, unit, {}, base, WIDTH), bytearray(SIZE))
    if kind == 1:
        return Both(MemoryObject("block", SIZE, 0, {}, None, WIDTH, zeroed=True), bytearray(SIZE))
    base = variable(f"base{unit}", array_sort(WIDTH, bv_sort(8 * unit)))
    data = bytearray(random.randrange(1, 256) for _ in range(SIZE))
    words = [int.from_bytes(data[place : place + unit], "little") for place in range(0, SIZE, unit)]
    assignment[base] = ArrayValue(0, tuple((index, word) for index, word in enumerate(words) if word))
    return Both(MemoryObject("some", SIZE if kind == 2 else None, unit, {}, base, WIDTH), data)


def offset_for(random: Random, size: int, assignment: dict[Term, Value], number: int) -> tuple[Term, int]:
    """A term for an offset within the object, and its value."""
    aligned = random.random() < 0.7
    value = random.randrange(0, SIZE - size + 1, size if aligned else 1)
    if random.random() < 0.4:
        return bv_const(value, WIDTH), value
    symbol = bv_variable(f"i{number}", 8)
    if random.random() < 0.3:
        return chosen_offset(random, size, assignment, symbol)
    if aligned:
        assignment[symbol] = value // size
        return bv_mul(zero_extend(symbol, WIDTH - 8), bv_const(size, WIDTH)), value
    assignment[symbol] = value
    return zero_extend(symbol, WIDTH - 8), value


def chosen_offset(random: Random, size: int, assignment: dict[Term, Value], symbol: Term) -> tuple[Term, int]:
    """A choice among constants by a symbol, and its value."""
    distance = random.choice([0, 1])
    places = [random.randrange(0, SIZE - size + 1 - distance) for _ in range(5)]
    offset = bv_const(places[4], WIDTH)
    for number, place in enumerate(places[:4]):
        offset = ite(equal(symbol, bv_const(number, 8)), bv_const(place, WIDTH), offset)
    assignment[symbol] = value = random.randrange(6)
    chosen = places[min(value, 4)]
    return bv_add(offset, bv_const(distance, WIDTH)), chosen + distance


def places_with(random: Random, place: int, size: int) -> range | None:
    """What is known of where so many bytes lie."""
    if random.random() < 0.5:
        return None
    step = random.choice([1, 1, 2, 4])
    return range(random.randrange(place % step, place + 1, step), random.randrange(place, SIZE - size + 1) + 1, step)


def act(random: Random, both: Both, assignment: dict[Term, Value], number: int) -> None:
    """One random write, and one random read that is compared."""
    size = random.choice([1, 2, 4, 8])
    offset, place = offset_for(random, size, assignment, 2 * number)
    symbol = bv_variable(f"w{number}", 8 * size)
    value = random.randrange(1 << (8 * size))
    assignment[symbol] = value
    both.content = both.content.write(offset, symbol, places_with(random, place, size))
    both.data[place : place + size] = value.to_bytes(size, "little")
    compare(random, both, assignment, 2 * number + 1)


def compare(random: Random, both: Both, assignment: dict[Term, Value], number: int) -> None:
    size = random.choice([1, 2, 4, 8])
    offset, place = offset_for(random, size, assignment, number)
    found = evaluate(both.content.read(offset, size, places_with(random, place, size)), assignment)
    assert found == int.from_bytes(both.data[place : place + size], "little")


@pytest.mark.parametrize("seed", range(150))
def test_objects_behave_as_bytes(seed: int) -> None:
    random = Random(seed)
    assignment: dict[Term, Value] = {}
    both = new_object(random, assignment)
    for number in range(6):
        act(random, both, assignment, number)
    choice = bool_variable("choice")
    assignment[choice] = random.random() < 0.5
    other = Both(both.content, bytearray(both.data))
    for number in range(6, 10):
        act(random, random.choice([both, other]), assignment, number)
    merged = Both(
        merge_objects(choice, both.content, other.content),
        both.data if assignment[choice] else other.data,
    )
    for number in range(10, 14):
        act(random, merged, assignment, number)
    pieces = merged.content.pieces(1, SIZE - 3)
    assert [place for place, length in pieces for place in range(place, place + length)] == list(range(1, SIZE - 2))


def test_what_lies_beside_a_part_stays() -> None:
    """A pointer beside an array is known after an element was written that nobody knows, even the null pointer."""
    index = zero_extend(bv_variable("i", 8), WIDTH - 8)
    address = bv_variable("&a", WIDTH)
    zeros = MemoryObject("zeros", 40, 1, {}, const_array(WIDTH, bv_const(0, 8)), WIDTH)
    untyped = MemoryObject("block", 40, 0, {}, None, WIDTH)
    for content in (zeros, untyped):
        holding = content.write(bv_const(32, WIDTH), address)
        written = holding.write(bv_add(index, bv_const(4, WIDTH)), bv_const(7, 8), range(4, 29))
        assert written.read(bv_const(32, WIDTH), 4) is address
        either = ite(bool_variable("c"), bv_const(5, WIDTH), bv_const(33, WIDTH))
        assert holding.write(either, bv_const(7, 8), range(4, 29)).read(bv_const(32, WIDTH), 4) is address
        for place in (0, 36):
            beside = written.read(bv_const(place, WIDTH), 4)
            assert beside is holding.read(bv_const(place, WIDTH), 4) or content is untyped


def test_pointers_are_resolved_by_their_structure() -> None:
    table = AddressTable()
    a, b = bv_variable("&a", WIDTH), bv_variable("&b", WIDTH)
    for address in (a, b):
        table.add(address, ObjectInfo(str(address), 16, 4))
    index, null = bv_variable("i", WIDTH), bv_const(0, WIDTH)
    p, q = bool_variable("p"), bool_variable("q")
    scaled = bv_mul(index, bv_const(4, WIDTH))
    pointer = ite(p, bv_add(bv_add(a, scaled), bv_const(8, WIDTH)), ite(q, b, null))
    targets = {target.address: target for target in table.targets(bv_add(pointer, bv_const(4, WIDTH)))}
    assert targets[a].guard is p
    assert targets[a].offset is bv_add(scaled, bv_const(12, WIDTH))
    assert targets[b].guard is conjunction(negation(p), q)
    assert targets[None].is_null
    (unknown,) = table.targets(index)
    assert unknown.address is None
    assert unknown.offset is index
    pointers = store(const_array(WIDTH, a), index, b)
    from gia.smt.terms import select

    other = bv_variable("j", WIDTH)
    found = {target.address: target.guard for target in table.targets(select(pointers, other))}
    assert found == {b: equal(index, other), a: negation(equal(index, other))}


def test_many_moves_of_a_pointer_stay_one_target() -> None:
    table = AddressTable()
    address = bv_variable("&a", WIDTH)
    table.add(address, ObjectInfo("a", None, 4))
    pointer = address
    for number in range(60):
        pointer = ite(bool_variable(f"c{number}"), bv_add(pointer, bv_const(4, WIDTH)), pointer)
    targets = table.targets(pointer)
    assert {target.address for target in targets} == {address}
    assert disjunction(*(target.guard for target in targets)).is_true or len(targets) > 1
    assert all(quotient(target.offset, 4) is not None for target in targets)


def test_quotients_are_exact_or_refused() -> None:
    index = bv_variable("i", WIDTH)
    assert quotient(bv_add(bv_mul(index, bv_const(12, WIDTH)), bv_const(8, WIDTH)), 4) is bv_add(
        bv_mul(index, bv_const(3, WIDTH)), bv_const(2, WIDTH)
    )
    assert quotient(bv_add(bv_mul(index, bv_const(12, WIDTH)), bv_const(6, WIDTH)), 4) is None
    assert quotient(index, 4) is None
    assert quotient(index, 1) is index


@pytest.mark.parametrize("seed", range(20))
def test_constant_elements_are_a_table(seed: int) -> None:
    """A symbolic index into constants with few ranges, and what is done with the element, say what the array says."""
    random = Random(seed)
    unit = random.choice([1, 2, 4])
    values = [random.choice([0, 3, 8, 255]) for _ in range(5) for _ in range(random.randrange(4, 12))]
    base = const_array(WIDTH, bv_const(random.choice([0, 8]), 8 * unit))
    cells = {unit * place: bv_const(value, 8 * unit) for place, value in enumerate(values) if random.random() < 0.9}
    content = MemoryObject("table", unit * len(values), unit, cells, base, WIDTH)
    index = bv_variable("index", WIDTH)
    element = content.read(bv_mul(index, bv_const(unit, WIDTH)), unit)
    assert all(term.kind is not Kind.SELECT for term in postorder([element]))
    mask = random.choice([1, 3, 8])
    masked = bv_and(zero_extend(element, 16), bv_const(mask, 8 * unit + 16))
    is_set = distinct(masked, bv_const(0, masked.width))
    for place in [*range(len(values) + 1), (1 << WIDTH) - 1]:
        known = cells.get(unit * place, base.children[0]).value
        assert known is not None
        assert evaluate(element, {index: place}) == known
        assert evaluate(masked, {index: place}) == known & mask
        assert evaluate(is_set, {index: place}) == bool(known & mask)
