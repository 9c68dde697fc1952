"""``__VERIFIER_nondet_memory`` fills memory with bytes that are inputs: in executions, proofs and what is exported."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest

from gia.analyses.registry import ACTORS
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.automaton.status import goal_status
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.types import DataModel
from gia.errors import GiaError
from gia.exchange.suites.reading_tests import tests_of
from gia.frontend import load
from gia.native import Missing, Runner, compile_instrumented
from gia.verdict import GoalStatus

DECLARED = "extern void __VERIFIER_nondet_memory(void *, unsigned long);\n"
FILLED = f"""{DECLARED}
struct pair {{ short low; unsigned char high; }} pair;
int main(void) {{
  int numbers[2];
  __VERIFIER_nondet_memory(numbers, sizeof numbers);
  __VERIFIER_nondet_memory(&pair, sizeof pair);
  if (numbers[1] == 70000) return 1;
  if (pair.high > 255) return 2;
  if (pair.low == -3) return 3;
  return 0;
}}
"""


def test_every_byte_is_read_in_its_order(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(FILLED)
    program = compile_instrumented(load(tmp_path / "p.c", data_model=DataModel.LP64), tmp_path)
    with Runner() as runner:
        assert runner.run(program, ["0", "0", "0", "0", "112", "17", "1", "0"], missing=Missing.ZERO).exit_code == 1
        execution = runner.run(program, [*"00000000", "253", "255"], missing=Missing.ZERO)
    assert execution.exit_code == 3
    assert [str(value.type) for value in execution.inputs] == ["unsigned char"] * 12


@pytest.mark.parametrize("model", DataModel)
def test_goals_behind_it_are_decided(model: DataModel, tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(FILLED.replace("unsigned long", "unsigned int") if model.value == "ILP32" else FILLED)
    loaded = load(tmp_path / "p.c", data_model=model)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    status = {}
    for actor in ("tester", "kinduction"):
        request = ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + 20, tmp_path)
        found = ACTORS[actor].load()(request)
        known = goal_status(loaded.program, found, goals)
        status |= {name: state for name, state in known.items() if state is not GoalStatus.OPEN}
        if actor == "tester":
            assert tests_of(found, loaded.program)
    assert status.pop("main:9:3:then") is GoalStatus.UNREACHABLE
    assert set(status.values()) == {GoalStatus.COVERED} and len(status) == 5


@pytest.mark.parametrize(
    "text",
    [
        "void (*fill)(void *, unsigned long) = __VERIFIER_nondet_memory; "
        "int main(void) { int x; fill(&x, 4); return x; }",
        "int strcoll(const char *a, const char *b) { return 0; } "
        "int main(void) { int x; __VERIFIER_nondet_memory(&x, 4); return x; }",
    ],
)
def test_without_a_model_it_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(DECLARED + text)
    with pytest.raises(GiaError, match="__VERIFIER_nondet_memory without a model") as caught:
        load(tmp_path / "p.c", data_model=DataModel.LP64)
    assert caught.value.position is not None and caught.value.position.line == 2
