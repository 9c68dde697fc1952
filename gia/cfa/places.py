"""Places that pointers may lead to, and how far from an object's begin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from math import gcd
from typing import Final, NamedTuple

from msgspec import Struct

from gia.cfa.expressions import StringLiteral, Variable


class Block(Struct, frozen=True):
    """The memory that an allocation gives, which no execution does twice: the frame's context and the call's edge."""

    context: tuple[int, ...]
    edge: int


class Blocks(Struct, frozen=True):
    """All blocks that a call gives, which are not told apart."""

    edge: int


class Code(Struct, frozen=True):
    """A function."""

    name: str


class Elsewhere(Enum):
    """What is no object that the analysis knows by its name."""

    NOWHERE = "nowhere"
    """What a null pointer points to, or one without a value."""
    OUTSIDE = "outside"
    """Memory that the program did not make, or any object whose address such code was given."""
    FORGED = "forged"
    """What a number was made a pointer to: it may be any object that has an address."""


NOWHERE: Final = Elsewhere.NOWHERE
OUTSIDE: Final = Elsewhere.OUTSIDE
FORGED: Final = Elsewhere.FORGED
Object = Variable | Block | Blocks
Place = Object | Code | StringLiteral | Elsewhere


class Distance(NamedTuple):
    """How many bytes from an object's begin: ``rest`` and any multiple of ``modulus`` more (0: exactly ``rest``).

    With a ``last``, which is not for exact ones, the least is ``rest`` and the greatest ``last``.
    """

    modulus: int
    rest: int
    last: int | None = None

    @property
    def bounds(self) -> tuple[int, int] | None:
        """The least and the greatest number of bytes; ``None`` if there are no such ones."""
        last = self.last if self.modulus else self.rest
        return None if last is None else (self.rest, last)

    def moved(self, bytes_: int) -> Distance:
        """So many bytes further on."""
        last = None if self.last is None else self.last + bytes_
        return _distance(self.modulus, self.rest + bytes_, last)

    def spread(self, stride: int) -> Distance:
        """Any number of strides further on."""
        return _distance(gcd(self.modulus, stride), self.rest)

    def within_array(self, stride: int, count: int) -> Distance:
        """Fewer than ``count`` strides further on."""
        if self.bounds is None or count < 1:
            return self.spread(stride)
        least, greatest = self.bounds
        return _distance(gcd(self.modulus, stride), least, greatest + stride * (count - 1)) if count > 1 else self

    def joined(self, other: Distance) -> Distance:
        """One or the other, and what else it takes so that distances that are joined do not grow for ever."""
        if self.includes(other):
            return self
        if other.includes(self):
            return other
        return _distance(gcd(self.modulus, other.modulus, self.rest - other.rest), self.rest)

    def includes(self, other: Distance) -> bool:
        """Whether each number of bytes of another distance is one of this."""
        if gcd(self.modulus, other.modulus, self.rest - other.rest) != self.modulus:
            return False
        mine, others = self.bounds, other.bounds
        return mine is None or (others is not None and mine[0] <= others[0] and others[1] <= mine[1])

    def within(self, size: int) -> range:
        """The numbers of bytes that are less than a size, and not negative."""
        bounds = self.bounds
        if bounds is None:
            return range(self.rest, size, self.modulus)
        step = self.modulus or 1
        least = bounds[0] if bounds[0] >= 0 else bounds[0] % step
        return range(least, min(size, bounds[1] + 1), step)


def _distance(modulus: int, rest: int, last: int | None = None) -> Distance:
    return Distance(modulus, rest % modulus if modulus and last is None else rest, last)


BEGIN: Final = Distance(0, 0)
ANYWHERE: Final = Distance(1, 0)

Places = Mapping[Place, Distance]
NULL: Places = {NOWHERE: BEGIN}


class Area(NamedTuple):
    """Some bytes of an object."""

    begin: Distance
    size: int

    def starts_in(self, window: Area) -> range:
        """Where the area may begin, counted from the window's begin, if they share bytes."""
        modulus, rest = gcd(self.begin.modulus, window.begin.modulus), self.begin.rest - window.begin.rest
        least, most = 1 - self.size, window.size - 1
        own, its = self.begin.bounds, window.begin.bounds
        if own is not None and its is not None:
            least, most = max(least, own[0] - its[1]), min(most, own[1] - its[0])
        step = modulus or 1
        return range(least + (rest - least) % step, most + 1, step)


ENDLESS: Final = 1 << 62
"""The size of an area that may go on to the end of its object."""


def include(known: dict[Place, Distance], found: Places) -> bool:
    """Add places to some that are known; whether that is new."""
    changed = False
    for place, distance in found.items():
        old = known.get(place)
        new = distance if old is None else old.joined(distance)
        if new != old:
            known[place] = new
            changed = True
    return changed


class Collection:
    """Places that only become more. When they are too many, code of which nothing is known may have their addresses."""

    MOST: Final = 60

    def __init__(self) -> None:
        self.places: dict[Place, Distance] = {}
        self._is_full = False

    def include(self, found: Places, escape: Callable[[Places], None]) -> bool:
        """Add places; whether that is new. ``escape`` gets those that are not told apart from others outside."""
        if self._is_full:
            escape(found)
            return False
        changed = include(self.places, found)
        if len(self.places) > self.MOST:
            self._is_full = True
            escape(self.places)
            self.places = {OUTSIDE: ANYWHERE}
        return changed
