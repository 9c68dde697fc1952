"""``gia test``, ``gia verify`` and ``gia run``: a composition on a program."""

from __future__ import annotations

import inspect
import os
import shlex
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gia.automaton.bulk import bulk_allocation
from gia.cli.options import (
    Atomic,
    DataModelOption,
    Entry,
    Program,
    Specification,
    ended_at,
    keeping,
    pairs,
    task_request,
)

if TYPE_CHECKING:
    from gia.orchestrator.facts.task import Task, TaskRequest
    from gia.orchestrator.records.result import Result

Time = Annotated[
    str | None,
    typer.Option("--time", metavar="TIME", help="Wall time of the whole run: 60s, 2m, 1h.", show_default="60s"),
]
Cpu = Annotated[
    str | None, typer.Option("--cpu", metavar="TIME", help="CPU time of all actors together.", show_default=False)
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory", metavar="SIZE", help="Memory of all actors that run at the same time: 4GB.", show_default=False
    ),
]
Cores = Annotated[
    int | None, typer.Option("--cores", min=1, metavar="N", help="Actors that may run at once.", show_default="all")
]
Seed = Annotated[
    int,
    typer.Option("--seed", min=0, metavar="N", help="Other pseudo-random numbers: added to the seed of each actor."),
]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Where the results go.", show_default="gia-out/PROGRAM-NAME")
]
Parameters = Annotated[
    list[str] | None, typer.Option("--param", metavar="K=V", help="A parameter of the composition.", show_default=False)
]
Resume = Annotated[
    Path | None, typer.Option("--resume", metavar="DIR", help="Go on with the run in there.", show_default=False)
]
ExecutorOption = Annotated[
    str,
    typer.Option("--executor", metavar="local|dask[:ADDRESS]", help="Where actors run: here, or on a dask cluster."),
]
IsolationOption = Annotated[
    Literal["plain", "benchexec", "auto"],
    typer.Option(
        "--isolation",
        help="How actors are limited: by a supervisor, in containers of BenchExec, or (auto) the tools of others in "
        "containers where the machine allows it.",
    ),
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Run each step, even if the same was done before on the same inputs.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show nothing but errors.")]
Json = Annotated[bool, typer.Option("--json", help="Show nothing but result.json.")]


def run(
    composition: Annotated[
        str, typer.Argument(metavar="COMPOSITION", help="Name of a composition, or path of a .yml file.")
    ],
    program: Program,
    spec: Specification = None,
    data_model: DataModelOption = None,
    entry: Entry = None,
    atomic: Atomic = False,
    time: Time = None,
    cpu: Cpu = None,
    memory: Memory = None,
    cores: Cores = None,
    seed: Seed = 0,
    out: Out = None,
    param: Parameters = None,
    resume: Resume = None,
    executor: ExecutorOption = "local",
    isolation: IsolationOption = "auto",
    no_cache: NoCache = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Run a composition of actors on a program."""
    started = monotonic()
    from gia.cache import OFF
    from gia.orchestrator.description.quantities import parse_memory, parse_time

    directory = _directory(program, out, resume)
    seconds = parse_time(time) if time is not None else None
    cpu_seconds = parse_time(cpu) if cpu is not None else None
    memory_bytes = parse_memory(memory) if memory is not None else None
    if no_cache:
        os.environ[OFF] = "1"  # the actors shall know it as well
    request = task_request(program, spec, data_model, entry, atomic)
    parameters = pairs(param or (), "--param")

    with bulk_allocation():
        from gia.orchestrator.description.composition import load_composition
        from gia.orchestrator.processes.executors import make_executor
        from gia.orchestrator.store import check_run_directory

        check_run_directory(directory, resume=resume is not None)
        loaded = load_composition(composition, parameters)
    is_verification = loaded.composition.task == "verification"
    actors = [step.actor for step in loaded.composition.steps.values()]
    with make_executor(executor, isolation, cores, actors) as ready:  # it gets ready while the program is read
        with bulk_allocation():
            from gia.orchestrator.records.cache import default_folder
            from gia.orchestrator.run import RunOptions, run_composition, seconds_of
            from gia.report.progress import observing

        task = _read_in_time(request, started, seconds_of(loaded, seconds), is_verification=is_verification)
        options = RunOptions(
            out=directory,
            seconds=seconds,
            cpu=cpu_seconds,
            memory=memory_bytes,
            cores=cores,
            seed=seed,
            resume=resume is not None,
            executor=lambda: nullcontext(ready),
            cache=None if no_cache else default_folder(),
            started=started,
        )
        on = f"--resume {shlex.quote(str(options.out))} goes on from there"
        with keeping(options.out, on), observing(quiet=quiet or json) as observer:
            result = run_composition(task, loaded, options, observer)
    _present(result, task, directory, quiet=quiet, json=json)


def _read_in_time(request: TaskRequest, started: float, seconds: float, *, is_verification: bool) -> Task:
    """The program and its goals; a :class:`GiaError` if reading them takes all of the time of the run."""
    from gia.cfa.goals import Criterion
    from gia.errors import GiaError, Position
    from gia.orchestrator.facts.task import load_task

    place = Position(str(request.program))
    late = GiaError(f"the {seconds:g} s were over before the program was read", place, "give more with --time")
    with ended_at(started + seconds, late):
        return load_task(request, Criterion.UNREACH_CALL if is_verification else Criterion.BRANCHES)


def _directory(program: Path, out: Path | None, resume: Path | None) -> Path:
    """Where the results of a run go."""
    from gia.errors import InputError

    if resume is not None and out is not None and resume != out:
        raise InputError("--resume and --out name different directories", hint="give only one of them")
    return resume or out or Path("gia-out") / program.name


def _present(result: Result, task: Task, out: Path, *, quiet: bool, json: bool) -> None:
    """Show what a run has found; :class:`~gia.errors.ToolError` if it was nothing for lack of a compiler that fits."""
    from gia.orchestrator.records.step import StepState
    from gia.report.summary import print_summary
    from gia.toolchain import find_compiler, require_data_model

    if json:
        typer.echo(result.as_json(), nl=False)
    elif not quiet:
        print_summary(result, out)
    if result.summary.open and any(step.status is StepState.FAILED for step in result.steps):
        require_data_model(find_compiler(), task.data_model)  # else no test can be executed here: an error, with a hint


def _running(composition: str, help_text: str, *without: str) -> Callable[..., None]:
    """The command that runs one composition: :func:`run` with all of its options but those named."""

    def command(**options: Any) -> None:
        run(composition, **options)

    signature = inspect.signature(run, eval_str=True)
    kept = [item for name, item in signature.parameters.items() if name not in ("composition", *without)]
    command.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    command.__annotations__ = {item.name: item.annotation for item in kept}
    command.__doc__ = help_text
    return command


test = _running(
    "cotest", "Decide every branch by a test or a proof. The test reaches it; the proof says that no test can."
)
verify = _running("verify", "Find out whether a call of an error function can be reached.", "atomic")
