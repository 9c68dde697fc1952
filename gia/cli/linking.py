"""``gia link``: one program of several files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gia.cli.options import DataModelName, Output, write_text


def link(
    files: Annotated[list[Path], typer.Argument(metavar="FILE.c", help="All files of the program, .c or .i.")],
    data_model: Annotated[DataModelName, typer.Option(help="Widths of the integer types.")] = "LP64",
    output: Output = None,
) -> None:
    """Write one program of several files. All tokens keep their places, so that results are told in those files.

    Names that a file has for itself, and another one has, too, are changed. This is said on standard error.
    """
    from gia.cfa.types import DataModel
    from gia.frontend.linking import link as linked

    program = linked(files, DataModel(data_model))
    for renaming in program.renamings:
        typer.echo(f"note: {renaming}", err=True)
    write_text(program.text, output)
