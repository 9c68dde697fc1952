"""How an actor is started: the contract ``TOOL --program P.c --spec S.prp --gia IN.xml --out OUT.xml [options]``.

An actor that is native to GIA gets the program as it is. One that reads only C gets the residual program that the
reducer makes of it: what is decided is no longer in there (DESIGN §4).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gia.automaton.model import Acceptance
from gia.cfa.specification import property_text
from gia.cfa.writer import write_c
from gia.errors import CompositionError
from gia.exchange.gia_xml import write_gia
from gia.frontend import parse_expression
from gia.orchestrator.actor import Actor, ActorDescription
from gia.orchestrator.documents import nearest
from gia.orchestrator.knowledge import Knowledge
from gia.orchestrator.process import Ended, Limits
from gia.reducer import reduce_program

SPECIFICATION: Final = "specification.prp"
INPUT: Final = "in.xml"
LOG: Final = "log.txt"
REDUCED: Final = "program.c"


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an actor: its folder (absolute), wall and CPU time in seconds, memory in bytes."""

    actor: Actor
    folder: Path
    seconds: float
    memory: int | None
    options: Mapping[str, str]
    cpu: float | None = None

    @property
    def log(self) -> Path:
        """Where its output goes."""
        return self.folder / LOG

    def product(self, index: int = 0) -> Path:
        """The path of one of its products."""
        return self.folder / self.actor.description.produces[index].path

    @property
    def limits(self) -> Limits:
        """The hard limits: an actor that knows its time gets a little more to write down what it has found."""
        grace = min(5.0, max(2.0, 0.5 * self.seconds))
        if self.actor.description.gia == "native":
            return Limits(wall=self.seconds + grace, grace=1.0, cpu=self.cpu, memory=self.memory)
        return Limits(wall=self.seconds, grace=grace, cpu=self.cpu, memory=self.memory)


def checked_options(description: ActorDescription, given: Mapping[str, object]) -> dict[str, str]:
    """The actor's options with their defaults, as text. Raises :class:`CompositionError` for one that it has not."""
    for name in given:
        if name not in description.options:
            hint = nearest(name, description.options)
            raise CompositionError(f"the actor {description.name} has no option {name!r}", hint=hint)
    defaults = {name: option.default for name, option in description.options.items()}
    return {name: _text(value) for name, value in (defaults | dict(given)).items()}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def prepare(call: Call, knowledge: Knowledge) -> list[str]:
    """Writes what the actor reads into its folder; the command that starts it."""
    task = knowledge.task
    write_gia(knowledge.automaton, call.folder / INPUT)
    (call.folder / SPECIFICATION).write_text(property_text(task.criterion) + "\n", encoding="utf-8")
    description = call.actor.description
    program = task.path
    if description.gia == "none":
        reduced = reduce_program(task.program, knowledge.automaton, Acceptance.UT, parse_expression)
        program = call.folder / REDUCED
        program.write_text(write_c(reduced.program), encoding="utf-8")
    values = {
        "program": str(program),
        "spec": str(call.folder / SPECIFICATION),
        "gia": str(call.folder / INPUT),
        "out": str(call.product()),
        "time": f"{call.seconds:g}",
        "memory": str(call.memory or ""),
        "data_model": task.data_model.value,
        "directory": str(call.actor.path.parent),
        **call.options,
    }
    if description.run.command is not None:
        return [argument.format_map(values) for argument in description.run.command]
    command = [sys.executable, "-P", "-m", "gia.cli", "actor", "run", str(description.run.builtin)]
    for name in ("program", "spec", "gia", "out", "time"):
        command += [f"--{name}", values[name]]
    command += ["--data-model", task.data_model.value, "--entry", task.program.entry]
    for name, value in sorted(call.options.items()):
        command += ["--option", f"{name}={value}"]
    return command


def failure(call: Call, ended: Ended) -> str:
    """Why the actor failed, with the last line that it wrote; empty if it did not."""
    if str(ended) == "exit status 0":
        return ""
    last = _last_line(call.log)
    return f"{ended}{': ' + last if last else ''}"


def _last_line(log: Path) -> str:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 2000))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "")
