"""The protocol of incremental solvers over :mod:`gia.smt.terms`; :mod:`gia.smt.solvers` makes them.

``unsat`` is the only answer that proves anything; a model is a proposal until an execution confirms it.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from gia.smt.terms import Term


class Result(StrEnum):
    """The answer to a query."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"
    """The time was used up, or the solver gave up."""


class Solver(Protocol):
    """A set of assertions on a stack, and questions about it."""

    def push(self) -> None:
        """Open a level: what is added from now on disappears with :meth:`pop`."""
        ...

    def pop(self) -> None:
        """Drop what was added since the matching :meth:`push`."""
        ...

    def add(self, *formulas: Term) -> None:
        """Assert Boolean terms."""
        ...

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Result:
        """Whether all assertions and ``assumptions`` can hold at once; ``UNKNOWN`` after ``timeout`` seconds."""
        ...

    def core(self) -> frozenset[Term]:
        """Assumptions of the last query that cannot hold together with the assertions.

        Law: right after a :meth:`check` that answered ``UNSAT``. They need not be the fewest; a solver that was not
        made for this says all of them.
        """
        ...

    def value(self, term: Term) -> int:
        """The value of a Boolean (``bool``), bit-vector (unsigned) or floating-point term (IEEE bits).

        Law: right after a :meth:`check` that answered ``SAT``; all values of one model fit together. Variables that
        occurred in no assertion have some value.
        """
        ...
