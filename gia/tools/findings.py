"""What a tool says it has found out, before anybody has looked into it."""

from __future__ import annotations

from dataclasses import dataclass

from gia.exchange.test_suite import TestCase


@dataclass(frozen=True, slots=True)
class Findings:
    """Tests that are to be executed, goals (ids) that are claimed to be unreachable, and remarks for people."""

    tests: tuple[TestCase, ...] = ()
    unreachable: frozenset[str] = frozenset()
    remarks: tuple[str, ...] = ()
