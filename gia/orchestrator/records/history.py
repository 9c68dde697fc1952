"""What an interrupted run has left, read from its journal."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from msgspec import Struct, field

from gia.errors import InputError, Position
from gia.orchestrator.description.composition import LoadedComposition
from gia.orchestrator.facts.task import Task
from gia.orchestrator.records.journal import Entry, read_journal
from gia.orchestrator.store import JOURNAL, RunDirectory


class History(Struct, frozen=True):
    """The steps of earlier runs in a directory, by place (see :class:`~gia.orchestrator.records.step.StepRecord`).

    ``finished`` are the journal's entries of those that are not to be done again. ``unfinished`` are the numbers of
    those that were cancelled, or cut off: what they had written by then may be of use. ``numbers`` are those of all.
    """

    finished: Mapping[str, Entry] = field(default_factory=dict)
    unfinished: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    numbers: frozenset[int] = frozenset()


def identity(task: Task, loaded: LoadedComposition, seed: int) -> dict[str, object]:
    """What a resumed run must have in common with the one that was interrupted. Budgets need not be the same."""
    composition = loaded.composition
    actors = [[name, step.actor, sorted(step.options.items())] for name, step in sorted(composition.steps.items())]
    wiring = composition.run.model_dump_json(exclude_defaults=True) + repr(actors)
    return {
        "sha256": task.program.sha256,
        "specification": task.criterion.value,
        "data-model": task.data_model.value,
        "entry": task.entry,
        "composition": composition.name,
        "parameters": dict(loaded.parameters),
        "seed": seed,
        "wiring": hashlib.sha256(wiring.encode()).hexdigest(),
    }


def read_history(directory: RunDirectory, wanted: Mapping[str, object]) -> History:
    """The history of a directory. Raises :class:`InputError` if its runs have another identity than ``wanted``."""
    path = directory.file(JOURNAL)
    finished: dict[str, Entry] = {}
    started: dict[int, str] = {}
    for entry in read_journal(path):
        event = entry["event"]
        if event == "run":
            for key, value in wanted.items():
                if entry.get(key) != value:
                    message = f"another run began here: its {key} was {entry.get(key)}, not {value}"
                    hint = "resume with the program and the options of that run, or begin another one with --out"
                    raise InputError(message, Position(str(path)), hint)
        elif event == "step-started":
            started[int(entry["number"])] = str(entry["place"])
        elif event == "step-ended":
            finished[str(entry["place"])] = entry
    numbers = {int(entry["number"]) for entry in finished.values()}
    unfinished: dict[str, tuple[int, ...]] = {}
    for number, place in sorted(started.items()):
        if number not in numbers:
            unfinished[place] = (*unfinished.get(place, ()), number)
    return History(finished, unfinished, frozenset(numbers | started.keys()))
