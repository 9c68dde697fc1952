"""Any actor alone, as a program that reads a GIA and writes one: what ``gia actor run NAME`` does.

What is true for a step of a run holds here as well: the tool gets what the engine would give it, its tests are
executed, its claims are checked, and the answer is what was known, combined with what stood the examination.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from msgspec import Struct, field
from msgspec.structs import replace

from gia.automaton.initial import edge_texts
from gia.automaton.model import ActorRecord, Automaton
from gia.cfa.types import DataModel
from gia.errors import InputError, Position, ToolError
from gia.exchange.gia_xml import read_gia, write_gia
from gia.exchange.suites.reading_tests import tests_of
from gia.orchestrator.asking import CHECK_SECONDS
from gia.orchestrator.description.actor import Actor
from gia.orchestrator.facts.knowledge import Knowledge, Proof, claimed_goals, nothing_known
from gia.orchestrator.facts.replay import Replayer, promises_of
from gia.orchestrator.facts.task import Task, TaskRequest, load_task_of_actor
from gia.orchestrator.handover.intake import examine, only_unreachable
from gia.orchestrator.handover.invocation import Call, checked_options, failure, note_end, prepare
from gia.orchestrator.processes.process import Ended, Outcome, Supervision
from gia.verdict import GoalStatus


class LoneCall(Struct, frozen=True):
    """The arguments of one call; ``keep`` is a folder for the files of the tool, a temporary one if ``None``."""

    actor: Actor
    program: Path
    specification: str
    gia: Path | None
    out: Path
    seconds: float
    data_model: DataModel | None = None
    entry: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    keep: Path | None = None


def run_alone(call: LoneCall, report: Callable[[str], None]) -> None:
    """Runs the actor and writes what is known then.

    Raises :class:`ToolError` if it is not installed, cannot be started or leaves nothing that can be used,
    :class:`InputError` for arguments that do not fit.
    """
    missing = call.actor.missing()
    if missing:
        raise ToolError(f"{missing[0].executable} is not installed", hint=missing[0].hint)
    known = read_gia(call.gia) if call.gia is not None else None
    request = TaskRequest(call.program, call.specification, call.data_model, call.entry)
    task = load_task_of_actor(request, known, call.gia)
    with _folder(call.keep) as folder, tempfile.TemporaryDirectory(prefix="gia-") as scratch:
        replayer = Replayer(task, Path(scratch))
        before = knowledge_of(task, known, replayer, Path(scratch)) if known is not None else nothing_known(task)
        after, ended = _asked(call, folder, before, replayer, report)
    for status, what in (GoalStatus.COVERED, "covered"), (GoalStatus.UNREACHABLE, "unreachable"):
        report(f"{max(0, after.count(status) - before.count(status))} more goals are {what}")
    record = ActorRecord(
        call.actor.name, "", call.actor.description.direction, round(ended.wall, 3), round(ended.cpu, 3)
    )
    metadata = replace(task.initial.metadata, actors=(record,))
    found = after.automaton
    write_gia(replace(found, metadata=metadata, edge_texts=edge_texts(task.program, found)), call.out)


def _asked(
    call: LoneCall, folder: Path, before: Knowledge, replayer: Replayer, report: Callable[[str], None]
) -> tuple[Knowledge, Ended]:
    """What is known after the actor was asked, and how its process ended."""
    options = checked_options(call.actor.description, call.options)
    asked = Call(call.actor, folder, call.seconds, None, options)
    argv = prepare(asked, before)
    with Supervision() as supervision:
        ended = supervision.run(argv, directory=folder, log=asked.log, limits=asked.limits)
    note_end(asked, ended)
    facts = examine(asked, before, replayer, call.actor.name, monotonic() + CHECK_SECONDS)
    problem = failure(asked, ended)
    for remark in (*([problem] if problem else []), *facts.remarks):
        report(remark)
    if not facts.usable or ended.outcome is Outcome.NOT_STARTED:
        hint = "keep its files with --keep DIR, and look at its log.txt"
        problem = problem or "it has left nothing that could be used"
        raise ToolError(f"{call.actor.name}: {problem}", hint=None if call.keep else hint)
    return before.extended(facts.tests, [facts.proof] if facts.proof is not None else []), ended


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="gia-actor-") as folder:
            yield Path(folder)
        return
    if keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise InputError("this is no empty folder", Position(str(keep)))
    keep.mkdir(parents=True, exist_ok=True)
    yield keep.absolute()


def knowledge_of(task: Task, automaton: Automaton, replayer: Replayer, scratch: Path) -> Knowledge:
    """What a GIA says as facts: its tests are executed, its claims are kept as such."""
    tests = tests_of(automaton, task.program)
    cases, promises = [test.case for test in tests], promises_of(task, tests)
    executed = replayer.replay(cases, scratch / "known", "known", promises=promises) if cases else ()
    claims = only_unreachable(automaton)
    claimed = claimed_goals(task, claims)
    proofs = [Proof(claims, claimed, frozenset(), "known", "known")] if claimed else []
    return nothing_known(task).extended((test for test in executed if test.reached), proofs)
