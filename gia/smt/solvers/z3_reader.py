"""Solutions of Z3 as terms: bit-vector formulas exactly, linear integer formulas in bit-vectors wide enough."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import z3
from msgspec import Struct

from gia.smt.terms import (
    FALSE,
    TRUE,
    Term,
    bv_add,
    bv_and,
    bv_ashr,
    bv_const,
    bv_lshr,
    bv_mul,
    bv_neg,
    bv_not,
    bv_or,
    bv_shl,
    bv_sub,
    bv_udiv,
    bv_urem,
    bv_xor,
    concat,
    conjunction,
    disjunction,
    equal,
    extract,
    implication,
    ite,
    negation,
    resize,
    sign_extend,
    sle,
    slt,
    ule,
    ult,
    zero_extend,
)

_WIDE = 64
"""The width of sums: exact for sums of 32-bit variables with small coefficients."""


class NotReadableError(Exception):
    """A formula has no counterpart among the terms."""


class Parameters(Struct, frozen=True):
    """What the bound variables of a formula stand for, by their index, and whether each is meant as signed."""

    terms: Sequence[Term]
    signed: Sequence[bool]


def read_formula(formula: Any, parameters: Parameters) -> Term:
    """A quantifier-free Boolean formula of Z3 as a term. Raises :class:`NotReadableError`."""
    kind: int = formula.decl().kind() if z3.is_app(formula) else -1
    if kind in _CONNECTIVES:
        return _CONNECTIVES[kind]([read_formula(child, parameters) for child in formula.children()])
    if kind in (z3.Z3_OP_EQ, z3.Z3_OP_DISTINCT, z3.Z3_OP_IFF):
        return _equality(formula, kind, parameters)
    if kind == z3.Z3_OP_ITE:
        return ite(*(read_formula(child, parameters) for child in formula.children()))
    if kind in _BV_COMPARISONS:
        left, right = (_bit_vector(child, parameters) for child in formula.children())
        return _BV_COMPARISONS[kind](left, right)
    if kind in _ORDERS:
        left, right = formula.children()
        return _linear(_ORDERS[kind], _minus(_sum(left), _sum(right)), parameters)
    raise NotReadableError


def _equality(formula: Any, kind: int, parameters: Parameters) -> Term:
    if formula.num_args() != 2:
        raise NotReadableError
    left, right = formula.children()
    if z3.is_bool(left):
        result = equal(read_formula(left, parameters), read_formula(right, parameters))
    elif z3.is_bv(left):
        result = equal(_bit_vector(left, parameters), _bit_vector(right, parameters))
    elif z3.is_int(left):
        result = _linear("==", _minus(_sum(left), _sum(right)), parameters)
    else:
        raise NotReadableError
    return negation(result) if kind == z3.Z3_OP_DISTINCT else result


_CONNECTIVES: Mapping[int, Callable[[list[Term]], Term]] = {
    z3.Z3_OP_TRUE: lambda _: TRUE,
    z3.Z3_OP_FALSE: lambda _: FALSE,
    z3.Z3_OP_AND: lambda parts: conjunction(*parts),
    z3.Z3_OP_OR: lambda parts: disjunction(*parts),
    z3.Z3_OP_NOT: lambda parts: negation(parts[0]),
    z3.Z3_OP_IMPLIES: lambda parts: implication(parts[0], parts[1]),
    z3.Z3_OP_XOR: lambda parts: negation(equal(parts[0], parts[1])),
}
_ORDERS: Mapping[int, str] = {z3.Z3_OP_LE: "<=", z3.Z3_OP_GE: ">=", z3.Z3_OP_LT: "<", z3.Z3_OP_GT: ">"}
_BV_COMPARISONS: Mapping[int, Callable[[Term, Term], Term]] = {
    z3.Z3_OP_ULEQ: ule,
    z3.Z3_OP_ULT: ult,
    z3.Z3_OP_UGEQ: lambda x, y: ule(y, x),
    z3.Z3_OP_UGT: lambda x, y: ult(y, x),
    z3.Z3_OP_SLEQ: sle,
    z3.Z3_OP_SLT: slt,
    z3.Z3_OP_SGEQ: lambda x, y: sle(y, x),
    z3.Z3_OP_SGT: lambda x, y: slt(y, x),
}
_BV_OPERATIONS: Mapping[int, Callable[[Term, Term], Term]] = {
    z3.Z3_OP_BADD: bv_add,
    z3.Z3_OP_BMUL: bv_mul,
    z3.Z3_OP_BSUB: bv_sub,
    z3.Z3_OP_BAND: bv_and,
    z3.Z3_OP_BOR: bv_or,
    z3.Z3_OP_BXOR: bv_xor,
    z3.Z3_OP_BUDIV: bv_udiv,
    z3.Z3_OP_BUDIV_I: bv_udiv,
    z3.Z3_OP_BUREM: bv_urem,
    z3.Z3_OP_BUREM_I: bv_urem,
    z3.Z3_OP_BSHL: bv_shl,
    z3.Z3_OP_BLSHR: bv_lshr,
    z3.Z3_OP_BASHR: bv_ashr,
    z3.Z3_OP_CONCAT: concat,
}


def _bit_vector(expression: Any, parameters: Parameters) -> Term:
    if z3.is_var(expression):
        index: int = z3.get_var_index(expression)
        return parameters.terms[index]
    if z3.is_bv_value(expression):
        return bv_const(expression.as_long(), expression.size())
    kind: int = expression.decl().kind()
    if kind == z3.Z3_OP_ITE:
        condition, then, other = expression.children()
        return ite(read_formula(condition, parameters), _bit_vector(then, parameters), _bit_vector(other, parameters))
    operands = [_bit_vector(child, parameters) for child in expression.children()]
    numbers = expression.params()
    if kind in _BV_OPERATIONS:
        result: Term = operands[0]
        for operand in operands[1:]:
            result = _BV_OPERATIONS[kind](result, operand)
        return result
    match kind, numbers:
        case z3.Z3_OP_BNEG, _:
            return bv_neg(operands[0])
        case z3.Z3_OP_BNOT, _:
            return bv_not(operands[0])
        case z3.Z3_OP_EXTRACT, [high, low]:
            return extract(operands[0], high, low)
        case z3.Z3_OP_ZERO_EXT, [bits]:
            return zero_extend(operands[0], bits)
        case z3.Z3_OP_SIGN_EXT, [bits]:
            return sign_extend(operands[0], bits)
    raise NotReadableError


_Sum = dict[int | None, int]
"""A linear expression: the coefficient of each variable by its index, the constant under ``None``."""


def _sum(expression: Any) -> _Sum:
    """An integer expression as a sum of variables."""
    if z3.is_int_value(expression):
        return {None: expression.as_long()}
    if z3.is_var(expression):
        return {z3.get_var_index(expression): 1}
    kind = expression.decl().kind()
    operands = [_sum(child) for child in expression.children()]
    if kind == z3.Z3_OP_ADD:
        return reduce(_plus, operands)
    if kind == z3.Z3_OP_SUB:
        return reduce(_minus, operands)
    if kind == z3.Z3_OP_UMINUS:
        return _times(operands[0], -1)
    if kind == z3.Z3_OP_MUL and len(operands) == 2:
        for factor, other in (operands, operands[::-1]):
            if set(factor) <= {None}:
                return _times(other, factor.get(None, 0))
    raise NotReadableError


def _plus(left: _Sum, right: _Sum) -> _Sum:
    return {key: left.get(key, 0) + right.get(key, 0) for key in [*left, *(k for k in right if k not in left)]}


def _minus(left: _Sum, right: _Sum) -> _Sum:
    return _plus(left, _times(right, -1))


def _times(term: _Sum, factor: int) -> _Sum:
    return {key: factor * value for key, value in term.items()}


def _linear(operator: str, difference: _Sum, parameters: Parameters) -> Term:
    """``difference operator 0``: in the variables' own width if they allow it, else in a wide one."""
    constant = difference.get(None, 0)
    factors = {key: value for key, value in difference.items() if key is not None and value}
    if operator in ("<", ">"):  # of integers: x < y is x <= y - 1
        constant += 1 if operator == "<" else -1
        operator += "="
    left = {key: value for key, value in factors.items() if value > 0}
    right = {key: -value for key, value in factors.items() if value < 0}
    if operator == ">=":
        left, right, constant = right, left, -constant
    # now: left + constant <= right, or ==
    if len(left) <= 1 and len(right) <= 1 and set(left.values()) | set(right.values()) <= {1}:
        narrow = _narrow(operator, list(left), list(right), constant, parameters)
        if narrow is not None:
            return narrow
    if abs(constant) >= 1 << 62 or any(abs(value) >= 1 << 24 for value in factors.values()):
        raise NotReadableError
    first = bv_add(_wide(left, parameters), bv_const(max(constant, 0), _WIDE))
    second = bv_add(_wide(right, parameters), bv_const(max(-constant, 0), _WIDE))
    return equal(first, second) if operator == "==" else sle(first, second)


