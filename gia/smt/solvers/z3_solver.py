"""Z3 as a :class:`~gia.smt.solvers.solver.Solver`, and the translation of terms that the Horn solver shares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Timer
from typing import Any

import z3

from gia.smt.solvers.solver import Result
from gia.smt.terms import Kind, RoundingMode, Sort, SortKind, Term
from gia.smt.terms.ieee import nan

_OPERATIONS: Mapping[Kind, Callable[..., Any]] = {
    Kind.NOT: z3.Not,
    Kind.AND: z3.And,
    Kind.OR: z3.Or,
    Kind.EQ: lambda x, y: x == y,
    Kind.ITE: z3.If,
    Kind.BV_NOT: lambda x: ~x,
    Kind.BV_NEG: lambda x: -x,
    Kind.BV_AND: lambda x, y: x & y,
    Kind.BV_OR: lambda x, y: x | y,
    Kind.BV_XOR: lambda x, y: x ^ y,
    Kind.BV_ADD: lambda x, y: x + y,
    Kind.BV_MUL: lambda x, y: x * y,
    Kind.BV_UDIV: z3.UDiv,
    Kind.BV_UREM: z3.URem,
    Kind.BV_SDIV: lambda x, y: x / y,
    Kind.BV_SREM: z3.SRem,
    Kind.BV_SHL: lambda x, y: x << y,
    Kind.BV_LSHR: z3.LShR,
    Kind.BV_ASHR: lambda x, y: x >> y,
    Kind.BV_ULT: z3.ULT,
    Kind.BV_ULE: z3.ULE,
    Kind.BV_SLT: lambda x, y: x < y,
    Kind.BV_SLE: lambda x, y: x <= y,
    Kind.CONCAT: z3.Concat,
    Kind.SELECT: z3.Select,
    Kind.STORE: z3.Store,
}
_FLOATING: Mapping[Kind, Callable[..., Any]] = {
    Kind.FP_TO_BITS: z3.fpToIEEEBV,
    Kind.FP_NEG: z3.fpNeg,
    Kind.FP_ABS: z3.fpAbs,
    Kind.FP_EQ: z3.fpEQ,
    Kind.FP_LT: z3.fpLT,
    Kind.FP_LE: z3.fpLEQ,
    Kind.FP_IS_NAN: z3.fpIsNaN,
    Kind.FP_IS_INF: z3.fpIsInf,
}
_ROUNDED: Mapping[Kind, Callable[..., Any]] = {
    Kind.FP_ADD: z3.fpAdd,
    Kind.FP_SUB: z3.fpSub,
    Kind.FP_MUL: z3.fpMul,
    Kind.FP_DIV: z3.fpDiv,
    Kind.FP_SQRT: z3.fpSqrt,
}
_ROUNDING: Mapping[RoundingMode, Callable[[Any], Any]] = {
    RoundingMode.NEAREST_EVEN: z3.RNE,
    RoundingMode.NEAREST_AWAY: z3.RNA,
    RoundingMode.UP: z3.RTP,
    RoundingMode.DOWN: z3.RTN,
    RoundingMode.TO_ZERO: z3.RTZ,
}


def to_z3_sort(sort: Sort, context: z3.Context) -> Any:
    """The sort in Z3."""
    match sort.kind:
        case SortKind.BOOL:
            return z3.BoolSort(context)
        case SortKind.BV:
            return z3.BitVecSort(sort.width, context)
        case SortKind.FP:
            return z3.FPSort(sort.exponent, sort.significand, context)
    assert sort.element is not None
    return z3.ArraySort(z3.BitVecSort(sort.width, context), to_z3_sort(sort.element, context))


class Z3Translator:
    """Terms as expressions of Z3 in one context; each is translated once."""

    def __init__(self, context: z3.Context) -> None:
        self.context = context
        self._terms: dict[Term, Any] = {}

    def term(self, root: Term) -> Any:
        """The expression."""
        pending = [root]
        while pending:
            term = pending[-1]
            if term in self._terms:
                pending.pop()
                continue
            missing = [child for child in term.children if child not in self._terms]
            if missing:
                pending.extend(missing)
            else:
                pending.pop()
                self._terms[term] = self._translate(term)
        return self._terms[root]

    def _translate(self, term: Term) -> Any:
        children = [self._terms[child] for child in term.children]
        if term.kind in _OPERATIONS:
            return _OPERATIONS[term.kind](*children)
        if term.kind in _FLOATING:
            return _FLOATING[term.kind](*children, ctx=self.context)
        nearest = _ROUNDING[RoundingMode.NEAREST_EVEN](self.context)
        if term.kind in _ROUNDED:
            return _ROUNDED[term.kind](nearest, *children, ctx=self.context)
        match term.kind, term.data:
            case Kind.CONST, _:
                return self._const(term)
            case Kind.VARIABLE, _:
                return z3.Const(term.name, to_z3_sort(term.sort, self.context))
            case Kind.EXTRACT, (int(high), int(low)):
                return z3.Extract(high, low, children[0])
            case Kind.ZERO_EXTEND, int(bits):
                return z3.ZeroExt(bits, children[0])
            case Kind.SIGN_EXTEND, int(bits):
                return z3.SignExt(bits, children[0])
            case Kind.CONST_ARRAY, _:
                return z3.K(z3.BitVecSort(term.sort.width, self.context), children[0])
        return self._floating(term, children[0], nearest)

    def _floating(self, term: Term, operand: Any, nearest: Any) -> Any:
        sort = to_z3_sort(term.sort, self.context)
        match term.kind, term.data:
            case Kind.FP_FROM_BITS, _:
                return z3.fpBVToFP(operand, sort, self.context)
            case Kind.FP_ROUND, RoundingMode() as mode:
                return z3.fpRoundToIntegral(_ROUNDING[mode](self.context), operand, ctx=self.context)
            case Kind.FP_FROM_FP, _:
                return z3.fpFPToFP(nearest, operand, sort, self.context)
            case Kind.FP_FROM_SIGNED, _:
                return z3.fpSignedToFP(nearest, operand, sort, self.context)
            case Kind.FP_FROM_UNSIGNED, _:
                return z3.fpUnsignedToFP(nearest, operand, sort, self.context)
        convert = z3.fpToSBV if term.kind is Kind.FP_TO_SIGNED else z3.fpToUBV
        return convert(_ROUNDING[RoundingMode.TO_ZERO](self.context), operand, sort, self.context)

    def _const(self, term: Term) -> Any:
        match term.sort.kind:
            case SortKind.BOOL:
                return z3.BoolVal(bool(term.value), self.context)
            case SortKind.BV:
                return z3.BitVecVal(term.value, term.width, self.context)
        bits = z3.BitVecVal(term.value, term.width, self.context)
        return z3.simplify(z3.fpBVToFP(bits, to_z3_sort(term.sort, self.context), self.context))


class Z3Solver:
    """Implements :class:`~gia.smt.solvers.solver.Solver`."""

    def __init__(self) -> None:
        self._context = z3.Context()
        self._translator = Z3Translator(self._context)
        self._solver = z3.Solver(ctx=self._context)
        self._model: Any = None
        self._assumptions: Sequence[Term] = ()

    def push(self) -> None:
        """Open a level."""
        self._solver.push()

    def pop(self) -> None:
        """Close a level."""
        self._solver.pop()

    def add(self, *formulas: Term) -> None:
        """Assert formulas."""
        self._solver.add(*(self._translator.term(formula) for formula in formulas))

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Result:
        """Solve; an interrupt from a second thread enforces the time."""
        self._model = None
        self._assumptions = assumptions
        assumed = [self._translator.term(term) for term in assumptions]
        self._solver.push()  # Z3 takes literals only as assumptions
        try:
            self._solver.add(*assumed)
            answer = _with_timeout(self._context, self._solver.check, timeout)
            if answer == z3.sat:
                self._model = self._solver.model()
        finally:
            self._solver.pop()
        if answer == z3.sat:
            return Result.SAT
        return Result.UNSAT if answer == z3.unsat else Result.UNKNOWN

    def core(self) -> frozenset[Term]:
        """All assumptions."""
        return frozenset(self._assumptions)

    def value(self, term: Term) -> int:
        """The value in the model."""
        if term.value is not None:
            return term.value
        expression = self._translator.term(term)
        if term.sort.kind is SortKind.FP:
            if z3.is_true(self._model.eval(z3.fpIsNaN(expression, self._context), model_completion=True)):
                return nan(term.sort)
            expression = z3.fpToIEEEBV(expression, self._context)
        found = self._model.eval(expression, model_completion=True)
        if term.sort.kind is SortKind.BOOL:
            return bool(z3.is_true(found))
        return int(z3.simplify(found).as_long())


def _with_timeout(context: z3.Context, call: Callable[[], Any], timeout: float | None) -> Any:
    if timeout is None:
        return call()
    timer = Timer(max(timeout, 0.001), context.interrupt)
    timer.daemon = True
    timer.start()
    try:
        return call()
    except z3.Z3Exception:  # interrupted outside the search
        return z3.unknown
    finally:
        timer.cancel()
        timer.join()
