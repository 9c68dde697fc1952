"""Reduced programs, executed: the goals that they reach, mapped back, are those of the original on the same inputs."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gia.automaton.model import Acceptance
from gia.cfa.goals import Criterion, Goal, goals_of
from gia.cfa.types import DataModel
from gia.frontend import LoadedProgram, load
from gia.native import Execution, InputValue, Limits, Outcome, Runner, compile_instrumented
from gia.reducer import Strategy, reduce_to_c
from tests.cfa.graphs import law
from tests.reducer import tasks
from tests.reducer.text_programs import sources

EXAMPLES = [
    Path(__file__).resolve().parents[2] / "examples" / f"{name}.c"
    for name in ("after_the_loop", "elevator", "thermostat")
]
RUNS = 6
LIMITS = Limits(wall=2.0)


@dataclass(frozen=True)
class Observed:
    """A program that is compiled so that its goals are seen."""

    loaded: LoadedProgram
    goals: tuple[Goal, ...]
    folder: Path

    @classmethod
    def read(cls, path: Path, criterion: Criterion) -> "Observed":
        program = load(path, data_model=DataModel.LP64)
        return cls(program, goals_of(program.program, criterion), path.parent)

    def executions(self, runner: Runner, tests: Sequence[Sequence[InputValue]] | None, into: Path) -> list[Execution]:
        """What the program does with the inputs of each test, or with some random ones."""
        into.mkdir()
        watched = {edge for goal in self.goals for edge in goal.edges}
        program = compile_instrumented(self.loaded, into, watch=watched)
        if tests is not None:
            return [runner.run(program, test, limits=LIMITS) for test in tests]
        few = (0, 1, 2)
        return [runner.run(program, seed=seed, dictionary=few, limits=LIMITS) for seed in range(RUNS)]

    def reached(self, edges: Collection[int]) -> set[str]:
        return {goal.id for goal in self.goals if not goal.edges.isdisjoint(edges)}


def assert_same_goals(path: Path, criterion: Criterion, kind: Acceptance, strategies: Sequence[Strategy]) -> int:
    """Needed executions reach the same goals, others none that the original does not; how many were needed."""
    needed_runs = 0
    with Runner() as runner, TemporaryDirectory() as scratch:
        original = Observed.read(path, criterion)
        task = tasks.with_facts(original.loaded.program, original.goals, kind)
        runs = original.executions(runner, None, Path(scratch) / "original")
        for strategy in strategies:
            reduction = reduce_to_c(strategy, original.loaded, original.goals, task.automaton, task.wrt)
            back = {name: goal for goal, names in reduction.goals.items() for name in names}
            text = Path(scratch) / f"{strategy.value}.c"
            text.write_text(reduction.text)
            reduced = Observed.read(text, criterion)
            left = reduced.executions(runner, [run.inputs for run in runs], Path(scratch) / strategy.value)
            for before, after in zip(runs, left, strict=True):
                expected = original.reached(before.covered_edges)
                found = {back[name] for name in reduced.reached(after.covered_edges) if name in back}
                assert found <= expected, (strategy, before.inputs)
                assert after.inputs == before.inputs[: len(after.inputs)]
                ends = before.outcome is not Outcome.TIMEOUT
                if ends and task.candidates & before.covered_edges and not task.decided & before.covered_edges:
                    needed_runs += 1
                    assert found == expected, (strategy, before.inputs)
                    assert (after.inputs, after.outcome) == (before.inputs, before.outcome)
    return needed_runs


@pytest.mark.parametrize("kind", [Acceptance.UT, Acceptance.RT])
def test_examples(kind: Acceptance) -> None:
    criterion = Criterion.BRANCHES if kind is Acceptance.UT else Criterion.STATEMENTS
    assert sum(assert_same_goals(path, criterion, kind, list(Strategy)) for path in EXAMPLES) > 0


@pytest.mark.parametrize("criterion", [Criterion.BRANCHES, Criterion.STATEMENTS])
@given(st.data())
@law(2)
def test_drawn_programs(criterion: Criterion, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([Acceptance.UT, Acceptance.RT]))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "p.c"
        path.write_text(data.draw(sources()))
        assert_same_goals(path, criterion, kind, list(Strategy))
