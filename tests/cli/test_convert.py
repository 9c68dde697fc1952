"""``gia convert``: what is found out, what is reported, and how it ends."""

from pathlib import Path

import pytest

from tests.cli.harness import gia
from tests.exchange.importing import PRELUDE
from tests.exchange.test_automaton_import import BRANCHES, GIA
from tests.exchange.test_witness_import import path_of, waypoint


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program and what others say about it."""
    path = tmp_path_factory.mktemp("convert")
    (path / "p.c").write_text(PRELUDE + BRANCHES)
    task = "{task: {input_files: [p.c], specification: 'G ! call(reach_error())'}}"
    steps = (waypoint("function_return", 5, 33, r"\result == 42"), waypoint("target", 7, 18))
    (path / "w").write_text(path_of(*steps).replace("metadata: {}", f"metadata: {task}"))
    (path / "a.txt").write_text(GIA)
    (path / "answer").write_text("TRUE\n")
    return path


def test_a_witness_becomes_a_test_in_any_format(folder: Path) -> None:
    assert gia("convert", "w", "--to", "ktest", "-o", "tests", cwd=folder).out == "1 test in tests\n"
    ran = gia(
        "convert", "tests", "--to", "gia", "--spec", "unreach-call", "--program", "p.c", "-o", "k.xml", cwd=folder
    )
    assert ran.status == 0, ran.err
    assert "1 covered, 0 unreachable, 1 open" in gia("status", "p.c", "k.xml", cwd=folder).out
    ran = gia("convert", "k.xml", "--to", "violation-witness", cwd=folder)
    assert r"\\result == 42" in ran.out
    assert "this format does not say what is still to be decided (cand)" in ran.err


def test_a_suite_keeps_its_tests(folder: Path) -> None:
    """Also one that reaches no error, which a GIA about errors has no place for."""
    (folder / "suite").mkdir()
    for name, value in (("a", 1), ("b", 42)):
        (folder / "suite" / f"{name}.xml").write_text(f'<testcase><input type="int">{value}</input></testcase>')
    common = ("--spec", "unreach-call", "--program", "p.c")
    ran = gia("convert", "suite", "--to", "ktest", "-o", "kept", *common, cwd=folder)
    assert ran.out == "2 tests in kept\n"
    assert "the test with the inputs 1 was executed and reaches no goal" in ran.err
    assert gia("convert", "kept", "--to", "test-suite", "-o", "again", *common, cwd=folder).out == "2 tests in again\n"
    assert gia("convert", "suite", "--to", "gia", "-o", "s.xml", *common, cwd=folder).status == 0
    assert gia("convert", "s.xml", "--to", "test-suite", "-o", "less", cwd=folder).out == "1 test in less\n"


def test_a_task_definition_is_where_everything_is_open(folder: Path) -> None:
    ran = gia("convert", "w", "--to", "task-definition", "-o", "task", cwd=folder)
    assert ran.out == "p.yml and p.prp in task\n"
    assert gia("convert", "task/p.yml", "--to", "gia", "-o", "open.xml", cwd=folder).status == 0
    assert "0 covered, 0 unreachable, 2 open" in gia("status", "p.c", "open.xml", cwd=folder).out


def test_what_a_verdict_claims_is_not_certified(folder: Path) -> None:
    common = ("--program", "p.c", "--spec", "unreach-call")
    assert gia("convert", "answer", "--to", "gia", "-o", "v.xml", *common, cwd=folder).status == 0
    ran = gia("convert", "v.xml", "--to", "correctness-witness", cwd=folder)
    assert ran.status == 1
    assert "it is not certified that main:7:18:call cannot be reached" in ran.err
    assert ran.out == ""


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("a.txt", "--to", "gia"), 2, "a.txt: it does not say where its program is\n  hint: give it with --program"),
        (("w", "--to", "correctness-witness"), 1, "it is not certified"),
        (("w", "--to", "correctness-witness", "--spec", "branches"), 2, "say so with --spec unreach-call"),
        (("answer", "--to", "violation-witness", "--program", "p.c"), 1, "nothing in it reaches the error"),
        (("answer", "--to", "gia", "--program", "p.c", "--spec", "branches"), 2, "a verdict is about calls of error"),
        (("w", "--to", "gia", "--from", "gia"), 2, "not well-formed XML"),
        (("w", "--to", "gia", "--program", "none.c"), 2, "none.c: there is no such file"),
        (("a.txt", "--to", "gia", "--program", "p.c", "--from", "correctness-witness"), 2, "a.txt:3"),
    ],
)
def test_errors_say_what_to_do(folder: Path, arguments: tuple[str, ...], status: int, message: str) -> None:
    ran = gia("convert", *arguments, cwd=folder)
    assert ran.status == status
    assert message in ran.err
