"""C sources to preprocessed text: what the compiler makes of a file, and says of one that it does not accept."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from gia.cfa.types import DataModel
from gia.errors import GiaError, InputError, Position
from gia.frontend.macros import MacroUses, SourceFile
from gia.frontend.preprocessed import LITERAL, PreprocessedSource, by_line_markers, by_token_markers, unescape
from gia.toolchain import Compiler, data_model_options, find_compiler, require_data_model, run_tool

TIMEOUT = 60.0
"""Seconds that the compiler may take for preprocessing or checking a file."""

_PLACES_OF_CALLS = "-ftrack-macro-expansion=0"
"""With it, what stands in an argument of a macro has the place of the macro's call."""

_LINE_NUMBER = b"__LINE__"

_NAMED = re.compile(r'^\# \d+ "((?:[^"\\\n]|\\.)*)"', re.MULTILINE)
_COMMENT = re.compile(rf"(?P<comment>/\*.*?\*/|//[^\n]*|[\f\v])|{LITERAL}", re.DOTALL)
_MESSAGE = re.compile(
    r"^(?P<file>[^\n:]*):(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?error: (?P<text>.*)$", re.MULTILINE
)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")

_HEADERS = Path(__file__).parent / "headers"
"""Headers of tools that may not be there, looked for behind all others."""
_MISSING_FILE = ": No such file or directory"
_MISSING_HEADER_HINT = (
    "name the folders of headers in the environment variable CPATH, or give what gcc -E makes: a .i file"
)


def read_source(path: Path, directory: Path = Path()) -> bytes:
    """The bytes of a source file, whose path counts from ``directory``; :class:`InputError` if it cannot be read."""
    shown = Position(str(path))
    try:
        if (directory / path).is_dir():
            raise InputError("this is a directory, not a C program", shown, "give a .c or .i file or a task definition")
        content = (directory / path).read_bytes()
    except FileNotFoundError:
        raise InputError("there is no such file", shown) from None
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}", shown) from error
    if not content.strip():
        raise InputError("the file is empty", shown, "give a C program that defines main")
    if b"\0" in content:
        raise InputError("the file is not C source text: it contains zero bytes", shown)
    return content


class PreprocessorOutput(Struct, frozen=True):
    """What the preprocessor wrote about the program in ``path``, a file with that ``content``.

    ``directory`` is where it ran: this path, and those in the text, count from there.
    """

    path: Path
    content: bytes
    text: str
    has_token_markers: bool = False
    directory: Path = Path()

    @property
    def files(self) -> list[Path]:
        """The files that the text stems from."""
        return [self.directory / name for name in sorted({unescape(name) for name in _NAMED.findall(self.text)})]

    def source(self) -> PreprocessedSource:
        """The text in which every character knows its place."""
        if self.has_token_markers:
            main = SourceFile.of(self.content, str(self.path))
            return by_token_markers(self.text, MacroUses(main, self.directory))
        return by_line_markers(self.text, str(self.path))


def preprocess(
    path: Path, model: DataModel, name: Path | None = None, *, has_token_markers: bool = True
) -> PreprocessorOutput:
    """Preprocess the program in ``path``; a file whose name ends in ``.i`` is taken as it is.

    ``name`` is what the file is called, for users and by ``__FILE__``, if that is the end of ``path``. Without token
    markers, which make the text fifty times as long, it says which program this is, and not where its tokens stand.
    Raises :class:`InputError` with the compiler's message if the file does not exist or does not preprocess.
    """
    directory, path = _split(path, name)
    content = read_source(path, directory)
    if path.suffix == ".i":
        return PreprocessorOutput(path, content, without_comments(decode(content)), directory=directory)
    compiler = find_compiler()
    preprocessor = [compiler.path, *data_model_options(model), "-E", "-x", "c", "-idirafter", str(_HEADERS)]
    command = [*preprocessor, _PLACES_OF_CALLS]
    markers = ["-fdebug-cpp"] if has_token_markers else []
    done = run_tool([*command, *markers, _safe(path)], timeout=TIMEOUT, cwd=directory)
    if done.returncode != 0 and has_token_markers and b"-fdebug-cpp" in done.stderr:
        return preprocess(directory / path, model, name, has_token_markers=False)
    if done.returncode != 0:
        if _MISSING_FILE in done.messages:  # perhaps the headers of the data model are not installed
            require_data_model(compiler, model)
        raise compiler_error(done.messages, path)
    if has_token_markers and _LINE_NUMBER in content:
        _check_line_numbers(preprocessor, path, content, directory)
    return PreprocessorOutput(path, content, decode(done.stdout), has_token_markers, directory)


def _check_line_numbers(preprocessor: list[str], path: Path, content: bytes, directory: Path) -> None:
    """:class:`InputError` if ``__LINE__`` is another number where the places of macros are asked for."""
    commands = ([*preprocessor, "-P", *more, _safe(path)] for more in ([], [_PLACES_OF_CALLS]))
    usual, ours = (run_tool(command, timeout=TIMEOUT, cwd=directory).stdout for command in commands)
    if usual != ours:
        line = content[: content.index(_LINE_NUMBER)].count(b"\n") + 1
        message = "__LINE__ in an argument of a macro whose call takes several lines is not supported"
        raise InputError(message, Position(str(path), line, 1), "write such a call on one line")


def _split(path: Path, name: Path | None) -> tuple[Path, Path]:
    """Where the compiler is to run, and the path of the program from there: ``name`` if ``path`` ends so."""
    if name is None or name.is_absolute() or path.parts[-len(name.parts) :] != name.parts:
        return Path(), path
    return Path(*path.parts[: -len(name.parts)]), name


def check_syntax(source: PreprocessedSource, path: Path, model: DataModel) -> None:
    """:class:`InputError` with the compiler's first message unless it accepts the text as C."""
    compiler: Compiler = find_compiler()
    command = [compiler.path, *data_model_options(model), "-x", "cpp-output", "-fsyntax-only", "-w", "-"]
    done = run_tool(command, timeout=TIMEOUT, stdin=source.text.encode())
    if done.returncode != 0:
        raise compiler_error(done.messages, path)


def compiler_error(messages: str, path: Path) -> GiaError:
    """The error that the compiler's first message describes."""
    found = _MESSAGE.search(messages)
    if found is None:
        first = next((line for line in messages.splitlines() if line.strip()), "no message")
        return InputError(f"the compiler does not accept the program: {first}", Position(str(path)))
    position = Position(found["file"], int(found["line"]), int(found["column"] or 0))
    hint = _MISSING_HEADER_HINT if _MISSING_FILE in found["text"] else "gcc must accept the program without errors"
    return InputError(f"the program is not C: {found['text']}", position, hint)


def _safe(path: Path) -> str:
    """A spelling of the path that the compiler does not take for an option or for standard input."""
    text = str(path)
    return f"./{text}" if text.startswith("-") else text


def decode(content: bytes) -> str:
    """The text; bytes that are not UTF-8 become octal escapes, which mean the same inside of literals."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = _NOT_ASCII.sub(lambda found: f"\\{ord(found[0]):03o}", content.decode("latin-1"))
    return text.replace("\r\n", "\n").removeprefix("\ufeff")


def without_comments(text: str) -> str:
    """The text with blanks in the place of comments and of what is as good as a blank, so that all offsets stay."""
    return _COMMENT.sub(lambda found: found[0] if found["comment"] is None else _blank(found[0]), text)


def _blank(comment: str) -> str:
    return re.sub(r"[^\n]", " ", comment)
