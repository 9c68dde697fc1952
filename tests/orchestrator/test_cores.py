"""What the cores of a run tell the steps that occupy them."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event, Thread

from gia.orchestrator.cores import Cores

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
