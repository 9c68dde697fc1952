"""``gia test``, ``gia verify`` and ``gia run``: a composition on a program."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from gia.cli.options import Atomic, DataModelName, DataModelOption, Entry, Program, Specification, pairs, task_request

Time = Annotated[str, typer.Option("--time", help="Wall time of the whole run: 60s, 2m, 1h.")]
Memory = Annotated[str | None, typer.Option("--memory", help="Memory of each process: 4GB.", show_default=False)]
Cores = Annotated[int | None, typer.Option("--cores", min=1, help="Actors that may run at once.", show_default="all")]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Where the results go.", show_default="gia-out/PROGRAM-NAME")
]
Parameters = Annotated[
    list[str] | None, typer.Option("--param", metavar="K=V", help="A parameter of the composition.", show_default=False)
]
Resume = Annotated[
    Path | None, typer.Option("--resume", metavar="DIR", help="Go on with the run in there.", show_default=False)
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show nothing but errors.")]
Json = Annotated[bool, typer.Option("--json", help="Show nothing but result.json.")]


def run(
    composition: Annotated[str, typer.Argument(help="Name of a composition, or path of a .yml file.")],
    program: Program,
    spec: Specification = None,
    data_model: DataModelOption = None,
    entry: Entry = None,
    atomic: Atomic = False,
    time: Time = "60s",
    memory: Memory = None,
    cores: Cores = None,
    out: Out = None,
    param: Parameters = None,
    resume: Resume = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Run a composition of actors on a program."""
    _run(composition, program, spec, data_model, entry, atomic, time, memory, cores, out, param, resume, quiet, json)


def test(
    program: Program,
    spec: Specification = None,
    data_model: DataModelOption = None,
    entry: Entry = None,
    atomic: Atomic = False,
    time: Time = "60s",
    memory: Memory = None,
    cores: Cores = None,
    out: Out = None,
    param: Parameters = None,
    resume: Resume = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Decide every branch of a program: a test that reaches it, or a proof that none can."""
    _run("cotest", program, spec, data_model, entry, atomic, time, memory, cores, out, param, resume, quiet, json)


def verify(
    program: Program,
    spec: Specification = None,
    data_model: DataModelOption = None,
    entry: Entry = None,
    time: Time = "60s",
    memory: Memory = None,
    cores: Cores = None,
    out: Out = None,
    param: Parameters = None,
    resume: Resume = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Find out whether a call of an error function can be reached."""
    _run("verify", program, spec, data_model, entry, False, time, memory, cores, out, param, resume, quiet, json)


def _run(
    composition: str,
    program: Path,
    spec: str | None,
    data_model: DataModelName | None,
    entry: str | None,
    atomic: bool,
    time: str,
    memory: str | None,
    cores: int | None,
    out: Path | None,
    param: Sequence[str] | None,
    resume: Path | None,
    quiet: bool,
    json: bool,
) -> None:
    """Does what the three commands have in common."""
    started = monotonic()
    from gia.errors import InputError
    from gia.orchestrator.quantities import parse_memory, parse_time

    if resume is not None and out is not None and resume != out:
        raise InputError("--resume and --out name different directories", hint="give only one of them")
    seconds = parse_time(time)
    memory_bytes = parse_memory(memory) if memory is not None else None
    request = task_request(program, spec, data_model, entry, atomic)
    parameters = pairs(param or (), "--param")

    from gia.cfa.goals import Criterion
    from gia.orchestrator.composition import load_composition
    from gia.orchestrator.run import RunOptions, run_composition
    from gia.orchestrator.task import load_task
    from gia.report.progress import observing
    from gia.report.summary import print_summary

    loaded = load_composition(composition, parameters)
    is_verification = loaded.composition.task == "verification"
    task = load_task(request, Criterion.UNREACH_CALL if is_verification else Criterion.BRANCHES)
    options = RunOptions(
        out=resume or out or Path("gia-out") / program.name,
        seconds=seconds,
        memory=memory_bytes,
        cores=cores,
        resume=resume is not None,
        started=started,
    )
    with observing(quiet=quiet or json) as observer:
        result = run_composition(task, loaded, options, observer)
    if json:
        typer.echo(result.as_json(), nl=False)
    elif not quiet:
        print_summary(result, options.out)
