"""Bitwuzla as a :class:`~gia.smt.solvers.solver.Solver`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any

import bitwuzla as bw

from gia.smt.solvers.solver import Result
from gia.smt.terms import Kind, RoundingMode, Sort, SortKind, Term

_KINDS: Mapping[Kind, Any] = {
    Kind.NOT: bw.Kind.NOT,
    Kind.AND: bw.Kind.AND,
    Kind.OR: bw.Kind.OR,
    Kind.EQ: bw.Kind.EQUAL,
    Kind.ITE: bw.Kind.ITE,
    Kind.BV_NOT: bw.Kind.BV_NOT,
    Kind.BV_NEG: bw.Kind.BV_NEG,
    Kind.BV_AND: bw.Kind.BV_AND,
    Kind.BV_OR: bw.Kind.BV_OR,
    Kind.BV_XOR: bw.Kind.BV_XOR,
    Kind.BV_ADD: bw.Kind.BV_ADD,
    Kind.BV_MUL: bw.Kind.BV_MUL,
    Kind.BV_UDIV: bw.Kind.BV_UDIV,
    Kind.BV_UREM: bw.Kind.BV_UREM,
    Kind.BV_SDIV: bw.Kind.BV_SDIV,
    Kind.BV_SREM: bw.Kind.BV_SREM,
    Kind.BV_SHL: bw.Kind.BV_SHL,
    Kind.BV_LSHR: bw.Kind.BV_SHR,
    Kind.BV_ASHR: bw.Kind.BV_ASHR,
    Kind.BV_ULT: bw.Kind.BV_ULT,
    Kind.BV_ULE: bw.Kind.BV_ULE,
    Kind.BV_SLT: bw.Kind.BV_SLT,
    Kind.BV_SLE: bw.Kind.BV_SLE,
    Kind.CONCAT: bw.Kind.BV_CONCAT,
    Kind.SELECT: bw.Kind.ARRAY_SELECT,
    Kind.STORE: bw.Kind.ARRAY_STORE,
    Kind.FP_NEG: bw.Kind.FP_NEG,
    Kind.FP_ABS: bw.Kind.FP_ABS,
    Kind.FP_EQ: bw.Kind.FP_EQUAL,
    Kind.FP_LT: bw.Kind.FP_LT,
    Kind.FP_LE: bw.Kind.FP_LEQ,
    Kind.FP_IS_NAN: bw.Kind.FP_IS_NAN,
    Kind.FP_IS_INF: bw.Kind.FP_IS_INF,
}
_ROUNDED: Mapping[Kind, Any] = {
    Kind.FP_ADD: bw.Kind.FP_ADD,
    Kind.FP_SUB: bw.Kind.FP_SUB,
    Kind.FP_MUL: bw.Kind.FP_MUL,
    Kind.FP_DIV: bw.Kind.FP_DIV,
    Kind.FP_SQRT: bw.Kind.FP_SQRT,
}
_ROUNDING: Mapping[RoundingMode, Any] = {
    RoundingMode.NEAREST_EVEN: bw.RoundingMode.RNE,
    RoundingMode.NEAREST_AWAY: bw.RoundingMode.RNA,
    RoundingMode.UP: bw.RoundingMode.RTP,
    RoundingMode.DOWN: bw.RoundingMode.RTN,
    RoundingMode.TO_ZERO: bw.RoundingMode.RTZ,
}
_RESULTS: Mapping[Any, Result] = {bw.Result.SAT: Result.SAT, bw.Result.UNSAT: Result.UNSAT}


class Translator:
    """Terms as terms of Bitwuzla; each is translated once.

    ``definitions`` are the constraints that fix the variables which stand for the bits of floating-point terms: they
    have to be asserted with every formula.
    """

    def __init__(self) -> None:
        self.manager = bw.TermManager()
        self.definitions: list[Any] = []
        self._terms: dict[Term, Any] = {}
        self._sorts: dict[Sort, Any] = {}

    def sort(self, sort: Sort) -> Any:
        """The solver's sort."""
        found = self._sorts.get(sort)
        if found is None:
            found = self._sorts[sort] = self._make_sort(sort)
        return found

    def _make_sort(self, sort: Sort) -> Any:
        match sort.kind:
            case SortKind.BOOL:
                return self.manager.mk_bool_sort()
            case SortKind.BV:
                return self.manager.mk_bv_sort(sort.width)
            case SortKind.FP:
                return self.manager.mk_fp_sort(sort.exponent, sort.significand)
        assert sort.element is not None
        return self.manager.mk_array_sort(self.manager.mk_bv_sort(sort.width), self.sort(sort.element))

    def term(self, term: Term) -> Any:
        """The solver's term."""
        found = self._terms.get(term)
        if found is None:
            for part in self._new(term):
                self._terms[part] = self._translate(part)
            found = self._terms[term]
        return found

    def _new(self, root: Term) -> list[Term]:
        """The terms below ``root`` that have no translation yet, children first."""
        order: list[Term] = []
        pending = [root]
        seen = self._terms
        placed: set[Term] = set()
        while pending:
            term = pending[-1]
            if term in seen or term in placed:
                pending.pop()
                continue
            missing = [child for child in term.children if child not in seen and child not in placed]
            if missing:
                pending.extend(missing)
            else:
                pending.pop()
                placed.add(term)
                order.append(term)
        return order

    def _translate(self, term: Term) -> Any:
        make = self.manager.mk_term
        kind = term.kind
        children = [self._terms[child] for child in term.children]
        if kind in _KINDS:
            return make(_KINDS[kind], children)
        if kind in _ROUNDED:
            return make(_ROUNDED[kind], [self._rounding(RoundingMode.NEAREST_EVEN), *children])
        return _SPECIAL[kind](self, term, children)

    def _rounding(self, mode: RoundingMode) -> Any:
        return self.manager.mk_rm_value(_ROUNDING[mode])

    def _const(self, term: Term, _: list[Any]) -> Any:
        assert term.value is not None
        match term.sort.kind:
            case SortKind.BOOL:
                return self.manager.mk_true() if term.value else self.manager.mk_false()
            case SortKind.BV:
                return self.manager.mk_bv_value(self.sort(term.sort), term.value)
        bits = self.manager.mk_bv_value(self.manager.mk_bv_sort(term.width), term.value)
        return self._number(bits, term.sort)

    def _number(self, bits: Any, sort: Sort) -> Any:
        return self.manager.mk_term(bw.Kind.FP_TO_FP_FROM_BV, [bits], [sort.exponent, sort.significand])

    def _variable(self, term: Term, _: list[Any]) -> Any:
        return self.manager.mk_const(self.sort(term.sort), term.name)

    def _extract(self, term: Term, children: list[Any]) -> Any:
        assert isinstance(term.data, tuple)
        return self.manager.mk_term(bw.Kind.BV_EXTRACT, children, [term.data[0], term.data[1]])

    def _zero_extend(self, term: Term, children: list[Any]) -> Any:
        return self.manager.mk_term(bw.Kind.BV_ZERO_EXTEND, children, [term.data])

    def _sign_extend(self, term: Term, children: list[Any]) -> Any:
        return self.manager.mk_term(bw.Kind.BV_SIGN_EXTEND, children, [term.data])

    def _const_array(self, term: Term, children: list[Any]) -> Any:
        return self.manager.mk_const_array(self.sort(term.sort), children[0])

    def _from_bits(self, term: Term, children: list[Any]) -> Any:
        return self._number(children[0], term.sort)

    def _to_bits(self, term: Term, children: list[Any]) -> Any:
        """A variable whose number is the operand: SMT-LIB has no such function, because NaN has many patterns."""
        bits = self.manager.mk_const(self.sort(term.sort))
        number = self._number(bits, term.children[0].sort)
        self.definitions.append(self.manager.mk_term(bw.Kind.EQUAL, [number, children[0]]))
        return bits

    def _round(self, term: Term, children: list[Any]) -> Any:
        assert isinstance(term.data, RoundingMode)
        return self.manager.mk_term(bw.Kind.FP_RTI, [self._rounding(term.data), children[0]])

    def _to_fp(self, term: Term, children: list[Any]) -> Any:
        kind = {
            Kind.FP_FROM_FP: bw.Kind.FP_TO_FP_FROM_FP,
            Kind.FP_FROM_SIGNED: bw.Kind.FP_TO_FP_FROM_SBV,
            Kind.FP_FROM_UNSIGNED: bw.Kind.FP_TO_FP_FROM_UBV,
        }[term.kind]
        operands = [self._rounding(RoundingMode.NEAREST_EVEN), children[0]]
        return self.manager.mk_term(kind, operands, [term.sort.exponent, term.sort.significand])

    def _to_integer(self, term: Term, children: list[Any]) -> Any:
        kind = bw.Kind.FP_TO_SBV if term.kind is Kind.FP_TO_SIGNED else bw.Kind.FP_TO_UBV
        return self.manager.mk_term(kind, [self._rounding(RoundingMode.TO_ZERO), children[0]], [term.width])


