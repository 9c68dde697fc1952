"""Expressions as text: C for the C output, and the same with ``\\result`` and ``g$$x`` for exchange files."""

from __future__ import annotations

import re
from typing import NamedTuple

from gia.cfa.c_types import declaration
from gia.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Dereference,
    Expression,
    FloatConstant,
    FunctionReference,
    IntegerConstant,
    Member,
    Result,
    StringLiteral,
    Subscript,
    Unary,
    VariableReference,
    children,
    walk,
)
from gia.cfa.graph import Program
from gia.cfa.naming import ExchangeNames, Namer, local_names
from gia.cfa.types import ArrayType, IntegerType, PointerType, VoidType, is_scalar

_PRIMARY, _UNARY = 15, 14
_LEVELS = {"*": 13, "/": 13, "%": 13, "+": 12, "-": 12, "<<": 11, ">>": 11, "<": 10, "<=": 10, ">": 10, ">=": 10}
_LEVELS |= {"==": 9, "!=": 9, "&": 8, "^": 7, "|": 6, "&&": 5, "||": 4}
"""How tightly each operator binds (ISO C 6.5)."""

_OPERAND_LEVEL = {"*": 13, "/": 13, "%": 13, "+": 12, "-": 12, "<": 12, "<=": 12, ">": 12, ">=": 12, "==": 12, "!=": 12}
_OPERAND_LEVEL |= {"<<": 14, ">>": 14, "&": 14, "^": 14, "|": 14, "&&": 9, "||": 9}
"""How tightly an operand must bind to stand without parentheses: more than C asks for where people err."""

_LEFT_ASSOCIATIVE = frozenset({"&", "^", "|", "&&", "||"})
"""Operators whose chains stand without parentheses although ``_OPERAND_LEVEL`` would ask for them."""

_SUFFIXES = {"int": "", "unsigned int": "U", "long": "L", "unsigned long": "UL", "long long": "LL"}
_SUFFIXES |= {"unsigned long long": "ULL"}

_PLAIN_FLOAT = r"-?(0[xX][\da-fA-F.]+[pP][+-]?\d+|\d[\d.]*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?)"
"""Few programs need it: it is compiled late."""


class _Text(NamedTuple):
    """A piece of C and how tightly it binds."""

    text: str
    level: int
    access: str = ""
    """What to put before a member's name if it is not ``text.``."""
    element: str = ""
    """The lvalue that a pointer of this text points to, if it is not written with ``*``."""

    def at(self, level: int) -> str:
        """The text as an operand that must bind at least as tightly as ``level``."""
        return self.text if self.level >= level else f"({self.text})"


def expression_to_c(expression: Expression, namer: Namer) -> str:
    """An expression as C with as few parentheses as are clear; its value and type are those of the expression."""
    return _render(expression, namer).text


def expression_to_gia(expression: Expression, scope: str, program: Program | None = None) -> str:
    r"""An expression as an exchange file has it, in the scope of a function (``""``: globals only).

    ``\result`` is the value that the input returned; variables of other functions are written ``g$$x``. Without
    ``program`` it is not known which globals are hidden in the scope, so all are written ``$$x``.
    """
    return expression_to_c(expression, ExchangeNames(scope, None if program is None else local_names(program, scope)))


def _render(expression: Expression, namer: Namer) -> _Text:
    """Bottom up with an explicit stack: generated programs have very deep expressions."""
    done: list[_Text] = []
    for current in reversed(list(walk(expression))):
        operands = [done.pop() for _ in children(current)]
        done.append(_combine(current, operands, namer))
    return done[0]


