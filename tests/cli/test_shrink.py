"""``gia shrink``: small files that fail in the same way."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.cfa.graph import EdgeReference
from gia.exchange.gia_xml import gia_bytes, read_gia
from gia.orchestrator import shrink
from tests.cli.harness import COMMAND, ENVIRONMENT, content, gia, wait_until

EDGES = [EdgeReference("main", line, 1, "assume", "then") for line in range(1, 9)]


def large(accept: Acceptance) -> Automaton:
    steps = [Transition(n, n + 1, frozenset(EDGES[n : n + 2])) for n in range(4)]
    steps[0] = steps[0]._replace(assumption=Condition("x > 7", "main"))
    loops = [Transition(n, n, ANY) for n in range(5)]
    return Automaton((*[State()] * 4, State(None, accept)), (*steps, *loops))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.xml").write_bytes(gia_bytes(large(Acceptance.UT)))
    (tmp_path / "b.xml").write_bytes(gia_bytes(large(Acceptance.RT)))
    return tmp_path


def command(code: str) -> str:
    return f"{sys.executable} -S -c '{code}' {{}}"


def test_a_failure_of_a_gia_command_is_kept(folder: Path) -> None:
    """The two files contradict each other; what is left of them does so as well."""
    combining = f"{sys.executable} -m gia.cli combine {{1}} {{2}}"
    ran = gia(
        "shrink", "a.xml", "b.xml", "--keep-failing", combining, "--saying", "is infeasible", "--time", "3s", cwd=folder
    )
    assert ran.status == 0, ran.err
    assert "status 2" in ran.out
    ran = gia("combine", "shrunk/a.xml", "shrunk/b.xml", cwd=folder)
    assert ran.status == 2
    assert "is infeasible" in ran.err


def test_the_status_stays_and_the_result_is_the_same_each_time(folder: Path) -> None:
    failing = command('import sys; t = open(sys.argv[1]).read(); sys.exit(3 if t.count("&gt; 7") and "ut" in t else 0)')
    for out in ("one", "two"):
        ran = gia("shrink", "a.xml", "--keep-failing", failing, "-o", out, cwd=folder)
        assert ran.status == 0, ran.err
    assert (folder / "one" / "a.xml").read_bytes() == (folder / "two" / "a.xml").read_bytes()
    small = read_gia(folder / "one" / "a.xml")
    assert (len(small.states), len(small.transitions)) == (1, 1)


def test_what_cannot_be_read_is_shrunk_by_lines(folder: Path) -> None:
    text = (folder / "a.xml").read_text().replace('accept="ut"', 'accept="no"')
    (folder / "a.xml").write_text(text)
    failing = command('import sys; sys.exit(open(sys.argv[1]).read().count("no\\""))')
    ran = gia("shrink", "a.xml", "--keep-failing", failing, "--status", 1, cwd=folder)
    assert ran.status == 0, ran.err
    assert len((folder / "shrunk" / "a.xml").read_text().splitlines()) == 1


def test_arguments_that_make_no_sense(folder: Path) -> None:
    for arguments, message in (
        (("--keep-failing", command("pass")), "there is no failure to keep"),
        (("--keep-failing", command("pass"), "--status", 3), "ends with status 0, not with 3"),
        (("--keep-failing", command("print(5)"), "--saying", "7"), "does not print '7'"),
        (("--keep-failing", "no-such-command-at-all"), "cannot be started"),
        (("--keep-failing", "a 'b"), "cannot be read"),
        (("--keep-failing", ""), "empty"),
    ):
        ran = gia("shrink", "a.xml", *arguments, cwd=folder)
        assert ran.status == 2
        assert message in ran.err


def test_a_command_that_hangs_can_be_kept(folder: Path) -> None:
    hanging = command('import sys, time; time.sleep(60 if "ut" in open(sys.argv[1]).read() else 0)')
    ran = gia("shrink", "a.xml", "--keep-failing", hanging, "--limit", "0.3s", "--time", "2s", cwd=folder)
    assert ran.status == 0, ran.err
    assert "status timeout" in ran.out
    assert (folder / "shrunk" / "a.xml").stat().st_size < (folder / "a.xml").stat().st_size


def test_an_interruption_leaves_the_smallest_that_was_found(folder: Path) -> None:
    started = folder / "started"
    slow = command(f'import sys, time; open("{started}", "a").write("x"); time.sleep(1); sys.exit(3)')
    process = subprocess.Popen(
        [*COMMAND, "shrink", "a.xml", "--keep-failing", slow],
        cwd=folder,
        env=ENVIRONMENT | {"PYTHONPATH": os.environ.get("PYTHONPATH", str(Path(__file__).parents[2]))},
        stderr=subprocess.PIPE,
    )
    wait_until(lambda: len(content(started)) > 1)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=20)
    assert process.returncode == 1
    assert b"interrupted; what was found until now is in " in error
    assert (folder / "shrunk" / "a.xml").stat().st_size <= (folder / "a.xml").stat().st_size


def test_an_interruption_just_as_the_command_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found by the test above: by then the command had been waited for, and its process group was gone."""
    communicate = subprocess.Popen.communicate
    interruptions = iter([KeyboardInterrupt])

    def late(process: subprocess.Popen[bytes], *arguments: Any, **options: Any) -> tuple[bytes, bytes]:
        found = communicate(process, *arguments, **options)
        for interruption in interruptions:
            raise interruption
        return found

    monkeypatch.setattr(subprocess.Popen, "communicate", late)
    with pytest.raises(KeyboardInterrupt):
        shrink._ended(["true"], 10.0)
