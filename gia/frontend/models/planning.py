"""Which calls of a program get a model, and the program with these models.

Either all that a program reads from standard input has a model, or nothing has: what reads past the models would take
bytes from a different file. The same holds for files (:mod:`.files`). A call without a model is left as it is; what it
reads is no input (see :mod:`gia.frontend.lowering.calls`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import Final

from msgspec import Struct, field
from pycparser import c_ast

from gia.cfa.types import DataModel
from gia.errors import Position
from gia.frontend.diagnostics import Diagnostic
from gia.frontend.edits import Edit, edited
from gia.frontend.library import FUZZ_TARGET, MEMORY, MODEL_PREFIX
from gia.frontend.models import calling_back, drivers, files, printing, remembering, strings, surroundings
from gia.frontend.models.arguments import arguments_of, constant_of, is_function, named, renamed, string_of
from gia.frontend.models.blocks import RELIED_ON, Wanted, added_text
from gia.frontend.models.command_line import arguments_as_inputs
from gia.frontend.models.own_code import OwnCode
from gia.frontend.models.scanning import UNBOUNDED, FormatError, Formats, Scanner
from gia.frontend.models.streams import OF_FILES, READING, Streams, StreamUse, is_standard, is_stdin
from gia.frontend.parsing.syntax import Node, SyntaxTree
from gia.frontend.preprocessed import PreprocessedSource

_WITHOUT_STREAM: Final = {"getchar": "getchar", "getchar_unlocked": "getchar", "gets": "gets"}
_NEW: Final = "__isoc23_"
_PREFIXES: Final = ("", "__isoc99_", _NEW)
"""Headers of newer versions of C let the names that a program uses stand for functions with these prefixes."""
_SCANNING: Final = {
    f"{prefix}{name}": place for prefix in _PREFIXES for name, place in (("scanf", 0), ("fscanf", 1), ("sscanf", 1))
}
"""Which argument the format is."""
_OF_TEXT: Final = {
    **dict.fromkeys(("atoi", "atol", "atoll", "atof"), 1),
    **{f"{prefix}{name}": 3 for prefix in ("", _NEW) for name in ("strtol", "strtoll", "strtoul", "strtoull")},
    **dict.fromkeys(("strtod", "strtof", "strsep"), 2),
    "strtok_r": 3,
}
"""Functions of a string, and their numbers of arguments."""
_WITHOUT_BASE: Final = frozenset({"strtok_r", "strsep", "strtod", "strtof", "atoi", "atol", "atoll", "atof"})
_BASES: Final = frozenset({0, 8, 10, 16})
"""The bases in which numbers have a model."""
_HARMLESS: Final = frozenset(
    {"fclose", "fflush", "setvbuf", "setbuf", "setlinebuf", "fileno", "flockfile", "funlockfile"}
)
"""They do nothing with standard input that the program could notice by reading."""
_WITHOUT_MODEL: Final = frozenset(
    ["getwchar", "getwc", "fgetwc", "fgetws", "ungetwc", "getw", "freopen", "freopen64",
     *(prefix + name for prefix in _PREFIXES for name in ("vscanf", "vfscanf", "wscanf", "fwscanf"))]
)  # fmt: skip
"""They read standard input, or may, in ways that have no model."""
_OF_ONE_MODULE: Final = (*calling_back.FUNCTIONS, *drivers.FUNCTIONS, *strings.FUNCTIONS, *surroundings.FUNCTIONS)
_ALONE: Final = frozenset(
    {
        "getenv",
        "secure_getenv",
        *(name for name in _SCANNING if name.endswith("sscanf")),
        *_OF_TEXT,
        *printing.FORMAT_PLACE,
        *_OF_ONE_MODULE,
    }
    | {MEMORY}
)
"""They have nothing to do with standard input."""
_MOVING: Final = frozenset({"fseek", "fseeko", "fsetpos", "rewind", "ftell", "ftello", "fgetpos"})
"""They may move the place in a stream, or tell it; that has no model."""
_MOVING_FILES: Final = frozenset(
    {"lseek", "lseek64", "dup2", "dup3", "pread", "pread64", "preadv", "readv", "mmap", "mmap64", "fdopen", "sendfile"}
)
"""They may move the place in the file 0, read there, or let that be another file."""
_CHANGING_ENVIRONMENT: Final = frozenset({"setenv", "putenv", "unsetenv", "clearenv", "environ", "__environ"})

_KNOWN: Final = frozenset(
    {*_WITHOUT_STREAM, *READING, *_SCANNING, *_WITHOUT_MODEL, *_OF_TEXT, *printing.FORMAT_PLACE}
    | {"read", "getenv", "secure_getenv", *_OF_ONE_MODULE, MEMORY}
)
"""What may get a model; of the functions for files alone, only together with all others."""
_MENTIONED: Final = frozenset(_KNOWN | remembering.NAMES | files.OPENING.keys() | {FUZZ_TARGET})
_CALL: Final = re.compile(r"\b([A-Za-z_]\w*+)\s*\(")
_PARAMETERS: Final = re.compile(r"(?!void|\s*\))[^;{}]*,")
"""More than one, behind the parenthesis."""


class WithModels(Struct, frozen=True):
    """A source, whether models were added to it, and remarks on what has none."""

    source: PreprocessedSource
    has_models: bool = False
    remarks: tuple[Diagnostic, ...] = ()


def may_need_models(source: PreprocessedSource) -> bool:
    """Whether the text mentions a function that may get a model; what drivers call, also in macros of headers."""
    found = [] if MODEL_PREFIX in source.text else _CALL.finditer(source.text)
    return any(_may_need_model(source, call) for call in found)


def _may_need_model(source: PreprocessedSource, call: re.Match[str]) -> bool:
    name = call[1]
    if name == "main":
        return _PARAMETERS.match(source.text, call.end()) is not None and not source.in_system_header(call.start())
    return name in _MENTIONED and (name in drivers.FUNCTIONS or not source.in_system_header(call.start()))


def with_models(source: PreprocessedSource, tree: SyntaxTree, entry: str, model: DataModel) -> WithModels:
    """The source with models of what it reads; ``tree`` is its syntax tree, ``entry`` the function it begins with."""
    plan = _Plan(source, tree, OwnCode(source, tree), model, Formats(model), printing.FileFormats(model))
    if plan.code.defined & RELIED_ON:
        return WithModels(source)
    plan.look()
    if entry == "main":
        plan.begin()
    return plan.result()


class _Plan(Struct):
    """What is to be changed, as far as the program was looked at.

    ``stdin_edits`` are made only if there is no ``problem`` with standard input, those for ``files`` only if there is
    none with them.
    """

    source: PreprocessedSource
    tree: SyntaxTree
    code: OwnCode
    model: DataModel
    formats: Formats
    file_formats: printing.FileFormats
    edits: list[Edit] = field(default_factory=list)
    stdin_edits: list[Edit] = field(default_factory=list)
    blocks: set[str] = field(default_factory=set)
    stdin_blocks: set[str] = field(default_factory=set)
    printers: dict[str, printing.Printer] = field(default_factory=dict)
    variables: list[str] = field(default_factory=list)
    drivers: drivers.Planned = drivers.Planned()
    of_streams: list[StreamUse] = field(default_factory=list)
    of_descriptors: list[Node] = field(default_factory=list)
    """The calls of ``read`` that may be of any file."""
    standard: set[str] = field(default_factory=set)
    """The standard streams that such a stream may be."""
    files: files.Files | None = None
    about_files: list[Diagnostic] = field(default_factory=list)
    problem: Diagnostic | None = None
    arrays: set[str] = field(default_factory=set)
    """The names that mean nothing but arrays."""

    # ------------------------------------------------------------------ looking
    def look(self) -> None:
        """Look at all code of the program."""
        nodes, defined = self.code.calls_and_names, self.code.defined
        declared = [node for node in nodes if isinstance(node, c_ast.Decl) and node.name]
        variables = [node for node in declared if not is_function(node)]
        parameters = {p for node in nodes if isinstance(node, c_ast.ParamList) for p in node.params}
        own = {node.name for node in variables}
        others = {node.name for node in variables if node in parameters or not isinstance(node.type, c_ast.ArrayDecl)}
        self.arrays = own - others
        known = _KNOWN - defined
        calls = [node for node in nodes if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID)]
        self._plan_files(nodes, calls)
        accounted: set[int] = set()
        environment = any(isinstance(node, c_ast.ID) and node.name in _CHANGING_ENVIRONMENT for node in nodes)
        for call in calls:
            name = call.name.name
            if name not in (known | _HARMLESS | OF_FILES.keys()) - defined:
                continue
            accounted.add(id(call.name))
            if name in ("getenv", "secure_getenv"):
                if not environment:
                    self._getenv(call)
                continue
            accounted.update(id(node) for node in arguments_of(call) if is_stdin(node) and name not in _MOVING)
            accounted.update(id(node) for node in arguments_of(call) if is_standard(node) and not is_stdin(node))
            if name not in _HARMLESS or name in OF_FILES:
                self._call(call, name)
        names = [node for node in nodes if isinstance(node, c_ast.ID) and id(node) not in accounted]
        of_library = self.code.of_headers - defined
        for node in names:
            self._value(node, known, is_of_library=node.name in of_library)
        self.standard = {node.name for node in names if is_standard(node)}
        self._formats_of_streams()
        moving = next((node for node in nodes if isinstance(node, c_ast.ID) and node.name in _MOVING), None)
        if "stdin" in self.standard and self.files is None and moving is not None:
            self._object(moving, f"{moving.name} may move standard input")
        self._reading_file(calls, names, known)
        for call, made in printing.calls_with_models(self.code.nodes, known - own, self.model):
            self.printers.setdefault(made.name, made)
            self.edits.append(renamed(call, made.name))
        separate = [
            *remembering.calls_with_models(nodes, defined),
            *calling_back.calls_with_models(calls, known, defined),
            *drivers.calls_with_models(calls, known),
            *strings.calls_with_models(calls, of_library, defined),
            *surroundings.calls_with_models(calls, of_library),
        ]
        for call in separate:
            self._rename(call, call.name.name, self.edits, self.blocks)
        self.drivers = drivers.planned(calls, known, lambda node: self.source.text[slice(*self.tree.extents[node])])

    def begin(self) -> None:
        """Let the arguments of ``main`` be inputs, if it uses them; a fuzz target gets a ``main``."""
        self.drivers = self.drivers.with_main(self.code.defined)
        main = self.code.main()
        edits = [] if main is None else arguments_as_inputs(main, self.source.text)
        if edits:
            self.blocks.add("arguments")
            self.edits += edits

    def result(self) -> WithModels:
        """The program with all that was planned."""
        has_stdin = self.problem is None
        streams = Streams(has_stdin and "stdin" in self.standard, self.files is not None, sorted(self.standard))
        looking = [call for call in self.of_streams if streams.look(call.model)]
        remarks = [self.problem] if self.problem is not None and self.stdin_edits else []
        remarks += self.about_files or [self._about_other_files(call.node) for call in looking if not streams.files]
        edits, blocks, sources = [*self.edits, *self.drivers.edits], set(self.blocks), {"text"}
        if has_stdin:
            remarks += map(self._about_other_files, self.of_descriptors)
            edits += self.stdin_edits
            blocks |= self.stdin_blocks
            sources.add("stdin")
        if self.files is not None:
            edits += [renamed(call, made) for call, made in self.files.calls]
            sources.add("file")
        edits += chain.from_iterable(self._edits(call) for call in looking)
        if not edits and not self.drivers.added:
            return WithModels(self.source, remarks=tuple(remarks))
        scanners = [made for made in self.formats.scanners if made.source in sources]
        printers = [*self.printers.values(), *(self.file_formats.printers if self.files else [])]
        wanted = Wanted(
            blocks, scanners, printers, self.variables, streams.functions(looking), self.files, self.drivers
        )
        added = added_text(wanted, self.model, self.code.declared)
        return WithModels(edited(self.source, edits, head=added.head, tail=added.tail), True, tuple(remarks))

    # ------------------------------------------------------------------ calls
    def _call(self, call: Node, name: str) -> None:
        arguments = arguments_of(call)
        if name in _WITHOUT_MODEL:
            self._object(call, f"{name} is not modelled")
        elif name in _WITHOUT_STREAM:
            self._rename(call, _WITHOUT_STREAM[name], self.stdin_edits, self.stdin_blocks)
            if name == "gets":
                self.stdin_edits.append(self._sizes(call, [(node, UNBOUNDED) for node in arguments[:1]]))
        elif name in READING or name in OF_FILES:
            model, place = READING.get(name) or OF_FILES[name]
            stream = arguments[place] if place < len(arguments) else None
            if name in READING and is_stdin(stream):
                self._rename(call, f"stdin_{model}", self.stdin_edits, self.stdin_blocks)
            elif not is_standard(stream) or name in _MOVING:
                self.of_streams.append(StreamUse(call, model))
        elif name in _OF_TEXT:
            fits = len(arguments) == _OF_TEXT[name]
            if fits and (name in _WITHOUT_BASE or constant_of(arguments[2]) in _BASES):
                self._rename(call, name.removeprefix(_NEW), self.edits, self.blocks)
        elif name == MEMORY:
            self._rename(call, "fill_memory", self.edits, self.blocks)
        elif name in _SCANNING:
            self._scan(call, name.rpartition("_")[2], _SCANNING[name])

    def _value(self, node: Node, known: Collection[str], *, is_of_library: bool) -> None:
        """A name that is not called: perhaps one of a function that a pointer leads to."""
        model, _ = READING.get(node.name) or OF_FILES.get(node.name) or ("", 0)
        if is_of_library and model:
            self.of_streams.append(StreamUse(node, model))
        elif is_of_library and _WITHOUT_STREAM.get(node.name) == "getchar":
            self._rename(node, "getchar", self.stdin_edits, self.stdin_blocks)
        elif node.name in known and node.name not in _ALONE:
            self._object(node, f"{node.name} is used as a value")

    def _scan(self, call: Node, name: str, place: int) -> None:
        arguments = arguments_of(call)
        if name == "fscanf" and not (arguments and is_stdin(arguments[0])):
            self.of_streams.append(StreamUse(call, name))
            return
        source = "text" if name == "sscanf" else "stdin"
        edits = self.edits if source == "text" else self.stdin_edits
        try:
            made = self.formats.scanner(name, source, arguments, place)
        except FormatError as reason:
            if source == "stdin":
                self._object(call, f"the format of {name} has no model: {reason}")
            return
        edits += [renamed(call, made.name), *self._sizes_of_texts(call, made)]

    # ------------------------------------------------------------------ streams that only the run shows
    def _plan_files(self, nodes: Sequence[Node], calls: Sequence[Node]) -> None:
        found = files.planned(nodes, calls, self.code.defined, self.code.declared)
        if isinstance(found, str):
            self._no_files(next(call for call in calls if call.name.name in files.OPENING), found)
        else:
            self.files = found

    def _no_files(self, call: Node, reason: str) -> None:
        """Files have no model, for this reason."""
        self.files = None
        message = f"{reason}: nothing that is read from files is an input"
        self.about_files = [Diagnostic(self._position(call.name), message)]

    def _about_other_files(self, use: Node) -> Diagnostic:
        message = f"what {named(use).name} reads from other files is no input"
        return Diagnostic(self._position(named(use)), message)

    def _formats_of_streams(self) -> None:
        """Find the functions for the formats that are read from streams, and printed to them."""
        for found in self.of_streams:
            if found.model == "fprintf" and isinstance(found.node, c_ast.FuncCall):
                found.printer = self.file_formats.printer(arguments_of(found.node))
            if found.model != "fscanf":
                continue
            for source in ("stdin", "file"):
                if self.files is None if source == "file" else source not in self.standard:
                    continue
                try:
                    found.scanners[source] = self.formats.scanner("fscanf", source, arguments_of(found.node), 1)
                except FormatError as reason:
                    objection = self._no_files if source == "file" else self._object
                    objection(found.node, f"the format of fscanf has no model: {reason}")

    def _edits(self, found: StreamUse) -> Iterator[Edit]:
        """What lets a call look which stream it has."""
        yield renamed(found.node, found.function)
        for made in list(found.scanners.values())[:1]:
            yield from self._sizes_of_texts(found.node, made)

    def _getenv(self, call: Node) -> None:
        arguments = arguments_of(call)
        literal = string_of(arguments[0]) if len(arguments) == 1 else None
        name = None if literal is None else literal.decode("latin-1")
        if name is None or not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
            return
        if name not in self.variables:
            self.variables.append(name)
        self.edits.append(renamed(call, f"{MODEL_PREFIX}getenv_{name}"))

    def _reading_file(self, calls: Sequence[Node], names: Sequence[Node], known: Collection[str]) -> None:
        """``read`` of the file 0, if the program reads standard input in no other way, and nothing moves there."""
        reads = [
            call for call in calls if call.name.name == "read" and "read" in known and len(arguments_of(call)) == 3
        ]
        files = [constant_of(arguments_of(call)[0]) for call in reads]
        if any(file is None or file == 0 for file in files) and self.stdin_edits:
            self._object(reads[0], "read goes past the buffer of the stream stdin")
        elif None not in files or _MOVING_FILES.isdisjoint(node.name for node in names):
            for call, file in zip(reads, files, strict=True):
                self.of_descriptors += [call] if file is None else []
                if not file:
                    self._rename(call, "read" if file == 0 else "read_any", self.stdin_edits, self.stdin_blocks)

    # ------------------------------------------------------------------ edits
    def _rename(self, call: Node, model: str, edits: list[Edit], blocks: set[str]) -> None:
        edits.append(renamed(call, f"{MODEL_PREFIX}{model}"))
        blocks.add(model)

    def _sizes_of_texts(self, call: Node, made: Scanner) -> list[Edit]:
        """What tells a scanner how long the arrays are in which it stores texts."""
        pointers = arguments_of(call)[-len(made.stored) :] if made.stored else []
        texts = [(node, stored.most) for node, stored in zip(pointers, made.stored, strict=True) if stored.is_text]
        return [self._sizes(call, texts)] if texts else []

    def _sizes(self, call: Node, texts: Sequence[tuple[Node, int]]) -> Edit:
        """The sizes of what is written to, as further arguments; where it is no array, how much is written at most."""
        is_array = [isinstance(node, c_ast.ID) and node.name in self.arrays for node, _ in texts]
        sizes = [
            f", sizeof {n.name}" if known else f", {most}" for (n, most), known in zip(texts, is_array, strict=True)
        ]
        end = self.tree.extents[call][1] - 1
        return Edit(end, end, "".join(sizes))

    def _object(self, node: Node, reason: str) -> None:
        """Standard input has no model, for this reason; the first one counts."""
        if self.problem is None:
            message = f"{reason}: nothing that is read from standard input is an input"
            self.problem = Diagnostic(self._position(named(node)), message)

    # ------------------------------------------------------------------ parts of the tree
    def _position(self, node: Node) -> Position:
        return self.source.position(node.coord.offset)