def _narrow(operator: str, left: list[int], right: list[int], constant: int, parameters: Parameters) -> Term | None:
    """``left + constant <= right`` (or ``==``) for at most one variable on each side."""
    if not left and not right:
        return TRUE if (constant == 0 if operator == "==" else constant <= 0) else FALSE
    if left and right:
        x, y = parameters.terms[left[0]], parameters.terms[right[0]]
        is_signed = parameters.signed[left[0]]
        if x.width != y.width or is_signed != parameters.signed[right[0]] or (operator, constant) not in _SHIFTED:
            return None
        return _SHIFTED[operator, constant](x, y, is_signed)
    index = (left or right)[0]
    term, is_signed = parameters.terms[index], parameters.signed[index]
    bound = -constant if left else constant
    low, high = (-(1 << (term.width - 1)), (1 << (term.width - 1)) - 1) if is_signed else (0, (1 << term.width) - 1)
    if not low <= bound <= high:
        holds = operator != "==" and (bound > high if left else bound < low)
        return TRUE if holds else FALSE
    value = bv_const(bound, term.width)
    if operator == "==":
        return equal(term, value)
    return _at_most(term, value, is_signed) if left else _at_most(value, term, is_signed)


def _at_most(left: Term, right: Term, is_signed: bool) -> Term:
    return sle(left, right) if is_signed else ule(left, right)


_SHIFTED: Mapping[tuple[str, int], Callable[[Term, Term, bool], Term]] = {
    ("==", 0): lambda x, y, _: equal(x, y),
    ("<=", 0): _at_most,
    ("<=", 1): lambda x, y, is_signed: negation(_at_most(y, x, is_signed)),
}
"""``x + constant operator y`` without a sum."""


def _wide(factors: Mapping[int, int], parameters: Parameters) -> Term:
    """A sum in the wide type."""
    result = bv_const(0, _WIDE)
    for index, factor in factors.items():
        term = parameters.terms[index]
        if term.width > _WIDE:
            raise NotReadableError
        result = bv_add(result, bv_mul(resize(term, _WIDE, parameters.signed[index]), bv_const(factor, _WIDE)))
    return result
