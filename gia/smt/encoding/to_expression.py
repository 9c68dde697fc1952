"""Terms over the values of variables, written as C expressions.

A bit-vector of ``w`` bits becomes an expression of type ``unsigned int`` (``w`` ≤ 32) or ``unsigned long long``
(``w`` ≤ 64) whose value is below ``2**w``; a Boolean becomes an ``int``, 0 or 1. The result evaluates to the term's
value whatever the values of its variables are: its arithmetic is unsigned and its shifts stay in range.
"""

from __future__ import annotations

from collections.abc import Mapping

from gia.cfa.expressions import Binary, Cast, Expression, IntegerConstant, Unary
from gia.cfa.types import INT, LONG_LONG, UNSIGNED_INT, UNSIGNED_LONG_LONG, IntegerType
from gia.smt.terms import BOOL, Kind, SortKind, Term, postorder

SIZE_LIMIT = 400
"""Terms with more operators than this (counted as a tree) have no expression that anybody would want to read."""


def to_expression(term: Term, leaves: Mapping[Term, Expression]) -> Expression | None:
    """The Boolean ``term`` as a C expression; ``leaves`` are the integer expressions that its variables stand for.

    ``None`` if it has other variables, operators that C lacks, operands of more than 64 bits, or if it is too large.
    """
    assert term.sort == BOOL
    sizes: dict[Term, int] = {}
    found: dict[Term, Expression] = {}
    for part in postorder([term]):
        sizes[part] = 1 + sum(sizes[child] for child in part.children)
        if sizes[part] > SIZE_LIMIT:
            return None
        made = _leaf(part, leaves) if part in leaves else _operator(part, found)
        if made is None:
            return None
        found[part] = made
    return found[term]


def _carrier(width: int) -> IntegerType:
    return UNSIGNED_INT if width <= 32 else UNSIGNED_LONG_LONG


def _constant(value: int, type_: IntegerType) -> Expression:
    return IntegerConstant(value, type_)


def _leaf(term: Term, leaves: Mapping[Term, Expression]) -> Expression | None:
    expression = leaves[term]
    if not isinstance(expression.type, IntegerType) or term.sort.kind is not SortKind.BV or term.width > 64:
        return None
    if expression.type.width != term.width:
        return None
    if expression.type.signed and term.width not in (32, 64):
        unsigned = IntegerType({8: "unsigned char", 16: "unsigned short"}.get(term.width, ""), term.width, False)
        return Cast(Cast(expression, unsigned), UNSIGNED_INT) if unsigned.name else None
    carrier = _carrier(term.width)
    return expression if expression.type == carrier else Cast(expression, carrier)


def _operator(term: Term, found: Mapping[Term, Expression]) -> Expression | None:
    """The expression of an operator from those of its operands."""
    operands = [found[child] for child in term.children]
    if term.kind is Kind.CONST and term.value is not None and term.sort.kind in (SortKind.BOOL, SortKind.BV):
        if term.sort == BOOL:
            return _constant(int(term.value), INT)
        return _constant(term.value, _carrier(term.width)) if term.width <= 64 else None
    if term.sort == BOOL:
        return _boolean(term, operands)
    if term.sort.kind is not SortKind.BV or term.width > 64:
        return None
    return _bit_vector(term, operands)


def _boolean(term: Term, operands: list[Expression]) -> Expression | None:
    match term.kind:
        case Kind.NOT:
            return Unary("!", operands[0], INT)
        case Kind.AND | Kind.OR:
            operator = "&&" if term.kind is Kind.AND else "||"
            result = operands[0]
            for operand in operands[1:]:
                result = Binary(operator, result, operand, INT)
            return result
        case Kind.ITE:
            condition, then, other = operands
            first = Binary("&&", condition, then, INT)
            second = Binary("&&", Unary("!", condition, INT), other, INT)
            return Binary("||", first, second, INT)
        case Kind.EQ | Kind.BV_ULT | Kind.BV_ULE:
            if term.children[0].sort.kind not in (SortKind.BOOL, SortKind.BV):
                return None
            operator = {Kind.EQ: "==", Kind.BV_ULT: "<", Kind.BV_ULE: "<="}[term.kind]
            return Binary(operator, operands[0], operands[1], INT)
        case Kind.BV_SLT | Kind.BV_SLE:
            width = term.children[0].width
            operator = "<" if term.kind is Kind.BV_SLT else "<="
            return Binary(operator, _signed(operands[0], width), _signed(operands[1], width), INT)
    return None


