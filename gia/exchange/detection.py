"""Which format a file has, by its content: names and suffixes do not count, since every tool has its own."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Final

from gia.errors import DocumentError, InputError, Position
from gia.exchange.formats import READABLE
from gia.exchange.witness.graphml import read_graphml
from gia.exchange.witness.yaml_reader import read_yaml_witness
from gia.exchange.yaml_nodes import YamlNode, read_yaml

_BEGINNING: Final = 1 << 16
_BEFORE_ROOT = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[[^\]]*\])?\s*>", re.DOTALL)
_TAG = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)")
_COMMENT = re.compile(r"\s+|//[^\n]*|/\*.*?\*/|#[^\n]*", re.DOTALL)


def detect(path: Path) -> str:
    """The name of the format of a file or folder, one of :data:`~gia.exchange.formats.READABLE`.

    Raises :class:`InputError` if it cannot be read, :class:`DocumentError` if it is of no known format.
    """
    if not path.exists():
        raise InputError("there is no such file or folder", Position(str(path)))
    if path.is_dir():
        return _of_folder(path)
    try:
        with path.open("rb") as file:
            start = file.read(_BEGINNING)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", Position(str(path))) from None
    if start.startswith((b"KTEST", b"BOUT\n")):
        return "ktest"
    if zipfile.is_zipfile(path):
        return "test-suite"
    text = start.decode("utf-8", "replace").lstrip("\ufeff")
    found = _of_xml(path, text) if text.lstrip().startswith("<") else _of_text(path, text)
    if found is None:
        raise _unknown(path)
    return found


def _unknown(path: Path) -> DocumentError:
    known = "".join(f"\n    {name}: {what}" for name, what in READABLE.items())
    return DocumentError("the format is not known", Position(str(path)), f"say it with --from; there are:{known}")


def _of_folder(path: Path) -> str:
    if any(path.rglob("*.xml")):
        return "test-suite"
    if any(path.rglob("*.ktest")):
        return "ktest"
    raise DocumentError("the folder has neither tests in XML nor .ktest files", Position(str(path)))


def _of_xml(path: Path, text: str) -> str | None:
    position = 0
    while found := _BEFORE_ROOT.match(text, position):
        position = found.end()
    tag = _TAG.match(text, position)
    match tag[1] if tag else "":
        case "gia":
            return "gia"
        case "testcase":
            return "test-suite"
        case "test-metadata":
            hint = "give the folder that it is in"
            raise DocumentError("these are the metadata of a test suite, without tests", Position(str(path)), hint)
        case "graphml":
            return (
                "violation-witness"
                if read_graphml(path.read_bytes(), str(path)).is_violation
                else "correctness-witness"
            )
    return None


def _of_text(path: Path, text: str) -> str | None:
    position = 0
    while found := _COMMENT.match(text, position):
        position = found.end()
    rest = text[position:]
    if re.match(r"(OBSERVER|CONTROL)\s+AUTOMATON\b", rest):
        return "condition"
    if re.match(r"(CHECK|COVER)\s*\(", rest):
        hint = "give the program with --spec and this file instead"
        raise DocumentError("this is a property, not knowledge about a program", Position(str(path)), hint)
    if re.fullmatch(r"\s*(true|false|unknown)\b.{0,200}", text, re.IGNORECASE | re.DOTALL):
        return "verdict"
    if re.search(r"^\s*-?\s*[\"']?(entry_type|format_version)\b", text, re.MULTILINE):
        return _of_yaml(path)
    return None


def _of_yaml(path: Path) -> str | None:
    data = path.read_bytes()
    root: YamlNode = read_yaml(data, str(path))
    if root.get("input_files") is not None:
        return "task-definition"
    witness = read_yaml_witness(data, str(path))
    return "correctness-witness" if witness.segments is None else "violation-witness"
