"""``gia convert``: from the format of one tool to that of another."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from gia.cli.options import DataModelOption, Entry, Specification, write_text
from gia.exchange.formats import READABLE, WRITABLE


def _listed(formats: dict[str, str]) -> str:
    return "; ".join(f"{name}: {what}" for name, what in formats.items())


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A file or folder; its format is found out.")],
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help=f"One of: {_listed(WRITABLE)}.")],
    from_: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FORMAT", help=f"One of: {_listed(READABLE)}.", show_default="what the content says"
        ),
    ] = None,
    program: Annotated[
        Path | None,
        typer.Option(metavar="PROGRAM", help="The program that it was made for.", show_default="the one that IN names"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="OUT", help="A file, or a folder for formats of several files."),
    ] = None,
    spec: Specification = None,
    data_model: DataModelOption = None,
    entry: Entry = None,
    time: Annotated[str, typer.Option("--time", metavar="TIME", help="Wall time for checking proofs.")] = "60s",
) -> None:
    """Say in another format what a file says. Files are GIAs, tests, witnesses, conditions.

    Tests are executed on the way. What the format cannot express is named on standard error.
    """
    from gia.cfa.types import DataModel
    from gia.exchange.detection import detect
    from gia.orchestrator.description.quantities import parse_time
    from gia.orchestrator.handover.converting import Source, Wanted
    from gia.orchestrator.handover.converting import convert as converted

    _check_name(to, WRITABLE)
    if from_ is not None:
        _check_name(from_, READABLE)
    model = DataModel(data_model) if data_model else None
    wanted = Wanted(program, spec, model, entry, parse_time(time))
    result = converted(Source(source, from_ or detect(source)), to, wanted)
    for note in result.notes:
        typer.echo(f"note: {note}", err=True)
    if result.files is None:
        write_text(result.text, output)
        return
    folder = output or Path(to)
    _write_files(result.files, folder)
    typer.echo(f"{result.number} in {folder}")


def _check_name(name: str, known: dict[str, str]) -> None:
    if name not in known:
        from gia.errors import InputError

        raise InputError(f"the format {name!r} is not known", hint=f"there is: {', '.join(known)}")


def _write_files(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files into a folder, which is made if it is not there; tests of earlier times in it are removed."""
    import re

    from gia.orchestrator.store import explained

    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for old in sorted(folder.iterdir()):
            if old.name not in files and re.fullmatch(r"testcase-\d+\.xml|test\d{6}\.ktest", old.name):
                old.unlink()
        for name, content in files.items():
            (folder / name).write_bytes(content)
