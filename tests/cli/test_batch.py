"""Many programs: lists, a table, bad tasks, interruption and resuming."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from gia.errors import InputError
from gia.orchestrator.batch import collect, directories
from tests.cli.harness import COMMAND, ENVIRONMENT, content, gia, wait_until
from tests.cli.test_fake_actors import PROGRAM, RT, UNCONTAINED, actor, composition


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a/p.c", "a/q.c", "b/p.c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(PROGRAM)
    count = f"open({str(tmp_path / 'asked')!r}, 'a').write(sys.argv[1] + '\\n')\n"
    actor(tmp_path, "honest", "import sys\n" + count + RT.replace("VALUE", "12345"))
    composition(tmp_path, "honest")
    return tmp_path


def test_what_the_arguments_stand_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "a/all.set").write_text("# programs\n*.c\n\n../b/*.c  # another\n")
    assert collect(["b/p.c", "a/*.c"]) == [Path("b/p.c"), Path("a/p.c"), Path("a/q.c")]
    assert collect(["a/all.set", "a/p.c"]) == [Path("a/p.c"), Path("a/q.c"), Path("a/../b/p.c")]
    with pytest.raises(InputError, match=r"all.set:2: there is no task nothing-\*.c"):
        (folder / "a/all.set").write_text("p.c\nnothing-*.c\n")
        collect(["a/all.set"])
    with pytest.raises(InputError, match=r"empty.txt: there is no task in this list"):
        (folder / "a/empty.txt").write_text("# nothing yet\n")
        collect(["a/p.c", "a/empty.txt"])
    with pytest.raises(InputError, match="there is no task absent"):
        collect(["absent.c"])
    places = directories(collect(["a/*.c", "b/*.c"]), Path("out"))
    assert [str(place) for place in places.values()] == ["out/runs/a/p.c", "out/runs/a/q.c", "out/runs/b/p.c"]


def test_a_table_of_all_and_a_bad_task_costs_only_itself(folder: Path) -> None:
    (folder / "a/broken.c").write_text("int main(void) { return")
    command = ["batch", "a/*.c", "b/*.c", "--composition", "mine.yml", "--jobs", "2", "--time", "20s", *UNCONTAINED]
    ran = gia(*command, "--out", "o", cwd=folder)
    assert ran.status == 1
    assert "1 of 4 tasks could not be done; the first is a/broken.c" in ran.err
    rows = {row["task"]: row for row in json.loads((folder / "o/summary.json").read_text())["rows"]}
    assert "not C" in rows["a/broken.c"]["problem"]
    assert [rows[name]["covered"] for name in ("a/p.c", "a/q.c", "b/p.c")] == [2, 2, 2]
    assert (folder / "o/runs/b/p.c/result.json").exists()
    assert "a/p.c: incomplete: 2 covered, 0 unreachable" in ran.out
    assert len((folder / "asked").read_text().splitlines()) == 3
    assert gia(*command, "--out", "o", cwd=folder).status == 2
    changed = gia(*command, "--out", "o", "--resume", "--atomic", cwd=folder)
    assert "another one: its options" in changed.err
    (folder / "a/broken.c").write_text(PROGRAM)
    again = gia(*command, "--out", "o", "--resume", cwd=folder)
    assert again.status == 0, again.err
    assert len((folder / "asked").read_text().splitlines()) == 4


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_batch_that_is_interrupted_goes_on(folder: Path, number: signal.Signals) -> None:
    text = (folder / "honest.py").read_text()
    (folder / "honest.py").write_text(text + "import time\nif 'q.c' in program: time.sleep(60)\n")
    command = [*COMMAND, "batch", "a/*.c", "--composition", "mine.yml", "--jobs", "1", "--out", "o", *UNCONTAINED]
    process = subprocess.Popen(
        command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    asked = folder / "asked"
    wait_until(lambda: "q.c" in content(asked))
    time.sleep(0.3)
    os.kill(process.pid, number)
    _, err = process.communicate(timeout=60)
    if number is signal.SIGINT:
        assert process.returncode == 1
        assert "the same command with --resume goes on" in err
        assert len(json.loads((folder / "o/summary.json").read_text())["rows"]) == 1
    (folder / "honest.py").write_text(text)
    ran = gia(*command[len(COMMAND) :], "--resume", "--json", cwd=folder)
    assert ran.status == 0, ran.err
    assert [row["covered"] for row in ran.json["rows"]] == [2, 2]
    names = [Path(line).parent.name + "/" + Path(line).name for line in asked.read_text().splitlines()]
    assert names == ["a/p.c", "a/q.c", "a/q.c"]
