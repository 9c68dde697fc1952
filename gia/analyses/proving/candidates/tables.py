r"""Values of functions as candidate contracts: ``\old(n) != 3 || \result == 2``, as they were seen in executions.

A recursive function that is called for few different arguments only is decided by the values for these: they follow
from each other by induction, where no formula that is closed does. Source of the idea: memo functions (D. Michie,
*"Memo" functions and machine learning*, Nature 1968).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gia.analyses.proving.candidates.comparisons import compare_with_constant, number_of
from gia.cfa.contracts import RESULT
from gia.cfa.expressions import Binary, Expression, Storage, Variable, VariableReference
from gia.cfa.types import INT, IntegerType

_MOST_ENTRIES = 100
"""Larger tables are not proposed."""


def tabulated(expressions: Sequence[Expression], samples: Sequence[Sequence[int]]) -> Iterator[Expression]:
    r"""``\result`` for each combination of arguments that was seen, if they determine it, and beyond the smallest one.

    ``expressions`` are those at the end of a function; each sample has a value, unsigned, for each of them. Only
    variables matter.
    """
    places = {e.variable: place for place, e in enumerate(expressions) if isinstance(e, VariableReference)}
    result = next((v for v in places if v.name == RESULT and v.storage is Storage.GHOST), None)
    if result is None or not isinstance(result.type, IntegerType):
        return
    old = [v for v in places if v.storage is Storage.GHOST and v != result]
    varying = [v for v in old if len({sample[places[v]] for sample in samples}) > 1]
    table: dict[tuple[int, ...], int] = {}
    for sample in samples:
        arguments = tuple(number_of(VariableReference(v), sample[places[v]]) for v in varying)
        value = number_of(VariableReference(result), sample[places[result]])
        if table.setdefault(arguments, value) != value:
            return
    if not varying or len(table) > _MOST_ENTRIES:
        return
    for arguments, value in table.items():
        differs = [
            compare_with_constant("!=", VariableReference(v), a) for v, a in zip(varying, arguments, strict=True)
        ]
        yield _joined([*differs, compare_with_constant("==", VariableReference(result), value)])
    if len(varying) == 1:
        yield from _outside(varying[0], result, {arguments[0]: value for arguments, value in table.items()})


def _outside(argument: Variable, result: Variable, table: Mapping[int, int]) -> Iterator[Expression]:
    """That the value for all smaller arguments is the one of the smallest, and so for the greater ones."""
    ordered = sorted(table)
    for keys, operator in ((ordered, ">"), (ordered[::-1], "<")):
        same = keys[0]
        for key in keys:
            if table[key] != table[keys[0]]:
                break
            same = key
        outside = compare_with_constant(operator, VariableReference(argument), same)
        yield _joined([outside, compare_with_constant("==", VariableReference(result), table[same])])


def _joined(parts: Sequence[Expression]) -> Expression:
    joined = parts[0]
    for part in parts[1:]:
        joined = Binary("||", joined, part, INT)
    return joined
