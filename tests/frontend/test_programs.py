"""The CFA means what the program means: CFA → C behaves as the original does."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.cfa.types import DataModel
from gia.cfa.writer import write_c
from gia.frontend import load
from tests.frontend.support import PROGRAMS, compile_c, load_program, run

SEEDS = range(6)


@pytest.mark.parametrize(("model", "atomic"), [(DataModel.LP64, False), (DataModel.ILP32, True)])
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_graph_behaves_as_the_program(path: Path, model: DataModel, atomic: bool, tmp_path: Path) -> None:
    written = tmp_path / "written.c"
    written.write_text(write_c(load_program(path, model, atomic).program))
    compile_c(path, tmp_path / "original", model)
    compile_c(written, tmp_path / "written", model)
    for seed in SEEDS:
        assert run(tmp_path / "written", seed) == run(tmp_path / "original", seed)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_numbers_and_references_are_unique(path: Path) -> None:
    program = load_program(path, DataModel.LP64).program
    assert [edge.number for edge in program.edge_list] == list(range(len(program.edge_list)))
    assert len(program.by_reference) == len(program.edge_list)
    owners: dict[int, str] = {}
    for function in program.functions.values():
        for location in function.leaving:
            assert owners.setdefault(location, function.name) == function.name


def test_loading_twice_gives_the_same() -> None:
    first, second = (load(PROGRAMS[0], data_model=DataModel.LP64) for _ in range(2))
    assert first.program.edge_list == second.program.edge_list
    assert first.source == second.source
