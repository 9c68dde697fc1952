"""Models of library functions that copy texts, and blocks of memory of which the size is not constant."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gia.smt.encoding.access import in_bounds, read, write
from gia.smt.encoding.assignment import block_pieces
from gia.smt.encoding.evaluator import Evaluator
from gia.smt.encoding.library.strings import LONGEST, ending_text, length_of, room_at, text_at
from gia.smt.encoding.pointers import quotient
from gia.smt.terms import (
    TRUE,
    Term,
    bv_add,
    bv_const,
    concat,
    conjunction,
    distinct,
    equal,
    extract,
    implication,
    ite,
    ult,
)

_NIL = bv_const(0, 8)
Copy = Callable[[Evaluator, list[Term]], Term | None]
"""Changes the evaluator's state; the result is that of the function, ``None`` (and nothing changed) without a model."""


def copy_text(evaluator: Evaluator, target: Term, source: Term, most: Term | None = None) -> bool:
    """Copy a text, at most so many characters of it, with a zero behind them; whether that has a model."""
    characters = _beginning(evaluator, source, most)
    if characters is None:
        return False
    live = TRUE  # neither a zero nor the limit so far
    if most is not None:
        ends = [equal(most, bv_const(place, most.width)) for place in range(len(characters) + 1)]
        characters = [ite(end, _NIL, one) for end, one in zip(ends, [*characters, _NIL], strict=True)]
    for place, character in enumerate(characters):
        _store(evaluator, _at(target, place), character, live)
        live = conjunction(live, distinct(character, _NIL))
    return True


def _beginning(evaluator: Evaluator, source: Term, most: Term | None) -> list[Term] | None:
    """The characters of a text, of which only the first ``most`` matter."""
    if most is not None and most.value is not None and most.value <= LONGEST:
        text = text_at(evaluator, source)
        if text is not None and len(text.characters) >= most.value:
            return text.characters[: most.value]
    return ending_text(evaluator, source)


def _store(evaluator: Evaluator, pointer: Term, content: Term, condition: Term) -> None:
    """Write bytes where the condition holds."""
    if condition.is_false:
        return
    world, size = evaluator.world, content.width // 8
    evaluator.require(implication(condition, in_bounds(world, pointer, size)))
    if not condition.is_true:
        content = ite(condition, content, read(world, evaluator.state, pointer, size, evaluator.edge))
    evaluator.state = write(world, evaluator.state, pointer, content, evaluator.edge)


def _copy(evaluator: Evaluator, values: list[Term]) -> Term | None:
    """``strcpy``."""
    return values[0] if copy_text(evaluator, values[0], values[1]) else None


def _copy_to_end(evaluator: Evaluator, values: list[Term]) -> Term | None:
    """``stpcpy``."""
    length = length_of(evaluator, values[1])
    if length is None or not copy_text(evaluator, values[0], values[1]):
        return None
    return bv_add(values[0], length)


def _copy_bounded(evaluator: Evaluator, values: list[Term]) -> Term | None:
    """``strncpy``: zeros behind the text, and no zero if it is as long as the block or longer."""
    target, source, limit = values
    room = limit.value if limit.value is not None else room_at(evaluator, target)
    characters = _beginning(evaluator, source, limit)
    if room is None or room > LONGEST or characters is None:
        return None
    live = TRUE
    for place in range(room):
        character = characters[place] if place < len(characters) else _NIL
        inside = ult(bv_const(place, limit.width), limit)
        _store(evaluator, _at(target, place), ite(live, character, _NIL), inside)
        live = conjunction(live, distinct(character, _NIL))
    return target


def _append(evaluator: Evaluator, values: list[Term]) -> Term | None:
    """``strcat`` and ``strncat``."""
    target, source = values[:2]
    most = values[2] if len(values) == 3 else None
    length = length_of(evaluator, target)
    if ending_text(evaluator, target) is None or length is None:
        return None
    if not copy_text(evaluator, bv_add(target, length), source, most):
        return None
    return target


def copy_some(evaluator: Evaluator, values: list[Term], most: int | None) -> Term | None:
    """``memcpy`` and ``memmove`` of a block that is no larger than ``most``, or lies in small objects."""
    target, source, size = values
    pieces = _pieces(evaluator, source, size, _room(evaluator, (target, source), most))
    if pieces is None:
        return None
    world, state, edge = evaluator.world, evaluator.state, evaluator.edge
    contents = [(place, read(world, state, _at(source, place), length, edge)) for place, length in pieces]
    for place, content in contents:
        _store(evaluator, _at(target, place), content, ult(bv_const(place, size.width), size))
    return target


def fill_some(evaluator: Evaluator, values: list[Term], most: int | None) -> Term | None:
    """``memset`` of a block that is no larger than ``most``, or lies in a small object."""
    target, value, size = values
    pieces = _pieces(evaluator, target, size, _room(evaluator, (target,), most))
    if pieces is None:
        return None
    for place, length in pieces:
        content = repeated(extract(value, 7, 0), length)
        _store(evaluator, _at(target, place), content, ult(bv_const(place, size.width), size))
    return target


def _room(evaluator: Evaluator, pointers: Sequence[Term], most: int | None) -> int:
    """How large a block at each of the pointers is at most; more than ``LONGEST`` if unknown."""
    rooms = [room_at(evaluator, pointer) for pointer in pointers]
    if most is None:
        return LONGEST + 1 if None in rooms else min(room for room in rooms if room is not None)
    return min([most, *(room for room in rooms if room is not None)])


def _pieces(evaluator: Evaluator, pointer: Term, size: Term, room: int) -> list[tuple[int, int]] | None:
    """A division of a block of at most ``room`` bytes such that its end is in no piece; ``None`` if it is large."""
    if room > LONGEST:
        return None
    pieces = block_pieces(evaluator, pointer, room)
    if all(place % length == 0 and quotient(size, length) is not None for place, length in pieces):
        return pieces
    return [(place, 1) for place in range(room)]


def repeated(byte: Term, times: int) -> Term:
    """A byte so many times."""
    result = byte
    for _ in range(times - 1):
        result = concat(result, byte)
    return result


def _at(pointer: Term, distance: int) -> Term:
    return bv_add(pointer, bv_const(distance, pointer.width))


COPYING: Mapping[str, Copy] = {
    "strcpy": _copy,
    "stpcpy": _copy_to_end,
    "strncpy": _copy_bounded,
    **dict.fromkeys(("strcat", "strncat"), _append),
}
