"""All commands. Importing this module imports no part of gia that does any work: ``gia --help`` is to be instant."""

from __future__ import annotations

from typing import Annotated

import typer

from gia.cli import actors, automata, batch, compositions, converting, linking, running
from gia.cli.options import interruptible

app = typer.Typer(
    name="gia",
    help="Verifiers and testers work together on one C program by exchanging what they found out.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from gia import __version__

        typer.echo(f"gia {__version__}")
        raise typer.Exit


@app.callback()
def gia(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """The options before a command."""


for name, command in (
    ("test", running.test),
    ("verify", running.verify),
    ("run", running.run),
    ("batch", batch.batch),
    ("link", linking.link),
    ("status", automata.status),
    ("check", automata.check),
    ("show", automata.show),
    ("combine", automata.combine),
    ("reduce", automata.reduce),
    ("tests", automata.tests),
    ("convert", converting.convert),
    ("shrink", automata.shrink),
):
    app.command(name)(interruptible(command))
app.add_typer(actors.app, name="actor")
app.add_typer(compositions.app, name="composition")
