"""The tester: random tests for easy goals, bounded symbolic execution for the rest, mutation where that is blind."""

from __future__ import annotations

from time import monotonic

from gia.analyses.bounded import BoundedSearch
from gia.analyses.campaign import campaign
from gia.analyses.random_testing import RandomTester
from gia.analyses.request import ActorRequest, search_deadline, whole_number
from gia.automaton.model import Automaton

RANDOM_SHARE = 0.15
"""The share of the time that random testing may take before the symbolic execution."""

PATIENCE_SHARE = 0.25
"""The share of the time after which a search that finds nothing new ends, so that others can have a turn."""

NEIGHBOURS = 20
"""How many variants of an execution that the symbolic search has found are executed."""


def run(request: ActorRequest) -> Automaton:
    """The actor ``tester`` (direction UA).

    Option ``start-bound``: the loop bound that symbolic execution begins with (default 1).
    """
    deadline = search_deadline(request)
    seconds = max(0.0, deadline - monotonic())
    with campaign(request) as found:
        if found.finished:
            return found.automaton()
        random = RandomTester(found, request.seed)
        random.search(monotonic() + RANDOM_SHARE * seconds)
        request.report(f"random testing: {len(found.tests)} tests, {len(found.open)} goals open")
        bounded = BoundedSearch(found, lambda execution: random.explore(execution, NEIGHBOURS))
        start = whole_number(request, "start-bound", 1)
        reason = bounded.search(deadline, PATIENCE_SHARE * seconds, start)
        request.report(f"symbolic execution: {len(found.open)} goals open; stopped: {reason}")
        if found.open and bounded.missed:
            for execution in bounded.missed:
                random.learn(execution, always=True)
            random.search(deadline, fruitless=1000)
        return found.automaton()
