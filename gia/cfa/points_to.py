"""Where pointers may point, whatever was executed before.

Source: L. O. Andersen, *Program analysis and specialization for the C programming language*, PhD thesis, 1994, chapter
4 (inclusion constraints that do not mind the order of statements). Deviations: with each place goes how far from the
object's begin the pointer may be; what memory holds is told apart by its bytes, not by its type
(:mod:`gia.cfa.pointer_memory`); constraints are looked at again when something has changed on which they depend.

An execution with defined behaviour dereferences a pointer of the result only where it points into one of its places. A
pointer may point nowhere, too: it is null, or it has no value yet. For local variables that are followed by their
name, because no pointer leads to them, the latter is told apart location by location.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import partial

from msgspec import Struct

from gia.cfa.contracts import called_below, callees_of, recursive_functions
from gia.cfa.expressions import Variable, VariableReference
from gia.cfa.graph import Function, Program
from gia.cfa.intervals import range_of
from gia.cfa.local_bounds import interval_of
from gia.cfa.mentions import designated
from gia.cfa.operations import Assign, Call, Declare, Input
from gia.cfa.places import (
    ANYWHERE,
    FORGED,
    NOWHERE,
    NULL,
    OUTSIDE,
    Block,
    Blocks,
    Collection,
    Distance,
    Elsewhere,
    Place,
    Places,
    include,
)
from gia.cfa.pointer_constraints import Constraints
from gia.cfa.pointer_memory import PointerMemory
from gia.cfa.pointer_values import PointerValues, size_of
from gia.cfa.pools import in_pools, pools_of
from gia.cfa.types import ArrayType, PointerType, StructType

__all__ = ["NOWHERE", "Block", "Elsewhere", "Known", "Place", "PointsTo", "pointer_values", "points_to"]

_MOST_PLACES = 6
"""A pointer with more places may point anywhere."""
_MOST_HELD = 64
"""An array of more pointers is not looked at."""


class PointsTo(Struct, frozen=True):
    """The result: the places of each variable that is followed, and the blocks with the calls that make them.

    A variable that is missing may point anywhere. A local variable as a place stands for all there are of it at a time:
    for one, if its function is not recursive.
    ``pools`` has, for each call that may give many blocks, the first call of its pool (:mod:`gia.cfa.pools`); in the
    result, that stands for all blocks of the pool.
    ``held`` are the pointers that an object holds, by how many bytes from its begin: all that may be there.
    ``assigned`` has for each location the pointers of its function that have a value there, static ones aside.
    ``constant`` are the static objects that nothing writes to after the program has started, ``kept`` the local
    variables whose addresses may be kept until their frames have ended. ``known_calls`` are edges with calls of unknown
    functions that no execution with defined behaviour makes, since their pointers lead to functions that are known.
    """

    places: Mapping[Variable, Places]
    blocks: Mapping[Block, Call]
    pools: Mapping[Blocks, Blocks]
    held: Mapping[Place, Mapping[int, Places]]
    assigned: Mapping[int, frozenset[Variable]]
    constant: frozenset[Variable]
    kept: frozenset[Variable]
    known_calls: frozenset[int]


def points_to(program: Program) -> PointsTo:
    """Where the pointers of a program may point."""
    return _Analysis(program).result()


class Known(Struct, frozen=True):
    """What the result says of pointers in variables and in memory."""

    result: PointsTo

    def load(self, places: Places) -> Places:
        """Where a pointer that is read from one of the places may lead."""
        found: dict[Place, Distance] = {}
        for place, distance in places.items():
            held = self.result.held.get(place, {}).get(distance.rest) if distance.modulus == 0 else None
            if place is not NOWHERE:
                include(found, {FORGED: ANYWHERE} if held is None else held)
        return found

    def variable(self, pointer: Variable) -> Places:
        """Where a pointer variable may lead."""
        return self.result.places.get(pointer, {FORGED: ANYWHERE})


def pointer_values(program: Program) -> PointerValues:
    """Where expressions point, whatever was executed before."""
    known = Known(program.derived(points_to))
    return PointerValues(
        program.types, known, lambda variable, _: known.variable(variable), lambda index, _: range_of(index.type)
    )


class _Analysis:
    """The least solution of the constraints."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._variables: dict[Variable, Collection] = {}
        self._assigned: dict[int, frozenset[Variable]] = {}
        for function in program.functions.values():
            self._assigned.update(_assigned(function, self._is_followed))
        self._current: Callable[[], None] = lambda: None
        self._readers: dict[Hashable, dict[Callable[[], None], None]] = {}
        self._pending: deque[Callable[[], None]] = deque()
        self._waiting: set[Callable[[], None]] = set()
        self._recursive = recursive_functions(program)
        self._memory = PointerMemory(program.types.data_model.pointer_width // 8, self._note, self._changed)
        self._values = PointerValues(program.types, self._memory, self._value_of, partial(interval_of, program))
        self._constraints = Constraints(program, self._memory, self._values, designated(program), self._include)

    def result(self) -> PointsTo:
        """Look at constraints until nothing changes any more."""
        self._pending.extend(self._constraints.all())
        self._waiting.update(self._pending)
        while self._pending:
            self._current = self._pending.popleft()
            self._waiting.remove(self._current)
            self._current()
        self._pools = pools_of(self._constraints.allocations.many, self._pointers())
        return PointsTo(
            places=dict(self._places()),
            blocks={block: call for block, call in self._blocks().items() if Blocks(block.edge) not in self._pools},
            pools=self._pools,
            held={place: held for place, held in self._held() if held},
            assigned=self._assigned,
            constant=frozenset(v for v in self._statics() if self._is_object(v) and not self._memory.may_be_written(v)),
            kept=frozenset(self._kept()),
            known_calls=frozenset(self._constraints.known_calls),
        )

    # ---- the result

    def _is_object(self, variable: Variable) -> bool:
        return isinstance(variable.type, ArrayType | StructType) or variable in self._program.address_taken

    def _statics(self) -> Iterator[Variable]:
        yield from (initialiser.variable for initialiser in self._program.statics)

    def _locals(self) -> Iterator[Variable]:
        for function in self._program.functions.values():
            yield from (v for v in (*function.parameters, *function.locals) if not v.is_static)

    def _places(self) -> Iterator[tuple[Variable, Places]]:
        """The places of the variables that are followed."""
        for variable in (*self._statics(), *self._locals()):
            if self._is_followed(variable):
                found = self._known(self._variables[variable].places if variable in self._variables else {})
                if found is not None:
                    yield variable, found

    def _held(self) -> Iterator[tuple[Place, Mapping[int, Places]]]:
        """What is known of the pointers in objects."""
        sizes: dict[Variable | Block, int | None] = dict.fromkeys(self._blocks())
        for variable in (*self._statics(), *self._locals()):
            if self._is_object(variable):
                sizes[variable] = size_of(variable.type, self._program.types)
        for place, size in sizes.items():
            yield place, self._all_known(self._memory.held([place], size, _MOST_HELD))
        for pool in dict.fromkeys(self._pools.values()):
            edges = {site.edge for site, first in self._pools.items() if first == pool}
            allocated: list[Block | Blocks] = [*self._constraints.allocations.many, *self._blocks()]
            objects = [place for place in allocated if place.edge in edges]
            yield pool, self._all_known(self._memory.held(objects, None, _MOST_HELD))

    def _blocks(self) -> Mapping[Block, Call]:
        return self._constraints.allocations.blocks

    def _all_known(self, held: Mapping[int, Places]) -> Mapping[int, Places]:
        known = {start: self._known(places) for start, places in held.items()}
        return {start: places for start, places in known.items() if places is not None}

    def _pointers(self) -> Iterator[Places]:
        """The places of all that points."""
        yield from (found.places for found in self._variables.values())
        yield from (places for _, places in self._memory.holders())

    def _known(self, places: Places) -> Places | None:
        """The places, if they are few and each stands for one object or one pool only; else ``None``."""
        found = in_pools(places, self._pools)
        if found is None or len(found) > _MOST_PLACES:
            return None
        unknown = any(
            place is FORGED or place is OUTSIDE or (isinstance(place, Variable) and place.function in self._recursive)
            for place in found
        )
        return None if unknown else found

    def _kept(self) -> Iterator[Variable]:
        """The local variables to which a pointer may lead that is not in a frame within theirs."""
        holders: list[tuple[str | None, Iterable[Place]]] = [
            (None if v.is_static else v.function, found.places) for v, found in self._variables.items()
        ]
        holders += self._memory.holders()
        callees = callees_of(self._program)
        below: dict[str | None, frozenset[str] | None] = {None: None}
        for holder, places in holders:
            for place in places:
                if isinstance(place, Variable) and not place.is_static and place.function != self._program.entry:
                    if holder is not None and holder not in below:
                        below[holder] = called_below(callees, holder)
                    inner = below[holder]
                    if inner is None or place.function in inner:
                        yield place
        yield from (v for v in self._locals() if self._memory.has_escaped(v))

    # ---- what constraints depend on

    def _note(self, key: Hashable) -> None:
        self._readers.setdefault(key, {})[self._current] = None

    def _changed(self, key: Hashable) -> None:
        for reader in self._readers.get(key, ()):
            if reader not in self._waiting:
                self._waiting.add(reader)
                self._pending.append(reader)

    # ---- variables that are followed

    def _is_followed(self, variable: Variable) -> bool:
        return isinstance(variable.type, PointerType) and variable not in self._program.address_taken

    def _value_of(self, variable: Variable, location: int) -> Places | None:
        """Where a variable may point at a location; ``None`` if it is not followed."""
        if not self._is_followed(variable):
            return None
        self._note(variable)
        known = self._variables[variable].places if variable in self._variables else {}
        has_value = variable.is_static or variable in self._assigned[location]
        return known if has_value else {**NULL, **known}

    def _include(self, variable: Variable, value: Places) -> bool:
        """Let a variable point where a value does; whether it is followed."""
        if not self._is_followed(variable):
            return False
        if self._variables.setdefault(variable, Collection()).include(value, self._memory.escape):
            self._changed(variable)
        return True


def _assigned(function: Function, is_followed: Callable[[Variable], bool]) -> dict[int, frozenset[Variable]]:
    """The local pointers that have a value at each location of a function, on every path from its entry."""
    everything = frozenset(v for v in (*function.parameters, *function.locals) if is_followed(v))
    found = dict.fromkeys(function.leaving, everything)
    found[function.entry] = everything & frozenset(function.parameters)
    pending = [function.entry]
    visited = set()
    while pending:
        location = pending.pop()
        for edge in function.leaving[location]:
            after = found[location]
            match edge.operation:
                case Declare(variable=variable):
                    after -= {variable}
                case Assign(target=target) | Input(target=target) | Call(target=target):
                    if isinstance(target, VariableReference):
                        after |= {target.variable} & everything
            after &= found[edge.target]
            if after != found[edge.target] or edge.target not in visited:
                found[edge.target] = after
                visited.add(edge.target)
                pending.append(edge.target)
    return found
