"""Test suites in the format of Test-Comp: one ``metadata.xml`` and one file for each test.

Format: https://gitlab.com/sosy-lab/test-comp/test-format, version 1.1. Written are exactly the elements
of its document types, in their order; the same suite gives the same bytes. Read is what the test
executor TestCov reads: every XML file with the root element ``testcase``, in folders of any depth or
in a zip archive.

Documents are read without entities of their own and without looking at external ones; their size
is bounded.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import Final
from xml.parsers import expat

from msgspec import Struct

from gia.cfa.types import DataModel
from gia.errors import DocumentError, InputError, Position
from gia.exchange.suites.testcase import TestCase
from gia.native.literals import parse_literal

MAXIMAL_BYTES: Final = 64 << 20
"""A document that is larger is refused."""
MAXIMAL_FILES: Final = 1_000_000

_HEADER = """\
<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!DOCTYPE {root} PUBLIC "+//IDN sosy-lab.org//DTD test-format {root} 1.1//EN" "https://sosy-lab.org/test-format/{root}-1.1.dtd">
"""
_ARCHITECTURES = {DataModel.ILP32: "32bit", DataModel.LP64: "64bit"}
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class SuiteMetadata(Struct, frozen=True):
    """What ``metadata.xml`` says: the ``program`` file, its SHA-256, the entry function, when it was made."""

    specification: str
    program: str
    sha256: str
    entry: str
    data_model: DataModel
    created: str
    producer: str = "gia"


def write_suite(directory: Path, tests: Sequence[TestCase], metadata: SuiteMetadata) -> tuple[Path, ...]:
    """Write ``metadata.xml`` and ``testcase-1.xml``, … into ``directory``, which is made if it is not there.

    Tests of that name from before that are not overwritten are removed. Returns the files written,
    metadata first. :class:`InputError` for an input that is no literal.
    """
    directory.mkdir(parents=True, exist_ok=True)
    documents = {"metadata.xml": metadata_document(metadata)}
    documents |= {f"testcase-{i}.xml": test_document(test) for i, test in enumerate(tests, start=1)}
    for old in directory.glob("testcase-*.xml"):
        if old.name not in documents and re.fullmatch(r"testcase-\d+\.xml", old.name):
            old.unlink()
    paths = []
    for name, document in documents.items():
        path = directory / name
        path.write_text(document, encoding="utf-8")
        paths.append(path)
    return tuple(paths)


def metadata_document(metadata: SuiteMetadata) -> str:
    """The text of ``metadata.xml``."""
    elements = {
        "sourcecodelang": "C",
        "producer": metadata.producer,
        "specification": metadata.specification,
        "programfile": metadata.program,
        "programhash": metadata.sha256,
        "entryfunction": metadata.entry,
        "architecture": _ARCHITECTURES[metadata.data_model],
        "creationtime": metadata.created,
    }
    lines = [f"  <{name}>{_text(value)}</{name}>\n" for name, value in elements.items()]
    return _HEADER.format(root="test-metadata") + f"<test-metadata>\n{''.join(lines)}</test-metadata>\n"


def test_document(test: TestCase) -> str:
    """The text of a test's file."""
    lines = {found: _input_line(*found) for found in set(test.inputs)}  # many are the same
    covers = ' coversError="true"' if test.covers_error else ""
    body = "".join(lines[found] for found in test.inputs)
    return _HEADER.format(root="testcase") + f"<testcase{covers}>\n{body}</testcase>\n"


test_document.__test__ = False  # type: ignore[attr-defined]


def _input_line(type_: str, literal: str) -> str:
    parse_literal(literal)
    attribute = f' type="{escape(_legal(type_))}"' if type_ else ""
    return f"  <input{attribute}>{_text(literal)}</input>\n"


def _text(value: str) -> str:
    return escape(_legal(value), quote=False)


def _legal(value: str) -> str:
    if found := _ILLEGAL.search(value):
        raise InputError(f"the character {found[0]!r} of {value!r} cannot be written in XML")
    return value


def read_suite(path: Path) -> tuple[TestCase, ...]:
    """The tests of a suite: a folder, a zip archive, or one XML file; in the order of their names, numbers as numbers.

    XML documents of other kinds are passed over. :class:`DocumentError` for a malformed one, with its line;
    :class:`InputError` if nothing can be read there.
    """
    return tuple(test for _, test in _in_order(path, _raise))


def read_foreign_suite(path: Path) -> tuple[tuple[TestCase, ...], tuple[str, ...]]:
    """As :func:`read_suite` for the suite of another tool: a test that cannot be read costs only itself.

    Also what was left out and why. Raises :class:`InputError` if there is a single file, and it is no test.
    """
    notes: list[str] = []
    alone = path.is_file() and not zipfile.is_zipfile(path)
    found = _in_order(path, _raise if alone else lambda error: notes.append(f"{str(error).splitlines()[0]}; left out"))
    return tuple(test for _, test in found), tuple(notes)


