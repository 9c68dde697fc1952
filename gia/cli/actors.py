"""``gia actor``: what actors there are, what they need, and a built-in one as a black box."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from gia.cli.options import DataModelOption, Entry, Output, interruptible, pairs, write_text

app = typer.Typer(help="List, show, run and examine actors.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_() -> None:
    """List the actors."""
    from gia.orchestrator.description.actor import all_actors

    for name, actor in all_actors().items():
        description = actor.description
        typer.echo(f"{name:<19} {description.direction}  {description.kind:<19} {description.description}")


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of an actor, or path of its .yml file.")],
) -> None:
    """Show the description of an actor."""
    from gia.orchestrator.description.actor import load_actor

    typer.echo(load_actor(name).path.read_text(encoding="utf-8"), nl=False)


@app.command()
def doctor() -> None:
    """Say whether what each actor needs is installed, and the compiler. If not, how to install it."""
    from gia.cfa.types import DataModel
    from gia.errors import ToolError
    from gia.orchestrator.description.actor import all_actors
    from gia.orchestrator.description.installation import examine_needs
    from gia.toolchain import find_compiler, require_data_model

    compiler = find_compiler()
    typer.echo(f"compiler: {compiler.path}, {compiler.version}")
    for model in DataModel:
        try:
            require_data_model(compiler, model)
            typer.echo(f"{model:<19} ready")
        except ToolError as error:
            typer.echo(f"{model:<19} missing\n{'':<19} {error.message}; {error.hint}")
    for name, actor in all_actors().items():
        findings = examine_needs(actor)
        ready = all(finding.path for finding in findings)
        typer.echo(f"{name:<19} {'ready' if ready else 'missing'}")
        for finding in findings:
            typer.echo(f"{'':<19} {finding}")


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An entry of fm-tools (.yml).")],
    version: Annotated[
        str | None, typer.Option(metavar="V", help="The version of the tool.", show_default=False)
    ] = None,
    output: Output = None,
) -> None:
    """Make an actor of a tool in the collection fm-tools."""
    from gia.orchestrator.description.fm_tools import actor_text

    write_text(actor_text(file, version), output)


@app.command()
@interruptible
def run(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of an actor, or path of its .yml file.")],
    program: Annotated[Path, typer.Option(metavar="PROGRAM", help="The program.")],
    spec: Annotated[str, typer.Option(metavar="NAME|FILE.prp", help="The property.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The GIA file to write.")],
    gia: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The GIA file to start from.", show_default=False)
    ] = None,
    time: Annotated[str, typer.Option(metavar="TIME", help="Wall time.")] = "60s",
    data_model: DataModelOption = None,
    entry: Entry = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="K=V", help="An option of the actor.", show_default=False)
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the files of the tool there.", show_default=False)
    ] = None,
) -> None:
    """Run an actor alone. It reads files and writes a file with what is known then."""
    started = monotonic()
    from gia.analyses.registry import ACTORS
    from gia.cfa.types import DataModel
    from gia.orchestrator.description.quantities import parse_time

    if name not in ACTORS:
        from gia.orchestrator.alone import LoneCall, run_alone
        from gia.orchestrator.description.actor import load_actor

        lone = LoneCall(
            actor=load_actor(name),
            program=program,
            specification=spec,
            gia=gia,
            out=out,
            seconds=parse_time(time),
            data_model=DataModel(data_model) if data_model else None,
            entry=entry,
            options=pairs(option or (), "--option"),
            keep=keep,
        )
        run_alone(lone, typer.echo)
        return
    from gia.orchestrator.builtin import BuiltinCall, run_builtin

    call = BuiltinCall(
        name=name,
        program=program,
        specification=spec,
        gia=gia,
        out=out,
        seconds=parse_time(time),
        started=started,
        data_model=DataModel(data_model) if data_model else None,
        entry=entry,
        options=pairs(option or (), "--option"),
    )
    run_builtin(call, typer.echo)
