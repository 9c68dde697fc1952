"""Sorts and hash-consed terms: the representation only, no simplification.

Two terms of the same structure are the same object, so that equality is identity and sharing costs nothing.
The table that guarantees it holds its terms weakly: what nobody uses any more disappears, program by program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import count
from typing import NamedTuple
from weakref import ref


class SortKind(StrEnum):
    """The four kinds of sorts."""

    BOOL = "Bool"
    BV = "BitVec"
    FP = "FloatingPoint"
    ARRAY = "Array"


class Sort(NamedTuple):
    """A sort of SMT-LIB.

    ``width``: bits of a bit-vector, of a floating-point number in all, or of the index of an array.
    ``significand``: bits of the significand of a floating-point sort, with the hidden bit. ``element``: of an array.
    """

    kind: SortKind
    width: int = 0
    significand: int = 0
    element: Sort | None = None

    @property
    def exponent(self) -> int:
        """Bits of the exponent of a floating-point sort."""
        return self.width - self.significand

    def __str__(self) -> str:
        if self.kind is SortKind.BOOL:
            return "Bool"
        if self.kind is SortKind.FP:
            return f"(_ FloatingPoint {self.exponent} {self.significand})"
        bits = f"(_ BitVec {self.width})"
        return bits if self.kind is SortKind.BV else f"(Array {bits} {self.element})"


BOOL = Sort(SortKind.BOOL)


def bv_sort(width: int) -> Sort:
    """Bit-vectors of ``width`` ≥ 1 bits."""
    return Sort(SortKind.BV, width)


def fp_sort(exponent: int, significand: int) -> Sort:
    """IEEE 754 binary numbers; ``significand`` counts the hidden bit, as in SMT-LIB."""
    return Sort(SortKind.FP, exponent + significand, significand)


def array_sort(index_width: int, element: Sort) -> Sort:
    """Arrays from bit-vectors of ``index_width`` bits to ``element``."""
    return Sort(SortKind.ARRAY, index_width, 0, element)


FLOAT32 = fp_sort(8, 24)
FLOAT64 = fp_sort(11, 53)


class Kind(StrEnum):
    """The operators; the value is the SMT-LIB name, or what SMT-LIB lacks in words.

    ``data`` of a term: the name of a variable; ``(high, low)`` of an extraction; the number of bits that an
    extension adds; the :class:`RoundingMode` of ``FP_ROUND``; the sort's width of a conversion to bits.
    """

    CONST = "const"
    VARIABLE = "variable"
    NOT = "not"
    AND = "and"
    OR = "or"
    EQ = "="
    ITE = "ite"
    BV_NOT = "bvnot"
    BV_NEG = "bvneg"
    BV_AND = "bvand"
    BV_OR = "bvor"
    BV_XOR = "bvxor"
    BV_ADD = "bvadd"
    BV_MUL = "bvmul"
    BV_UDIV = "bvudiv"
    BV_UREM = "bvurem"
    BV_SDIV = "bvsdiv"
    BV_SREM = "bvsrem"
    BV_SHL = "bvshl"
    BV_LSHR = "bvlshr"
    BV_ASHR = "bvashr"
    BV_ULT = "bvult"
    BV_ULE = "bvule"
    BV_SLT = "bvslt"
    BV_SLE = "bvsle"
    CONCAT = "concat"
    EXTRACT = "extract"
    ZERO_EXTEND = "zero_extend"
    SIGN_EXTEND = "sign_extend"
    SELECT = "select"
    STORE = "store"
    CONST_ARRAY = "const-array"
    FP_FROM_BITS = "fp.from_ieee_bv"
    FP_TO_BITS = "fp.to_ieee_bv"
    FP_ADD = "fp.add"
    FP_SUB = "fp.sub"
    FP_MUL = "fp.mul"
    FP_DIV = "fp.div"
    FP_SQRT = "fp.sqrt"
    FP_NEG = "fp.neg"
    FP_ABS = "fp.abs"
    FP_ROUND = "fp.roundToIntegral"
    FP_EQ = "fp.eq"
    FP_LT = "fp.lt"
    FP_LE = "fp.leq"
    FP_IS_NAN = "fp.isNaN"
    FP_IS_INF = "fp.isInfinite"
    FP_FROM_FP = "fp.to_fp"
    FP_FROM_SIGNED = "fp.to_fp_signed"
    FP_FROM_UNSIGNED = "fp.to_fp_unsigned"
    FP_TO_SIGNED = "fp.to_sbv"
    FP_TO_UNSIGNED = "fp.to_ubv"


class RoundingMode(StrEnum):
    """The rounding of ``FP_ROUND``; arithmetic always rounds to nearest, ties to even; conversions to bits truncate."""

    NEAREST_EVEN = "RNE"
    NEAREST_AWAY = "RNA"
    UP = "RTP"
    DOWN = "RTN"
    TO_ZERO = "RTZ"


class ArrayValue(NamedTuple):
    """The value of an array: ``default`` everywhere but at the indices of ``entries`` (none maps to ``default``)."""

    default: int
    entries: tuple[tuple[int, int], ...] = ()

    def at(self, index: int) -> int:
        """The element at ``index``."""
        return dict(self.entries).get(index, self.default)


Data = int | str | bool | tuple[int, int] | Sort | None


class Term:
    """One node of the term DAG; made by the constructors of :mod:`gia.smt.terms` only, never changed.

    ``value`` is the value of a constant (bit-vectors: unsigned; Booleans: ``bool``; floating point: the IEEE bits,
    with one NaN), and ``None`` for everything else. ``number`` orders terms by age: children before parents.
    """

    __slots__ = ("__weakref__", "children", "data", "kind", "number", "sort", "value")

    def __init__(self, kind: Kind, children: tuple[Term, ...], data: Data, sort: Sort) -> None:
        self.kind = kind
        self.children = children
        self.data = data
        self.sort = sort
        self.value: int | None = data if kind is Kind.CONST else None  # type: ignore[assignment]
        self.number = next(_numbers)

    @property
    def width(self) -> int:
        """Bits of a bit-vector or floating-point term."""
        return self.sort.width

    @property
    def name(self) -> str:
        """The name of a variable."""
        assert self.kind is Kind.VARIABLE
        return str(self.data)

    @property
    def is_true(self) -> bool:
        """Whether this is the constant true."""
        return self.value is True

    @property
    def is_false(self) -> bool:
        """Whether this is the constant false."""
        return self.value is False

    def __repr__(self) -> str:
        return to_text(self)


_Key = tuple[Kind, tuple[Term, ...], Data, Sort]


class _Reference(ref[Term]):
    """A weak reference to a term that knows where the table keeps it."""

    __slots__ = ("key",)
    key: _Key


_numbers = count()
_table: dict[_Key, _Reference] = {}


def _forget(reference: _Reference) -> None:
    """Remove a term that is no longer used, unless its place was taken meanwhile."""
    if _table.get(reference.key) is reference:
        del _table[reference.key]


def make(kind: Kind, children: tuple[Term, ...], data: Data, sort: Sort) -> Term:
    """The one term of this structure. Callers have simplified and checked the sorts."""
    key = (kind, children, data, sort)
    found = _table.get(key)
    if found is not None:
        known = found()
        if known is not None:
            return known
    term = Term(kind, children, data, sort)
    reference = _Reference(term, _forget)
    reference.key = key
    _table[key] = reference
    return term


def existing_negation(term: Term) -> Term | None:
    """``Not term`` if somebody has it already; nobody compares against what does not exist."""
    found = _table.get((Kind.NOT, (term,), None, BOOL))
    return found() if found is not None else None


def variable(name: str, sort: Sort) -> Term:
    """The free variable ``name`` of ``sort``; the same name and sort give the same term everywhere."""
    return make(Kind.VARIABLE, (), name, sort)


def bv_variable(name: str, width: int) -> Term:
    """The bit-vector variable ``name``."""
    return make(Kind.VARIABLE, (), name, Sort(SortKind.BV, width))


def bool_variable(name: str) -> Term:
    """The Boolean variable ``name``."""
    return make(Kind.VARIABLE, (), name, BOOL)


def bv_const(value: int, width: int) -> Term:
    """The bit-vector constant ``value`` modulo ``2**width``."""
    return make(Kind.CONST, (), value & ((1 << width) - 1), Sort(SortKind.BV, width))


TRUE = make(Kind.CONST, (), True, BOOL)
FALSE = make(Kind.CONST, (), False, BOOL)


def bool_const(value: bool) -> Term:
    """``TRUE`` or ``FALSE``."""
    return TRUE if value else FALSE


def signed(value: int, width: int) -> int:
    """The two's complement reading of an unsigned ``value`` of ``width`` bits."""
    return value - (1 << width) if value >> (width - 1) else value


