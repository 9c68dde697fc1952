"""Models of the functions of ``<string.h>`` that look at texts: where something is in a text, how texts compare.

A text is looked at up to a bound. It ends there if it ends in every execution with defined behaviour: at a zero, or
with the object that it is in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from gia.smt.encoding.access import content_at, read
from gia.smt.encoding.evaluator import Evaluator
from gia.smt.encoding.world import Mode
from gia.smt.terms import (
    FALSE,
    TRUE,
    Term,
    bv_add,
    bv_const,
    bv_neg,
    bv_sort,
    conjunction,
    disjunction,
    distinct,
    equal,
    extract,
    ite,
    negation,
    resize,
    ule,
    ult,
)

LONGEST: Final = 256
"""So many characters of a text are looked at."""
_MOST_PAIRS = 4096
"""So many pairs of characters of two texts are looked at where each is compared with each."""

_NIL = bv_const(0, 8)
_PureModel = Callable[[Evaluator, list[Term]], Term | None]


class Text(NamedTuple):
    """The first characters at a pointer. ``ends``: what follows them does not belong to the text, or to its object."""

    characters: list[Term]
    ends: bool


def text_at(evaluator: Evaluator, pointer: Term, *, behind_zero: bool = False) -> Text | None:
    """The characters at a pointer, up to the first that is certainly zero (unless ``behind_zero``).

    ``None`` if it is not known which objects the pointer may lead to.
    """
    room = room_at(evaluator, pointer)
    if room is None:
        return None
    found: list[Term] = []
    for place in range(min(room, LONGEST)):
        found.append(read(evaluator.world, evaluator.state, _moved(pointer, place), 1, evaluator.edge))
        if found[-1].value == 0 and not behind_zero:
            return Text(found, ends=True)
    return Text(found, ends=0 < room <= LONGEST)


def room_at(evaluator: Evaluator, pointer: Term) -> int | None:
    """How many bytes at most there are from a pointer to the end of its object; more than ``LONGEST`` if unknown.

    ``None`` if it is not known which objects the pointer may lead to.
    """
    room = 0
    for target in evaluator.world.addresses.targets(pointer):
        if not target.is_nowhere:
            content = content_at(evaluator.world, evaluator.state, target.address)
            if content is None:
                return None
            left = -1 if content.size is None else content.size - (target.offset.value or 0)
            room = max(room, left if left >= 0 else LONGEST + 1)
    return room


def _moved(pointer: Term, distance: int | Term) -> Term:
    return bv_add(pointer, bv_const(distance, pointer.width) if isinstance(distance, int) else distance)


def first(stops: Sequence[Term], default: Term) -> Term:
    """The first place where something holds, else ``default``."""
    result = default
    for place in range(len(stops) - 1, -1, -1):
        result = ite(stops[place], bv_const(place, default.width), result)
    return result


def _any_before_zero(characters: Sequence[Term], wanted: Sequence[Term]) -> Term:
    """Whether one of the conditions holds at a place of the text, the zero included."""
    result = FALSE
    for character, condition in zip(reversed(characters), reversed(wanted), strict=True):
        result = disjunction(condition, conjunction(distinct(character, _NIL), result))
    return result


def length_of(evaluator: Evaluator, pointer: Term) -> Term | None:
    """The number of characters before the zero; arbitrary beyond the longest text that is looked at."""
    text = text_at(evaluator, pointer)
    if text is None:
        return None
    zeros = [equal(character, _NIL) for character in text.characters]
    sort = bv_sort(evaluator.world.pointer_width)
    unknown = bv_const(0, sort.width) if zeros and zeros[-1].is_true else evaluator.world.names.fresh("strlen", sort)
    return first(zeros, unknown)


# ---------------------------------------------------------------------- comparing
def _compare_texts(evaluator: Evaluator, values: list[Term]) -> Term | None:
    """``strcmp`` and ``strncmp``: the sign of the result is exact, its magnitude arbitrary."""
    left, right = text_at(evaluator, values[0]), text_at(evaluator, values[1])
    if left is None or right is None:
        return None
    return _compared(evaluator, left, right, values[2] if len(values) == 3 else None)


def _compare_ignoring_case(evaluator: Evaluator, values: list[Term]) -> Term | None:
    """``strcasecmp`` and ``strncasecmp``, in the C locale."""
    texts = [text_at(evaluator, values[0]), text_at(evaluator, values[1])]
    left, right = (found and Text([_lower(character) for character in found.characters], found.ends) for found in texts)
    if left is None or right is None:
        return None
    return _compared(evaluator, left, right, values[2] if len(values) == 3 else None)


def _lower(character: Term) -> Term:
    upper = conjunction(ule(bv_const(ord("A"), 8), character), ule(character, bv_const(ord("Z"), 8)))
    return ite(upper, bv_add(character, bv_const(32, 8)), character)


def _compared(evaluator: Evaluator, left: Text, right: Text, limit: Term | None) -> Term:
    length = min(len(left.characters), len(right.characters))
    shorter = left if len(left.characters) == length else right
    known = shorter.ends or (limit is not None and limit.value is not None and limit.value <= length)
    return _lexicographic(evaluator, left.characters, right.characters, limit, texts=True, known=known)


def _compare_memory(evaluator: Evaluator, values: list[Term]) -> Term | None:
    """``memcmp``."""
    limit = values[2]
    if limit.value is not None:
        if limit.value > LONGEST:
            return None
        left, right = (_block(evaluator, pointer, limit.value) for pointer in values[:2])
        return _lexicographic(evaluator, left, right, None, texts=False, known=True)
    one, other = (text_at(evaluator, pointer, behind_zero=True) for pointer in values[:2])
    if one is None or other is None:
        return None
    known = one.ends or other.ends
    return _lexicographic(evaluator, one.characters, other.characters, limit, texts=False, known=known)


def _block(evaluator: Evaluator, pointer: Term, size: int) -> list[Term]:
    return [read(evaluator.world, evaluator.state, _moved(pointer, place), 1, evaluator.edge) for place in range(size)]


def _lexicographic(
    evaluator: Evaluator, left: list[Term], right: list[Term], limit: Term | None, *, texts: bool, known: bool
) -> Term:
    """The result of a comparison of at most ``limit`` characters; ``known``: what follows need not be compared."""
    magnitude = evaluator.world.names.fresh("difference", bv_sort(31))
    bounded = ite(equal(magnitude, bv_const(-1, 31)), bv_const(0, 31), magnitude)
    positive = bv_add(resize(bounded, 32, False), bv_const(1, 32))
    result = bv_const(0, 32) if known else evaluator.world.names.fresh("comparison", bv_sort(32))
    for place in range(min(len(left), len(right)) - 1, -1, -1):
        one, other = left[place], right[place]
        same = ite(equal(one, _NIL), bv_const(0, 32), result) if texts else result
        result = ite(equal(one, other), same, ite(ult(one, other), bv_neg(positive), positive))
        if limit is not None:
            result = ite(equal(limit, bv_const(place, limit.width)), bv_const(0, 32), result)
    return ite(equal(limit, bv_const(0, limit.width)), bv_const(0, 32), result) if limit is not None else result


# ---------------------------------------------------------------------- looking for characters
def ending_text(evaluator: Evaluator, pointer: Term) -> list[Term] | None:
    """The characters of a text of which all are known; ``None`` if it may be longer. Tests do without longer ones."""
    text = text_at(evaluator, pointer)
    if text is not None and not text.ends and evaluator.world.mode is Mode.UNDER:
        evaluator.require(disjunction(*(equal(character, _NIL) for character in text.characters)))
        return text.characters
    return text.characters if text is not None and text.ends else None


def _find(evaluator: Evaluator, values: list[Term]) -> Term | None:
    """``strchr``."""
    characters = ending_text(evaluator, values[0])
    if characters is None:
        return None
    wanted = [equal(character, extract(values[1], 7, 0)) for character in characters]
    return _pointer_to_first(values[0], characters, wanted)


def _pointer_to_first(pointer: Term, characters: list[Term], wanted: list[Term]) -> Term:
    """A pointer to the first place before the zero, or at it, where something holds; null if there is none."""
    place = first(wanted, bv_const(0, pointer.width))
    return ite(_any_before_zero(characters, wanted), _moved(pointer, place), bv_const(0, pointer.width))


def _find_last(evaluator: Evaluator, values: list[Term]) -> Term | None:
    """``strrchr``."""
    pointer, characters = values[0], ending_text(evaluator, values[0])
    if characters is None:
        return None
    wanted = extract(values[1], 7, 0)
    inside, found, place = TRUE, FALSE, bv_const(0, pointer.width)
    for number, character in enumerate(characters):
        here = conjunction(inside, equal(character, wanted))
        found, place = disjunction(found, here), ite(here, bv_const(number, pointer.width), place)
        inside = conjunction(inside, distinct(character, _NIL))
    return ite(found, _moved(pointer, place), bv_const(0, pointer.width))


def _find_byte(evaluator: Evaluator, values: list[Term]) -> Term | None:
    """``memchr``."""
    pointer, limit = values[0], values[2]
    text = text_at(evaluator, pointer, behind_zero=True)
    if text is None or not (text.ends or (limit.value is not None and limit.value <= LONGEST)):
        return None
    wanted = [
        conjunction(ult(bv_const(place, limit.width), limit), equal(character, extract(values[1], 7, 0)))
        for place, character in enumerate(text.characters)
    ]
    place = first(wanted, bv_const(0, pointer.width))
    return ite(disjunction(*wanted), _moved(pointer, place), bv_const(0, pointer.width))


def _membership(evaluator: Evaluator, values: list[Term]) -> tuple[list[Term], list[Term]] | None:
    """The characters of the first text, and whether each is in the second one (the zero is not)."""
    characters, others = ending_text(evaluator, values[0]), ending_text(evaluator, values[1])
    if characters is None or others is None or len(characters) * len(others) > _MOST_PAIRS:
        return None
    inside, living = TRUE, []
    for other in others:
        inside = conjunction(inside, distinct(other, _NIL))
        living.append(inside)
    members = [
        disjunction(*(conjunction(alive, equal(one, other)) for alive, other in zip(living, others, strict=True)))
        for one in characters
    ]
    return characters, members


def _span(evaluator: Evaluator, values: list[Term]) -> Term | None:
    """``strspn``."""
    found = _membership(evaluator, values)
    if found is None:
        return None
    return first([negation(member) for member in found[1]], bv_const(len(found[0]), evaluator.world.pointer_width))


def _span_of_others(evaluator: Evaluator, values: list[Term]) -> Term | None:
    """``strcspn``."""
    found = _membership(evaluator, values)
    if found is None:
        return None
    stops = [disjunction(equal(one, _NIL), member) for one, member in zip(*found, strict=True)]
    return first(stops, bv_const(len(stops), evaluator.world.pointer_width))


def _find_any(evaluator: Evaluator, values: list[Term]) -> Term | None:
    """``strpbrk``."""
    found = _membership(evaluator, values)
    return None if found is None else _pointer_to_first(values[0], *found)


def _find_text(evaluator: Evaluator, values: list[Term]) -> Term | None:
    """``strstr``."""
    characters, others = ending_text(evaluator, values[0]), ending_text(evaluator, values[1])
    if characters is None or others is None or len(characters) * len(others) > _MOST_PAIRS:
        return None
    return _pointer_to_first(values[0], characters, [_begins(characters[n:], others) for n in range(len(characters))])


def _begins(characters: list[Term], others: list[Term]) -> Term:
    """Whether the first text begins with the second one; neither goes on behind its last character."""
    result = TRUE if len(others) <= len(characters) else equal(others[len(characters)], _NIL)
    for one, other in reversed(list(zip(characters, others, strict=False))):
        result = disjunction(equal(other, _NIL), conjunction(equal(one, other), result))
    return result


def _length(evaluator: Evaluator, values: list[Term]) -> Term | None:
    return length_of(evaluator, values[0])


def _bounded_length(evaluator: Evaluator, values: list[Term]) -> Term | None:
    """``strnlen``."""
    pointer, limit = values
    text = text_at(evaluator, pointer)
    if text is None or not (text.ends or (limit.value is not None and limit.value <= LONGEST)):
        return None
    stops = [
        disjunction(equal(limit, bv_const(place, limit.width)), equal(character, _NIL))
        for place, character in enumerate(text.characters)
    ]
    return first(stops, limit)


TEXT_MODELS: Mapping[str, _PureModel] = {
    "strlen": _length,
    "strnlen": _bounded_length,
    **dict.fromkeys(("strcmp", "strncmp"), _compare_texts),
    **dict.fromkeys(("strcasecmp", "strncasecmp"), _compare_ignoring_case),
    **dict.fromkeys(("memcmp", "bcmp"), _compare_memory),
    **dict.fromkeys(("strchr", "index"), _find),
    **dict.fromkeys(("strrchr", "rindex"), _find_last),
    "memchr": _find_byte,
    "strspn": _span,
    "strcspn": _span_of_others,
    "strpbrk": _find_any,
    "strstr": _find_text,
}
"""The result of each function, of the values of its arguments; ``None`` where the model says nothing."""
