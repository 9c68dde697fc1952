"""Environments of intervals that are kept apart (:mod:`.intervals`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Final

from gia.analyses.proving.candidates.memory_parts import Number
from gia.cfa import intervals
from gia.cfa.expressions import Variable
from gia.cfa.intervals import join

Environment = intervals.Environment[Number]
Key = frozenset[tuple[Variable, int]]
Partition = Mapping[Key, Environment]
"""Environments by the values of the flags that are constants in them."""

WHOLE: Final[Key] = frozenset()
_MOST_PARTS = 8
"""So many environments are kept apart."""


def key_of(environment: Environment, flags: Iterable[Variable]) -> Key:
    """Those of the flags that are constants, with their values."""
    known = ((flag, environment[flag]) for flag in flags if flag in environment)
    return frozenset((flag, low) for flag, (low, high) in known if low == high)


def united(left: Partition, right: Partition) -> Partition:
    """The environments of both, joined where they have the same key; all of them, if they are too many.

    An environment without a key has others in it that say no more: those are left out, so that what was joined stays.
    """
    result = dict(left)
    for key, environment in right.items():
        result[key] = join(result[key], environment) if key in result else environment
    if len(result) > _MOST_PARTS:
        return {WHOLE: reduce(join, result.values())}
    whole = result.get(WHOLE)
    if whole is None or len(result) == 1:
        return result
    return {key: part for key, part in result.items() if part is whole or join(whole, part) != whole}
