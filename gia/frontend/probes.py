"""Where a native execution is observed: places in the preprocessed text and the CFA edges that they stand for.

All offsets count characters of :attr:`InstrumentableSource.text`; ``number`` is the index in
:attr:`InstrumentableSource.probes`. Every probe lies in evaluated code of the program itself, so that a
call can be put there; two probes either nest or are disjoint.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConditionProbe:
    """``text[start:end]`` is a scalar condition; ``edges`` are taken when it is not 0 and when it is 0.

    ``start == end`` marks the place of the empty condition of ``for (;;)``, which counts as true.
    """

    number: int
    start: int
    end: int
    edges: tuple[int, int]


@dataclass(frozen=True, slots=True)
class SwitchProbe:
    """``text[start:end]`` controls a ``switch``, or is the integer before ``?:``, where it must keep its value.

    ``cases`` pairs the text of each label (``3``, ``RED``, ``1 ... 5``) with its edge; ``default`` is the edge that is
    taken when none matches (to the ``default`` label or past the ``switch``).
    """

    number: int
    start: int
    end: int
    cases: tuple[tuple[str, int], ...]
    default: int


@dataclass(frozen=True, slots=True)
class StatementProbe:
    """``text[start:end]`` is a statement with its ``;``, and ``edge`` the first edge of its execution.

    A call statement can be put at ``start``, in braces with the statement if that is no declaration.
    """

    number: int
    start: int
    end: int
    edge: int
    is_declaration: bool = False


@dataclass(frozen=True, slots=True)
class CallProbe:
    """``text[start:end]`` is a call of a named function and ``edge`` the edge of that call; it may be void."""

    number: int
    start: int
    end: int
    edge: int


Probe = ConditionProbe | SwitchProbe | StatementProbe | CallProbe


@dataclass(frozen=True)
class InstrumentableSource:
    """Preprocessed C with line markers, as ``gcc -x cpp-output`` takes it, and where to observe it."""

    text: str
    probes: tuple[Probe, ...]
