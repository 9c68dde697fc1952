"""What pointers the objects in memory hold, by their bytes: types do not matter, and nothing is ever forgotten.

A pointer that is written as a whole is known where it is read as a whole again. Whoever reads some of its bytes, or
reads bytes that were written as something else, has a number, and a pointer that is made from one may lead to every
object that has an address.

An object has *escaped* if code of which nothing is known may have its address: then such code may write to it what
it has the address of, and the objects escape whose addresses the object holds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from gia.cfa.expressions import Variable
from gia.cfa.places import (
    ANYWHERE,
    FORGED,
    NOWHERE,
    NULL,
    OUTSIDE,
    Area,
    Block,
    Blocks,
    Code,
    Collection,
    Distance,
    Object,
    Place,
    Places,
    include,
)

_MOST_STARTS = 64
"""Objects that are copied have so many places for each pointer at most that they hold."""
_MOST_AREAS = 200
"""In an object with more areas that were written to apart, any byte may have been."""
_WHOLE = Area(ANYWHERE, 1)
_EVERYTHING = "everything"


class PointerMemory:
    """The pointers that each object may hold, which only become more.

    ``all_lost``: any object that has an address may hold anything.
    ``reading`` is told what an answer depends on, ``changed`` what has changed: an object, a function or everything.
    """

    def __init__(
        self, pointer_size: int, reading: Callable[[Hashable], None], changed: Callable[[Hashable], None]
    ) -> None:
        self._size = pointer_size
        self._reading = reading
        self._changed = changed
        self._held: dict[Object, dict[Distance, Collection]] = {}
        self._numbers: dict[Object, set[Area]] = {}
        self._given: dict[Object, set[int]] = {}
        self._given_sizes: dict[Object, int | None] = {}
        self._escaped: set[Place] = set()
        self.all_lost = False
        self._written: set[Object] = set()

    # ---- reading

    def load(self, places: Places) -> Places:
        """Where a pointer that is read from one of the places may lead."""
        self._reading(_EVERYTHING)
        if self.all_lost:
            return {FORGED: ANYWHERE}
        found: dict[Place, Distance] = {}
        for place, distance in places.items():
            if place is FORGED:
                self.lose_all()
            elif isinstance(place, Variable | Block | Blocks):
                self._load_from(place, distance, found)
            elif place is not NOWHERE:
                found[OUTSIDE if place is OUTSIDE else FORGED] = ANYWHERE
        return {FORGED: ANYWHERE} if self.all_lost else found

    def _load_from(self, place: Object, distance: Distance, found: dict[Place, Distance]) -> None:
        self._reading(place)
        window = Area(distance, self._size)
        if not self._is_given(place, distance):
            include(found, NULL)
        if place in self._escaped:
            found[OUTSIDE] = ANYWHERE
        if any(area.starts_in(window) for area in self._numbers.get(place, ())):
            found[FORGED] = ANYWHERE
        for begin, held in self._held.get(place, {}).items():
            starts = Area(begin, self._size).starts_in(window)
            if 0 in starts:
                include(found, held.places)
            if len(starts) > (0 in starts):
                found[FORGED] = ANYWHERE

    def _is_given(self, place: Object, distance: Distance) -> bool:
        """Whether each pointer there has a value from the start of the program on."""
        given, size = self._given.get(place, set()), self._given_sizes.get(place)
        if distance.modulus == 0:
            return distance.rest in given
        places = distance.within(size - self._size + 1) if size is not None else range(0)
        return 0 < len(places) <= len(given) and given.issuperset(places)

    def read(self, places: Places, size: int) -> None:
        """Let so many bytes be read as something that is no pointer."""
        for place, distance in places.items():
            if place is FORGED:
                self.lose_all()
            elif isinstance(place, Variable | Block | Blocks):
                self._reading(place)
                window = Area(distance, size)
                for begin, held in list(self._held.get(place, {}).items()):
                    if Area(begin, self._size).starts_in(window):
                        self.escape(held.places)

    def held(self, objects: Sequence[Object], size: int | None, most: int) -> Mapping[int, Places]:
        """The pointers in one of the objects, by their distance from its begin, where something is known of them.

        ``size``: of the objects; if it is not known only pointers at certain distances are looked for.
        """
        found: dict[int, None] = {}
        for begin in (begin for place in objects for begin in self._held.get(place, {})):
            last = size - self._size if size is not None else begin.bounds[1] if begin.bounds is not None else -1
            starts = begin.within(last + 1)
            found.update(dict.fromkeys(starts if len(starts) <= most else ()))
        return {start: self.load(dict.fromkeys(objects, Distance(0, start))) for start in sorted(found)}

    # ---- writing

    def give(self, place: Object, size: int | None, start: int, value: Places) -> None:
        """Let an object hold a pointer when the program starts. ``size``: of the whole object, if that is certain."""
        self._given.setdefault(place, set()).add(start)
        self._given_sizes[place] = size
        self._hold(place, Distance(0, start), value)

    def store(self, places: Places, value: Places) -> None:
        """Let a pointer be written to one of the places."""
        if OUTSIDE in places:
            self.escape(value)
        for place, distance in self._objects(places):
            self._hold(place, distance, value)

    def give_number(self, place: Object, start: int, size: int) -> None:
        """Let so many bytes of an object hold a number when the program starts."""
        self._number(place, Area(Distance(0, start), size))

    def overwrite(self, places: Places, size: int) -> None:
        """Let so many bytes that are no pointer be written to one of the places."""
        for place, distance in self._objects(places):
            self._number(place, Area(distance, size))

    def clear(self, places: Places, size: int) -> None:
        """Let so many zeros be written to one of the places: null pointers, and what is left of others a number."""
        for place, distance in self._objects(places):
            self._forget_given(place)
            self._reading(place)
            window = Area(distance, size)
            if any(self._is_cut(begin, window) for begin in self._held.get(place, {})):
                self._number(place, window)

    def copy(self, targets: Places, sources: Places, size: int) -> None:
        """Let so many bytes be copied from one of the places to one of the others."""
        if OUTSIDE in targets:
            self.read(sources, size)
        if FORGED in sources:
            self.lose_all()
        known = [place for place in sources if place is not NOWHERE]
        objects = [(place, d) for place, d in sources.items() if isinstance(place, Variable | Block | Blocks)]
        for place, distance in self._objects(targets):
            self._forget_given(place)
            if len(objects) < len(known):
                self._number(place, Area(distance, size))
            for source, begin in objects:
                self._copy(place, distance, source, Area(begin, size))

    def _copy(self, target: Object, to: Distance, source: Object, window: Area) -> None:
        self._reading(source)
        if source in self._escaped:
            self._number(target, Area(to, window.size))
        for begin, held in list(self._held.get(source, {}).items()):
            starts = Area(begin, self._size).starts_in(window)
            if len(starts) > _MOST_STARTS or self._is_cut(begin, window):
                self.escape(held.places)
                self._number(target, Area(to, window.size))
            else:
                for start in starts:
                    self._hold(target, to.moved(start), held.places)
        for area in list(self._numbers.get(source, ())):
            starts = area.starts_in(window)
            if len(starts) > _MOST_STARTS:
                self._number(target, Area(to, window.size))
                continue
            for start in starts:
                first, end = max(start, 0), min(start + area.size, window.size)
                self._number(target, Area(to.moved(first), end - first))

    def move(self, targets: Sequence[Object], sources: Places) -> None:
        """Let all that objects hold be copied to the same distances from the begins of others."""
        if FORGED in sources:
            self.lose_all()
        for source in sources:
            if isinstance(source, Variable | Block | Blocks):
                self._reading(source)
                for target in targets:
                    self._move(target, source)
            if source is OUTSIDE or source in self._escaped:
                self.escape(dict.fromkeys(targets, ANYWHERE))

    def _move(self, target: Object, source: Object) -> None:
        for begin, held in list(self._held.get(source, {}).items()):
            self._hold(target, begin, held.places)
        for area in list(self._numbers.get(source, ())):
            self._number(target, area)

    def _forget_given(self, place: Object) -> None:
        """Note that pointers of an object may be overwritten with null ones, or with those without a value."""
        if self._given.pop(place, None) is not None:
            self._changed(place)

    def _is_cut(self, begin: Distance, window: Area) -> bool:
        """Whether a pointer may lie in some bytes in part only."""
        starts = Area(begin, self._size).starts_in(window)
        return bool(starts) and (starts[0] < 0 or starts[-1] > window.size - self._size)

    def _objects(self, places: Places) -> Iterable[tuple[Object, Distance]]:
        """Those of the places that are objects, which are written to."""
        for place, distance in list(places.items()):
            if place is FORGED:
                self.lose_all()
            elif isinstance(place, Variable | Block | Blocks):
                self._written.add(place)
                yield place, distance

    def _hold(self, place: Object, distance: Distance, value: Places) -> None:
        if place in self._escaped:
            self.escape(value)
        if self._held.setdefault(place, {}).setdefault(distance, Collection()).include(value, self.escape):
            self._changed(place)

    def _number(self, place: Object, area: Area) -> None:
        """Let some bytes of an object hold anything that is no pointer."""
        known = self._numbers.setdefault(place, set())
        if area not in known and _WHOLE not in known:
            known.add(area if len(known) < _MOST_AREAS else _WHOLE)
            self._changed(place)

    # ---- giving up

    def escape(self, places: Places) -> None:
        """Let code of which nothing is known have the addresses of the places."""
        pending = list(places)
        while pending:
            place = pending.pop()
            if place is FORGED:
                self.lose_all()
            if place in self._escaped or not isinstance(place, Variable | Block | Blocks | Code):
                continue
            self._escaped.add(place)
            self._changed(place)
            if not isinstance(place, Code):
                self._written.add(place)
                for held in self._held.get(place, {}).values():
                    pending += held.places

    def has_escaped(self, place: Place) -> bool:
        """Whether code of which nothing is known may have the address of a place."""
        self._reading(place)
        self._reading(_EVERYTHING)
        return self.all_lost or place in self._escaped

    def may_be_written(self, place: Object) -> bool:
        """Whether an object may be written to after the program has started."""
        return self.all_lost or place in self._written

    def holders(self) -> list[tuple[str | None, Places]]:
        """The places that objects hold, each with the function in whose frames the object is."""
        return [
            (place.function if isinstance(place, Variable) and not place.is_static else None, held.places)
            for place, contents in self._held.items()
            for held in contents.values()
        ]

    def lose_all(self) -> None:
        """Let any object that has an address hold anything."""
        if not self.all_lost:
            self.all_lost = True
            self._changed(_EVERYTHING)