def postorder(roots: Iterable[Term]) -> Iterator[Term]:
    """Every term below ``roots`` once, children before parents; deep terms do not exhaust the stack."""
    done: set[Term] = set()
    for root in roots:
        if root in done:
            continue
        pending = [root]
        while pending:
            term = pending[-1]
            if term in done:
                pending.pop()
                continue
            missing = [child for child in term.children if child not in done]
            if missing:
                pending.extend(reversed(missing))
            else:
                pending.pop()
                done.add(term)
                yield term


def variables_of(*roots: Term) -> tuple[Term, ...]:
    """The variables below ``roots``, in the order of their names."""
    found = {term for term in postorder(roots) if term.kind is Kind.VARIABLE}
    return tuple(sorted(found, key=lambda term: (term.name, term.sort)))


def to_text(term: Term, limit: int = 2000) -> str:
    """The term as an s-expression for people, cut off after ``limit`` characters."""
    pieces: list[str] = []
    length = 0
    pending: list[Term | str] = [term]
    while pending and length < limit:
        item = pending.pop()
        if isinstance(item, str):
            text = item
        elif item.kind is Kind.VARIABLE:
            text = f" {item.data}"
        elif item.kind is Kind.CONST:
            text = f" {str(item.value).lower()}" if item.sort == BOOL else f" {item.value}:{item.width}"
        else:
            text = f" ({item.kind.value}{'' if item.data is None else '[' + str(item.data) + ']'}"
            pending.append(")")
            pending.extend(reversed(item.children))
        pieces.append(text)
        length += len(text)
    return "".join(pieces).strip() + (" …" if pending else "")
