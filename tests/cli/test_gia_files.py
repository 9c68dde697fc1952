"""The commands that work on GIA files, on the result of a real run."""

import filecmp
import json
from pathlib import Path

import pytest

from gia.exchange.gia_xml import read_gia
from tests.cli.harness import gia

PROGRAM = """\
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 10) {
    if (x == 12345) return 1;
  }
  if (x < 0 && x > 5) return 2;
  return 0;
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run of ``p.c`` in ``out``."""
    path = tmp_path_factory.mktemp("run")
    (path / "p.c").write_text(PROGRAM)
    ran = gia("test", "p.c", "--out", "out", "--param", "slice=30s", cwd=path)
    assert ran.status == 0, ran.err
    assert "complete: 5 covered, 1 unreachable, 0 open of 6 goals" in ran.out
    return path


def test_status(folder: Path) -> None:
    out = gia("status", "p.c", "out/gia.xml", cwd=folder).out
    assert "unreachable  p.c:7:3  main:7:3:then" in out
    assert out.endswith("5 covered, 1 unreachable, 0 open of 6 goals\n")


def test_check(folder: Path) -> None:
    assert gia("check", "out/gia.xml", cwd=folder).out == "out/gia.xml: well-formed\n"
    out = gia("check", "out/gia.xml", "--program", "p.c", cwd=folder).out
    assert "executed     p.c:5:5  main:5:5:then" in out
    assert "certified    p.c:7:3  main:7:3:then" in out
    assert "they reach 5 goals; 1 of 1 claims" in out


def test_another_program_is_refused(folder: Path) -> None:
    (folder / "other.c").write_text(PROGRAM + "\n")
    ran = gia("status", "other.c", "out/gia.xml", cwd=folder)
    assert ran.status == 2
    assert "out/gia.xml: it was made for p.c" in ran.err


@pytest.mark.parametrize("format_", ["text", "dot", "svg", "html"])
def test_show(folder: Path, format_: str) -> None:
    assert gia("show", "out/gia.xml", "--format", format_, cwd=folder).out
    gia("show", "out/gia.xml", "--format", format_, "-o", f"drawing.{format_}", cwd=folder)
    assert (folder / f"drawing.{format_}").stat().st_size


def test_combine_with_itself(folder: Path) -> None:
    ran = gia("combine", "out/gia.xml", "out/gia.xml", "-o", "combined.xml", cwd=folder)
    assert ran.status == 0, ran.err
    assert read_gia(folder / "combined.xml") == read_gia(folder / "out/gia.xml")


def test_reduce(folder: Path) -> None:
    out = gia("reduce", "p.c", "out/gia.xml", "--wrt", "ut", cwd=folder).out
    assert "main" in out


@pytest.mark.parametrize("strategy", ["residual", "monitor", "prune"])
def test_strategies_of_the_reducer(folder: Path, strategy: str) -> None:
    options = ["--strategy", strategy, "--stats", "--map", "map.json", "-o", "reduced.c"]
    ran = gia("reduce", "p.c", "out/gia.xml", "--wrt", "rt", *options, cwd=folder)
    assert ran.status == 0
    assert ran.err.startswith(f"strategy {strategy}\n            before   after\nlines ")
    assert "#line" in (folder / "reduced.c").read_text()
    goals = json.loads((folder / "map.json").read_text())["goals"]
    assert {"goal", "file", "line", "column", "reduced"} == set(goals[0])


def test_a_strategy_that_is_not_there(folder: Path) -> None:
    ran = gia("reduce", "p.c", "out/gia.xml", "--wrt", "rt", "--strategy", "weave", cwd=folder)
    assert ran.status == 2
    assert "there is no strategy 'weave'" in ran.err
    assert "residual, monitor, prune" in ran.err


def test_tests_and_convert_there_and_back(folder: Path) -> None:
    gia("tests", "out/gia.xml", "--program", "p.c", "-o", "suite", cwd=folder)
    ran = gia("convert", "suite", "--to", "gia", "--program", "p.c", "-o", "suite.xml", cwd=folder)
    assert ran.status == 0, ran.err
    ran = gia("convert", "suite.xml", "--to", "test-suite", "-o", "again", cwd=folder)
    assert ran.out == "3 tests in again\n"
    named = gia("convert", "suite", "--to", "gia", "-o", "named.xml", cwd=folder)
    assert named.status == 0, named.err
    assert read_gia(folder / "named.xml") == read_gia(folder / "suite.xml")
    compared = filecmp.dircmp(folder / "suite", folder / "again")
    assert compared.same_files == sorted(path.name for path in (folder / "suite").iterdir())
    assert len(compared.same_files) > 1


def test_actors_alone(folder: Path) -> None:
    """The contract of black boxes, and that a second one starts from what the first has found."""
    common = ("--program", "p.c", "--spec", "branches", "--time", "30s")
    ran = gia("actor", "run", "tester", *common, "--out", "one.xml", cwd=folder)
    assert ran.status == 0, ran.err
    ran = gia("actor", "run", "verifier", *common, "--gia", "one.xml", "--out", "two.xml", cwd=folder)
    assert ran.status == 0, ran.err
    gia("combine", "one.xml", "two.xml", "-o", "both.xml", cwd=folder)
    assert "5 covered, 1 unreachable, 0 open" in gia("status", "p.c", "both.xml", cwd=folder).out


def test_what_there_is(folder: Path) -> None:
    assert "verifier" in gia("actor", "list").out
    assert "builtin: tester" in gia("actor", "show", "tester").out
    assert "ready" in gia("actor", "doctor").out
    assert "cotest" in gia("composition", "list").out
    assert "cycle until decided" in gia("composition", "show", "cotest").out
    assert "right; actors: concolic, fuzz, tester, verifier" in gia("composition", "check", "cotest").out
    (folder / "mine.yml").write_text("name: mine\nsteps: {a: {actor: testr}}\nrun: a\n")
    ran = gia("composition", "check", "mine.yml", cwd=folder)
    assert ran.status == 2
    assert "mine.yml:2:" in ran.err
    assert "there is no actor 'testr'" in ran.err
