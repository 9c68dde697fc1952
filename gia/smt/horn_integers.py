"""Bit-vector formulas read as formulas over unbounded integers: a guess that makes Horn clauses easy to solve.

A term is read as a signed or unsigned number, as its variables are meant; sums and products do not wrap around, and
operations that integers lack give arbitrary numbers. Whatever follows has to be checked bit-precisely.
"""

from __future__ import annotations

from typing import Any

import z3

from gia.smt.terms import Kind, SortKind, Term, postorder, signed


class IntegerReading:
    """Terms as integer expressions of Z3, each read once."""

    def __init__(self, context: z3.Context) -> None:
        self.context = context
        self._unsigned: set[Term] = set()
        self._found: dict[Term, Any] = {}

    def declare(self, parameter: Term, is_signed: bool) -> None:
        """Say how a variable is meant; others are signed."""
        if not is_signed:
            self._unsigned.add(parameter)

    def parameter_sort(self, parameter: Term) -> Any:
        """Integers."""
        return z3.IntSort(self.context)

    def range_of(self, parameter: Term) -> list[Any]:
        """The bounds of a variable."""
        low, high = self._bounds(parameter.width, parameter in self._unsigned)
        value = self.value(parameter)
        return [value >= low, value <= high]

    def _bounds(self, width: int, unsigned: bool) -> tuple[int, int]:
        return (0, (1 << width) - 1) if unsigned else (-(1 << (width - 1)), (1 << (width - 1)) - 1)

    def formula(self, term: Term) -> Any:
        """A Boolean term."""
        return self.value(term)

    def value(self, term: Term) -> Any:
        """A term as a formula or an integer."""
        for part in postorder([term]):
            if part not in self._found:
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
        return z3.FreshBool("unread", self.context)

    def _equal(self, term: Term, children: list[Any]) -> Any:
        left, right = term.children
        if left.sort.kind is SortKind.BV and (self._is_unsigned(left) or self._is_unsigned(right)):
            return self._as_unsigned(left) == self._as_unsigned(right)
        return children[0] == children[1]

    def _is_unsigned(self, term: Term) -> bool:
        """Whether the reading of a term is its unsigned value."""
        if term in self._unsigned or term.kind is Kind.ZERO_EXTEND:
            return True
        if term.kind in (Kind.BV_ADD, Kind.BV_MUL, Kind.ITE):
            return any(self._is_unsigned(child) for child in term.children if child.sort.kind is SortKind.BV)
        return False

    def _as_unsigned(self, term: Term) -> Any:
        """The unsigned value of a term."""
        if term.value is not None:
            return z3.IntVal(term.value, self.context)
        found = self._found[term]
        if self._is_unsigned(term):
            return found
        return z3.If(found >= 0, found, found + (1 << term.width))

    def _integer(self, term: Term, children: list[Any]) -> Any:
        right = term.children[-1].value
        match term.kind, term.data:
            case Kind.BV_ADD, _:
                return children[0] + children[1]
            case Kind.BV_NEG, _:
                return -children[0]
            case Kind.BV_NOT, _:
                return -children[0] - 1
            case Kind.ITE, _:
                return z3.If(*children)
            case Kind.BV_MUL, _ if right is not None:
                return children[0] * signed(right, term.width)
            case Kind.BV_SHL, _ if right is not None and right < term.width:
                return children[0] * (1 << right)
            case Kind.BV_UDIV, _ if right:
                return self._as_unsigned(term.children[0]) / right
            case Kind.BV_UREM, _ if right:
                return self._as_unsigned(term.children[0]) % right
            case Kind.BV_LSHR, _ if right is not None:
                return self._as_unsigned(term.children[0]) / (1 << right)
            case Kind.BV_ASHR, _ if right is not None:
                return children[0] / (1 << right)
            case Kind.BV_SDIV, _ if right and signed(right, term.width) > 0:
                return z3.If(children[0] >= 0, children[0] / right, -((-children[0]) / right))
            case Kind.BV_SREM, _ if right and signed(right, term.width) > 0:
                return z3.If(children[0] >= 0, children[0] % right, -((-children[0]) % right))
            case Kind.BV_AND, _ if right is not None and right & (right + 1) == 0:
                return self._as_unsigned(term.children[0]) % (right + 1)
            case Kind.SIGN_EXTEND, _:
                return children[0]
            case Kind.ZERO_EXTEND, _:
                return self._as_unsigned(term.children[0])
            case Kind.EXTRACT, (_, 0):  # a conversion that keeps the value
                return children[0]
        return z3.FreshInt("unread", self.context)
