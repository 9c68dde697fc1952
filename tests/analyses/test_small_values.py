"""Small numbers must take the path that large ones took."""

from __future__ import annotations

import time
from collections.abc import Container
from pathlib import Path

import pytest

from gia.analyses.testing.mutation import Inputs
from gia.analyses.testing.small_values import has_large_values, small_values
from gia.cfa.types import DataModel
from gia.exchange.suites.reading_tests import tests_of
from gia.frontend import load
from gia.native import BranchEvent, Execution, Runner, Tracing, compile_instrumented
from gia.verdict import GoalStatus
from tests.analyses.test_tester import HEADER, run_actor
from tests.smt.random_programs import FLOATS, INTEGERS, RandomProgram

DECLARED = "".join(f"extern {c} __VERIFIER_nondet_{kind}(void);\n" for kind, c in (INTEGERS | FLOATS).items())


def lowered(path: Path, values: list[str]) -> list[str]:
    """The inputs that are found for a program in place of ``values``."""
    loaded = load(path, data_model=DataModel.LP64)
    with Runner() as runner:
        execution = runner.run(compile_instrumented(loaded, path.parent), values, tracing=Tracing.FULL)
    found = small_values(loaded.program, execution, time.monotonic() + 30)
    return [value.literal for value in found or execution.inputs]


def branches(execution: Execution) -> list[int]:
    return [event.edge for event in execution.events if isinstance(event, BranchEvent)]


@pytest.mark.parametrize(
    ("condition", "values", "expected"),
    [
        ("x * x == 49", ["2147483641"], {7, -7}),
        ("x < -3 && x % 2", ["-2147483647"], {-5, -7, -9}),
        ("x > 10000000", ["2147483647"], {2147483647}),
        ("x * 7.0 < -1e4", ["-100000"], range(-9999, -1428)),
    ],
)
def test_the_smallest_bound_is_kept(
    tmp_path: Path, condition: str, values: list[str], expected: Container[int]
) -> None:
    path = tmp_path / "p.c"
    path.write_text(
        HEADER + f"int main(void) {{ int x = __VERIFIER_nondet_int(); if ({condition}) return 1; return 0; }}"
    )
    (found,) = lowered(path, values)
    assert int(found) in expected


def test_one_number_that_must_be_large_does_not_keep_the_others_large(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(
        HEADER + "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); "
        "if (x > 100000) { if (y > 3 && y % 3 == 0) return 1; } return 0; }"
    )
    large, small = lowered(path, ["2000000000", "1999999998"])
    assert int(large) > 100000
    assert int(small) in (6, 9)


@pytest.mark.parametrize("seed", range(6))
def test_the_path_stays_the_same(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "random.c"
    path.write_text(DECLARED + RandomProgram(seed, 20).text)
    loaded = load(path, data_model=DataModel.LP64)
    built = compile_instrumented(loaded, tmp_path)
    smaller: list[Inputs] = []
    with Runner() as runner:
        for run in range(6):
            execution = runner.run(built, seed=100 * seed + run, tracing=Tracing.FULL)
            found = small_values(loaded.program, execution, time.monotonic() + 30)
            if found is not None:
                smaller.append(found)
                assert has_large_values(execution.inputs)
                assert branches(runner.run(built, found, tracing=Tracing.FULL)) == branches(execution)
    assert smaller


def test_tests_of_a_campaign_have_small_numbers(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(HEADER + "int main(void) { int x = __VERIFIER_nondet_int(); if (x * x == 49) return 1; return 0; }")
    gia, status = run_actor("bmc", path, tmp_path, 20)
    assert set(status.values()) == {GoalStatus.COVERED}
    program = load(path, data_model=DataModel.LP64).program
    assert {test.inputs[0].literal for test in tests_of(gia, program)} == {"0", "7"}


def test_simpler_inputs_that_rely_on_what_is_not_initialised_do_not_cost_the_test(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(
        HEADER + "int main(void) { int u, x = __VERIFIER_nondet_int(); if (x > 100000 || u == 0) return 1; return 0; }"
    )
    _, status = run_actor("tester", path, tmp_path, 8)
    assert status["main:2:54:then"] is GoalStatus.COVERED


def test_many_large_numbers_do_not_cost_more_than_the_deadline(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(
        HEADER + "int main(void) { for (int i = 0; i < 2000; i++) if (__VERIFIER_nondet_int() < 1000000) return 1;"
        " return 0; }"
    )
    loaded = load(path, data_model=DataModel.LP64)
    with Runner() as runner:
        built = compile_instrumented(loaded, tmp_path)
        execution = runner.run(built, ["2000000000"] * 2000, tracing=Tracing.FULL)
    deadline = time.monotonic() + 1
    assert small_values(loaded.program, execution, deadline) is None
    assert time.monotonic() < deadline + 20  # it would be minutes if each number were tried
