#!/usr/bin/env python3
"""Run one built-in tester on one task, and print what it has found as JSON: ``benchmarks/testers.py`` starts this.

It loads what the tester needs, and nothing else: its time counts from the start of the process.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import processor_clock

if sys.argv[-1] == "cpu":
    processor_clock.install()  # before gia looks at the clock

from gia.automaton.bulk import bulk_allocation

with bulk_allocation():  # as the command gia loads its modules
    from gia.analyses.registry import ACTORS
    from gia.analyses.request import ActorRequest
    from gia.automaton.initial import initial_gia
    from gia.automaton.model import Acceptance, Automaton
    from gia.automaton.status import goal_status
    from gia.cfa.goals import Criterion, goals_of
    from gia.cfa.types import DataModel
    from gia.exchange.suites.reading_tests import tests_of
    from gia.frontend import load
    from gia.orchestrator.facts.task import kept_builds
    from gia.smt.solvers.bitwuzla_solver import BitwuzlaSolver
    from gia.smt.solvers.solver import Result
    from gia.smt.terms import Term
    from gia.verdict import GoalStatus

_EVERYTHING = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)

Check = Callable[[BitwuzlaSolver, Sequence[Term], float | None], Result]


def measure(path: Path, data_model: str, tester: str, seconds: float, begun: float) -> dict[str, object]:
    """Run a built-in actor here and now: the fields of a ``Measurement``.

    ``begun`` is when this process did (:func:`time.monotonic`).
    """
    name, _, listed = tester.partition(":")
    options = dict(pair.split("=", 1) for pair in listed.split(",") if pair)
    loaded = load(path, data_model=DataModel(data_model))
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    goal_of = {loaded.program.edge_list[number].reference: goal.id for goal in goals for number in goal.edges}
    series: list[tuple[float, int]] = []
    notes: list[str] = []

    def publish(found: object) -> bool:
        automaton = found() if callable(found) else None
        assert isinstance(automaton, Automaton)
        final = automaton.accepting(Acceptance.RT)
        edges = {e for t in automaton.transitions if t.target in final and t.edges for e in t.edges}
        series.append((round(time.monotonic() - begun, 2), len({goal_of[e] for e in edges if e in goal_of})))
        return True

    solver = SolverClock()
    BitwuzlaSolver.check = solver.timed(BitwuzlaSolver.check)  # type: ignore[method-assign]  # for all of this process
    with tempfile.TemporaryDirectory() as scratch:
        known = initial_gia(loaded.program, goals)
        request = ActorRequest(
            loaded, goals, known, begun + seconds, Path(scratch), options, report=notes.append, publish=publish,
            builds=kept_builds(),
        )  # fmt: skip
        found = ACTORS[name].load()(request)
    used = round(time.monotonic() - begun, 2)
    status = goal_status(loaded.program, found, goals)
    reached = tuple(name for name, state in status.items() if state is GoalStatus.COVERED)
    covered = len(reached)
    tests = len(tests_of(found, loaded.program))
    return {
        "goals": len(goals),
        "covered": covered,
        "decided": covered + sum(1 for state in status.values() if state is GoalStatus.UNREACHABLE),
        "tests": tests,
        "seconds": used,
        "cpu": round(sum(one.ru_utime + one.ru_stime for one in map(resource.getrusage, _EVERYTHING)), 2),
        "solver": round(solver.seconds, 2),
        "series": (*series, (used, covered)),
        "notes": tuple(notes),
        "reached": reached,
    }


class SolverClock:
    """How long the solver took."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def timed(self, check: Check) -> Check:
        """The method ``check``, whose time counts."""

        def method(solver: BitwuzlaSolver, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Result:
            begun = time.monotonic()
            try:
                return check(solver, assumptions, timeout)
            finally:
                self.seconds += time.monotonic() - begun

        return method


def main() -> None:
    """Measure: path, data model, tester, seconds, when the process was started (:func:`time.time`), clock."""
    path, model, tester, seconds, started, clock = sys.argv[1:]
    begun = 0.0 if clock == "cpu" else time.monotonic() - (time.time() - float(started))
    print(json.dumps(measure(Path(path), model, tester, float(seconds), begun)))


if __name__ == "__main__":
    main()
