"""The GIA file: reading and writing exchange automata as XML (``docs/gia-format.md``, ``schemas/gia.xsd``).

``read_gia(write_gia(A))`` is ``canonical(A)``, and writing what was read from a canonical file gives
the same bytes. Both sides work as streams: memory is needed for the automaton, not for the document.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import BinaryIO

from gia.automaton.model import Automaton
from gia.errors import InputError, Position
from gia.exchange.gia_xml.reader import read_stream
from gia.exchange.gia_xml.writer import write_stream


def read_gia(source: Path | str | bytes | BinaryIO, name: str | None = None) -> Automaton:
    """The automaton in a GIA file, its states in the order of the file.

    ``name`` is what errors call the document (default: its path). Every reference in the file is
    resolved; that the automaton is well-formed is the matter of :mod:`gia.automaton.wellformed`.

    Raises :class:`~gia.errors.DocumentError` with file and line if it is no GIA file of version 1,
    and :class:`~gia.errors.InputError` if the file cannot be read.
    """
    if isinstance(source, bytes):
        return read_stream(io.BytesIO(source), name or "<bytes>")
    if not isinstance(source, Path | str):
        return read_stream(source, name or str(getattr(source, "name", "<stream>")))
    try:
        with Path(source).open("rb") as stream:
            return read_stream(stream, name or str(source))
    except OSError as error:
        hint = "give the path of a GIA file"
        raise InputError(f"cannot read the GIA file: {error.strerror}", Position(str(source)), hint) from error


def write_gia(automaton: Automaton, target: Path | str | BinaryIO) -> None:
    """Writes the canonical form of the automaton; the same automaton gives the same bytes.

    A file is replaced only when it is complete. Raises :class:`~gia.errors.InputError` if it cannot
    be written or the automaton holds text that XML cannot carry.
    """
    if not isinstance(target, Path | str):
        write_stream(automaton, target)
        return
    path = Path(target)
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("wb") as stream:
            write_stream(automaton, stream)
        partial.replace(path)
    except OSError as error:
        raise InputError(f"cannot write the GIA file: {error.strerror}", Position(str(path))) from error
    finally:
        partial.unlink(missing_ok=True)


def gia_bytes(automaton: Automaton) -> bytes:
    """The bytes that :func:`write_gia` writes."""
    stream = io.BytesIO()
    write_stream(automaton, stream)
    return stream.getvalue()
