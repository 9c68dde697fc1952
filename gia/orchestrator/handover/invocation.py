"""How an actor is started: the contract ``TOOL --program P.c --spec S.prp --gia IN.xml --out OUT.xml [options]``.

An actor that is native to GIA gets the program as it is. What one that reads only C gets is made in
:mod:`gia.orchestrator.handover.presenting`.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from math import ceil
from pathlib import Path
from time import monotonic
from typing import Final

from msgspec import Struct

from gia.cfa.goals import Criterion
from gia.cfa.specification import property_text
from gia.cfa.types import DataModel
from gia.errors import CompositionError
from gia.exchange.gia_xml import write_gia
from gia.exchange.obstacles import Obstacles, read_obstacles
from gia.exchange.patterns import matching
from gia.orchestrator.beside import Beside
from gia.orchestrator.description.actor import BINARY, Actor, ActorDescription, Product
from gia.orchestrator.description.names import nearest
from gia.orchestrator.facts.knowledge import Knowledge
from gia.orchestrator.facts.task import Task
from gia.orchestrator.processes.preloading import BUILTIN
from gia.orchestrator.processes.process import Ended, Limits, Outcome
from gia.tools.bench_exec import BenchExecTool, ToolTask
from gia.tools.marking import Mark

SPECIFICATION: Final = "specification.prp"
INPUT: Final = "in.xml"
LOG: Final = "log.txt"
QUESTION: Final = "question.json"
"""What a tool-info module of BenchExec was asked."""
ENDED: Final = "ended.json"
"""How the tool ended."""
BUILTIN_GRACE: Final = 0.75
"""Seconds beyond its time after which a built-in actor is ended."""


class Call(Struct, frozen=True):
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

    @property
    def beside(self) -> Beside:
        """What tells an actor of gia of those that run beside it."""
        return Beside(self.folder)

    def product(self, index: int = 0) -> Path:
        """The path of one of its products."""
        return self.folder / self.actor.description.produces[index].path

    def files(self, product: Product) -> list[Path]:
        """The files or folders that stand for a product: none if it was not written."""
        return matching(self.folder, product.path)

    def obstacles(self) -> Obstacles:
        """What its output says about what stood in the way; that of a tool for C speaks of another program."""
        if self.actor.description.gia != "native" or not self.log.is_file():
            return Obstacles()
        with self.log.open(encoding="utf-8", errors="replace") as lines:
            return read_obstacles(lines)

    @property
    def knows_its_time(self) -> bool:
        """Whether the tool is told for how long it may work, and ends by itself."""
        description = self.actor.description
        texts = description.run.texts
        return description.gia == "native" or any(word in text for text in texts for word in ("{time}", "{seconds}"))

    @property
    def limits(self) -> Limits:
        """The hard limits: an actor that knows its time gets a little more to write down what it has found.

        One that is built in needs less: it has written down most of it before, and
        a call of a library that nothing interrupts is to cost it less than a second.
        """
        is_builtin = self.actor.description.run.builtin is not None
        grace = BUILTIN_GRACE if is_builtin else min(5.0, max(2.0, 0.5 * self.seconds))
        if self.knows_its_time:
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


def specification(actor: Actor, task: Task) -> str:
    """The text of the property that the actor is asked about."""
    if actor.description.goals is not Mark.REACH_ERROR or actor.gets_program_as_it_is(task.criterion):
        return task.specification + "\n"
    return property_text(Criterion.ERROR_CALL if actor.description.direction == "UA" else Criterion.UNREACH_CALL) + "\n"


def prepare(call: Call, knowledge: Knowledge) -> list[str]:
    """Writes what the actor reads into its folder; the command that starts it."""
    started = monotonic()
    task = knowledge.task
    description = call.actor.description
    write_gia(knowledge.automaton, call.folder / INPUT)
    (call.folder / SPECIFICATION).write_text(specification(call.actor, task), encoding="utf-8")
    values = {
        "program": str(task.path),
        "source": str(task.path),
        "spec": str(call.folder / SPECIFICATION),
        "gia": str(call.folder / INPUT),
        "out": str(call.product()),
        "memory": str(call.memory or ""),
        "data_model": task.data_model.value,
        "bits": str(task.data_model.pointer_width),
        "directory": str(call.actor.path.parent),
        **call.options,
    }
    if description.gia == "none":
        from gia.orchestrator.handover.presenting import present  # noqa: PLC0415 - it loads the reducers

        values |= present(call.actor, call.folder, knowledge, values, call.seconds)
    left = time_left(call, monotonic() - started)
    values |= {"time": f"{left:g}", "seconds": str(int(left))}
    if description.run.command is not None:
        return [argument.format_map(values) for argument in description.run.command]
    if description.run.benchexec is not None:
        return _bench_exec_command(BenchExecTool(description.run.benchexec, description.run.hint), call, values)
    # By the name that the program has here, the actor finds in the cache what was made of it here.
    command = [*BUILTIN, str(description.run.builtin), f"--name={task.program.main_file}"]
    for name in ("program", "spec", "gia", "out", "time"):
        command += [f"--{name}", values[name]]
    command += ["--data-model", task.data_model.value, "--entry", task.entry, "--beside", str(call.folder)]
    for name, value in sorted(call.options.items()):
        command += ["--option", f"{name}={value}"]
    return command


def time_left(call: Call, used: float) -> float:
    """The seconds that an actor has when it took ``used`` seconds to prepare its call.

    In steps of a twentieth: small differences shall not make two calls different. A tool for C may take whole seconds
    only, so that it has one at least.
    """
    twentieths = 20 * used / call.seconds
    if call.actor.description.gia == "none":
        return max(1.0, call.seconds * (1 - ceil(twentieths) / 20))
    return max(min(1.0, call.seconds), call.seconds * (1 - int(twentieths) / 20))


def _bench_exec_command(tool: BenchExecTool, call: Call, values: Mapping[str, str]) -> list[str]:
    """The command of a tool-info module. What it was asked is noted: whoever reads the output must know it."""
    task = ToolTask(
        program=Path(values["program"]),
        property_file=Path(values["spec"]),
        data_model=DataModel(values["data_model"]),
        arguments=tuple(argument.format_map(values) for argument in call.actor.description.run.arguments),
        seconds=float(values["time"]),
        memory=call.memory,
    )
    (call.folder / QUESTION).write_text(json.dumps(dict(values)), encoding="utf-8")
    return tool.command(task)


def bench_exec_verdict(call: Call, output: str) -> str:
    """What the tool-info module of the actor says about its output, after the call has ended."""
    tool = BenchExecTool(str(call.actor.description.run.benchexec))
    values = json.loads((call.folder / QUESTION).read_text(encoding="utf-8"))
    command = _bench_exec_command(tool, call, values)
    note = call.folder / ENDED
    ended: dict[str, str | int] = {"outcome": "", "status": 0}
    if note.exists():
        ended = json.loads(note.read_text(encoding="utf-8"))
    return tool.verdict(
        command,
        output,
        int(ended["status"]),
        signalled=ended["outcome"] == Outcome.SIGNALLED,
        timeout=ended["outcome"] == Outcome.TIMEOUT,
    )


def given_to(call: Call) -> Iterator[str]:
    """What a tool that reads only C depends on beside its command line, which is prepared already.

    That is each file in its folder (its harness includes the program, the program has marks), where the folder lies
    left out, and each of its executables, which the command may only name within another one.
    """
    if call.actor.description.gia == "native":
        return
    for path in sorted(path for path in call.folder.rglob("*") if path.is_file()):
        name = path.relative_to(call.folder).as_posix()
        if name not in (INPUT, QUESTION, BINARY):  # the binary is made of the others
            content = path.read_bytes().replace(os.fsencode(call.folder), b"")
            yield f"{name} {hashlib.sha256(content).hexdigest()}"
    for need in call.actor.description.needs:
        found = shutil.which(need.executable)
        if found is not None:
            status = Path(found).resolve().stat()
            yield f"{found} {status.st_size} {status.st_mtime_ns}"


def note_end(call: Call, ended: Ended) -> None:
    """Notes how the process of a tool ended, for the module of BenchExec that reads its output."""
    if call.actor.description.run.benchexec is not None and call.folder.is_dir():
        note = {"outcome": ended.outcome, "status": ended.status}
        (call.folder / ENDED).write_text(json.dumps(note), encoding="utf-8")


def failure(call: Call, ended: Ended) -> str:
    """Why the actor failed, with the last line that it wrote; empty if it did not."""
    if ended.outcome is Outcome.EXITED and ended.status in call.actor.description.run.statuses:
        return ""
    # What knows its time and is asked to end says so last, which is no reason.
    asked = ended.outcome in (Outcome.TIMEOUT, Outcome.CPU, Outcome.CANCELLED) and call.knows_its_time
    last = "" if asked else _last_line(call.log)
    return f"{ended}{': ' + last if last else ''}"


def _last_line(log: Path) -> str:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 2000))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return ""
    said = [line.strip() for line in lines if line.strip()]
    while len(said) > 1 and said[-1].startswith("hint:"):  # what is wrong stands before what could be done
        said.pop()
    return said[-1][:300] if said else ""
