"""``gia actor``: what actors there are, what they need, and a built-in one as a black box."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from gia.cli.options import DataModelOption, Entry, interruptible, pairs

app = typer.Typer(help="List, show, run and examine actors.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_() -> None:
    """List the actors."""
    from gia.orchestrator.actor import all_actors

    for name, actor in all_actors().items():
        description = actor.description
        typer.echo(f"{name:<16} {description.direction}  {description.kind:<12} {description.description}")


@app.command()
def show(name: Annotated[str, typer.Argument(help="Name of an actor, or path of its .yml file.")]) -> None:
    """Show the description of an actor."""
    from gia.orchestrator.actor import load_actor

    typer.echo(load_actor(name).path.read_text(encoding="utf-8"), nl=False)


@app.command()
def doctor() -> None:
    """Say of each actor whether all that it needs is installed, and how to install what is missing."""
    from gia.orchestrator.actor import all_actors
    from gia.toolchain import find_compiler

    compiler = find_compiler()
    typer.echo(f"compiler: {compiler.path}, {compiler.version}")
    for name, actor in all_actors().items():
        missing = actor.missing()
        typer.echo(f"{name:<16} {'missing' if missing else 'ready'}")
        for need in missing:
            typer.echo(f"{'':<16} {need.executable}: {need.hint}")


@app.command()
@interruptible
def run(
    name: Annotated[str, typer.Argument(help="Name of a built-in actor.")],
    program: Annotated[Path, typer.Option(help="The program.")],
    spec: Annotated[str, typer.Option(help="The property, a .prp file or a name.")],
    out: Annotated[Path, typer.Option(help="The GIA file to write.")],
    gia: Annotated[Path | None, typer.Option(help="The GIA file to start from.", show_default=False)] = None,
    time: Annotated[str, typer.Option(help="Wall time.")] = "60s",
    data_model: DataModelOption = None,
    entry: Entry = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="K=V", help="An option of the actor.", show_default=False)
    ] = None,
) -> None:
    """Run a built-in actor alone, as any other tool: it reads files and writes a file."""
    started = monotonic()
    from gia.cfa.types import DataModel
    from gia.orchestrator.builtin import BuiltinCall, run_builtin
    from gia.orchestrator.quantities import parse_time

    call = BuiltinCall(
        name=name,
        program=program,
        specification=spec,
        gia=gia,
        out=out,
        seconds=parse_time(time),
        started=started,
        data_model=DataModel(data_model) if data_model else None,
        entry=entry or "main",
        options=pairs(option or (), "--option"),
    )
    run_builtin(call, typer.echo)