def _combine(expression: Expression, operands: list[_Text], namer: Namer) -> _Text:
    """The text of an expression from those of its operands."""
    match expression:
        case IntegerConstant(value=value, type=type_):
            return _integer(value, type_)
        case FloatConstant():
            return _float(expression)
        case StringLiteral():
            return _Text(string_literal(expression), _PRIMARY)
        case VariableReference(variable=variable):
            return _Text(namer.variable(variable), _PRIMARY)
        case FunctionReference(name=name):
            return _Text(namer.function(name), _PRIMARY)
        case Result():
            return _Text(r"\result", _PRIMARY)
        case Unary(operator=operator):
            operand = operands[0].at(_UNARY)
            return _Text(f"{operator}({operand})" if operand.startswith("-") else operator + operand, _UNARY)
        case Cast(type=type_):
            if not is_scalar(type_) and not isinstance(type_, VoidType):
                return operands[0]  # C has no conversion to a struct; it would not change anything
            return _Text(f"({declaration(type_, '', namer)}){operands[0].at(_UNARY)}", _UNARY)
        case Binary(operator=operator, left=left):
            level = _OPERAND_LEVEL[operator]
            chained = operator in _LEFT_ASSOCIATIVE and isinstance(left, Binary) and left.operator == operator
            first = operands[0].text if chained else operands[0].at(level)
            second = operands[1].at(level + 1 if operator in "*/%+-" else level)
            element = ""
            if operator == "+" and isinstance(left.type, PointerType) and not isinstance(left, AddressOf):
                element = f"{operands[0].at(_PRIMARY)}[{operands[1].text}]"
            return _Text(f"{first} {operator} {second}", _LEVELS[operator], element=element)
    return _access(expression, operands, namer)


def _access(expression: Expression, operands: list[_Text], namer: Namer) -> _Text:
    """The text of an lvalue that is a part of something, or of an address."""
    base = operands[0]
    match expression:
        case Dereference() if base.element:
            return _Text(base.element, _PRIMARY)
        case Dereference():
            return _Text(f"*{base.at(_UNARY)}", _UNARY, access=f"{base.at(_PRIMARY)}->")
        case Subscript():
            return _Text(f"{base.at(_PRIMARY)}[{operands[1].text}]", _PRIMARY)
        case Member(field=field):
            before = base.access or f"{base.at(_PRIMARY)}."
            return _Text(f"{before}{namer.member(field)}", _PRIMARY)
        case AddressOf(operand=operand, type=type_):
            if isinstance(operand.type, ArrayType) and type_ != PointerType(operand.type):
                return base  # the array decays
            return _Text(f"&{base.at(_UNARY)}", _UNARY)
    raise AssertionError(expression)


def _integer(value: int, type_: IntegerType) -> _Text:
    """An integer constant of exactly that type; the least value of a type has no literal of its own."""
    suffix = _SUFFIXES.get(type_.name)
    if suffix is None:
        if type_.width > 64:
            high, low = value >> 64, value & (1 << 64) - 1
            return _Text(f"(({type_}){high}LL << 64 | ({type_}){low}ULL)", _PRIMARY)
        return _Text(f"({type_}){value}", _UNARY)
    if type_.signed and value == -(1 << type_.width - 1):
        return _Text(f"(-{-value - 1}{suffix} - 1)", _PRIMARY)
    return _Text(f"{value}{suffix}", _UNARY if value < 0 else _PRIMARY)


def _float(constant: FloatConstant) -> _Text:
    """A floating constant; a spelling without a suffix gets that of the type."""
    text = constant.text
    if re.fullmatch(_PLAIN_FLOAT, text):
        if not re.search(r"[.eEpP]", text):
            text += ".0"
        text += {"float": "F", "long double": "L"}.get(constant.type.name, "")
    return _Text(text, _UNARY if text.startswith("-") else _PRIMARY)


def string_literal(literal: StringLiteral) -> str:
    """A string literal with everything but plain characters escaped; a wide one as wide pieces."""
    width = literal.type.element.width // 8 if _is_wide(literal) else 1  # type: ignore[union-attr]
    units = [int.from_bytes(literal.data[at : at + width], "little") for at in range(0, len(literal.data), width)]
    if units and units[-1] == 0:
        units.pop()
    if width == 1:
        return '"' + "".join(_character(unit) for unit in units) + '"'
    prefix = "L" if width == 4 else "u"
    return " ".join(f'{prefix}"\\x{unit:x}"' for unit in units) or f'{prefix}""'


def _is_wide(literal: StringLiteral) -> bool:
    type_ = literal.type
    return isinstance(type_, ArrayType) and isinstance(type_.element, IntegerType) and type_.element.width > 8


def _character(byte: int) -> str:
    """One byte inside a string literal; octal escapes have three digits and so end by themselves."""
    if byte in b'"\\?':
        return "\\" + chr(byte)
    if byte == 0x0A:
        return "\\n"
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"
