"""Moves of an automaton's runs that depend on conditions which the program has still to test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from gia.automaton.model import Condition
from gia.cfa.expressions import Binary, Expression, IntegerConstant
from gia.reducer.conditions import UNKNOWN, Value, without_negations


class Move(NamedTuple):
    """A run goes on in state ``target`` if all ``conditions`` hold after the edge."""

    target: int
    conditions: tuple[Condition, ...]


class Pending(NamedTuple):
    """A move, and the outcomes of tests that it still needs."""

    target: int
    open: frozenset[tuple[Expression, bool]]


class Open(NamedTuple):
    """The moves that the tests made so far have not excluded."""

    sure: frozenset[Pending]
    maybe: frozenset[Pending] | None

    def mentions(self, test: Expression) -> bool:
        """Whether the outcome of a test matters."""
        return any(wanted == test for move in (*self.sure, *(self.maybe or ())) for wanted, _ in move.open)

    def given(self, test: Expression, outcome: bool) -> Open:
        """What is open when ``test`` has had ``outcome``."""
        return Open(_given(self.sure, test, outcome), None if self.maybe is None else _given(self.maybe, test, outcome))

    def restricted_to(self, tests: Iterable[Expression]) -> Open:
        """What is left if only ``tests`` can be made: other needs exclude what is sure, and are ignored else."""
        allowed = frozenset(tests)
        maybe = None
        if self.maybe is not None:
            maybe = frozenset(
                Pending(move.target, frozenset(need for need in move.open if need[0] in allowed)) for move in self.maybe
            )
        return Open(frozenset(move for move in self.sure if all(test in allowed for test, _ in move.open)), maybe)


def targets(moves: Iterable[Pending]) -> frozenset[int]:
    """The targets of the moves that need nothing more."""
    return frozenset(move.target for move in moves if not move.open)


def _given(moves: Iterable[Pending], test: Expression, outcome: bool) -> frozenset[Pending]:
    result = set()
    for move in moves:
        left_open = []
        for wanted, needed in move.open:
            known = _implied(wanted, test, outcome)
            if known is None:
                left_open.append((wanted, needed))
            elif known != needed:
                break
        else:
            result.add(Pending(move.target, frozenset(left_open)))
    return frozenset(result)


def _implied(wanted: Expression, test: Expression, outcome: bool) -> bool | None:
    """The truth of a condition when ``test`` has had ``outcome``, ``None`` if that does not say it.

    A value is compared with one constant at most, and with 0 by its own truth.
    """
    if wanted == test:
        return outcome
    match wanted, test:
        case Binary(operator="==", left=left, right=IntegerConstant(value=one)), Binary(
            operator="==", left=other, right=IntegerConstant(value=two)
        ) if outcome and left == other and one != two:
            return False
        case _, Binary(operator="==", left=left, right=IntegerConstant(value=value)) if outcome and value != 0:
            return True if wanted == left else None
        case Binary(operator="==", left=left, right=IntegerConstant(value=value)), _ if not outcome and value != 0:
            return False if left == test else None
    return None


def pending(moves: Iterable[Move], values: Mapping[Condition, Value], *, sure: bool) -> Iterator[Pending]:
    """The moves that the decided conditions leave; an unknown condition excludes a ``sure`` one only."""
    for move in moves:
        needed = []
        for condition in move.conditions:
            value = values[condition]
            if isinstance(value, bool):
                if not value:
                    break
            elif value is not UNKNOWN:
                needed.append(without_negations(value))
            elif sure:
                break
        else:
            yield Pending(move.target, frozenset(needed))


def join(first: Open, second: Open) -> Open:
    """What is known of the runs on paths of both kinds; paths without runs that matter are no longer of interest."""
    if first == second or not (second.sure or second.maybe is None or second.maybe):
        return first
    if not (first.sure or first.maybe is None or first.maybe):
        return second
    sure = frozenset(
        move
        for here, there in ((first.sure, second.sure), (second.sure, first.sure))
        for move in here
        if any(other.target == move.target and other.open <= move.open for other in there)
    )
    maybe = None if first.maybe is None or second.maybe is None else first.maybe | second.maybe
    return Open(sure, maybe)
