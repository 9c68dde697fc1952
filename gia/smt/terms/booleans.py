"""Constructors of Boolean terms, equality and if-then-else; they simplify while they build.

Conjunctions and disjunctions are flat, ordered and without duplicates. What makes the formulas of merged paths small:
``(g and c) or (g and not c)`` is ``g`` again, and common factors are taken out.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from itertools import groupby

from gia.smt.terms.nodes import BOOL, FALSE, TRUE, Kind, Sort, SortKind, Term, bool_const, existing_negation, make

NOT, AND, OR, EQ, ITE, CONST = Kind.NOT, Kind.AND, Kind.OR, Kind.EQ, Kind.ITE, Kind.CONST

_FLAT = 48
"""Conjunctions and disjunctions of more operands are nested, so that building one step by step stays linear."""
_CHAIN = 256
"""How far equality with a constant is followed down a chain of if-then-else."""


def negation(term: Term) -> Term:
    """``¬term``."""
    if term.kind is NOT:
        return term.children[0]
    if term.kind is CONST:
        return FALSE if term is TRUE else TRUE
    return make(NOT, (term,), None, BOOL)


def conjunction(*operands: Term) -> Term:
    """``operands[0] and …``; true without operands."""
    return _junction(AND, OR, FALSE, TRUE, operands)


def disjunction(*operands: Term) -> Term:
    """``operands[0] or …``; false without operands."""
    if len(operands) == 2:
        return _merge(operands[0], operands[1])
    result = FALSE
    if len(operands) <= 8:
        for operand in operands:
            result = _merge(result, operand)
        return result
    return _junction(OR, AND, TRUE, FALSE, operands)


def implication(premise: Term, conclusion: Term) -> Term:
    """``premise → conclusion``."""
    return disjunction(negation(premise), conclusion)


def _by_number(term: Term) -> int:
    return term.number


def _junction(kind: Kind, dual: Kind, zero: Term, unit: Term, operands: Iterable[Term]) -> Term:
    """An n-ary conjunction (``dual`` = or, ``zero`` = false, ``unit`` = true), or the mirror image."""
    parts: dict[Term, None] = {}
    added: list[Term] = []  # the parts that did not come out of the first operand together
    for operand in operands:
        if operand is unit:
            continue
        if operand is zero:
            return zero
        if operand.kind is kind and len(operand.children) + len(parts) <= _FLAT:
            if parts:
                added.extend(child for child in operand.children if child not in parts)
            parts.update(dict.fromkeys(operand.children))
        elif operand not in parts:
            added.append(operand)
            parts[operand] = None
    for part in added:
        if is_complement_in(part, parts):
            return zero
    if added and len(parts) > 1:
        parts = _reduced(dual, parts, added)
    if not parts:
        return unit
    if len(parts) == 1:
        return next(iter(parts))
    return make(kind, tuple(sorted(parts, key=_by_number)), None, BOOL)


def is_complement_in(term: Term, others: Container[Term | None]) -> bool:
    """Whether the negation of ``term`` is one of ``others``."""
    return (term.children[0] if term.kind is NOT else existing_negation(term)) in others


def _reduced(dual: Kind, parts: dict[Term, None], added: list[Term]) -> dict[Term, None]:
    """Absorption, ``a and (a or b) = a``, and unit resolution, ``a and (not a or b) = a and b``, among the operands.

    Only with ``added`` parts: the others have been compared with each other before.
    """
    literals = [(part, negation(part)) for part in added if part.kind is not dual]
    new = set(added)
    result: dict[Term, None] = {}
    for part in parts:
        kept: Term | None = part
        if part.kind is dual:
            if part in new:
                kept = _without(part, [c for c in part.children if is_complement_in(c, parts)])
                if any(child in parts for child in part.children):
                    kept = None
            else:
                for literal, complement in literals:
                    if literal in part.children:
                        kept = None
                        break
                    if complement in part.children:
                        kept = _without(part, [complement for _, complement in literals])
        if kept is not None:
            result[kept] = None
    return result


def _without(junction: Term, dropped: list[Term]) -> Term:
    """A junction without some of its children; a contradiction (all are dropped) is left as it is."""
    kept = tuple(child for child in junction.children if child not in dropped)
    if not kept or len(kept) == len(junction.children):
        return junction
    return kept[0] if len(kept) == 1 else make(junction.kind, kept, None, BOOL)


def factors(term: Term) -> tuple[Term, ...]:
    """The terms that the term is the conjunction of."""
    return term.children if term.kind is AND else (term,)


def split_common(left: Term, right: Term) -> tuple[Term, Term, Term]:
    """``common, a, b`` with ``left = common ∧ a`` and ``right = common ∧ b``."""
    first, second = factors(left), factors(right)
    if left is right:
        return left, TRUE, TRUE
    shared = set(first).intersection(second)
    if not shared:
        if len(first) > 1 and right in first:
            shared = {right}
        else:
            return TRUE, left, right
    return (
        conjunction(*(factor for factor in first if factor in shared)),
        conjunction(*(factor for factor in first if factor not in shared)),
        conjunction(*(factor for factor in second if factor not in shared)),
    )


def _merge(left: Term, right: Term) -> Term:
    """``left or right`` with common factors taken out."""
    if left is right or right is FALSE:
        return left
    if left is FALSE:
        return right
    if left is TRUE or right is TRUE:
        return TRUE
    if left.kind is AND or right.kind is AND:
        common, a, b = split_common(left, right)
        if common is not TRUE:
            return conjunction(common, _merge(a, b))
        # c or (not c and d) = c or d
        if left.kind is not AND and is_complement_in(left, right.children):
            right = conjunction(*(part for part in right.children if part is not negation(left)))
        elif right.kind is not AND and is_complement_in(right, left.children):
            left = conjunction(*(part for part in left.children if part is not negation(right)))
    return _junction(OR, AND, TRUE, FALSE, (left, right))


def ite(condition: Term, then: Term, other: Term) -> Term:
    """``then`` where ``condition`` holds, else ``other``; both of one sort."""
    if then is other:
        return then
    if condition.kind is CONST:
        return then if condition is TRUE else other
    if condition.kind is NOT:
        condition, then, other = condition.children[0], other, then
    if then.kind is ITE and then.children[0] is condition:
        then = then.children[1]
    if other.kind is ITE:
        inner, first, second = other.children
        if inner is condition:
            other = second
        elif first is then:
            condition, other = disjunction(condition, inner), second
    if then is other:
        return then
    if then.sort is BOOL or then.sort == BOOL:
        return _boolean_ite(condition, then, other)
    return make(ITE, (condition, then, other), None, then.sort)


def _boolean_ite(condition: Term, then: Term, other: Term) -> Term:
    if then is TRUE or then is condition:
        return disjunction(condition, other)
    if then is FALSE:
        return conjunction(negation(condition), other)
    if other is FALSE or other is condition:
        return conjunction(condition, then)
    if other is TRUE:
        return disjunction(negation(condition), then)
    return make(ITE, (condition, then, other), None, BOOL)


def equal(left: Term, right: Term) -> Term:
    """``left = right`` (SMT-LIB's, on all sorts: NaN equals NaN, +0 differs from -0)."""
    if left is right:
        return TRUE
    if left.kind is CONST:
        left, right = right, left
    if right.kind is CONST:
        if left.kind is CONST:
            return bool_const(left.value == right.value)
        if left.sort == BOOL:
            return left if right is TRUE else negation(left)
        if left.kind is ITE:
            return _equal_ite(left, right)
        if left.sort.kind is SortKind.BV:
            return _equal_constant(left, right)
    elif left.number > right.number:
        left, right = right, left
    if left.sort == BOOL and (left.kind is NOT or right.kind is NOT):
        return _equal_negated(left, right)
    if left.kind is Kind.BV_ADD and right.kind is not CONST:
        return _equal_sum(left, right)
    if right.kind is Kind.BV_ADD:
        return _equal_sum(right, left)
    return make(EQ, (left, right), None, BOOL)


def _equal_negated(left: Term, right: Term) -> Term:
    if left.kind is NOT and right.kind is NOT:
        return equal(left.children[0], right.children[0])
    if left.kind is NOT:
        left = left.children[0]
    else:
        right = right.children[0]
    return FALSE if left is right else negation(equal(left, right))


def _equal_sum(left: Term, right: Term) -> Term:
    """``x + y = x`` and ``x + y = x + z`` for a sum on the left; constants stand on the right of sums."""
    x, y = left.children
    zero = make(CONST, (), 0, left.sort)
    if x is right:
        return equal(y, zero)
    if y is right:
        return equal(x, zero)
    if right.kind is Kind.BV_ADD:
        if right.children[0] is x:
            return equal(y, right.children[1])
        if right.children[1] is y:
            return equal(x, right.children[0])
    first, second = (left, right) if left.number < right.number else (right, left)
    return make(EQ, (first, second), None, BOOL)


def _equal_ite(left: Term, constant: Term) -> Term:
    """Follows a chain of if-then-else where one branch decides: the result speaks about the conditions only.

    Operations that can be solved for their operand may stand in the chain.
    """
    conditions: list[tuple[Term, Term]] = []  # a condition and what follows from it
    term = left
    while len(conditions) < _CHAIN:
        if (operand := _solved(term, constant)) is not None:
            term, constant = operand
            continue
        if term.kind is not ITE:
            break
        condition, then, other = term.children
        if (decided := _decided(then, constant)) is not None:
            conditions.append((condition, decided))
            term = other
        elif (decided := _decided(other, constant)) is not None:
            conditions.append((negation(condition), decided))
            term = then
        else:
            break
    followed = term.kind is not ITE and (len(conditions) < _CHAIN or term.kind is CONST)
    result = equal(term, constant) if followed else make(EQ, (term, constant), None, BOOL)
    for outcome, group in groupby(reversed(conditions), key=lambda pair: pair[1]):
        if outcome is TRUE:
            result = _junction(OR, AND, TRUE, FALSE, (*(condition for condition, _ in group), result))
        else:
            result = conjunction(*(negation(condition) for condition, _ in group), result)
    return result


def _decided(branch: Term, constant: Term) -> Term | None:
    """Whether a branch is equal to a constant whatever its variables are; ``None`` if they decide, or if it is long."""
    if branch.value is not None:
        return bool_const(branch.value == constant.value)
    if branch.sort.kind is not SortKind.BV or any(child.kind is ITE for child in branch.children):
        return None
    result = equal(branch, constant)
    return result if result.kind is CONST else None


def _solved(left: Term, constant: Term) -> tuple[Term, Term] | None:
    """The operand of ``left`` and the constant that it is equal to just when ``left = constant``, if there is one."""
    kind, value = left.kind, constant.value
    if left.sort.kind is not SortKind.BV:
        return None
    assert value is not None
    inner = left.children[0] if left.children else left
    if kind in (Kind.ZERO_EXTEND, Kind.SIGN_EXTEND):
        low = _constant(value, inner.sort)
        return (inner, low) if _extended(left, low) == value else None
    if kind is Kind.BV_NEG:
        return inner, _constant(-value, left.sort)
    if kind is Kind.BV_NOT:
        return inner, _constant(~value, left.sort)
    if kind in (Kind.BV_ADD, Kind.BV_XOR) and (known := left.children[1].value) is not None:
        return inner, _constant(value - known if kind is Kind.BV_ADD else value ^ known, left.sort)
    return None


def _extended(extension: Term, low: Term) -> int:
    """What an extension makes of a constant operand."""
    width, value = low.width, low.value
    assert value is not None
    negative = extension.kind is Kind.SIGN_EXTEND and value >> (width - 1)
    return value | (((1 << (extension.width - width)) - 1) << width) if negative else value


def _equal_constant(left: Term, constant: Term) -> Term:
    """``left = constant`` of bit-vectors, solved for the operand where that is unique."""
    if (operand := _solved(left, constant)) is not None:
        return equal(*operand)
    if left.kind in (Kind.ZERO_EXTEND, Kind.SIGN_EXTEND):
        return FALSE
    if left.kind is Kind.CONCAT:
        high_part, low_part = left.children
        value = constant.value
        assert value is not None
        return conjunction(
            equal(high_part, _constant(value >> low_part.width, high_part.sort)),
            equal(low_part, _constant(value, low_part.sort)),
        )
    return make(EQ, (left, constant), None, BOOL)


def _constant(value: int, sort: Sort) -> Term:
    return make(CONST, (), value & ((1 << sort.width) - 1), sort)


def distinct(left: Term, right: Term) -> Term:
    """``left ≠ right``."""
    return negation(equal(left, right))
