"""What comes out of reading a file of another tool: claims, tests and remarks (DESIGN §8)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from msgspec import Struct

from gia.automaton.model import Automaton, State
from gia.cfa.goals import Goal
from gia.cfa.graph import EdgeReference, Program
from gia.errors import DocumentError, Position
from gia.exchange.suites.testcase import TestCase

NOTHING: Final = Automaton((State(),), ())
"""The automaton that claims nothing."""


class Imported(Struct, frozen=True):
    """What a file says about a program.

    ``automaton`` is well-formed and has ``ut`` and ``cand`` states only: nothing from outside is ``rt`` before its
    test was executed. A ``ut`` claim counts as far as :mod:`gia.checker` certifies it. ``tests`` are to be executed.
    ``notes`` name every part of the file that has no counterpart in these.
    """

    automaton: Automaton = NOTHING
    tests: tuple[TestCase, ...] = ()
    notes: tuple[str, ...] = ()


def goal_edges(program: Program, goals: Iterable[Goal]) -> frozenset[EdgeReference]:
    """The edges of goals as an automaton names them."""
    return frozenset(program.edge_list[number].reference for goal in goals for number in goal.edges)


def check_hashes(hashes: Collection[str], program: Program, name: str) -> Sequence[str]:
    """A remark if the hashes of a file's programs cannot be compared with that of ``program``.

    Raises :class:`DocumentError` if they are SHA-256 sums and none is that of ``program``.
    """
    known = [value.strip().lower() for value in hashes if value.strip()]
    if program.sha256 in known:
        return ()
    if known and all(len(value) == 64 for value in known):
        made_for = f"it was made for a program with the hash {known[0][:12]}…, not for {program.main_file}"
        raise DocumentError(made_for, Position(name))
    why = "gives no SHA-256 sum of its program" if known else "does not say for which program it was made"
    return (f"{name}: it {why}; it is taken to be {program.main_file}",)
