"""What holds behind a loop for its limit, said inside the loop of what counts up to it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import permutations, product

from gia.analyses.proving.candidates.comparisons import stripped
from gia.cfa.expressions import (
    Binary,
    Cast,
    Expression,
    IntegerConstant,
    Unary,
    Variable,
    VariableReference,
    rewritten,
    variables_of,
)
from gia.cfa.types import INT, IntegerType


def so_far(
    comparisons: Iterable[Expression], limits: Iterable[Expression], indices: Collection[Variable]
) -> Iterator[Expression]:
    """The comparisons with a limit of index variables, where the index is in its place, or has not begun."""
    bounding = [limit.variable for limit in limits if isinstance(limit, VariableReference)]
    for comparison, limit in product(comparisons, bounding):
        if limit not in variables_of(comparison) or not variables_of(comparison).isdisjoint(indices):
            continue
        for index in indices:
            begun = Binary("!=", VariableReference(index), IntegerConstant(0, INT), INT)
            said = with_variable(comparison, limit, index)
            yield said
            if index.type == INT:
                yield Binary("||", Unary("!", begun, INT), said, INT)


def elements_so_far(comparisons: Iterable[Expression], facts: Collection[Expression]) -> Iterator[Expression]:
    """What is said of elements and a variable, with another one in its place with which the program compares it."""
    for comparison in comparisons:
        sides = (stripped(comparison.left), stripped(comparison.right)) if isinstance(comparison, Binary) else ()
        variables = [
            side.variable
            for side in sides
            if isinstance(side, VariableReference) and isinstance(side.type, IntegerType)
        ]
        for limit, counter in permutations(variables, 2):
            for fact in facts:
                if limit in variables_of(fact):
                    yield with_variable(fact, limit, counter)


def with_variable(expression: Expression, variable: Variable, other: Variable) -> Expression:
    """The expression with another variable in the place of one."""
    return rewritten(expression, lambda part: with_index(part, variable, VariableReference(other)))


def with_index(part: Expression, variable: Variable | None, index: Expression) -> Expression | None:
    """What stands for a variable in an expression, in its type; ``None`` for everything else."""
    same = isinstance(part, VariableReference) and part.variable == variable
    return Cast(index, part.type) if same else None
