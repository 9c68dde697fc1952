"""What is kept of programs: the same as what is made anew, and nothing else, whatever became of the files."""

from __future__ import annotations

import os
import pickle
import shutil
import threading
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import gia
from gia.automaton.initial import initial_gia
from gia.cache import OFF, FolderCache, gia_version, user_cache
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.types import DataModel
from gia.errors import InputError
from gia.frontend import LoadedProgram, load
from gia.frontend.preprocess import PreprocessorOutput, preprocess
from gia.native import Runner, Uninitialised, compile_instrumented, compile_twins, support
from gia.native.instrument import instrument
from gia.native.stubs import input_functions
from gia.toolchain import Compiler, Completed

PROGRAMS = Path(__file__).parent / "frontend" / "programs"
PROGRAM = """#include "part.h"
int __VERIFIER_nondet_int(void);
int main(void) { int x; int y = __VERIFIER_nondet_int(); if (y > LIMIT) return 1; return y == 3 ? x : 0; }
"""


@pytest.fixture
def cache(tmp_path: Path) -> FolderCache:
    return FolderCache(tmp_path / "cache", 10**9)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "part.h").write_text("#define LIMIT 10\n")
    (tmp_path / "p.c").write_text(PROGRAM)
    return tmp_path / "p.c"


def entries(folder: Path) -> list[Path]:
    """The files of a cache that hold something."""
    return [path for path in folder.rglob("*") if path.is_file() and path.name not in ("entry.json", ".tidied")]


def executables(folder: Path) -> list[Path]:
    """The compiled programs of a cache."""
    return [path for path in entries(folder) if path.name == "program"]


def woven(loaded: LoadedProgram) -> str:
    names = {function.name for function in input_functions(loaded.program)}
    return instrument(loaded.source, loaded.program, names, ()).text


@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.c")), ids=lambda path: path.stem)
def test_a_program_from_the_cache_is_the_one_that_was_read(path: Path, cache: FolderCache) -> None:
    fresh = load(path, data_model=DataModel.LP64)
    first = load(path, data_model=DataModel.LP64, cache=cache)
    again = load(path, data_model=DataModel.LP64, cache=cache)
    assert again is not first
    assert fresh.program == first.program == again.program
    assert fresh.warnings == again.warnings
    assert woven(fresh) == woven(again)
    assert fresh.source.editable == again.source.editable
    goals = goals_of(fresh.program, Criterion.BRANCHES)
    assert goals == goals_of(again.program, Criterion.BRANCHES)
    assert initial_gia(fresh.program, goals) == initial_gia(again.program, goals)


def limit_of(loaded: LoadedProgram) -> str:
    """The condition of the first goal."""
    edge = next(iter(goals_of(loaded.program, Criterion.BRANCHES)[0].edges))
    return str(loaded.program.edge_list[edge].operation)


def test_a_changed_header_another_model_and_another_entry_are_other_programs(program: Path, cache: FolderCache) -> None:
    first = load(program, data_model=DataModel.LP64, cache=cache)
    (program.parent / "part.h").write_text("#define LIMIT 11\n")
    changed = load(program, data_model=DataModel.LP64, cache=cache)
    assert limit_of(first) != limit_of(changed)
    assert load(program, data_model=DataModel.ILP32, cache=cache).program.types.data_model is DataModel.ILP32
    split = load(program, data_model=DataModel.LP64, cache=cache, atomic=True)
    assert split.program == load(program, data_model=DataModel.LP64, atomic=True).program
    with pytest.raises(InputError):
        load(program, data_model=DataModel.LP64, cache=cache, entry="nowhere")


