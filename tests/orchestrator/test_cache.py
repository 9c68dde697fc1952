"""The cache of step results: found again if nothing has changed, never half, never in the way."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from gia.orchestrator.records.cache import StepCache
from tests.cli.harness import ENVIRONMENT, gia, statuses
from tests.cli.test_fake_actors import NEVER_ENDING, PROGRAM, RT, UNCONTAINED, actor, composition

COUNT = "import os\nopen(os.path.dirname(__file__) + '/count', 'a').write('x')\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p.c").write_text(PROGRAM)
    actor(tmp_path, "honest", COUNT + RT.replace("VALUE", "12345"))
    composition(tmp_path, "honest")
    return tmp_path


def asked(folder: Path, *options: str) -> tuple[int, bool]:
    """How often the actor has been run until now, and whether the last run took its answer from the cache."""
    ran = gia("run", "mine.yml", "p.c", "--json", "--time", "30s", *UNCONTAINED, *options, cwd=folder)
    assert statuses(ran.json)["main:5:5:then"] == "covered", ran.err
    return len((folder / "count").read_text()), ran.json["steps"][0]["cached"]


def test_the_same_step_is_not_run_twice(folder: Path) -> None:
    assert asked(folder) == (1, False)
    assert asked(folder) == (1, True)
    assert asked(folder, "--no-cache") == (2, False)
    assert asked(folder, "--out", "elsewhere") == (2, True)


def test_whatever_counts_makes_another_step(folder: Path) -> None:
    asked(folder)
    (folder / "honest.py").write_text((folder / "honest.py").read_text() + "# changed\n")
    assert asked(folder) == (2, False)
    composition(folder, "honest", time="9s")
    (folder / "honest.yml").write_text((folder / "honest.yml").read_text() + "description: changed\n")
    assert asked(folder) == (3, False)
    (folder / "p.c").write_text(PROGRAM + "\n")
    assert asked(folder) == (4, False)
    assert asked(folder, "--memory", "1GB") == (5, False)


def test_what_a_script_imports_counts(folder: Path) -> None:
    """The modules beside it and in packages below; not what a run leaves there."""
    script = folder / "honest.py"
    script.write_text("import helper, package.inner\n" + script.read_text())
    (folder / "package").mkdir()
    modules = (folder / "helper.py", folder / "package/inner.py")
    for module in modules:
        module.write_text("")
    assert asked(folder) == (1, False)
    assert asked(folder) == (1, True)
    for number, module in enumerate(modules, start=2):
        module.write_text("# changed\n")
        assert asked(folder) == (number, False)


def test_who_answers_differently_each_time_is_asked_again(folder: Path) -> None:
    (folder / "honest.yml").write_text((folder / "honest.yml").read_text() + "deterministic: false\n")
    asked(folder)
    assert asked(folder) == (2, False)


@pytest.mark.parametrize("ending", ["sys.exit(1)", "import time; time.sleep(0.65)"])
def test_a_step_that_failed_or_ran_out_of_time_is_done_again(folder: Path, ending: str) -> None:
    (folder / "honest.py").write_text((folder / "honest.py").read_text() + ending + "\n")
    composition(folder, "honest", time="700ms")
    asked(folder)
    assert asked(folder) == (2, False)


def test_an_entry_that_was_cut_off_is_not_used(folder: Path) -> None:
    asked(folder)
    for path in Path(ENVIRONMENT["XDG_CACHE_HOME"]).rglob("out.xml"):
        path.write_bytes(path.read_bytes()[:-10])
    assert asked(folder) == (2, False)
    assert asked(folder) == (2, True)


def test_a_cache_that_cannot_be_written_is_in_nobodys_way(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "step").mkdir()
    (tmp_path / "step/out.xml").write_text("<gia/>")
    (tmp_path / "file").write_text("")
    cache = StepCache(tmp_path / "file" / "cache")
    assert not cache.store("a" * 64, tmp_path / "step", ["out.xml"])
    assert not cache.fetch("a" * 64, tmp_path / "step")


def test_many_at_the_same_time_and_the_oldest_go_first(tmp_path: Path) -> None:
    step = tmp_path / "step"
    (step / "suite").mkdir(parents=True)
    (step / "out.xml").write_bytes(b"x" * 1000)
    (step / "suite/t.xml").write_text("<testcase/>")
    cache = StepCache(tmp_path / "cache")
    keys = [f"{number:064x}" for number in range(4)]

    def work(number: int) -> None:
        for key in keys:
            cache.store(key, step, ["out.xml", "suite"])
            target = tmp_path / f"target{number}"
            target.mkdir(exist_ok=True)
            assert cache.fetch(key, target)
            assert (target / "out.xml").read_bytes() == b"x" * 1000
            assert (target / "suite/t.xml").read_text() == "<testcase/>"

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list((tmp_path / "cache").rglob("entry.json"))) == 4
    for age, key in enumerate(keys):
        os.utime(tmp_path / "cache" / key[:2] / key[2:], (1000 - age, 1000 - age))
    cache.shrink(2500)
    assert [cache.fetch(key, tmp_path / "target0") for key in keys] == [True, True, False, False]


def test_what_an_actor_says_that_was_told_more_than_it_was_given_is_not_kept(tmp_path: Path) -> None:
    """The tester ends because all that it has not reached is proven; alone, it would have to look for that."""
    text = NEVER_ENDING.replace("y * y + y == 7", "x == 0").replace("++n == 2000000000", "y == 3")
    (tmp_path / "p.c").write_text(text)
    steps = "steps: {test: {actor: tester, time: 20s}, prove: {actor: interval}}"
    (tmp_path / "mine.yml").write_text(f"name: mine\n{steps}\nrun: {{portfolio: [test, prove]}}\n")
    cached = []
    for _ in range(2):
        ran = gia("run", "mine.yml", "p.c", "--json", "--cores", "2", "--time", "60s", cwd=tmp_path)
        assert set(statuses(ran.json).values()) == {"covered", "unreachable"}, ran.err
        cached.append({step["actor"]: step["cached"] for step in ran.json["steps"]})
    assert not any(found["tester"] for found in cached)