def _signed(expression: Expression, width: int) -> Expression:
    """The two's complement reading of an unsigned expression of ``width`` bits."""
    type_ = INT if width <= 32 else LONG_LONG
    if isinstance(expression, IntegerConstant):
        value = expression.value - (1 << width) if expression.value >> (width - 1) else expression.value
        return _constant(value, type_)
    if width in (32, 64):
        if isinstance(expression, Cast) and expression.operand.type == type_:
            return expression.operand
        return Cast(expression, type_)
    sign = _constant(1 << (width - 1), _carrier(width))
    moved = Binary("-", Binary("^", expression, sign, sign.type), sign, sign.type)
    return Cast(moved, type_)


_PLAIN: Mapping[Kind, str] = {Kind.BV_AND: "&", Kind.BV_OR: "|", Kind.BV_XOR: "^"}
_WRAPPING: Mapping[Kind, str] = {Kind.BV_ADD: "+", Kind.BV_MUL: "*"}


def _masked(expression: Expression, width: int) -> Expression:
    """The low ``width`` bits."""
    carrier = _carrier(width)
    if width == carrier.width:
        return expression
    return Binary("&", expression, _constant((1 << width) - 1, carrier), carrier)


def _bit_vector(term: Term, operands: list[Expression]) -> Expression | None:
    width = term.width
    carrier = _carrier(width)
    if term.kind in _PLAIN:
        return Binary(_PLAIN[term.kind], operands[0], operands[1], carrier)
    if term.kind in _WRAPPING:
        return _masked(Binary(_WRAPPING[term.kind], operands[0], operands[1], carrier), width)
    match term.kind, term.data:
        case Kind.BV_NOT, _:
            return _masked(Unary("~", operands[0], carrier), width)
        case Kind.BV_NEG, _:
            return _masked(Unary("-", operands[0], carrier), width)
        case Kind.ZERO_EXTEND, _:
            return _widened(operands[0], carrier)
        case Kind.SIGN_EXTEND, _:
            inner = term.children[0].width
            signed = _signed(operands[0], inner)
            return _masked(Cast(signed, carrier), width)
        case Kind.EXTRACT, (int(high), int(low)):
            source = _carrier(term.children[0].width)
            shifted = operands[0] if low == 0 else Binary(">>", operands[0], _constant(low, INT), source)
            if high + 1 < term.children[0].width:
                shifted = Binary("&", shifted, _constant((1 << width) - 1, source), source)
            return shifted if source == carrier else Cast(shifted, carrier)
        case Kind.CONCAT, _:
            low_width = term.children[1].width
            high_part = Binary("<<", _widened(operands[0], carrier), _constant(low_width, INT), carrier)
            return Binary("|", high_part, _widened(operands[1], carrier), carrier)
    return _partial(term, operands, carrier)


def _widened(expression: Expression, carrier: IntegerType) -> Expression:
    return expression if expression.type == carrier else Cast(expression, carrier)


_BY_CONSTANT: Mapping[Kind, str] = {Kind.BV_UDIV: "/", Kind.BV_UREM: "%", Kind.BV_SHL: "<<", Kind.BV_LSHR: ">>"}


def _partial(term: Term, operands: list[Expression], carrier: IntegerType) -> Expression | None:
    """Division and shifts by a constant for which C and SMT-LIB agree."""
    if term.kind not in _BY_CONSTANT:
        return None
    right = term.children[1].value
    if right is None or right == 0 or (term.kind in (Kind.BV_SHL, Kind.BV_LSHR) and right >= term.width):
        return None
    second = _constant(right, INT if term.kind in (Kind.BV_SHL, Kind.BV_LSHR) else carrier)
    return _masked(Binary(_BY_CONSTANT[term.kind], operands[0], second, carrier), term.width)
