"""What is wrong is said clearly, with where and what to do; what is only strange is no error."""

import shutil
import subprocess
from pathlib import Path

import pytest

from gia.automaton.initial import initial_gia
from gia.exchange.gia_xml import write_gia
from tests.cfa.graphs import Graph, program_of
from tests.cli.harness import COMMAND, ENVIRONMENT, gia


@pytest.mark.parametrize("command", [("test",), ("verify",), ("run", "cotest")])
def test_no_file(tmp_path: Path, command: tuple[str, ...]) -> None:
    ran = gia(*command, "nothing.c", cwd=tmp_path)
    assert ran.status == 2
    assert "nothing.c: there is no such file" in ran.err
    assert not (tmp_path / "gia-out").exists()


def test_a_directory(tmp_path: Path) -> None:
    ran = gia("test", tmp_path)
    assert ran.status == 2
    assert "is a directory" in ran.err


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "empty.c").touch()
    ran = gia("test", "empty.c", cwd=tmp_path)
    assert ran.status == 2
    assert "empty.c: the file is empty" in ran.err


def test_not_c(tmp_path: Path) -> None:
    (tmp_path / "poem.c").write_text("int x;\nRoses are red\n")
    ran = gia("test", "poem.c", cwd=tmp_path)
    assert ran.status == 2
    assert "poem.c:2" in ran.err


def test_no_main(tmp_path: Path) -> None:
    (tmp_path / "part.c").write_text("int f(int x) { return x ? 1 : 2; }\n")
    ran = gia("test", "part.c", cwd=tmp_path)
    assert ran.status == 2
    assert "main" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("test", "p.c", "--time", "soon"), "'soon' is not a time"),
        (("test", "p.c", "--memory", "much"), "'much' is not an amount of memory"),
        (("test", "p.c", "--spec", "everything"), "everything"),
        (("test", "p.c", "--spec", "none.prp"), "none.prp: cannot be read"),
        (("test", "p.c", "--param", "x"), "NAME=VALUE"),
        (("test", "p.c", "--param", "x=1"), "no parameter 'x'"),
        (("test", "p.c", "--resume", "nowhere"), "no run to resume"),
        (("test", "p.c", "--resume", "a", "--out", "b"), "different directories"),
        (("test", "p.c", "--data-model", "LP128"), "LP128"),
        (("test", "p.c", "--entry", "start"), "start"),
        (("run", "cotset", "p.c"), "did you mean 'cotest'?"),
        (("run", "mine.yml", "p.c"), "there is no file mine.yml"),
        (("frobnicate",), "error: gia: no such command 'frobnicate'"),
        (("test",), "error: gia test: missing argument 'PROGRAM'\n  hint: `gia test --help`"),
        (("test", "p.c", "--tme", "1s"), "error: gia test: no such option: --tme\n  hint: did you mean '--time'?"),
        (("test", "p.c", "--time"), "'--time' requires an argument"),
        (("test", "p.c", "more.c"), "more.c"),
        (("reduce", "p.c", "a.xml", "--wrt", "all"), "'all' is not one of 'ut', 'rt'\n  hint: `gia reduce --help`"),
        (("actor",), "Usage: gia actor"),
        (("actor", "run", "nobody", "--program", "p.c", "--spec", "branches", "--out", "x"), "'nobody'"),
        (("convert", "x", "--to", "nonsense"), "there is: gia, test-suite"),
        (("convert", "x", "--to", "gia"), "x: there is no such file or folder"),
        (("convert", "p.c", "--to", "gia"), "say it with --from"),
        (("convert", "p.c", "--to", "gia", "--from", "nonsense"), "there is: gia, test-suite"),
        (("convert", "x", "--to", "gia", "--program", "p.c"), "x: there is no such file or folder"),
        (("show", "p.c"), "p.c:1"),
        (("status", "p.c", "none.xml"), "none.xml"),
        (("shrink", "none.xml", "--keep-failing", "false"), "none.xml: cannot be read"),
    ],
)
def test_wrong_arguments(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    (tmp_path / "p.c").write_text("int main(void) { return 0; }\n")
    ran = gia(*arguments, cwd=tmp_path)
    assert ran.status == 2
    assert message in ran.err
    assert ran.out == ""


def test_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text("int main(void) { return 0; }\n")
    ran = gia("test", "p.c", "--out", "p.c/results", cwd=tmp_path)
    assert ran.status == 1
    assert "choose another place with --out" in ran.err


@pytest.mark.parametrize("format", ["test-comp", "stdin", "table", "c"])
def test_tests_that_cannot_be_written(tmp_path: Path, format: str) -> None:
    (tmp_path / "p.c").write_text("int main(void) { return 0; }\n")
    gia("actor", "run", "random", "--program", "p.c", "--spec", "branches", "--out", "a.xml", cwd=tmp_path)
    ran = gia("tests", "a.xml", "--program", "p.c", "--format", format, "-o", "p.c/suite", cwd=tmp_path)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == "error: p.c/suite: cannot be written: Not a directory\n  hint: choose another place\n"


def test_what_an_earlier_run_has_found_outlasts_wrong_arguments(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text("int main(void) { return 0; }\n")
    assert gia("test", "p.c", "--quiet", cwd=tmp_path).status == 0
    before = (tmp_path / "gia-out" / "p.c" / "result.json").read_bytes()
    ran = gia("test", "p.c", "--executor", "slurm", cwd=tmp_path)
    assert ran.status == 2
    assert "there is no executor 'slurm'" in ran.err
    assert (tmp_path / "gia-out" / "p.c" / "result.json").read_bytes() == before


def test_a_directory_of_others_is_refused_before_the_program_is_read(tmp_path: Path) -> None:
    (tmp_path / "poem.c").write_text("Roses are red\n")
    ran = gia("test", "poem.c", "--out", ".", cwd=tmp_path)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("error: .: the directory holds other files (poem.c, …)")


def test_a_run_without_what_it_has_left_is_not_resumed(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text("int main(int argc, char **argv) { return argc > 1; }\n")
    (tmp_path / "q.c").write_text("int main(int argc, char **argv) { return argc > 1 ? 2 : 3; }\n")
    assert gia("test", "p.c", "--quiet", "--out", "kept", cwd=tmp_path).status == 0
    ran = gia("test", "q.c", "--resume", "kept", cwd=tmp_path)
    assert (ran.status, ran.out) == (2, "")
    assert "hint: resume with the program and the options of that run" in ran.err
    ran = gia("test", "q.c", "--out", "other", "--quiet", cwd=tmp_path)
    assert ran.status == 0
    shutil.rmtree(tmp_path / "other" / "steps")
    ran = gia("test", "q.c", "--resume", "other", "--quiet", cwd=tmp_path)
    assert ran.status == 2
    assert "the folder of a finished step is gone\n  hint: begin again without --resume" in ran.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("arguments", [("show", "a.xml"), ("combine", "a.xml", "a.xml")])
def test_a_full_disk_is_no_bug_of_gia(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    write_gia(initial_gia(program_of({"main": Graph(2, [(0, 1, None)])}), []), tmp_path / "a.xml")
    with open("/dev/full", "w") as full:
        ran = subprocess.run(
            [*COMMAND, *arguments],
            check=False,
            cwd=tmp_path,
            env=ENVIRONMENT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert ran.returncode == 1
    assert ran.stderr == "error: the output: cannot be written: No space left on device\n"
