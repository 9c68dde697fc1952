"""Quantities as people write them: ``90s``, ``2m``, ``4GB``, ``40%``."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from gia.errors import InputError

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30}
_NUMBER = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z%]*)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Budget:
    """A budget of time: ``seconds``, or a ``share`` (0 < share ≤ 1) of what is left; with neither, all of it."""

    seconds: float | None = None
    share: float | None = None

    def of(self, left: float) -> float:
        """The seconds that this budget allows when ``left`` seconds are left: never more than those."""
        wanted = self.seconds if self.seconds is not None else (1.0 if self.share is None else self.share) * left
        return max(0.0, min(wanted, left))

    def grown(self, factor: float) -> Budget:
        """The budget multiplied by ``factor``; a share never becomes more than all."""
        if self.seconds is not None:
            return Budget(seconds=self.seconds * factor)
        return Budget(share=min(1.0, self.share * factor)) if self.share is not None else self

    def __str__(self) -> str:
        return f"{self.seconds:g}s" if self.seconds is not None else f"{100 * (self.share or 0.0):g}%"


@dataclass(frozen=True, slots=True)
class Memory:
    """A budget of memory: ``amount`` bytes, or a ``share`` (0 < share ≤ 1) of what there is."""

    amount: int | None = None
    share: float | None = None

    def of(self, total: int) -> int:
        """The bytes that this budget allows when ``total`` bytes are there: never more than those."""
        return min(total, self.amount if self.amount is not None else int((self.share or 1.0) * total))

    def __str__(self) -> str:
        return f"{self.amount / 1e6:g}MB" if self.amount is not None else f"{100 * (self.share or 0.0):g}%"


def portion(budget: Budget, left: float, given: float) -> float:
    """What a part gets of the ``left`` seconds, when the parts before it had the share ``given`` of the whole.

    What those have not used is passed on: 40 % and 60 % of ten seconds are four and ten if the first uses nothing.
    """
    if budget.share is None:
        return budget.of(left)
    return left * min(1.0, budget.share / max(budget.share, 1.0 - given))


def parse_time(text: str) -> float:
    """Seconds: ``90``, ``90s``, ``1.5m``, ``2h``. Raises :class:`InputError` for anything else, and for zero."""
    number, unit = _split(text, "a time", "60s, 2m or 1h")
    if unit and unit not in _SECONDS:
        raise InputError(f"{text!r} is not a time: the unit {unit!r} is not known", hint="write 60s, 2m or 1h")
    return _positive(number * _SECONDS[unit or "s"], text, "a time")


def parse_memory(text: str) -> int:
    """Bytes: ``4GB``, ``512MB``, ``2GiB``. Raises :class:`InputError` for anything else, and for zero."""
    number, unit = _split(text, "an amount of memory", "4GB or 512MB")
    if unit not in _BYTES:
        raise InputError(f"{text!r} is not an amount of memory: it needs a unit", hint="write 4GB or 512MB")
    return int(_positive(number * _BYTES[unit], text, "an amount of memory"))


def parse_memory_budget(text: str) -> Memory:
    """An amount of memory or a share of it (``40%``). Raises :class:`InputError` for anything else."""
    number, unit = _split(text, "an amount of memory", "4GB or 40%")
    if unit != "%":
        return Memory(amount=parse_memory(text))
    return Memory(share=_share(number, text, "memory"))


def parse_budget(text: str) -> Budget:
    """An absolute time or a share of what is left (``40%``). Raises :class:`InputError` for anything else."""
    number, unit = _split(text, "a budget", "10s or 40%")
    if unit != "%":
        return Budget(seconds=parse_time(text))
    return Budget(share=_share(number, text, "time"))


def _share(number: float, text: str, what: str) -> float:
    if number > 100:
        raise InputError(f"{text!r} is more than all of the {what}", hint="write a share up to 100%")
    return _positive(number, text, "a share") / 100


def _split(text: str, what: str, example: str) -> tuple[float, str]:
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise InputError(f"{text!r} is not {what}", hint=f"write {example}")
    return float(match[1]), match[2].lower()


def _positive(value: float, text: str, what: str) -> float:
    if not value > 0 or not math.isfinite(value):
        raise InputError(f"{text!r} is not {what}: it must be more than zero")
    return value


def seconds_text(seconds: float) -> str:
    """A duration for people: ``0.4 s``, ``12 s``, ``3:05 min``, ``1:02:03 h``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}:{rest:02d} min"
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d} h"
