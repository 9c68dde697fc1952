"""What the cores of a run tell the steps that occupy them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from gia.orchestrator.beside import Beside
from gia.orchestrator.cores import Cores
from gia.orchestrator.nearby import OthersNearby

LONG = 20.0
"""Seconds after which something that should happen is taken not to happen."""


def test_a_note_exists_while_others_are_at_work(tmp_path: Path) -> None:
    cores, note = Cores(2), tmp_path / "note"
    with cores.taken(1), cores.noted(note):
        assert not note.exists()
        with cores.taken(1):
            assert note.exists()
        assert not note.exists()
        with cores.taken(1):
            assert note.exists()
    assert not note.exists()


def test_no_note_while_somebody_waits_for_a_core(tmp_path: Path) -> None:
    cores, note, served = Cores(2), tmp_path / "note", Event()

    def third() -> None:
        with cores.taken(1):
            served.set()

    waiting = Thread(target=third)
    with cores.taken(1), cores.noted(note):
        with cores.taken(1):
            assert note.exists()
            waiting.start()
            end = time.monotonic() + LONG
            while note.exists() and time.monotonic() < end:
                time.sleep(0.01)
            assert not note.exists() and not served.is_set()
        waiting.join(LONG)
        assert served.is_set() and not note.exists()


def test_on_one_core_nobody_works_beside(tmp_path: Path) -> None:
    cores, note = Cores(1), tmp_path / "note"
    other = Thread(target=lambda: cores.taken(1).__enter__())
    with cores.taken(1), cores.noted(note):
        other.start()
        time.sleep(0.1)
        assert not note.exists()
    other.join(LONG)
    assert not other.is_alive()


def test_a_note_that_cannot_be_written_is_none(tmp_path: Path) -> None:
    cores = Cores(2)
    with cores.taken(1), cores.noted(tmp_path / "gone" / "note"), cores.taken(1):
        assert not (tmp_path / "gone").exists()


class Giving:
    """A step that gives way as soon as it is asked to. It notes for how long, and each time that it goes on."""

    def __init__(self, cores: Cores, folder: Path) -> None:
        folder.mkdir()
        self.works = Event()
        self.events: list[object] = []
        self.over = Event()
        self.thread = Thread(target=self._run, daemon=True)
        self._cores = cores
        self._beside = Beside(folder)

    def _run(self) -> None:
        others = OthersNearby(self._beside)
        with self._cores.taken(1) as number, self._cores.lent(number, self._beside):
            while not self.over.wait(0.002):
                self.works.set()
                seconds = others.waiting()
                if seconds is not None:
                    self.works.clear()
                    self.events.append(seconds)
                    others.give_way(time.monotonic() + LONG)
                    self.events.append("goes on")


@contextmanager
def giving(cores: Cores, folder: Path) -> Iterator[Giving]:
    """While it runs."""
    step = Giving(cores, folder)
    step.thread.start()
    assert step.works.wait(LONG)
    yield step
    step.over.set()
    step.thread.join(LONG)
    assert not step.thread.is_alive()
    assert list(folder.iterdir()) == []


def test_a_step_gives_way_to_each_that_waits_and_goes_on_in_between(tmp_path: Path) -> None:
    cores = Cores(1)
    with giving(cores, tmp_path / "step") as step:
        for seconds in (3.0, 5.0):
            with cores.taken(1, seconds):
                time.sleep(0.05)
                assert not step.works.is_set()
            assert step.works.wait(LONG)
    assert step.events == [3.0, "goes on", 5.0, "goes on"]
    with cores.taken(1):  # all are free again
        pass


def test_who_has_given_way_goes_on_before_who_comes_later(tmp_path: Path) -> None:
    cores = Cores(1)

    def later() -> None:
        with cores.taken(1, 2.0):
            step.events.append("later")

    with giving(cores, tmp_path / "step") as step:
        waiting = Thread(target=later)
        with cores.taken(1, 1.0):
            waiting.start()
            time.sleep(0.05)
            step.events.append("first")
        waiting.join(LONG)
        assert step.works.wait(LONG)
    assert step.events == [1.0, "first", "goes on", 2.0, "later", "goes on"]


def test_only_as_many_give_way_as_are_needed(tmp_path: Path) -> None:
    """Both are asked, and go on at once if they are not needed."""
    cores = Cores(2)
    with giving(cores, tmp_path / "one") as one, giving(cores, tmp_path / "two") as two:
        with cores.taken(1):
            assert one.works.wait(0.5) or two.works.wait(0.5)
            time.sleep(0.05)
            assert one.works.is_set() != two.works.is_set()
        with cores.taken(2):
            assert not one.works.is_set() and not two.works.is_set()
        assert one.works.wait(LONG) and two.works.wait(LONG)


def test_a_step_that_ends_while_others_have_its_core_leaves_it_to_them(tmp_path: Path) -> None:
    cores, served = Cores(1), Event()

    def third() -> None:
        with cores.taken(1):
            served.set()

    (tmp_path / "step").mkdir()
    beside, ended, gave_way = Beside(tmp_path / "step"), Event(), Event()

    def step() -> None:
        with cores.taken(1) as number, cores.lent(number, beside):
            gave_way.set()
            while OthersNearby(beside).waiting() is None:
                time.sleep(0.002)
            OthersNearby(beside).give_way(time.monotonic() + 0.1)
        ended.set()

    giving_up, waiting = Thread(target=step), Thread(target=third)
    giving_up.start()
    assert gave_way.wait(LONG)
    with cores.taken(1):
        assert ended.wait(LONG)
        waiting.start()
        assert not served.wait(0.1)
    assert served.wait(LONG)
    waiting.join(LONG)
    giving_up.join(LONG)
    assert list(beside.folder.iterdir()) == []


def test_a_step_that_cannot_be_asked_is_waited_for(tmp_path: Path) -> None:
    cores = Cores(1)
    started = Event()

    def step() -> None:
        with cores.taken(1) as number, cores.lent(number, Beside(tmp_path / "gone")):
            started.set()
            time.sleep(0.1)

    thread = Thread(target=step)
    thread.start()
    assert started.wait(LONG)
    with cores.taken(1, 0.01):
        thread.join(LONG)
        assert not thread.is_alive()


def test_a_step_is_asked_while_it_works_only(tmp_path: Path) -> None:
    """What stands in the files of an earlier request means nothing."""
    beside = Beside(tmp_path)
    others = OthersNearby(beside)
    assert others.waiting() is None
    others.give_way(time.monotonic() + LONG)
    for text in ("", "1", "a b", "1 2 3"):
        beside.core_wanted.write_text(text)
        assert others.waiting() is None
        others.give_way(time.monotonic() + LONG)
    beside.core_given.write_text("2")
    beside.core_wanted.write_text("3 1.5")
    assert others.waiting() == 1.5
    begun = time.monotonic()
    others.give_way(begun + 0.1)
    assert time.monotonic() >= begun + 0.1
    assert not beside.core_given.exists()
