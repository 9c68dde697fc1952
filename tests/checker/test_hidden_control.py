"""Code that runs at times which no graph of calls shows: nothing is proven about such programs."""

from pathlib import Path
from time import monotonic

import pytest

from gia.analyses.registry import ACTORS
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.automaton.status import goal_status
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.types import DataModel
from gia.checker import Outcome, certify
from gia.frontend import load
from gia.verdict import GoalStatus

HANDLER = """
#include <{header}>
static int flag;
static void handler({parameter}) {{ if (flag) flag = 2; }}
int main(void) {{
  {call};
  if (flag == 1) return 1;
  return 0;
}}
"""


@pytest.mark.parametrize(
    ("header", "parameter", "call"),
    [("signal.h", "int number", "signal(SIGINT, handler)"), ("stdlib.h", "void", "atexit(handler)")],
)
def test_nothing_is_proven(tmp_path: Path, header: str, parameter: str, call: str) -> None:
    path = tmp_path / "p.c"
    path.write_text(HANDLER.format(header=header, parameter=parameter, call=call))
    loaded = load(path, data_model=DataModel.LP64)
    assert any(call.partition("(")[0] in warning.message for warning in loaded.warnings)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    automaton = initial_gia(loaded.program, goals)
    assert set(goal_status(loaded.program, automaton, goals).values()) == {GoalStatus.OPEN}
    report = certify(loaded.program, automaton, goals, deadline=monotonic() + 10)
    assert {result.outcome for result in report.results} == {Outcome.NOT_CHECKABLE}


def test_nothing_is_proven_where_rounding_changes(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(
        "#include <fenv.h>\nint main(void) {\n  volatile double one = 1, three = 3;\n  double near = one / three;\n"
        "  fesetround(FE_UPWARD);\n  if (one / three != near) return 1;\n  return 0;\n}\n"
    )
    loaded = load(path, data_model=DataModel.LP64)
    assert any("round" in warning.message for warning in loaded.warnings)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    found = ACTORS["verifier"].load()(
        ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + 5, tmp_path)
    )
    assert set(goal_status(loaded.program, found, goals).values()) == {GoalStatus.OPEN}
    report = certify(loaded.program, found, goals, deadline=monotonic() + 10)
    assert not report.certified


def test_a_program_that_forks_is_read(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text("#include <unistd.h>\nint main(void) { if (fork() == 0) return 1; return 0; }\n")
    program = load(path, data_model=DataModel.LP64).program
    assert program.hidden is None
    goals = goals_of(program, Criterion.BRANCHES)
    assert set(goal_status(program, initial_gia(program, goals), goals).values()) == {GoalStatus.OPEN}
