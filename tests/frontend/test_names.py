"""A program that is found by another path, but called the same, is the same program."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.cache import FolderCache
from gia.cfa.types import DataModel
from gia.errors import GiaError
from gia.frontend import LoadedProgram, load

PROGRAM = '#include "numbers.h"\nconst char *place = __FILE__;\nint main(void) { return NEXT(place[0]) + next(1); }\n'
HEADER = "#define NEXT(x) ((x) > 'k' ? (x) : 1)\nstatic int next(int x) { return NEXT(x); }\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    here = tmp_path / "here"
    (here / "programs").mkdir(parents=True)
    (here / "programs" / "p.c").write_text(PROGRAM)
    (here / "programs" / "numbers.h").write_text(HEADER)
    monkeypatch.chdir(here)
    return tmp_path


def described(found: LoadedProgram) -> tuple[object, ...]:
    """All that a program says about itself."""
    edges = [(edge.reference, edge.position, edge.operation) for edge in found.program.edge_list]
    return found.program.main_file, found.program.statics, edges, found.source, found.warnings


def test_the_name_counts_and_not_where_the_process_stands(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, path = Path("programs/p.c"), folder / "here" / "programs" / "p.c"
    cache = FolderCache(folder / "cache", 10**9)
    expected = described(load(name, data_model=DataModel.LP64, cache=cache))
    entries = list((folder / "cache").glob("??/*"))
    monkeypatch.chdir("/")
    assert described(load(path, data_model=DataModel.LP64, name=name)) == expected
    assert described(load(path, data_model=DataModel.LP64, name=name, cache=cache)) == expected
    assert list((folder / "cache").glob("??/*")) == entries
    assert described(load(path, data_model=DataModel.LP64, cache=cache)) != expected


def test_another_header_makes_another_program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, path = Path("programs/p.c"), folder / "here" / "programs" / "p.c"
    cache = FolderCache(folder / "cache", 10**9)
    before = described(load(name, data_model=DataModel.LP64, cache=cache))
    (path.parent / "numbers.h").write_text(HEADER.replace("'k'", "'l'"))
    monkeypatch.chdir("/")
    assert described(load(path, data_model=DataModel.LP64, name=name, cache=cache)) != before


@pytest.mark.parametrize("name", ["q.c", "other/p.c", ".", "/programs/p.c"])
def test_a_name_that_is_not_the_end_of_the_path_does_not_count(folder: Path, name: str) -> None:
    path = folder / "here" / "programs" / "p.c"
    assert load(path, data_model=DataModel.LP64, name=Path(name)).program.main_file == str(path)


def test_errors_use_the_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "here" / "programs" / "p.c"
    path.write_text("int main(void) { return 0 }\n")
    monkeypatch.chdir("/")
    with pytest.raises(GiaError, match=r"^programs/p\.c:1:\d+: "):
        load(path, data_model=DataModel.LP64, name=Path("programs/p.c"))
