"""What a tool says it has found out, before anybody has looked into it."""

from __future__ import annotations

from msgspec import Struct

from gia.automaton.model import Automaton
from gia.exchange.suites.testcase import TestCase


class Findings(Struct, frozen=True):
    """Tests that are to be executed, goals (ids) that are claimed to be unreachable, and remarks for people.

    ``evidence`` is an automaton with ``ut`` states that speaks of the original program, if there is one; ``candidates``
    is one with ``cand`` states, the paths that others should look at.
    """

    tests: tuple[TestCase, ...] = ()
    unreachable: frozenset[str] = frozenset()
    remarks: tuple[str, ...] = ()
    evidence: Automaton | None = None
    candidates: Automaton | None = None
