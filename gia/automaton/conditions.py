"""What can be said about conditions from their texts alone: conjuncts, negation, implication."""

from __future__ import annotations

from functools import lru_cache

from gia.automaton.model import Condition

_OPENING = "([{"
_CLOSING = ")]}"


@lru_cache(maxsize=65536)
def conjuncts(condition: Condition) -> frozenset[str]:
    """The texts whose conjunction the condition is: its parts between ``&&`` outside of all parentheses.

    A text that has another operator of at most that precedence (``||``, ``?``, ``,``, assignment) there, or
    quotes anywhere, is one conjunct.
    """
    text = _unwrapped(condition.text)
    parts = _split(text)
    if parts is None:
        return frozenset({text})
    return frozenset(_unwrapped(part) for part in parts)


def implies(stronger: Condition | None, weaker: Condition | None) -> bool:
    """Whether the texts show that ``stronger`` implies ``weaker`` (``None`` is true); if not, it may still do."""
    if weaker is None or stronger == weaker:
        return True
    if stronger is None or stronger.scope != weaker.scope:
        return False
    return conjuncts(weaker) <= conjuncts(stronger)


def literal(condition: Condition) -> tuple[Condition, bool]:
    """The condition as an atom and its sign: ``!(a)`` is the atom ``a``, negative."""
    text, positive = _unwrapped(condition.text), True
    while text.startswith("!(") and _closes_at_end(text, 1):
        text, positive = _unwrapped(text[2:-1]), not positive
    return Condition(text, condition.scope), positive


def _unwrapped(text: str) -> str:
    """The text without spaces and parentheses around it as a whole."""
    text = text.strip()
    while text.startswith("(") and _closes_at_end(text, 0):
        text = text[1:-1].strip()
    return text


def _closes_at_end(text: str, start: int) -> bool:
    """Whether the parenthesis at ``start`` is closed by the last character; not with quotes in the text."""
    depth = 0
    for position in range(start, len(text)):
        character = text[position]
        if character in "\"'":
            return False
        depth += (character in _OPENING) - (character in _CLOSING)
        if depth == 0:
            return position == len(text) - 1
    return False


def _split(text: str) -> list[str] | None:
    """The parts between ``&&`` at depth 0; ``None`` if the text is no conjunction of such parts."""
    depth, start, position = 0, 0, 0
    parts = []
    while position < len(text):
        character = text[position]
        if character in "\"'":
            return None
        depth += (character in _OPENING) - (character in _CLOSING)
        if depth < 0:
            return None
        if depth == 0:
            if text.startswith(("<=", ">=", "==", "!="), position):
                position += 2
                continue
            if text.startswith("||", position) or character in "?,=":
                return None
            if text.startswith("&&", position):
                parts.append(text[start:position])
                position += 2
                start = position
                continue
        position += 1
    return [*parts, text[start:]] if depth == 0 else None