_SPECIAL: Mapping[Kind, Callable[[Translator, Term, list[Any]], Any]] = {
    Kind.CONST: Translator._const,
    Kind.VARIABLE: Translator._variable,
    Kind.EXTRACT: Translator._extract,
    Kind.ZERO_EXTEND: Translator._zero_extend,
    Kind.SIGN_EXTEND: Translator._sign_extend,
    Kind.CONST_ARRAY: Translator._const_array,
    Kind.FP_FROM_BITS: Translator._from_bits,
    Kind.FP_TO_BITS: Translator._to_bits,
    Kind.FP_ROUND: Translator._round,
    Kind.FP_FROM_FP: Translator._to_fp,
    Kind.FP_FROM_SIGNED: Translator._to_fp,
    Kind.FP_FROM_UNSIGNED: Translator._to_fp,
    Kind.FP_TO_SIGNED: Translator._to_integer,
    Kind.FP_TO_UNSIGNED: Translator._to_integer,
}


class _Clock:
    """When a query is to end. The library keeps it: it must not lead to the solver, which would never be freed."""

    deadline = float("inf")

    def is_over(self) -> bool:
        """Whether the time is over."""
        return monotonic() > self.deadline


class BitwuzlaSolver:
    """Implements :class:`~gia.smt.solvers.solver.Solver`; with ``cores``, which costs time, it says the reasons."""

    def __init__(self, *, cores: bool = False) -> None:
        self._translator = Translator()
        self._cores = cores
        self._assumptions: Sequence[Term] = ()
        options = bw.Options()
        options.set(bw.Option.PRODUCE_MODELS, True)
        options.set(bw.Option.PRODUCE_UNSAT_ASSUMPTIONS, cores)
        # The order of x would be lost: y + z = 3 * x would become x = (y + z) / 3, modulo the numbers of the type.
        options.set(bw.Option.PP_VARIABLE_SUBST_NORM_EQ, False)
        self._solver = bw.Bitwuzla(self._translator.manager, options)
        self._depth = 0
        self._defined = 0  # how many definitions are asserted at the bottom of the stack
        self._clock = _Clock()
        self._solver.configure_terminator(self._clock.is_over)

    def push(self) -> None:
        """Open a level."""
        self._depth += 1
        self._solver.push(1)

    def pop(self) -> None:
        """Close a level."""
        self._depth -= 1
        self._solver.pop(1)

    def add(self, *formulas: Term) -> None:
        """Assert formulas."""
        for formula in formulas:
            self._solver.assert_formula(self._translator.term(formula))

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Result:
        """Solve. The clock runs during search; translation and preprocessing are not interrupted."""
        started = monotonic()
        self._assumptions = assumptions
        if any(term.is_false for term in assumptions):
            return Result.UNSAT
        assumed = [self._translator.term(term) for term in assumptions if not term.is_true]
        definitions = self._translator.definitions[self._defined :]
        if self._depth == 0:
            for definition in definitions:
                self._solver.assert_formula(definition)
            self._defined += len(definitions)
            definitions = []
        self._clock.deadline = float("inf") if timeout is None else started + timeout
        if self._clock.is_over():
            return Result.UNKNOWN
        answer = self._solver.check_sat(*assumed, *definitions)
        return _RESULTS.get(answer, Result.UNKNOWN)

    def core(self) -> frozenset[Term]:
        """Assumptions that cannot hold together."""
        if not self._cores:
            return frozenset(self._assumptions)
        impossible = frozenset(term for term in self._assumptions if term.is_false)
        if impossible:  # the library was not asked
            return impossible
        reasons = frozenset(self._solver.get_unsat_assumptions())
        return frozenset(term for term in self._assumptions if self._translator.term(term) in reasons)

    def value(self, term: Term) -> int:
        """The value in the model."""
        if term.value is not None:
            return term.value
        found = self._solver.get_value(self._translator.term(term))
        match term.sort.kind:
            case SortKind.BOOL:
                return bool(found.value())
            case SortKind.BV:
                return int(found.value(16), 16)
        return int("".join(found.value(2)), 2)
