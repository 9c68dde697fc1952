"""Bit-vector formulas read as formulas over unbounded integers: a guess that makes Horn clauses easy to solve.

A term is read as a signed or unsigned number, as its variables are meant; sums and products do not wrap around, and
operations that integers lack give arbitrary numbers. Whatever follows has to be checked bit-precisely.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from gia.smt.terms import Kind, SortKind, Term, postorder, signed


class IntegerReading:
    """Terms as integer expressions of Z3, each read once."""

    def __init__(self, context: z3.Context) -> None:
        self.context = context
        self._unsigned: set[Term] = set()
        """The variables that are meant so, and the terms whose readings are unsigned values."""
        self._unread: set[Term] = set()
        self._found: dict[Term, Any] = {}

    def declare(self, parameter: Term, is_signed: bool) -> None:
        """Say how a variable is meant; others are signed."""
        if not is_signed:
            self._unsigned.add(parameter)

    def parameter_sort(self, parameter: Term) -> Any:
        """Integers."""
        return z3.IntSort(self.context)

    def range_of(self, parameter: Term, value: Term) -> list[Any]:
        """That ``value`` is in the range of a parameter."""
        low, high = self._bounds(parameter.width, parameter in self._unsigned)
        number = self.value(value)
        return [number >= low, number <= high]

    def constants(self, terms: Sequence[Term]) -> list[Any]:
        """The constants in the readings of terms: their variables, and what stands for operations that are not read."""
        parts = [part for part in postorder(terms) if part.kind is Kind.VARIABLE or part in self._unread]
        return [self.value(part) for part in parts]

    def _bounds(self, width: int, unsigned: bool) -> tuple[int, int]:
        return (0, (1 << width) - 1) if unsigned else (-(1 << (width - 1)), (1 << (width - 1)) - 1)

    def formula(self, term: Term) -> Any:
        """A Boolean term."""
        return self.value(term)

    def value(self, term: Term) -> Any:
        """A term as a formula or an integer."""
        for part in postorder([term]):
            if part not in self._found:
                if self._becomes_unsigned(part):
                    self._unsigned.add(part)
                self._found[part] = self._read(part)
        return self._found[term]

    def _read(self, term: Term) -> Any:
        children = [self._found[child] for child in term.children]
        if term.kind is Kind.VARIABLE:
            boolean = term.sort.kind is SortKind.BOOL
            return z3.Bool(term.name, self.context) if boolean else z3.Int(term.name, self.context)
        if term.kind is Kind.CONST:
            if term.sort.kind is SortKind.BOOL:
                return z3.BoolVal(bool(term.value), self.context)
            return z3.IntVal(signed(term.value or 0, term.width), self.context)
        if term.sort.kind is SortKind.BOOL:
            return self._boolean(term, children)
        return self._integer(term, children)

    def _boolean(self, term: Term, children: list[Any]) -> Any:
        match term.kind:
            case Kind.NOT:
                return z3.Not(children[0])
            case Kind.AND:
                return z3.And(*children)
            case Kind.OR:
                return z3.Or(*children)
            case Kind.ITE:
                return z3.If(*children)
            case Kind.EQ:
                return self._equal(term, children)
            case Kind.BV_SLT:
                return children[0] < children[1]
            case Kind.BV_SLE:
                return children[0] <= children[1]
            case Kind.BV_ULT:
                left, right = (self._as_unsigned(child) for child in term.children)
                return left < right
            case Kind.BV_ULE:
                left, right = (self._as_unsigned(child) for child in term.children)
                return left <= right
        self._unread.add(term)
        return z3.FreshBool("unread", self.context)

    def _equal(self, term: Term, children: list[Any]) -> Any:
        left, right = term.children
        if left.sort.kind is SortKind.BV and (left in self._unsigned or right in self._unsigned):
            return self._as_unsigned(left) == self._as_unsigned(right)
        return children[0] == children[1]

    def _becomes_unsigned(self, term: Term) -> bool:
        """Whether the reading of a term, whose operands are read, is its unsigned value."""
        if term.kind in (Kind.BV_ADD, Kind.BV_MUL, Kind.ITE):
            return any(child in self._unsigned for child in term.children)
        return term.kind is Kind.ZERO_EXTEND

    def _as_unsigned(self, term: Term) -> Any:
        """The unsigned value of a term."""
        if term.value is not None:
            return z3.IntVal(term.value, self.context)
        found = self._found[term]
        if term in self._unsigned:
            return found
        return z3.If(found >= 0, found, found + (1 << term.width))

    def _integer(self, term: Term, children: list[Any]) -> Any:
        match term.kind, term.data:
            case Kind.BV_ADD, _:
                return children[0] + children[1]
            case Kind.BV_NEG, _:
                return -children[0]
            case Kind.BV_NOT, _:
                return -children[0] - 1
            case Kind.ITE, _:
                return z3.If(*children)
            case Kind.SIGN_EXTEND, _:
                return children[0]
            case Kind.ZERO_EXTEND, _:
                return self._as_unsigned(term.children[0])
            case Kind.EXTRACT, (_, 0):  # a conversion that keeps the value
                return children[0]
        found = self._by_constant(term, children[0], term.children[-1].value)
        if found is not None:
            return found
        self._unread.add(term)
        return z3.FreshInt("unread", self.context)

    def _by_constant(self, term: Term, left: Any, right: int | None) -> Any | None:
        """Operators that are linear, or divide, because their right operand is constant."""
        if right is None:
            return None
        meant = signed(right, term.width)
        unsigned = self._as_unsigned(term.children[0])
        match term.kind:
            case Kind.BV_MUL:
                return left * meant
            case Kind.BV_SHL if right < term.width:
                return left * (1 << right)
            case Kind.BV_UDIV if right:
                return unsigned / right
            case Kind.BV_UREM if right:
                return unsigned % right
            case Kind.BV_LSHR:
                return unsigned / (1 << min(right, term.width))
            case Kind.BV_ASHR:
                return left / (1 << min(right, term.width))
            case Kind.BV_SDIV if meant > 0:
                return z3.If(left >= 0, left / right, -((-left) / right))
            case Kind.BV_SREM if meant > 0:
                return z3.If(left >= 0, left % right, -((-left) % right))
            case Kind.BV_AND if right & (right + 1) == 0:
                return unsigned % (right + 1)
        return None
