"""The judge of provers on random programs: branches that gcc's code takes and that a prover excludes are wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import monotonic

from gia.analyses.registry import ACTORS
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.automaton.status import goal_status
from gia.cfa.goals import Criterion, Goal, goals_of
from gia.cfa.types import DataModel
from gia.frontend import load
from gia.toolchain import data_model_options, find_compiler, run_tool
from gia.verdict import GoalStatus
from tests.analyses.random_c import RandomC

SANITIZERS = (
    "-fsanitize=address,bounds,null,alignment,integer-divide-by-zero,shift-exponent,float-cast-overflow,bool",
    "-fno-sanitize-recover=all",
)
INTERESTING = (0, 1, -1, 2, 3, 5, 10, 100, 255, -128, 2**31 - 1, -(2**31))


@dataclass(frozen=True)
class Judgement:
    """How many branches were taken, what each prover excludes, and what of that is wrong, as ``prover goal``."""

    taken: int
    excluded: dict[str, int]
    wrong: tuple[str, ...]


def execute(source: Path, model: DataModel, inputs: Sequence[Sequence[int]]) -> Iterator[list[str]]:
    """The lines that the program prints for each of the inputs; those with undefined behaviour are left out."""
    binary = source.with_suffix("")
    options = [*data_model_options(model), "-O0", "-fwrapv", "-w", "-DNATIVE", *SANITIZERS]
    done = run_tool([find_compiler().path, *options, str(source), "-o", str(binary), "-lm"], timeout=120)
    assert done.returncode == 0, done.messages
    for values in inputs:
        done = run_tool([str(binary)], timeout=20, stdin=" ".join(map(str, values)).encode())
        if done.returncode == 0:
            yield done.stdout.decode().splitlines()


def judge(seed: int, model: DataModel, provers: Sequence[str], seconds: float, folder: Path) -> Judgement | None:
    """Write the program of the seed, execute it, and let provers look at it; ``None`` if no execution is defined."""
    random = Random(seed)
    program = RandomC(seed)
    inputs = [[random.choice(INTERESTING) for _ in range(16)] for _ in range(6 if program.inputs else 1)]
    observed, source = folder / "observed.c", folder / f"random{seed}.c"
    observed.write_text(program.observed())
    values: dict[int, list[str]] = {}
    defined = 0
    for lines in execute(observed, model, inputs):
        defined += 1
        for kind, number, value in (line.split() for line in lines if not line.startswith("taken")):
            assert kind in ("value", "number")
            values.setdefault(int(number), []).append(value)
    if not defined:
        return None
    text = program.asked(values)
    source.write_text(text)
    taken = {
        (int(line), bool(int(outcome)))
        for lines in execute(source, model, inputs)
        for _, line, outcome in (found.split() for found in lines)
    }
    loaded = load(source, data_model=model)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    reached = {goal.id for goal in goals if (goal.line, goal.id.endswith(":then")) in taken and _asks(goal, text)}
    excluded, wrong = {}, []
    for prover in provers:
        request = ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + seconds, folder)
        status = goal_status(loaded.program, ACTORS[prover].load()(request), goals)
        proven = {goal.id for goal in goals if status[goal.id] is GoalStatus.UNREACHABLE}
        excluded[prover] = len(proven)
        wrong += [f"{prover} {goal}" for goal in sorted(proven & reached)]
    return Judgement(len(reached), excluded, tuple(wrong))


def _asks(goal: Goal, text: str) -> bool:
    """Whether the goal is an outcome of the one branch of its line that is observed."""
    line = text.splitlines()[goal.line - 1]
    return "BRANCH(" in line and line[goal.column - 1 :].startswith(("if", "while", "for"))