def test_what_was_read_while_a_file_changed_is_not_kept(
    program: Path, cache: FolderCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = program.parent / "part.h"
    text, status = header.read_text(), header.stat()
    fresh = load(program, data_model=DataModel.LP64)

    def changing(
        path: Path, model: DataModel, name: Path | None = None, *, has_token_markers: bool = True
    ) -> PreprocessorOutput:
        if has_token_markers:
            header.write_text("#define LIMIT 11\n")
        return preprocess(path, model, name, has_token_markers=has_token_markers)

    with monkeypatch.context() as patch:
        patch.setattr("gia.frontend.loading.preprocess", changing)
        assert limit_of(load(program, data_model=DataModel.LP64, cache=cache)) != limit_of(fresh)
    header.write_text(text)
    os.utime(header, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert load(program, data_model=DataModel.LP64, cache=cache).program == fresh.program


RUBBISH = [b"", b"no stream", zlib.compress(b"no pickle"), zlib.compress(pickle.dumps("something else")), None]


@pytest.mark.parametrize("rubbish", RUBBISH)
def test_a_damaged_program_is_read_again(
    program: Path, cache: FolderCache, rubbish: bytes | None, tmp_path: Path
) -> None:
    first = load(program, data_model=DataModel.LP64, cache=cache)
    (kept,) = entries(tmp_path / "cache")
    key = kept.parent.parent.name + kept.parent.name
    if rubbish is None:  # cut off: the hashes say so
        kept.write_bytes(kept.read_bytes()[:-10])
    else:  # whole, but not what it should be
        (kept.parent / "entry.json").unlink()
        kept.unlink()
        kept.parent.rmdir()
        assert cache.store_contents(key, {kept.name: rubbish})
    assert load(program, data_model=DataModel.LP64, cache=cache).program == first.program


def outcomes(loaded: LoadedProgram, folder: Path, cache: FolderCache) -> list[tuple[str, frozenset[int]]]:
    """What the program does on an input, in both of its builds."""
    folder.mkdir()
    with Runner() as runner:
        ran = [runner.run(twin, ("7",)) for twin in compile_twins(loaded, folder, cache=cache)]
    return [(execution.outcome.value, execution.covered_edges) for execution in ran]


def test_a_build_from_the_cache_does_the_same(program: Path, cache: FolderCache, tmp_path: Path) -> None:
    loaded = load(program, data_model=DataModel.LP64)
    first = outcomes(loaded, tmp_path / "1", cache)
    assert len(executables(tmp_path / "cache")) == len(Uninitialised)
    assert not (tmp_path / "2").exists()
    assert outcomes(loaded, tmp_path / "2", cache) == first
    assert not list((tmp_path / "2").rglob("program.o")), "it was compiled again"
    for kept in entries(tmp_path / "cache"):
        kept.write_bytes(b"\x7fELF damaged")
    assert outcomes(loaded, tmp_path / "3", cache) == first
    assert list((tmp_path / "3").rglob("program.o"))


def test_other_programs_take_the_runtime_that_is_there(
    program: Path, cache: FolderCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []
    make = support._runtime_object

    def counted(compiler: Compiler, options: tuple[str, ...]) -> bytes:
        asked.append(options)
        return make(compiler, options)

    monkeypatch.setattr(support, "_runtime_object", counted)
    loaded = load(program, data_model=DataModel.LP64)
    outcomes(loaded, tmp_path / "first", cache)
    first = len(asked)  # builds at the same time may both make it
    assert first
    program.write_text(PROGRAM.replace("y == 3", "y == 7"))
    other = load(program, data_model=DataModel.LP64)
    found = outcomes(other, tmp_path / "other", cache)
    assert list((tmp_path / "other").rglob("program.o")), "it was not compiled"
    assert len(asked) == first, "the runtime is not taken from the cache"
    assert found == outcomes(other, tmp_path / "alone", FolderCache(tmp_path / "empty", 10**9))
    assert len(asked) > first
    assert len(set(asked)) == 1
    (tmp_path / "32").mkdir()
    compile_instrumented(other, tmp_path / "32", data_model=DataModel.ILP32, cache=cache)
    assert len(set(asked)) == 2, "another data model has the same runtime"


def test_a_process_without_a_cache_compiles_the_runtime_once(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[Sequence[str]] = []
    run = support.run_tool

    def noted(command: Sequence[str], **options: Any) -> Completed:
        commands.append(command)
        return run(command, **options)

    monkeypatch.setattr(support, "run_tool", noted)
    support._runtime_object.cache_clear()
    loaded = load(program, data_model=DataModel.LP64)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        compile_instrumented(loaded, tmp_path / name)
    assert sum("runtime.c" in command for command in commands) == 1


def test_other_edges_to_watch_make_another_build(program: Path, cache: FolderCache, tmp_path: Path) -> None:
    loaded = load(program, data_model=DataModel.LP64)
    every = frozenset(edge.number for edge in loaded.program.edge_list)
    seen = []
    for name, watch in ("a", frozenset[int]()), ("b", every), ("c", every):
        (tmp_path / name).mkdir()
        seen.append(compile_instrumented(loaded, tmp_path / name, watch=watch, cache=cache))
    assert len(executables(tmp_path / "cache")) == 2
    assert seen[0].binary.read_bytes() != seen[1].binary.read_bytes() == seen[2].binary.read_bytes()


def test_many_use_the_same_entry_at_once_while_it_is_removed(tmp_path: Path) -> None:
    caches = [FolderCache(tmp_path, 10**9) for _ in range(4)]
    contents = {"a": b"x" * 100_000, "b/c": b"y"}
    found = []

    def work(cache: FolderCache) -> None:
        for _ in range(30):
            cache.store_contents("k" * 64, contents)
            found.append(cache.fetch_files("k" * 64))
            if len(found) % 5 == 0:
                cache.shrink(0)

    threads = [threading.Thread(target=work, args=(cache,)) for cache in caches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(files in (None, contents) for files in found)
    assert contents in found


def test_it_stays_about_as_large_as_it_may_be(tmp_path: Path) -> None:
    cache = FolderCache(tmp_path, 2_000)
    keys = [f"{number:02x}" + "f" * 62 for number in range(20, 0, -1)]
    for age, key in enumerate(keys):
        cache.store_contents(key, {"a": bytes(100)})
        os.utime(tmp_path / key[:2] / key[2:], (age, age))
    last = "0" * 64  # one key in 256 begins so: then it is looked how large the cache is
    cache.store_contents(last, {"a": bytes(100)})
    left = [key for key in [*keys, last] if cache.fetch_files(key) is not None]
    assert 5 < len(left) < 20
    assert left == [*keys, last][-len(left) :], "the oldest go first"


def test_nothing_is_kept_where_that_is_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert user_cache("builds", 1) is not None
    monkeypatch.setenv(OFF, "1")
    assert user_cache("builds", 1) is None


def test_the_version_is_the_state_of_all_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(package: Path) -> str:
        monkeypatch.setattr(gia, "__file__", str(package / "__init__.py"))
        return gia_version.__wrapped__()

    package = tmp_path / "gia"
    (package / "part" / "deep").mkdir(parents=True)
    sources = [package / "__init__.py", package / "part" / "one.py", package / "part" / "deep" / "two.c"]
    for source in sources:
        source.write_text("")
    first = version(package)
    (package / "part" / "notes.txt").write_text("no source")
    assert version(package) == first
    shutil.copytree(package, tmp_path / "copy")
    assert version(tmp_path / "copy") == first
    seen = {first}
    for source in sources:
        source.write_text("x")
        seen.add(version(package))
    (package / "part" / "three.py").write_text("")
    seen.add(version(package))
    assert len(seen) == len(sources) + 2
