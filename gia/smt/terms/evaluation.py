"""The value of a term under an assignment, and substitution.

Evaluation computes on Python integers and shares nothing with the simplifying constructors, so that each can be tested
against the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gia.smt.terms import arrays, bitvectors, booleans, comparisons, floats, ieee
from gia.smt.terms.bitvectors import signed_quotient, signed_remainder
from gia.smt.terms.nodes import ArrayValue, Kind, RoundingMode, Sort, SortKind, Term, postorder, signed

Value = int | ArrayValue
"""Bit-vectors: unsigned; Booleans: ``bool``; floating point: IEEE bits; arrays: :class:`ArrayValue`."""


def default_value(sort: Sort) -> Value:
    """The value of a variable that an assignment leaves out: false, 0 or an array of zeros."""
    if sort.kind is SortKind.BOOL:
        return False
    return ArrayValue(0) if sort.kind is SortKind.ARRAY else 0


def evaluate(term: Term, assignment: Mapping[Term, Value]) -> Value:
    """The value of ``term`` where each variable has its value in ``assignment``, or :func:`default_value`.

    ``FP_TO_BITS`` of NaN is the bits of the one NaN; ``FP_TO_SIGNED`` and ``FP_TO_UNSIGNED`` out of range are 0.
    """
    return evaluate_all((term,), assignment)[0]


def evaluate_all(terms: Sequence[Term], assignment: Mapping[Term, Value]) -> list[Value]:
    """The values of several terms, their common parts evaluated once."""
    return Evaluation(terms).values(assignment)


class Evaluation:
    """Terms, and the order in which they and their parts are evaluated: for many assignments."""

    def __init__(self, terms: Sequence[Term]) -> None:
        ordered = list(postorder(terms))
        places = {term: place for place, term in enumerate(ordered)}
        self._terms = [places[term] for term in terms]
        self._steps = [
            (term, _OPERATIONS.get(term.kind), tuple(places[child] for child in term.children)) for term in ordered
        ]

    def values(self, assignment: Mapping[Term, Value]) -> list[Value]:
        """The values of the terms; see :func:`evaluate`."""
        values: list[Value] = []
        for term, operation, children in self._steps:
            if operation is not None:
                values.append(operation(term, [values[child] for child in children]))
            elif term.value is not None:
                values.append(term.value)
            else:
                values.append(assignment.get(term, default_value(term.sort)))
        return [values[place] for place in self._terms]


_Operation = Callable[[Term, list[Value]], Value]


def _int(value: Value) -> int:
    assert isinstance(value, int)
    return value


def _unsigned(compute: Callable[[int, int], int]) -> _Operation:
    return lambda term, v: compute(_int(v[0]), _int(v[1])) & ((1 << term.width) - 1)


def _signed_comparison(compute: Callable[[int, int], bool]) -> _Operation:
    def apply(term: Term, v: list[Value]) -> bool:
        width = term.children[0].width
        return compute(signed(_int(v[0]), width), signed(_int(v[1]), width))

    return apply


def _shift_right_arithmetic(term: Term, v: list[Value]) -> int:
    amount = min(_int(v[1]), term.width - 1)
    return (signed(_int(v[0]), term.width) >> amount) & ((1 << term.width) - 1)


def _extract(term: Term, v: list[Value]) -> int:
    assert isinstance(term.data, tuple)
    high, low = term.data[0], term.data[1]
    assert isinstance(high, int) and isinstance(low, int)
    return _int(v[0]) >> low & ((1 << (high - low + 1)) - 1)


def _equal(_: Term, v: list[Value]) -> bool:
    left, right = v
    if isinstance(left, ArrayValue) and isinstance(right, ArrayValue):
        return left.default == right.default and dict(left.entries) == dict(right.entries)
    return left == right


def _store(_: Term, v: list[Value]) -> ArrayValue:
    array, index, value = v[0], _int(v[1]), _int(v[2])
    assert isinstance(array, ArrayValue)
    entries = dict(array.entries)
    entries.pop(index, None)
    if value != array.default:
        entries[index] = value
    return ArrayValue(array.default, tuple(sorted(entries.items())))


def _select(_: Term, v: list[Value]) -> int:
    array = v[0]
    assert isinstance(array, ArrayValue)
    return array.at(_int(v[1]))


def _fp(compute: Callable[[Kind, int, int, Sort], int]) -> _Operation:
    return lambda term, v: compute(term.kind, _int(v[0]), _int(v[1]), term.children[0].sort)


def _fp_round(term: Term, v: list[Value]) -> int:
    assert isinstance(term.data, RoundingMode)
    return ieee.round_to_integral(_int(v[0]), term.sort, term.data)


def _fp_to_integer(term: Term, v: list[Value]) -> int:
    value = ieee.truncate(_int(v[0]), term.children[0].sort)
    if value is None or not floats.in_range(value, term.width, term.kind is Kind.FP_TO_SIGNED):
        return 0
    return value & ((1 << term.width) - 1)


def _fp_from_signed(term: Term, v: list[Value]) -> int:
    return ieee.round_integer(signed(_int(v[0]), term.children[0].width), term.sort)


_OPERATIONS: Mapping[Kind, _Operation] = {
    Kind.NOT: lambda _, v: not v[0],
    Kind.AND: lambda _, v: all(v),
    Kind.OR: lambda _, v: any(v),
    Kind.EQ: _equal,
    Kind.ITE: lambda _, v: v[1] if v[0] else v[2],
    Kind.BV_NOT: lambda term, v: ~_int(v[0]) & ((1 << term.width) - 1),
    Kind.BV_NEG: lambda term, v: -_int(v[0]) & ((1 << term.width) - 1),
    Kind.BV_AND: _unsigned(lambda x, y: x & y),
    Kind.BV_OR: _unsigned(lambda x, y: x | y),
    Kind.BV_XOR: _unsigned(lambda x, y: x ^ y),
    Kind.BV_ADD: _unsigned(lambda x, y: x + y),
    Kind.BV_MUL: _unsigned(lambda x, y: x * y),
    Kind.BV_UDIV: _unsigned(lambda x, y: x // y if y else -1),
    Kind.BV_UREM: _unsigned(lambda x, y: x % y if y else x),
    Kind.BV_SDIV: lambda t, v: signed_quotient(_int(v[0]), _int(v[1]), t.width) & ((1 << t.width) - 1),
    Kind.BV_SREM: lambda t, v: signed_remainder(_int(v[0]), _int(v[1]), t.width) & ((1 << t.width) - 1),
    Kind.BV_SHL: lambda t, v: _int(v[0]) << _int(v[1]) & ((1 << t.width) - 1) if _int(v[1]) < t.width else 0,
    Kind.BV_LSHR: _unsigned(lambda x, n: x >> n),
    Kind.BV_ASHR: _shift_right_arithmetic,
    Kind.BV_ULT: lambda _, v: _int(v[0]) < _int(v[1]),
    Kind.BV_ULE: lambda _, v: _int(v[0]) <= _int(v[1]),
    Kind.BV_SLT: _signed_comparison(lambda x, y: x < y),
    Kind.BV_SLE: _signed_comparison(lambda x, y: x <= y),
    Kind.CONCAT: lambda term, v: _int(v[0]) << term.children[1].width | _int(v[1]),
    Kind.EXTRACT: _extract,
    Kind.ZERO_EXTEND: lambda _, v: v[0],
    Kind.SIGN_EXTEND: lambda t, v: signed(_int(v[0]), t.children[0].width) & ((1 << t.width) - 1),
    Kind.SELECT: _select,
    Kind.STORE: _store,
    Kind.CONST_ARRAY: lambda _, v: ArrayValue(_int(v[0])),
    Kind.FP_FROM_BITS: lambda term, v: ieee.canonical(_int(v[0]), term.sort),
    Kind.FP_TO_BITS: lambda _, v: v[0],
    Kind.FP_ADD: _fp(ieee.arithmetic),
    Kind.FP_SUB: _fp(ieee.arithmetic),
    Kind.FP_MUL: _fp(ieee.arithmetic),
    Kind.FP_DIV: _fp(ieee.arithmetic),
    Kind.FP_SQRT: lambda term, v: ieee.square_root(_int(v[0]), term.sort),
    Kind.FP_NEG: lambda t, v: ieee.canonical(_int(v[0]) ^ 1 << (t.width - 1), t.sort),
    Kind.FP_ABS: lambda t, v: _int(v[0]) & ((1 << (t.width - 1)) - 1),
    Kind.FP_ROUND: _fp_round,
    Kind.FP_EQ: _fp(ieee.compare),
    Kind.FP_LT: _fp(ieee.compare),
    Kind.FP_LE: _fp(ieee.compare),
    Kind.FP_IS_NAN: lambda t, v: ieee.is_nan(_int(v[0]), t.children[0].sort),
    Kind.FP_IS_INF: lambda t, v: ieee.is_infinite(_int(v[0]), t.children[0].sort),
    Kind.FP_FROM_FP: lambda t, v: ieee.convert(_int(v[0]), t.children[0].sort, t.sort),
    Kind.FP_FROM_SIGNED: _fp_from_signed,
    Kind.FP_FROM_UNSIGNED: lambda t, v: ieee.round_integer(_int(v[0]), t.sort),
    Kind.FP_TO_SIGNED: _fp_to_integer,
    Kind.FP_TO_UNSIGNED: _fp_to_integer,
}


def substitute(term: Term, replacements: Mapping[Term, Term]) -> Term:
    """``term`` with the terms that are keys of ``replacements`` replaced at once, and simplified again."""
    return substitute_all((term,), replacements)[0]


def substitute_all(terms: Sequence[Term], replacements: Mapping[Term, Term]) -> list[Term]:
    """:func:`substitute` for several terms, their common parts visited once."""
    results: dict[Term, Term] = dict(replacements)
    for term in postorder(terms):
        if term in results:
            continue
        children = tuple(results[child] for child in term.children)
        same = all(new is old for new, old in zip(children, term.children, strict=True))
        results[term] = term if same else rebuild(term, children)
    return [results[term] for term in terms]


def rebuild(term: Term, children: Sequence[Term]) -> Term:
    """The operator of ``term`` applied to other ``children``, simplified."""
    build = _CONSTRUCTORS.get(term.kind)
    return build(*children) if build is not None else _rebuild_indexed(term, children)


def _rebuild_indexed(term: Term, children: Sequence[Term]) -> Term:
    operand = children[0] if children else term
    data = term.data
    match term.kind, data:
        case Kind.CONST | Kind.VARIABLE, _:
            return term
        case Kind.EXTRACT, (int(high), int(low)):
            return bitvectors.extract(operand, high, low)
        case Kind.ZERO_EXTEND, int(bits):
            return bitvectors.zero_extend(operand, bits)
        case Kind.SIGN_EXTEND, int(bits):
            return bitvectors.sign_extend(operand, bits)
        case Kind.CONST_ARRAY, _:
            return arrays.const_array(term.sort.width, operand)
        case Kind.FP_FROM_BITS, _:
            return floats.fp_from_bits(operand, term.sort)
        case Kind.FP_ROUND, RoundingMode():
            return floats.fp_round(operand, data)
        case Kind.FP_FROM_FP, _:
            return floats.fp_convert(operand, term.sort)
        case ((Kind.FP_FROM_SIGNED | Kind.FP_FROM_UNSIGNED), _):
            return floats.fp_from_integer(operand, term.kind is Kind.FP_FROM_SIGNED, term.sort)
    return floats.fp_to_integer(operand, term.width, term.kind is Kind.FP_TO_SIGNED)


_CONSTRUCTORS: Mapping[Kind, Callable[..., Term]] = {
    Kind.NOT: booleans.negation,
    Kind.AND: booleans.conjunction,
    Kind.OR: booleans.disjunction,
    Kind.EQ: booleans.equal,
    Kind.ITE: booleans.ite,
    Kind.BV_NOT: bitvectors.bv_not,
    Kind.BV_NEG: bitvectors.bv_neg,
    Kind.BV_AND: bitvectors.bv_and,
    Kind.BV_OR: bitvectors.bv_or,
    Kind.BV_XOR: bitvectors.bv_xor,
    Kind.BV_ADD: bitvectors.bv_add,
    Kind.BV_MUL: bitvectors.bv_mul,
    Kind.BV_UDIV: bitvectors.bv_udiv,
    Kind.BV_UREM: bitvectors.bv_urem,
    Kind.BV_SDIV: bitvectors.bv_sdiv,
    Kind.BV_SREM: bitvectors.bv_srem,
    Kind.BV_SHL: bitvectors.bv_shl,
    Kind.BV_LSHR: bitvectors.bv_lshr,
    Kind.BV_ASHR: bitvectors.bv_ashr,
    Kind.BV_ULT: comparisons.ult,
    Kind.BV_ULE: comparisons.ule,
    Kind.BV_SLT: comparisons.slt,
    Kind.BV_SLE: comparisons.sle,
    Kind.CONCAT: bitvectors.concat,
    Kind.SELECT: arrays.select,
    Kind.STORE: arrays.store,
    Kind.FP_TO_BITS: floats.fp_to_bits,
    Kind.FP_ADD: floats.fp_add,
    Kind.FP_SUB: floats.fp_sub,
    Kind.FP_MUL: floats.fp_mul,
    Kind.FP_DIV: floats.fp_div,
    Kind.FP_SQRT: floats.fp_sqrt,
    Kind.FP_NEG: floats.fp_neg,
    Kind.FP_ABS: floats.fp_abs,
    Kind.FP_EQ: floats.fp_equal,
    Kind.FP_LT: floats.fp_lt,
    Kind.FP_LE: floats.fp_le,
    Kind.FP_IS_NAN: floats.fp_is_nan,
    Kind.FP_IS_INF: floats.fp_is_infinite,
}
