"""All commands. Importing this module imports no part of gia that does any work: ``gia --help`` is to be instant."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import typer

from gia.cli import actors, automata, batch, compositions, converting, linking, running
from gia.cli.options import interruptible

COMMANDS: Mapping[str, Callable[..., Any]] = {
    "test": running.test,
    "verify": running.verify,
    "run": running.run,
    "batch": batch.batch,
    "link": linking.link,
    "status": automata.status,
    "check": automata.check,
    "show": automata.show,
    "combine": automata.combine,
    "reduce": automata.reduce,
    "tests": automata.tests,
    "convert": converting.convert,
    "shrink": automata.shrink,
}
GROUPS: Mapping[str, typer.Typer] = {"actor": actors.app, "composition": compositions.app}


def app_for(arguments: Sequence[str]) -> typer.Typer:
    """The command that is named first, or all of them if none is: typer takes a while to make them."""
    app = typer.Typer(
        name="gia",
        help="Verifiers and testers work together on one C program by exchanging what they found out.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_before_a_command)
    known = [*COMMANDS, *GROUPS]
    for name in [name for name in known if name in arguments[:1]] or known:
        if name in GROUPS:
            app.add_typer(GROUPS[name], name=name)
        else:
            app.command(name)(interruptible(COMMANDS[name]))
    return app


def _version(wanted: bool) -> None:
    if wanted:
        from gia import __version__

        typer.echo(f"gia {__version__}")
        raise typer.Exit


def _before_a_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """The options before a command."""
