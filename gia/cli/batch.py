"""``gia batch``: a composition on many programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gia.cli.options import Atomic, DataModelOption, Entry, Specification, keeping
from gia.cli.running import Cpu, ExecutorOption, IsolationOption, Json, Memory, NoCache, Parameters, Quiet, Seed, Time

if TYPE_CHECKING:
    from gia.orchestrator.batch import Row

Tasks = Annotated[
    list[str],
    typer.Argument(
        help="Programs, task definitions, patterns ('loops/*.yml'), or lists of them (.set, .txt).", metavar="TASK"
    ),
]
CompositionOption = Annotated[
    str, typer.Option("--composition", metavar="NAME", help="Name of a composition, or path of a .yml file.")
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", min=1, metavar="N", help="Programs at a time.", show_default="half of the cores")
]
Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the results go.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the batch in DIR: what is done is not done again.")]


def batch(
    tasks: Tasks,
    composition: CompositionOption = "cotest",
    jobs: Jobs = None,
    out: Out = Path("gia-out/batch"),
    resume: Resume = False,
    spec: Specification = None,
    data_model: DataModelOption = None,
    entry: Entry = None,
    atomic: Atomic = False,
    time: Time = None,
    cpu: Cpu = None,
    memory: Memory = None,
    seed: Seed = 0,
    param: Parameters = None,
    executor: ExecutorOption = "local",
    isolation: IsolationOption = "auto",
    no_cache: NoCache = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Run a composition on many programs. Some run at a time; a table comes at the end."""
    import os

    from gia.cli.options import pairs
    from gia.orchestrator.batch import Batch, UndoneError, begin, collect, summary
    from gia.orchestrator.description.composition import load_composition
    from gia.orchestrator.description.quantities import parse_memory, parse_time
    from gia.orchestrator.run import seconds_of

    found = collect(tasks)
    loaded = load_composition(composition, pairs(param or (), "--param"))
    seconds = seconds_of(loaded, parse_time(time) if time else None)
    if memory is not None:
        parse_memory(memory)
    cores = len(os.sched_getaffinity(0))
    number = min(jobs or max(1, cores // 2), max(1, len(found)))
    given = {"--spec": spec, "--data-model": data_model, "--entry": entry, "--time": time, "--cpu": cpu}
    given |= {"--memory": memory, "--executor": executor, "--isolation": isolation}
    given["--seed"] = str(seed) if seed else None
    command = options_text(given, param or (), {"--atomic": atomic, "--no-cache": no_cache})
    path = composition if Path(composition).suffix == "" else str(Path(composition).resolve())
    begin(out, {"composition": path, "options": command}, resume=resume)
    done: list[Row] = []

    def report(row: Row) -> None:
        done.append(row)
        if not (quiet or json):
            typer.echo(f"[{len(done)}/{len(found)}] {line(row)}")

    share = ["--cores", str(max(1, cores // number))] if executor == "local" else []
    runner = Batch(["run", *command, *share, path], out, seconds, report)
    with keeping(out, "the same command with --resume goes on from there"):
        rows = runner.run(found, number)
    if json:
        typer.echo(dumps(summary(rows), indent=1))
    elif not quiet:
        typer.echo("\n".join(table(rows, out)))
    undone = [row for row in rows if row.problem]
    if undone:
        raise UndoneError(f"{len(undone)} of {len(rows)} tasks could not be done; the first is {undone[0].task}")


def options_text(given: Mapping[str, str | None], parameters: Iterable[str], switches: Mapping[str, bool]) -> list[str]:
    """Options as the command line of ``gia run`` takes them; what was not given is left out."""
    command = [text for name, value in given.items() if value is not None for text in (name, value)]
    command += [text for value in parameters for text in ("--param", value)]
    return command + [name for name, wanted in switches.items() if wanted]


def line(row: Row) -> str:
    """One task in one line."""
    if row.problem:
        return f"{row.task}: error: {row.problem}"
    counts = f"{row.covered} covered, {row.unreachable} unreachable, {row.open} open"
    return f"{row.task}: {row.verdict}: {counts}, {row.wall:.1f} s"


def table(rows: list[Row], out: Path) -> Iterator[str]:
    """The table of all tasks and their sums."""
    from gia.orchestrator.batch import SUMMARY, summary

    total = summary(rows)
    width = max([len(row.task) for row in rows] + [5])
    head = f"{'goals':>6} {'cov.':>6} {'unr.':>6} {'open':>6} {'wall s':>8} {'cpu s':>8}"
    yield f"{'task':<{width}}  {'verdict':<10} {head}"
    for row in rows:
        numbers = f"{row.goals:>6} {row.covered:>6} {row.unreachable:>6} {row.open:>6} {row.wall:>8.1f} {row.cpu:>8.1f}"
        yield f"{row.task:<{width}}  {row.verdict:<10} {numbers}"
    numbers = f"{total['goals']:>6} {total['covered']:>6} {total['unreachable']:>6} {total['open']:>6}"
    yield f"{'all':<{width}}  {'':<10} {numbers} {sum(row.wall for row in rows):>8.1f} {total['cpu']:>8.1f}"
    yield ", ".join(f"{number} {verdict}" for verdict, number in total["verdicts"].items()) + f"; {out / SUMMARY}"
