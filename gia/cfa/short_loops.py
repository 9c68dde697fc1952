"""Loops that go round a small constant number of times, whatever is read: a counter from one constant to another.

Where such loops are unrolled, no invariant is needed for them. That a loop is one of them is a guess by the text: who
relies on it finds out whether the last round is the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import ge, gt, le, lt, ne
from typing import Final, NamedTuple

from gia.cfa.closure import closure
from gia.cfa.contracts import callees_of
from gia.cfa.expressions import (
    MIRRORED,
    Binary,
    Expression,
    Variable,
    VariableReference,
    conjuncts_of,
    without_casts,
    written_constant,
)
from gia.cfa.graph import Edge, Function, Program
from gia.cfa.impossible import is_impossible
from gia.cfa.operations import Assign, Assume, Call, Declare, Input
from gia.cfa.wto import order, order_of

MOST_ROUNDS: Final = 10
"""Loops with more rounds are not short."""
MOST_EDGES: Final = 400
"""No more edges does an unrolled loop have, with the calls and the loops in it."""
MOST_EDGES_IN_ALL: Final = 30_000
"""No more edges do all of them have in all frames."""

_FARTHEST: Final = 50
"""So many edges before a loop its counter is set at most."""
_HOLDS: Final[Mapping[str, Callable[[int, int], bool]]] = {"<": lt, "<=": le, ">": gt, ">=": ge, "!=": ne}


def short_loops(program: Program) -> Mapping[int, int]:
    """The heads of the short loops of a program, with the numbers of their rounds.

    The loops in them and in the functions that they call are short as well, and these functions call none themselves.
    None is short in a program that would become too large.
    """
    callees, frames = callees_of(program), _frames(program)
    found: dict[int, int] = {}
    sizes: dict[str, float] = {}
    whole = 0.0
    for name in sorted(program.functions, key=lambda name: bool(callees[name])):
        loops = _Loops(program, program.functions[name], sizes)
        found |= loops.short()
        whole += frames.get(name, 0) * loops.unrolled()
        if not callees[name]:
            sizes[name] = loops.size()
    return found if whole <= MOST_EDGES_IN_ALL else {}


def _frames(program: Program) -> Mapping[str, int]:
    """In how many frames each function is executed when all calls are inlined; a call in recursion is none."""
    numbers = {name: number for number, name in enumerate(program.functions)}
    calls = {
        numbers[name]: [
            numbers[edge.operation.function]
            for edge in function.edges
            if isinstance(edge.operation, Call) and edge.operation.function in numbers
        ]
        for name, function in program.functions.items()
    }
    position = order_of(calls, numbers[program.entry]).position
    found = dict.fromkeys(numbers.values(), 0)
    found[numbers[program.entry]] = 1
    for caller in sorted(found, key=position.__getitem__):
        for callee in calls[caller]:
            if position[callee] > position[caller]:
                found[callee] += found[caller]
    return {name: found[number] for name, number in numbers.items()}


class _Bound(NamedTuple):
    """A loop goes on only while ``counter operator limit``."""

    counter: Variable
    operator: str
    limit: int


class _Loops:
    """The loops of a function; ``sizes`` are those of the functions that may be called in short ones."""

    def __init__(self, program: Program, function: Function, sizes: Mapping[str, float]) -> None:
        self._program = program
        self._function = function
        self._sizes = sizes
        self._order = order(function)
        self._short: dict[int, int] = {}
        self._unrolled: dict[int, float] = {}
        """The sizes of loops, by their heads."""

    def short(self) -> Mapping[int, int]:
        """The short loops, the inner ones first."""
        for head in reversed(self._order.heads):
            rounds = self._rounds(head)
            size = float("inf") if rounds is None else (rounds + 1) * self._size_of_round(head)
            if rounds is not None and size <= MOST_EDGES:
                self._short[head] = rounds
            self._unrolled[head] = size if head in self._short else float("inf")
        return {head: rounds for head, rounds in self._short.items() if self._goes_round(head)}

    def _goes_round(self, head: int) -> bool:
        """Whether it is a loop not only by its form, as the ``do`` of a macro: then there is nothing to unroll."""
        return any(edge.target == head and not is_impossible(edge) for edge in self._inside(head))

    def unrolled(self) -> float:
        """The number of edges of its short loops when they are unrolled; the loops in them are counted with them."""
        inner = {head for head in self._short if not self._short.keys().isdisjoint(self._order.nest[head][:-1])}
        return sum(self._unrolled[head] for head in self._short if head not in inner)

    def size(self) -> float:
        """The number of edges of the function when its loops are unrolled, infinite if some are not short."""
        outermost = [head for head in self._order.heads if len(self._order.nest[head]) == 1]
        return len(self._function.edges) + sum(map(self._unrolled.__getitem__, outermost))

    def _size_of_round(self, head: int) -> float:
        """How many edges one round has; the loops in it are known."""
        own = [edge for edge in self._inside(head) if self._order.nest[edge.source][-1] == head]
        called = (edge.operation.function for edge in own if isinstance(edge.operation, Call))
        depth = len(self._order.nest[head])
        inner = [h for h in self._order.heads if len(self._order.nest[h]) == depth + 1 and head in self._order.nest[h]]
        calls = sum(self._sizes.get(name, float("inf")) for name in called if name in self._program.functions)
        return len(own) + calls + sum(map(self._unrolled.__getitem__, inner))

    def _inside(self, head: int) -> Iterator[Edge]:
        """The edges that leave the locations of a loop."""
        return (edge for edge in self._function.edges if head in self._order.nest[edge.source])

    def _rounds(self, head: int) -> int | None:
        """How often a loop goes round before its condition ends it; ``None`` if that is not known or too often."""
        if not self._goes_round(head):
            return 0
        for bound in self._bounds(head):
            begin = self._begin(bound.counter, head)
            step = None if begin is None else self._step(bound.counter, head)
            if begin is not None and step is not None:
                values = (begin + rounds * step for rounds in range(MOST_ROUNDS + 1))
                ended = (
                    rounds for rounds, value in enumerate(values) if not _HOLDS[bound.operator](value, bound.limit)
                )
                rounds = next(ended, None)
                if rounds is not None:
                    return rounds
        return None

    def _bounds(self, head: int) -> Iterator[_Bound]:
        """The comparisons of variables with constants without which the loop ends at its head."""
        for edge in self._function.leaving[head]:
            if isinstance(edge.operation, Assume) and edge.operation.outcome and head in self._order.nest[edge.target]:
                for condition in conjuncts_of(edge.operation.condition):
                    if isinstance(condition, Binary) and condition.operator in _HOLDS:
                        yield from _bound(condition.left, condition.operator, condition.right)
                        yield from _bound(condition.right, MIRRORED[condition.operator], condition.left)

    def _begin(self, counter: Variable, head: int) -> int | None:
        """The constant to which a counter is set before a loop, if there is only one way into it."""
        into = self._function.entering
        entering = tuple(edge for edge in into[head] if head not in self._order.nest[edge.source])
        for _ in range(_FARTHEST):
            if len(entering) != 1:
                return None
            if _sets(entering[0], counter):
                setting = entering[0].operation
                return written_constant(setting.value) if isinstance(setting, Assign) else None
            entering = into.get(entering[0].source, ())
        return None

    def _step(self, counter: Variable, head: int) -> int | None:
        """By how much a counter is changed in each round, if at one place that every round comes to once."""
        setting = [edge for edge in self._inside(head) if _sets(edge, counter)]
        if counter in self._program.address_taken or len(setting) != 1:
            return None
        if self._order.nest[setting[0].source][-1] != head:
            return None
        others: dict[int, list[int]] = {}
        for edge in self._inside(head):
            if edge is not setting[0]:
                others.setdefault(edge.source, []).append(edge.target)
        if head in closure(others[head], others) or not isinstance(setting[0].operation, Assign):
            return None
        return _change(setting[0].operation.value, counter)


def _bound(left: Expression, operator: str, right: Expression) -> Iterator[_Bound]:
    place, limit = without_casts(left), written_constant(right)
    if isinstance(place, VariableReference) and limit is not None:
        yield _Bound(place.variable, operator, limit)


def _sets(edge: Edge, variable: Variable) -> bool:
    """Whether an edge gives a variable, to which no pointer leads, another value."""
    match edge.operation:
        case Assign(target=target) | Input(target=target) | Call(target=target):
            return target == VariableReference(variable)
        case Declare(variable=declared):
            return declared == variable
    return False


def _change(value: Expression, counter: Variable) -> int | None:
    """What is added to a counter in an expression that is its next value."""
    sum_ = without_casts(value)
    if not isinstance(sum_, Binary) or sum_.operator not in ("+", "-"):
        return None
    change = written_constant(sum_.right)
    if change is None or without_casts(sum_.left) != VariableReference(counter):
        return None
    return change if sum_.operator == "+" else -change
