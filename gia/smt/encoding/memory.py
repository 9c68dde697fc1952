"""The contents of one memory object: cells at constant offsets over an SMT array.

A read or write at a constant offset touches a cell only, so that what a program does with structs and with constant
indices needs no array theory. The array below is used when an index is symbolic; its elements are ``unit`` bytes. Small
objects do without it: a symbolic index becomes a choice among the cells.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from gia.smt.encoding.offsets import at_each, few_places
from gia.smt.encoding.pointers import quotient
from gia.smt.terms import (
    Kind,
    Term,
    array_sort,
    bv_add,
    bv_and,
    bv_const,
    bv_lshr,
    bv_mul,
    bv_not,
    bv_or,
    bv_shl,
    bv_sort,
    bv_variable,
    concat,
    const_array,
    equal,
    extract,
    ite,
    resize,
    select,
    store,
    variable,
    zero_extend,
)
from gia.smt.terms.tables import MOST_RANGES, Range, merged, table

SMALL = 16
"""Objects of at most so many elements are accessed without arrays."""

_MOST_CONSTANTS = 64
"""So many bytes of constants get cells before and behind a part that is written to."""

_LARGEST_TABLE = 1024
"""Constants are looked at as a table in objects with so many cells at most."""


class MemoryObject(Struct, frozen=True, eq=False):
    """What an object holds.

    ``name``: of its arbitrary initial contents. ``size``: bytes, ``None`` if not constant. ``cells``: by offset in
    bytes, not overlapping, each a bit-vector of whole bytes (little endian). ``base``: what the rest holds; ``None``
    while the ``unit`` is not known (0), because the object was allocated without a type: then ``zeroed`` says
    whether the rest is zero or arbitrary. ``heap``: it lives until the end of the program.
    """

    name: str
    size: int | None
    unit: int
    cells: dict[int, Term]
    base: Term | None
    pointer_width: int
    zeroed: bool = False
    heap: bool = False

    def read(self, offset: Term, size: int, places: range | None = None) -> Term:
        """The ``size`` bytes at ``offset`` (a bit-vector of pointer width, in bytes) as one bit-vector.

        The offset is known to be one of the ``places``; at another one there may be anything.
        """
        if offset.value is not None:
            return self._read_constant(offset.value, size)
        few = few_places(offset)
        if few is not None:
            return few.chosen({place: self._read_constant(place, size) for place in few.values})
        if places and len(places) <= SMALL:
            *others, (_, result) = ((here, self._read_constant(place, size)) for place, here in at_each(offset, places))
            for here, cell in reversed(others):
                result = ite(here, cell, result)
            return result
        part = self._divided(places, size)
        typed = self._with_unit(offset, size, part)
        index = quotient(offset, typed.unit) if size % typed.unit == 0 else None
        if index is None:
            array = typed._as_array(part)
            return _join_bytes([typed._byte(array, offset, place) for place in range(size)])
        cells = typed._small_cells() if size == typed.unit else None
        if cells is not None:
            result = cells[-1]
            for place in range(len(cells) - 2, -1, -1):
                result = ite(equal(index, bv_const(place, index.width)), cells[place], result)
            return result
        constants = typed._constants(part) if size == typed.unit else None
        if constants is not None:
            return table(index, constants)
        array = typed._as_array(part)
        pieces = [select(array, bv_add(index, bv_const(place, index.width))) for place in range(size // typed.unit)]
        return _join_bytes(pieces)

    def write(self, offset: Term, value: Term, places: range | None = None) -> MemoryObject:
        """The object after writing the bytes of ``value`` at ``offset``, which is known to be one of the ``places``."""
        if offset.value is not None:
            return self._write_constant(offset.value, value)
        size = value.width // 8
        few = few_places(offset)
        chosen: Sequence[int] | None = places if places and len(places) <= SMALL else None
        if few is not None:
            chosen = [place for place in few.values if places is None or place in places]
        if chosen is not None:
            written = self
            for place, here in at_each(offset, chosen):
                written = written._write_constant(place, ite(here, value, written._read_constant(place, size)))
            return written
        part = self._divided(places, size)
        typed = self._with_unit(offset, size, part)
        index = quotient(offset, typed.unit) if size % typed.unit == 0 else None
        outside = typed._outside(part)
        if index is None:
            return replace(typed, cells=outside, base=typed._bytes_written(offset, value, part))
        cells = typed._small_cells() if size == typed.unit else None
        if cells is not None:
            updated = {
                place * size: ite(equal(index, bv_const(place, index.width)), value, cell)
                for place, cell in enumerate(cells)
            }
            return replace(typed, cells=updated)
        array = typed._as_array(part)
        bits = 8 * typed.unit
        for place in range(size // typed.unit):
            piece = extract(value, bits * place + bits - 1, bits * place)
            array = store(array, bv_add(index, bv_const(place, index.width)), piece)
        return replace(typed, cells=outside, base=array)

    @property
    def elements(self) -> Term | None:
        """All that it holds as one array of units; ``None`` while these are not known."""
        return None if self.base is None else self._as_array()

    def has_room(self, offset: int, size: int) -> bool:
        """Whether so many bytes lie in the object and may be a cell of their own, or are one."""
        if self.size is not None and offset + size > self.size:
            return False
        overlapping = self._overlapping(offset, size)
        return not overlapping or [(start, cell.width) for start, cell in overlapping] == [(offset, 8 * size)]

    def pieces(self, offset: int, size: int) -> list[tuple[int, int]]:
        """Pairs ``(offset, size)`` that tile a range along the cells, and along the unit between them."""
        result: list[tuple[int, int]] = []
        place, end = offset, offset + size
        while place < end:
            cell = self.cells.get(place)
            if cell is not None and place + cell.width // 8 <= end:
                length = cell.width // 8
            else:
                length = max(1, self.unit)
                while place % length or place + length > end or self._overlaps(place, length):
                    length = length // 2 if length % 2 == 0 and length > 1 else 1
                    if length == 1:
                        break
            result.append((place, length))
            place += length
        return result

    def _overlaps(self, place: int, length: int) -> bool:
        return any(position in self.cells for position in range(place, place + length))

    def _read_constant(self, offset: int, size: int) -> Term:
        cell = self.cells.get(offset)
        if cell is not None and cell.width == 8 * size:
            return cell
        overlapping = self._overlapping(offset, size)
        if not overlapping:
            return self._read_base(offset, size)
        pieces: list[Term] = []
        place, end = offset, offset + size
        for start, content in overlapping:
            if start > place:
                pieces.append(self._read_base(place, start - place))
                place = start
            last = min(start + content.width // 8, end)
            pieces.append(extract(content, 8 * (last - start) - 1, 8 * (place - start)))
            place = last
        if place < end:
            pieces.append(self._read_base(place, end - place))
        return _join_bytes(pieces)

    def _overlapping(self, offset: int, size: int) -> list[tuple[int, Term]]:
        """The cells that share bytes with a range, by offset. A cell is at most 16 bytes long."""
        found: list[tuple[int, Term]] = []
        for start in range(offset - 15, offset + size):
            cell = self.cells.get(start)
            if cell is not None and start + cell.width // 8 > offset:
                found.append((start, cell))
        return found

    def _read_base(self, offset: int, size: int) -> Term:
        """The contents below the cells, at a constant offset."""
        if self.base is None:
            return bv_const(0, 8 * size) if self.zeroed else bv_variable(f"{self.name}[{offset}:{size}]", 8 * size)
        first, last = offset // self.unit, (offset + size - 1) // self.unit
        words = _join_bytes(
            [select(self.base, bv_const(index, self.pointer_width)) for index in range(first, last + 1)]
        )
        low = 8 * (offset - first * self.unit)
        return extract(words, low + 8 * size - 1, low)

    def _write_constant(self, offset: int, value: Term) -> MemoryObject:
        cells = dict(self.cells)
        old = cells.get(offset)
        size = value.width // 8
        if old is None or old.width != value.width:
            for start, content in self._overlapping(offset, size):
                del cells[start]
                end = start + content.width // 8
                if start < offset:
                    cells[start] = extract(content, 8 * (offset - start) - 1, 0)
                if end > offset + size:
                    cells[offset + size] = extract(content, content.width - 1, 8 * (offset + size - start))
        cells[offset] = value
        return replace(self, cells=cells)

    def _divided(self, places: range | None, size: int) -> range | None:
        """The part in which so many bytes at one of the places lie, ``None`` if a cell or a unit is only half in it."""
        part = range(places.start, places[-1] + size) if places else None
        if not part or any(place % max(1, self.unit) for place in (part.start, part.stop)):
            return None
        at_ends = self._overlapping(part[0], 1) + self._overlapping(part[-1], 1)
        whole = all(part.start <= start and start + cell.width // 8 <= part.stop for start, cell in at_ends)
        return part if whole else None

    def _outside(self, part: range | None) -> dict[int, Term]:
        """The cells outside of a part, with cells for the constants there."""
        if part is None:
            return {}
        cells = {start: cell for start, cell in self.cells.items() if start not in part}
        if self.size is not None and self.base is not None and self.base.kind is Kind.CONST_ARRAY:
            for begin, end in ((0, part.start), (part.stop, self.size)):
                if end - begin <= _MOST_CONSTANTS:
                    cells |= {
                        place: self._read_constant(place, size) for place, size in self.pieces(begin, end - begin)
                    }
        return cells

    def _with_unit(self, offset: Term, size: int, part: range | None) -> MemoryObject:
        """The object with a unit: an untyped one gets the size of its first symbolic access, if that is aligned."""
        if self.unit:
            return self
        cells = ((start, cell) for start, cell in self.cells.items() if part is None or start in part)
        fits = all(start % size == 0 and cell.width == 8 * size for start, cell in cells)
        fits = fits and (part is None or (part.start % size == 0 and part.stop % size == 0))
        return self.typed(size if fits and quotient(offset, size) is not None else 1)

    def typed(self, unit: int) -> MemoryObject:
        """The untyped object with its unit decided."""
        base = (
            const_array(self.pointer_width, bv_const(0, 8 * unit))
            if self.zeroed
            else variable(self.name, array_sort(self.pointer_width, bv_sort(8 * unit)))
        )
        return replace(self, unit=unit, base=base)

    def _small_cells(self) -> list[Term] | None:
        """All elements of a small object that consists of units, ``None`` for other objects."""
        if self.size is None or not 0 < self.size <= SMALL * self.unit or self.size % self.unit:
            return None
        return [self._read_constant(place, self.unit) for place in range(0, self.size, self.unit)]

    def _constants(self, part: range | None) -> list[Range] | None:
        """The elements, of a part, as ranges of equal constants; ``None`` if they are none, or too many."""
        rest = self.base.children[0] if self.base is not None and self.base.kind is Kind.CONST_ARRAY else None
        if rest is None or rest.value is None or len(self.cells) > _LARGEST_TABLE:
            return None
        ranges = []
        end = 0
        for start in sorted(start for start in self.cells if part is None or start in part):
            cell, place = self.cells[start], start // self.unit
            if cell.value is None or cell.width != 8 * self.unit or start % self.unit:
                return None
            if place > end:
                ranges.append(Range(place, rest))
            ranges.append(Range(end := place + 1, cell))
        found = merged([*ranges, Range(None, rest)])
        return found if len(found) <= MOST_RANGES else None

    def _as_array(self, part: range | None = None) -> Term:
        """Base and cells as one array, as far as a part goes."""
        assert self.base is not None
        touched = {
            index
            for start, cell in self.cells.items()
            if part is None or start in part
            for index in range(start // self.unit, (start + cell.width // 8 - 1) // self.unit + 1)
        }
        array = self.base
        for index in sorted(touched):
            array = store(array, bv_const(index, self.pointer_width), self._read_constant(index * self.unit, self.unit))
        return array

    def _byte(self, array: Term, offset: Term, place: int) -> Term:
        """The byte at ``offset + place``, whatever the alignment."""
        index, shift = self._word(bv_add(offset, bv_const(place, offset.width)))
        word = select(array, index)
        return word if self.unit == 1 else extract(bv_lshr(word, shift), 7, 0)

    def _word(self, position: Term) -> tuple[Term, Term]:
        """The index of the element that a byte is in, and its distance from the element's lowest bit."""
        width = position.width
        if self.unit == 1:
            return position, bv_const(0, 8)
        index = bv_lshr(position, bv_const(self.unit.bit_length() - 1, width))
        rest = bv_and(position, bv_const(self.unit - 1, width))
        shift = bv_mul(resize(rest, max(8, 8 * self.unit), False), bv_const(8, max(8, 8 * self.unit)))
        return index, shift

    def _bytes_written(self, offset: Term, value: Term, part: range | None) -> Term:
        """The array after writing the bytes of ``value``, whatever the alignment."""
        array = self._as_array(part)
        bits = 8 * self.unit
        for place in range(value.width // 8):
            byte = extract(value, 8 * place + 7, 8 * place)
            index, shift = self._word(bv_add(offset, bv_const(place, offset.width)))
            if self.unit > 1:
                hole = bv_not(bv_shl(bv_const(0xFF, bits), shift))
                byte = bv_or(bv_and(select(array, index), hole), bv_shl(zero_extend(byte, bits - 8), shift))
            array = store(array, index, byte)
        return array


def _join_bytes(pieces: list[Term]) -> Term:
    """The pieces as one bit-vector, the first lowest."""
    result = pieces[-1]
    for piece in reversed(pieces[:-1]):
        result = concat(result, piece)
    return result


def merge_objects(condition: Term, left: MemoryObject, right: MemoryObject) -> MemoryObject:
    """The contents ``left`` where ``condition`` holds, else ``right``; two states of the same object."""
    if left.unit != right.unit:
        left = left if left.unit else left.typed(right.unit)
        right = right if right.unit else right.typed(left.unit)
    assert left.unit == right.unit
    base = left.base
    if base is not right.base:
        assert base is not None and right.base is not None
        base = ite(condition, base, right.base)
    cells: dict[int, Term] = {}
    for start, content in left.cells.items():
        other = right.cells.get(start)
        if other is content:
            cells[start] = content
            continue
        size = content.width // 8
        cells[start] = ite(condition, content, right._read_constant(start, size))
    for start, content in right.cells.items():
        if start not in left.cells:
            _fill(cells, condition, left, right, (start, content.width // 8))
        elif content.width > left.cells[start].width:
            known = left.cells[start].width // 8
            _fill(cells, condition, left, right, (start + known, content.width // 8 - known))
    return replace(left, cells=cells, base=base)


def _fill(
    cells: dict[int, Term], condition: Term, left: MemoryObject, right: MemoryObject, gap: tuple[int, int]
) -> None:
    """Add the merged contents of a range (offset, size) that cells of ``left`` may cover in part."""
    start, size = gap
    covered = {
        place for begin, cell in left._overlapping(start, size) for place in range(begin, begin + cell.width // 8)
    }
    if not covered:
        cells[start] = ite(condition, left._read_constant(start, size), right._read_constant(start, size))
        return
    for place in range(start, start + size):
        if place not in covered:
            cells[place] = ite(condition, left._read_constant(place, 1), right._read_constant(place, 1))
