"""Where random executions hardly come, a solver says from which state and with which inputs one does.

As concolic testing goes on from what was executed (P. Godefroid, N. Klarlund & K. Sen, *DART*, PLDI 2005), with the
formulas of blocks instead of the constraints of a path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import NamedTuple

from gia.analyses.proving.executions import Assignment, Course
from gia.analyses.proving.samples import Samples
from gia.cfa.supergraph import Node
from gia.smt.invariants.control_graph import check_deadline
from gia.smt.solvers.solver import Result, Solver
from gia.smt.terms import SortKind, Term, Value, bool_const, bv_const, equal, sle, variables_of

_STATES = 3
"""From so many states of each cut point,"""
_VARIANTS = 4
"""with so many different inputs each,"""
_CHOSEN = 6
"""of which so many are drawn at random, where the others allow it."""
_SMALL = 1_000
"""Numbers are at most so great, where that is possible."""
_SECONDS = 0.3
"""A query may take so long."""


class Approach(NamedTuple):
    """The values of variables and inputs with which the block of a cut point, or of the program's start, begins."""

    start: Node | None
    values: Mapping[Term, Value]


class Aim:
    """Finds approaches to cut points; it raises ``OutOfTimeError`` after the deadline of the course."""

    def __init__(self, course: Course, samples: Samples, random: Random, solver: Solver) -> None:
        self._course = course
        self._samples = samples
        self._random = random
        self._solver = solver

    def at(self, cut: Node) -> Iterator[Approach]:
        """From which of the states that were seen, or from the program's start, an execution may come to it next."""
        for start in (None, *(seen for seen, states in self._samples.states.items() if states)):
            ends, _ = self._course.exits(start, None)
            if cut not in ends:
                continue
            guard = self._course.block(start).exits[cut].guard
            for state in ({},) if start is None else tuple(self._samples.states[start][:_STATES]):
                yield from (Approach(start, {**state, **found}) for found in self._models(guard, state))

    def _models(self, guard: Term, state: Mapping[Term, Value]) -> list[dict[Term, Value]]:
        """Values of the other variables with which a guard holds in a state."""
        variables = sorted(filter(_is_simple, variables_of(guard)), key=lambda variable: variable.name)
        free = [variable for variable in variables if variable not in state]
        found: list[dict[Term, Value]] = []
        self._solver.push()
        self._solver.add(guard, *(_fixed(variable, state[variable]) for variable in variables if variable in state))
        modest = [condition for variable in free for condition in _modest(variable)]
        if self._holds(modest):  # equations between small numbers are found, not those between what has wrapped around
            self._solver.add(*modest)
        for variant in range(_VARIANTS if free else 1):
            if not self._holds(self._chosen(free) if variant else []):
                break
            found.append({variable: self._solver.value(variable) for variable in free})
        self._solver.pop()
        return found

    def _chosen(self, free: list[Term]) -> list[Term]:
        """That some variables have values drawn at random, as far as what is asserted allows."""
        drawn = Assignment(self._random, None)
        chosen: list[Term] = []
        for variable in self._random.sample(free, min(len(free), _CHOSEN)):
            choice = _fixed(variable, drawn.get(variable))
            if self._holds([*chosen, choice]):
                chosen.append(choice)
        return chosen

    def _holds(self, assumptions: list[Term]) -> bool:
        check_deadline(self._course.deadline)
        return self._solver.check(assumptions, _SECONDS) is Result.SAT


def _is_simple(variable: Term) -> bool:
    return variable.sort.kind in (SortKind.BOOL, SortKind.BV)


def _modest(variable: Term) -> tuple[Term, ...]:
    """That a number is small."""
    if variable.sort.kind is SortKind.BOOL or variable.width <= _SMALL.bit_length():
        return ()
    return (sle(variable, bv_const(_SMALL, variable.width)), sle(bv_const(-_SMALL, variable.width), variable))


def _fixed(variable: Term, value: Value) -> Term:
    """That a variable has this value."""
    assert isinstance(value, int)
    constant = bool_const(bool(value)) if variable.sort.kind is SortKind.BOOL else bv_const(value, variable.width)
    return equal(variable, constant)
