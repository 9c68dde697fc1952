"""``gia composition``: what compositions there are, and whether one is right."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from gia.cli.options import Output, write_text

app = typer.Typer(help="List, show and check compositions.", no_args_is_help=True, rich_markup_mode=None)

Name = Annotated[
    str, typer.Argument(metavar="COMPOSITION", help="Name of a shipped composition, or path of a .yml file.")
]


@app.command("list")
def list_() -> None:
    """List the shipped compositions."""
    from gia.orchestrator.description.composition import load_composition
    from gia.orchestrator.description.resources import shipped_documents

    for name in shipped_documents("compositions"):
        composition = load_composition(name).composition
        typer.echo(f"{name:<16} {composition.description}")


@app.command()
def show(
    name: Name,
    format: Annotated[Literal["text", "svg"], typer.Option(help="How to draw it.")] = "text",
    output: Output = None,
) -> None:
    """Draw how a composition is wired."""
    from gia.orchestrator.description.composition import load_composition
    from gia.orchestrator.wiring import check_wiring

    loaded = load_composition(name)
    composition = loaded.composition
    actors = check_wiring(loaded, is_verification=composition.task == "verification")
    if format == "svg":
        from gia.report.wiring_svg import wiring_svg

        write_text(wiring_svg(composition, actors), output)
    else:
        from gia.report.wiring import wiring

        write_text(wiring(composition, actors) + "\n", output)


@app.command()
def check(name: Name) -> None:
    """Check a composition before it runs. What it names must exist: steps, actors and their options."""
    from gia.orchestrator.description.composition import load_composition
    from gia.orchestrator.wiring import check_wiring

    loaded = load_composition(name)
    found = check_wiring(loaded, is_verification=loaded.composition.task == "verification").values()
    actors = {actor.name: actor for actor, _ in found}
    typer.echo(f"{loaded.path}: right; actors: {', '.join(sorted(actors))}")
    for _, actor in sorted(actors.items()):
        for need in actor.missing():
            typer.echo(f"{actor.name}: {need.executable} is not installed: {need.hint}")
