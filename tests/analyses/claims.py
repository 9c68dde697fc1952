"""The judge of provers: what they claim of a program is certified, and no execution contradicts it."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

from gia.analyses.registry import ACTORS
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.automaton.status import goal_status
from gia.automaton.wellformed import violations
from gia.cfa.types import DataModel
from gia.checker import certify, check_exclusions
from gia.checker.certify import Outcome
from gia.frontend import load
from gia.native import Limits, Missing, Runner, compile_instrumented
from gia.verdict import GoalStatus
from tests.checker.programs import branches


def check_soundness(
    text: str,
    folder: Path,
    provers: tuple[str, ...],
    seconds: float,
    runs: int,
    *,
    model: DataModel = DataModel.LP64,
) -> int:
    """Analyse and execute one program; how many goals were proven."""
    source = folder / "program.c"
    source.write_text(text)
    loaded = load(source, data_model=model)
    goals = branches(loaded)
    covered: set[int] = set()
    program = compile_instrumented(loaded, folder)
    dictionary = (0, 1, -1, 2, 3, 4, 5, 10)
    with Runner() as runner:
        for run in range(runs):
            limits = Limits(wall=0.1)
            execution = runner.run(program, seed=run, missing=Missing.RANDOM, limits=limits, dictionary=dictionary)
            covered |= execution.covered_edges
    gia = initial_gia(loaded.program, goals)
    count = 0
    for prover in provers:
        found = ACTORS[prover].load()(ActorRequest(loaded, goals, gia, monotonic() + seconds, folder))
        assert not violations(found)
        status = goal_status(loaded.program, found, goals)
        proven = [goal for goal in goals if status[goal.id] is GoalStatus.UNREACHABLE]
        assert not [goal.id for goal in proven if goal.edges & covered]
        certified = certify(loaded.program, found, goals, deadline=monotonic() + 30).certified
        assert {goal.id for goal in proven} <= certified
        assert not [goal.id for goal in goals if goal.id in certified and goal.edges & covered]
        claims = check_exclusions(loaded.program, found, goals, deadline=monotonic() + 30)
        assert not [claim for claim in claims if claim.outcome is Outcome.REFUTED]
        count += len(proven)
    return count
