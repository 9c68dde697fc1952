"""Nothing that an execution does with blocks of a pool is ever excluded: random programs, analysed and executed."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest

from gia.analyses.registry import ACTORS
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.automaton.status import goal_status
from gia.cfa.types import DataModel
from gia.checker import certify
from gia.combiner import combine
from gia.exchange.suites.tests_gia import test_to_gia
from gia.frontend import load
from gia.native import Limits, Missing, Runner, Tracing, compile_instrumented
from gia.verdict import GoalStatus
from tests.analyses.heap_programs import HeapProgram
from tests.checker.programs import branches


@pytest.mark.parametrize("seed", range(8))
def test_what_happens_on_the_heap_is_not_excluded(seed: int, tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    written = HeapProgram(seed)
    source.write_text(written.text())
    loaded = load(source, data_model=DataModel.LP64 if seed % 2 else DataModel.ILP32)
    goals = branches(loaded)
    covered: set[int] = set()
    executed = []
    program = compile_instrumented(loaded, tmp_path)
    with Runner() as runner:
        for run in range(40):
            execution = runner.run(
                program,
                seed=run,
                missing=Missing.RANDOM,
                limits=Limits(wall=0.1, inputs=60),
                dictionary=(0, 1, 2, 3, 4, 5, 7),
                tracing=Tracing.SEGMENTS,
            )
            covered |= execution.covered_edges
            executed.append(test_to_gia(loaded.program, execution, goals))
    found = ACTORS["verifier"].load()(
        ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + 3, tmp_path)
    )
    status = goal_status(loaded.program, found, goals)
    proven = [goal for goal in goals if status[goal.id] is GoalStatus.UNREACHABLE]
    assert not [goal.id for goal in proven if goal.edges & covered]
    if not written.recurs:  # evidence does not tell the frames of a recursive function apart
        certified = certify(loaded.program, found, proven, deadline=monotonic() + 30).certified
        assert {goal.id for goal in proven} <= certified
    combine([found, *executed])  # raises if a path that was executed is excluded
