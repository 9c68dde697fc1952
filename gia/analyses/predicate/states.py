"""Abstract states: Boolean combinations of predicates in disjunctive form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce

from gia.cfa.expressions import Binary, Expression, IntegerConstant, Unary
from gia.cfa.types import INT
from gia.smt.terms import Term, conjunction, disjunction, negation

Literal = tuple[Expression, bool]
"""A predicate and whether it holds."""

Cube = frozenset[Literal]
"""All of its literals hold."""

AbstractState = tuple[Cube, ...]
"""One of its cubes holds."""

EVERYTHING: AbstractState = (frozenset(),)


def covered(state: AbstractState, other: AbstractState) -> bool:
    """Whether the cubes show that ``state`` implies ``other``; if not, it may still do."""
    return all(any(weaker <= cube for weaker in other) for cube in state)


def as_term(state: AbstractState, meaning: Callable[[Expression], Term]) -> Term:
    """The state as a formula; ``meaning`` gives that of a predicate."""
    return disjunction(
        *(conjunction(*(meaning(e) if holds else negation(meaning(e)) for e, holds in cube)) for cube in state)
    )


def as_expressions(states: Iterable[AbstractState]) -> list[Expression]:
    """What holds in at least one of the states, as a conjunction: common literals first, then the rest as one."""
    cubes = list(dict.fromkeys(cube for state in states for cube in state))
    cubes = [cube for cube in cubes if not any(other < cube for other in cubes)]
    if not cubes:
        return [IntegerConstant(0, INT)]
    common = frozenset.intersection(*cubes)
    found = [_literal(literal) for literal in _ordered(common)]
    rests = [_ordered(cube - common) for cube in cubes]
    if all(rests):
        found.append(_joined("||", [_joined("&&", [_literal(part) for part in rest]) for rest in rests]))
    return found


def _ordered(literals: Iterable[Literal]) -> list[Literal]:
    return sorted(literals, key=repr)


def _literal(literal: Literal) -> Expression:
    expression, holds = literal
    return expression if holds else Unary("!", expression, INT)


def _joined(operator: str, parts: Sequence[Expression]) -> Expression:
    return reduce(lambda left, right: Binary(operator, left, right, INT), parts)


def merged(cubes: Iterable[Cube]) -> AbstractState:
    """The same state with fewer cubes: two that differ in the sign of one literal become one, again and again."""
    current = list(dict.fromkeys(cubes))
    changed = True
    while changed:
        changed = False
        present = set(current)
        for cube in current:
            for expression, holds in _ordered(cube):
                rest = cube - {(expression, holds)}
                if rest | {(expression, not holds)} in present:
                    current = [c for c in current if not rest <= c] + [rest]
                    changed = True
                    break
            if changed:
                break
    return tuple(cube for cube in current if not any(other < cube for other in current))
