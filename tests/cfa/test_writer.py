"""The program that the writer prints behaves as the original does, on the same inputs, in every compiler mode."""

from pathlib import Path

import pytest

from gia.cfa.types import DataModel
from gia.cfa.writer import write_c
from gia.frontend import load
from tests.cfa.native import behaviours, compiled
from tests.shared import SHARED, needs_shared

OWN = sorted((Path(__file__).parent / "programs").glob("*.c"))
FRONTEND = sorted((Path(__file__).parents[1] / "frontend" / "programs").glob("*.c"))
TASKS = [
    "bitvector/soft_float_5.c.cil.c",
    "float-newlib/double_req_bl_0240b.c",
    "locks/test_locks_7.c",
    "loops/linear_sea.ch.c",
    "ntdrivers-simplified/kbfiltr_simpl2.cil-1.c",
    "recursive/recHanoi03-2.c",
    "systemc/toy.cil.c",
]


def check(path: Path, model: DataModel, directory: Path, seeds: range) -> None:
    program = load(path, data_model=model)
    original = compiled(directory, "original", program.source.text, program.program, preprocessed=True)
    written = compiled(directory, "written", write_c(program.program), program.program)
    assert behaviours(written, seeds) == behaviours(original, seeds)


@pytest.mark.parametrize("model", list(DataModel))
@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_round_trip(path: Path, model: DataModel, tmp_path: Path) -> None:
    check(path, model, tmp_path, range(12))


@pytest.mark.parametrize("path", FRONTEND, ids=lambda path: path.stem)
def test_round_trip_of_the_front_ends_programs(path: Path, tmp_path: Path) -> None:
    check(path, DataModel.LP64, tmp_path, range(4))


@needs_shared
@pytest.mark.parametrize("task", TASKS)
def test_round_trip_of_benchmarks(task: str, tmp_path: Path) -> None:
    check(SHARED / "benchmarks" / task, DataModel.ILP32, tmp_path, range(3))