def read_metadata(path: Path) -> Mapping[str, str]:
    """The elements of ``metadata.xml`` in a folder or archive, as they stand; empty if there is none to be read."""
    try:
        for name, data in _documents(path, lambda error: None):
            if Path(name).name == "metadata.xml":
                reader = _MetadataReader()
                reader.parser.Parse(data, True)
                return reader.elements
    except (expat.ExpatError, LookupError, ValueError, InputError):
        pass
    return {}


def _raise(error: InputError) -> None:
    raise error


def _in_order(path: Path, complain: Callable[[InputError], None]) -> list[tuple[str, TestCase]]:
    """The tests with their names; what cannot be read is complained about."""
    found = []
    for name, data in _documents(path, complain):
        try:
            test = _read_test(name, data)
        except InputError as error:
            complain(error)
        else:
            if test is not None:
                found.append((name, test))
    return sorted(found, key=lambda pair: _natural(pair[0]))


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    """A key that sorts ``testcase-2`` before ``testcase-10``; the number of digits decides before the digits."""
    parts = re.findall(r"\d+|\D+", name)
    return tuple((len(part.lstrip("0")), part.lstrip("0")) if part.isdigit() else (0, part) for part in parts)


def _documents(path: Path, complain: Callable[[InputError], None]) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each XML file; one that cannot be read is complained about."""
    try:
        if path.is_dir():
            for file in sorted(path.rglob("*.xml"))[:MAXIMAL_FILES]:
                if file.is_file():
                    yield from _one(str(file), complain, partial(_bounded, file))
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for entry in archive.infolist()[:MAXIMAL_FILES]:
                    if entry.filename.lower().endswith(".xml"):
                        name = f"{path}/{entry.filename}"
                        yield from _one(name, complain, partial(_bounded_entry, archive, entry))
        else:
            yield from _one(str(path), _raise, partial(_bounded, path))
    except (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"the test suite {path} cannot be read: {error}") from error


def _one(name: str, complain: Callable[[InputError], None], read: Callable[[], bytes]) -> Iterator[tuple[str, bytes]]:
    """One document, unless it cannot be read or is too large."""
    try:
        data = read()
    except (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        complain(InputError(f"the test suite cannot be read: {error}", Position(name)))
        return
    if len(data) > MAXIMAL_BYTES:
        complain(DocumentError("the document is too large", Position(name)))
        return
    yield name, data


def _bounded(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(MAXIMAL_BYTES + 1)


def _bounded_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    with archive.open(entry) as stream:
        return stream.read(MAXIMAL_BYTES + 1)


class _MetadataReader:
    """What expat calls while it reads ``metadata.xml``."""

    def __init__(self) -> None:
        self.elements: dict[str, str] = {}
        self.parser = expat.ParserCreate()
        self._open = [""]
        self.parser.StartElementHandler = lambda name, _: self._open.append(name)
        self.parser.EndElementHandler = lambda _: self._open.pop()
        self.parser.CharacterDataHandler = self._characters

    def _characters(self, text: str) -> None:
        if len(self._open) == 3:
            self.elements[self._open[-1]] = (self.elements.get(self._open[-1], "") + text).strip()


class _TestReader:
    """What expat calls while it reads one document."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._depth = 0
        self._type = ""
        self._text: list[str] | None = None
        self.is_test = False
        self.covers_error = False
        self.inputs: list[tuple[str, str]] = []
        self._literals: set[str] = set()
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.EntityDeclHandler = self._refuse_entity
        self.parser.SkippedEntityHandler = self._refuse_entity

    def error(self, message: str) -> DocumentError:
        """An error at the place where the parser is."""
        place = Position(self._name, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)
        return DocumentError(message, place)

    def _refuse_entity(self, *_: object) -> None:
        raise self.error("entities are not allowed in a test suite")

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        if self._depth == 1:
            self.is_test = name == "testcase"
            self.covers_error = attributes.get("coversError", "").strip().lower() == "true"
        elif self.is_test:
            if self._depth > 2 or name != "input":
                raise self.error(f"expected <input>, found <{name}>")
            self._type, self._text = attributes.get("type", ""), []

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _end(self, _: str) -> None:
        self._depth -= 1
        if self._text is not None:
            literal = "".join(self._text).strip()
            if literal not in self._literals:
                self._check(literal)
            self.inputs.append((self._type, literal))
            self._text = None

    def _check(self, literal: str) -> None:
        try:
            parse_literal(literal)
        except InputError as error:
            raise self.error(error.message) from error
        self._literals.add(literal)


def _read_test(name: str, data: bytes) -> TestCase | None:
    """The test in a document; ``None`` if it is a document of another kind."""
    reader = _TestReader(name)
    try:
        reader.parser.Parse(data, True)
    except expat.ExpatError as error:
        place = Position(name, error.lineno, error.offset + 1)
        raise DocumentError(f"not well-formed XML: {expat.ErrorString(error.code)}", place) from error
    except (LookupError, ValueError) as error:
        raise DocumentError(f"the document cannot be decoded: {error}", Position(name)) from error
    return TestCase(tuple(reader.inputs), reader.covers_error) if reader.is_test else None
