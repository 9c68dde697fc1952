"""Random terms built twice: with the simplifying constructors, and raw, so that each can judge the other."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from gia.smt import terms as t
from gia.smt.terms.nodes import make

WIDTHS = (1, 4, 8)


@dataclass(frozen=True)
class Pair:
    """The same term, simplified and raw."""

    simplified: t.Term
    raw: t.Term


def same(term: t.Term) -> Pair:
    return Pair(term, term)


class RandomTerms:
    """A deterministic source of terms over a few small variables."""

    def __init__(self, seed: int, *, floats: bool = False, arrays: bool = False) -> None:
        self.random = Random(seed)
        self.floats = floats
        self.arrays = arrays
        self.variables: set[t.Term] = set()

    def _variable(self, name: str, sort: t.Sort) -> Pair:
        found = t.variable(name, sort)
        self.variables.add(found)
        return same(found)

    def boolean(self, depth: int) -> Pair:
        choice = self.random.randrange(10)
        if depth == 0:
            return self._variable(f"p{choice % 3}", t.BOOL) if choice else same(t.bool_const(choice % 2 == 0))
        if choice < 2:
            return self._apply(t.negation, t.Kind.NOT, t.BOOL, self.boolean(depth - 1))
        if choice < 5:
            operands = [self.boolean(depth - 1) for _ in range(self.random.randrange(2, 4))]
            build, kind = self.random.choice([(t.conjunction, t.Kind.AND), (t.disjunction, t.Kind.OR)])
            return self._apply(build, kind, t.BOOL, *operands)
        if choice == 5:
            return self._ite(t.BOOL, *(self.boolean(depth - 1) for _ in range(3)))
        if self.floats and choice == 6:
            return self._float_predicate(depth)
        width = self.random.choice(WIDTHS)
        left, right = self.vector(depth - 1, width), self.vector(depth - 1, width)
        if choice < 8:
            return self._apply(t.equal, t.Kind.EQ, t.BOOL, left, right)
        build, kind = self.random.choice(
            [(t.ult, t.Kind.BV_ULT), (t.ule, t.Kind.BV_ULE), (t.slt, t.Kind.BV_SLT), (t.sle, t.Kind.BV_SLE)]
        )
        return self._apply(build, kind, t.BOOL, left, right)

    def vector(self, depth: int, width: int) -> Pair:
        sort = t.bv_sort(width)
        if depth == 0 or self.random.random() < 0.15:
            if self.random.random() < 0.4:
                return same(t.bv_const(self.random.choice([0, 1, -1, 1 << (width - 1), 3, 7]), width))
            return self._variable(f"v{width}_{self.random.randrange(2)}", sort)
        choice = self.random.randrange(22)
        if choice < len(_BINARY):
            build, kind = _BINARY[choice]
            return self._apply(build, kind, sort, self.vector(depth - 1, width), self.vector(depth - 1, width))
        if choice < len(_BINARY) + 2:
            build, kind = self.random.choice([(t.bv_not, t.Kind.BV_NOT), (t.bv_neg, t.Kind.BV_NEG)])
            return self._apply(build, kind, sort, self.vector(depth - 1, width))
        if choice < len(_BINARY) + 5:
            return self._ite(
                sort, self.boolean(depth - 1), self.vector(depth - 1, width), self.vector(depth - 1, width)
            )
        return self._resized(depth, width, choice)

    def _resized(self, depth: int, width: int, choice: int) -> Pair:
        sort = t.bv_sort(width)
        if width == 8 and choice % 3 == 0:
            return self._apply(t.concat, t.Kind.CONCAT, sort, self.vector(depth - 1, 4), self.vector(depth - 1, 4))
        if width == 8 and self.arrays and choice % 3 == 1:
            return self._apply(t.select, t.Kind.SELECT, sort, self.array(depth - 1), self.vector(depth - 1, 4))
        if width > 1 and choice % 2:
            inner = self.vector(depth - 1, 1 if width == 4 else 4)
            bits = width - inner.raw.width
            signed = self.random.random() < 0.5
            build = t.sign_extend if signed else t.zero_extend
            kind = t.Kind.SIGN_EXTEND if signed else t.Kind.ZERO_EXTEND
            return Pair(build(inner.simplified, bits), make(kind, (inner.raw,), bits, sort))
        if width == 8:
            return self.vector(depth - 1, 8)
        inner = self.vector(depth - 1, 8)
        low = self.random.randrange(0, 9 - width)
        high = low + width - 1
        return Pair(t.extract(inner.simplified, high, low), make(t.Kind.EXTRACT, (inner.raw,), (high, low), sort))

    def array(self, depth: int) -> Pair:
        sort = t.array_sort(4, t.bv_sort(8))
        choice = self.random.randrange(4)
        if depth <= 0 or choice == 0:
            if self.random.random() < 0.5:
                return self._variable("a", sort)
            value = self.vector(0, 8)
            return Pair(t.const_array(4, value.simplified), make(t.Kind.CONST_ARRAY, (value.raw,), None, sort))
        if choice == 1:
            return self._ite(sort, self.boolean(depth - 1), self.array(depth - 1), self.array(depth - 1))
        operands = (self.array(depth - 1), self.vector(depth - 1, 4), self.vector(depth - 1, 8))
        return self._apply(t.store, t.Kind.STORE, sort, *operands)

    def floating(self, depth: int) -> Pair:
        sort = t.FLOAT32
        if depth == 0 or self.random.random() < 0.2:
            if self.random.random() < 0.5:
                bits = self.random.choice(
                    [0, 0x80000000, 0x3F800000, 0x7F800000, 0x7FC00000, 1, 0x4B000001, 0xC0490FDB]
                )
                return same(t.fp_const(bits, sort))
            return self._variable(f"f{self.random.randrange(2)}", sort)
        choice = self.random.randrange(9)
        if choice < 4:
            build, kind = _FLOATING[choice]
            return self._apply(build, kind, sort, self.floating(depth - 1), self.floating(depth - 1))
        if choice == 4:
            return self._apply(t.fp_neg, t.Kind.FP_NEG, sort, self.floating(depth - 1))
        if choice == 5:
            return self._apply(t.fp_abs, t.Kind.FP_ABS, sort, self.floating(depth - 1))
        if choice == 6:
            inner, mode = self.floating(depth - 1), self.random.choice(list(t.RoundingMode))
            return Pair(t.fp_round(inner.simplified, mode), make(t.Kind.FP_ROUND, (inner.raw,), mode, sort))
        if choice == 7:
            vector, signed = self.vector(depth - 1, 8), self.random.random() < 0.5
            kind = t.Kind.FP_FROM_SIGNED if signed else t.Kind.FP_FROM_UNSIGNED
            return Pair(t.fp_from_integer(vector.simplified, signed, sort), make(kind, (vector.raw,), None, sort))
        return self._ite(sort, self.boolean(depth - 1), self.floating(depth - 1), self.floating(depth - 1))

    def _float_predicate(self, depth: int) -> Pair:
        left = self.floating(depth - 1)
        choice = self.random.randrange(5)
        if choice == 3:
            return self._apply(t.fp_is_nan, t.Kind.FP_IS_NAN, t.BOOL, left)
        if choice == 4:
            return self._apply(t.fp_is_infinite, t.Kind.FP_IS_INF, t.BOOL, left)
        build, kind = [(t.fp_equal, t.Kind.FP_EQ), (t.fp_lt, t.Kind.FP_LT), (t.fp_le, t.Kind.FP_LE)][choice]
        return self._apply(build, kind, t.BOOL, left, self.floating(depth - 1))

    @staticmethod
    def _apply(build: Callable[..., t.Term], kind: t.Kind, sort: t.Sort, *operands: Pair) -> Pair:
        raw = make(kind, tuple(operand.raw for operand in operands), None, sort)
        return Pair(build(*(operand.simplified for operand in operands)), raw)

    def _ite(self, sort: t.Sort, *operands: Pair) -> Pair:
        return self._apply(t.ite, t.Kind.ITE, sort, *operands)

    def assignment(self) -> dict[t.Term, t.Value]:
        """Random values for all variables used so far."""
        values: dict[t.Term, t.Value] = {}
        for term in sorted(self.variables, key=lambda term: term.name):
            match term.sort.kind:
                case t.SortKind.BOOL:
                    values[term] = self.random.random() < 0.5
                case t.SortKind.ARRAY:
                    entries = tuple((index, self.random.randrange(1, 256)) for index in range(0, 16, 3))
                    values[term] = t.ArrayValue(0, entries)
                case t.SortKind.FP:
                    value = self.random.choice([0.0, -0.0, 1.5, -2.25, float("inf"), float("nan"), 1e-40, 3e38])
                    values[term] = t.fp_from_python(value, term.sort).value
                case _:
                    values[term] = self.random.randrange(1 << term.width)
        return values


_BINARY: list[tuple[Callable[..., t.Term], t.Kind]] = [
    (t.bv_add, t.Kind.BV_ADD),
    (t.bv_mul, t.Kind.BV_MUL),
    (t.bv_udiv, t.Kind.BV_UDIV),
    (t.bv_urem, t.Kind.BV_UREM),
    (t.bv_sdiv, t.Kind.BV_SDIV),
    (t.bv_srem, t.Kind.BV_SREM),
    (t.bv_and, t.Kind.BV_AND),
    (t.bv_or, t.Kind.BV_OR),
    (t.bv_xor, t.Kind.BV_XOR),
    (t.bv_shl, t.Kind.BV_SHL),
    (t.bv_lshr, t.Kind.BV_LSHR),
    (t.bv_ashr, t.Kind.BV_ASHR),
]
_FLOATING: list[tuple[Callable[..., t.Term], t.Kind]] = [
    (t.fp_add, t.Kind.FP_ADD),
    (t.fp_sub, t.Kind.FP_SUB),
    (t.fp_mul, t.Kind.FP_MUL),
    (t.fp_div, t.Kind.FP_DIV),
]
