r"""The values of inputs as assumptions of a GIA: ``\result == constant``, and back.

What is written are C expressions of exactly the value: integer constants of the input's type, decimal or
hexadecimal floats. A NaN is ``\result != \result``, an infinity is beyond the largest finite number. What
is read are also other spellings of other tools, in any conjunction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gia.cfa.c_expressions import expression_to_gia
from gia.cfa.expressions import IntegerConstant
from gia.cfa.types import CType, FloatType, IntegerType, PointerType
from gia.errors import InputError
from gia.native.execution import InputValue
from gia.native.literals import parse_literal


def _largest(type_: FloatType) -> str:
    exponent = {32: (24, 127), 64: (53, 1023), 80: (64, 16383)}[type_.width]
    digits, suffix = (1 << exponent[0]) - 1, {32: "F", 64: "", 80: "L"}[type_.width]
    return f"0x{digits:x}p{exponent[1] - exponent[0] + 1}{suffix}"


def equation(value: InputValue) -> str:
    r"""``\result`` has this value. NaNs, which equal nothing, and infinities, which have no literal, are described."""
    type_, literal = value.type, value.literal
    match type_:
        case PointerType():
            constant = f"(void *){literal}" if value.bits else "0"
        case IntegerType(width=width):
            constant = literal if width < 32 else expression_to_gia(IntegerConstant(value.number, type_), "")
        case FloatType() if "nan" in literal:
            return r"\result != \result"
        case FloatType() if "inf" in literal:
            return rf"\result < -{_largest(type_)}" if literal.startswith("-") else rf"\result > {_largest(type_)}"
        case FloatType(width=width):
            if not re.search(r"[.ex]", literal):
                literal += ".0"
            constant = literal + {32: "F", 64: "", 80: "L"}[width]
        case _:
            raise InputError(f"an input of type {type_} cannot be written into a GIA")
    return rf"\result == {constant}"


_CAST = re.compile(r"\(\s*(?:void|_Bool|float|double|(?:unsigned|signed|char|short|int|long|__int128|\s)+)[\s*]*\)\s*")
_LEAST = re.compile(r"-\s*(\d+)[uUlL]*\s*-\s*1")
_WIDE = re.compile(r"(-?\d+)[uUlL]*\s*<<\s*64\s*\|\s*(\d+)[uUlL]*")


def constant_of(assumption: str, type_: CType) -> int | None:
    r"""The bits that an assumption of the form ``… && \result == constant && …`` fixes; ``None`` if it fixes none."""
    for conjunct in _conjuncts(assumption):
        plain = _CAST.sub("", conjunct)
        if isinstance(type_, FloatType) and (special := _special(plain, type_)) is not None:
            return special
        left, equals, right = plain.partition("==")
        if not equals:
            continue
        left, right = _without_parentheses(left), _without_parentheses(right)
        if r"\result" in (left, right):
            return _bits(right if left == r"\result" else left, type_)
    return None


def _special(conjunct: str, type_: FloatType) -> int | None:
    """The bits of a NaN or an infinity, as :func:`equation` describes them."""
    for literal in ("nan", "inf", "-inf"):
        bits = parse_literal(literal).bits(type_)
        if conjunct == equation(InputValue("", type_, bits)):
            return bits
    return None


def _bits(text: str, type_: CType) -> int | None:
    """The bits of a constant expression of the simple forms that are written; ``None`` for any other."""
    if least := _LEAST.fullmatch(text):
        text = str(-int(least[1]) - 1)
    elif wide := _WIDE.fullmatch(text):
        text = str((int(wide[1]) << 64) | int(wide[2]))
    try:
        bits = parse_literal(text.replace("- ", "-")).bits(type_)
    except InputError:
        return None
    return bits & ((1 << 64) - 1) if isinstance(type_, PointerType) else bits


def _conjuncts(text: str) -> Iterator[str]:
    """The operands of ``&&`` in a condition, also of one in parentheses."""
    pending = [text]
    while pending:
        current = _without_parentheses(pending.pop())
        parts = _split_conjunction(current)
        if len(parts) == 1:
            yield current
        else:
            pending.extend(reversed(parts))


def _split_conjunction(text: str) -> list[str]:
    """The operands of the ``&&`` outside parentheses; one operand if there is an ``||`` or ``?`` beside them."""
    parts, depth, start, position = [], 0, 0, 0
    while position < len(text):
        found = _TOKEN.search(text, position)
        if found is None:
            break
        position = found.end()
        token = found[0]
        if token in "()":
            depth += 1 if token == "(" else -1
        elif depth == 0 and token in ("||", "?"):
            return [text]
        elif depth == 0 and token == "&&":
            parts.append(text[start : found.start()])
            start = position
    return [*parts, text[start:]]


_TOKEN = re.compile(r"""[()?]|&&|\|\||'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\"""")


def _without_parentheses(text: str) -> str:
    """``text`` without spaces around it and without parentheses around all of it."""
    text = text.strip()
    while text.startswith("(") and text.endswith(")"):
        depth = 0
        for found in _TOKEN.finditer(text):
            depth += {"(": 1, ")": -1}.get(found[0], 0)
            if depth == 0 and found.end() < len(text):
                return text
        text = text[1:-1].strip()
    return text
