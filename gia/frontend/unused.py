"""What system headers declare and the program does not need: most of the text of a small program.

Functions and types go, if no name that they give to something stands in what stays. To leave them out changes nothing
then, whatever they are. What is not recognised stays, and so do variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from gia.frontend.preprocessed import LITERAL, PreprocessedSource

# Compiled when a program with headers comes: they would be a part of the time that it takes to start.
_PUNCTUATION = f"{LITERAL}|[;{{}}]"
_BRACKET = f"{LITERAL}|[(){{}}]"
_BEFORE = r"(?:\s|#[^\n]*\n)*"
"""Blanks and directives before a declaration."""

_ATTRIBUTES = r"(?:\s*__attribute__\s*\(\))*\s*;"
_WORDS = r"[A-Za-z_](?:\w|\s|\*)*?\b"
_FUNCTION = (
    rf"(?:__extension__\s+)?(?:extern\s+{_WORDS}(?P<declared>\w+)\s*\(\)(?:\s*[A-Za-z_]\w*+(?:\s*\(\))?)*\s*;"
    rf"|static\s+(?:__)?inline(?:__)?\s+{_WORDS}(?P<defined>\w+)\s*\(\)\s*\{{\}})"
)
"""Outlines of declarations of one function, and of functions that are no part of the program unless they are called."""
_TYPE = (
    rf"(?:__extension__\s+)?(?:(?:struct|union|enum)\b\s*\w*\s*(?:\{{\}})?{_ATTRIBUTES}"
    rf"|typedef\s+{_WORDS}\s*(?:\{{\}}[\s*]*)?(?P<name>\b\w+)\s*(?:\[[^][]*\]\s*)*{_ATTRIBUTES}"
    rf"|typedef\s+{_WORDS}\s*(?P<pointer>\(\))\s*\(\){_ATTRIBUTES})"
)
"""Outlines of declarations of types; a pointer to functions has its name in parentheses."""
_POINTER = r"\(\s*\*\s*(\w+)\s*\)"
_TAG = r"\b(?:struct|union|enum)\s+(\w+)"
_CONSTANT = r"[{,]\s*([A-Za-z_]\w*)"
_IDENTIFIER = r"[A-Za-z_]\w*"
_LINE_MARKER = r"(?m)^(# \d[^\n]*)"


class _Declaration(Struct, frozen=True):
    """What can be left out, and the names that it gives to something."""

    start: int
    text: str
    names: frozenset[str]


def without_unused(source: PreprocessedSource) -> PreprocessedSource:
    """The source with blanks in the place of what system headers declare and nothing mentions that stays."""
    declared = list(_declarations(source))
    if not declared:
        return source
    pieces: list[str] = []
    end = 0
    for each in declared:
        pieces += [source.text[end : each.start], each.text]
        end = each.start + len(each.text)
    rest = source.text[end:]
    used = _used(declared, re.sub(_LINE_MARKER, "", "".join((*pieces[::2], rest))))
    pieces[1::2] = [each.text if each in used else _blank(each.text) for each in declared]
    return replace(source, text="".join((*pieces, rest)))


def _blank(text: str) -> str:
    """The text with blanks in place of all but line markers."""
    pieces = re.split(_LINE_MARKER, text)
    pieces[::2] = ["\n".join(" " * len(line) for line in piece.split("\n")) for piece in pieces[::2]]
    return "".join(pieces)


def _used(declared: list[_Declaration], rest: str) -> set[_Declaration]:
    """The declarations that the ``rest`` of the text needs, and those that these need."""
    by_name: dict[str, list[_Declaration]] = {}
    for each in declared:
        for name in each.names:
            by_name.setdefault(name, []).append(each)
    used: set[_Declaration] = set()
    pending = [rest]
    while pending:
        for name in re.findall(_IDENTIFIER, pending.pop()):
            new = by_name.pop(name, ())
            pending += [each.text for each in new if each not in used]
            used.update(new)
    return used


def _declarations(source: PreprocessedSource) -> Iterator[_Declaration]:
    """What system headers declare and may be left out, in the order of the text."""
    if not any(source.system):
        return
    for start, text in _of_file_scope(source.text):
        if source.in_system_header(start) and source.in_system_header(start + len(text) - 1):
            names = _names(re.sub(_LINE_MARKER, "", text))
            if names:
                yield _Declaration(start, text, names)


def _of_file_scope(text: str) -> Iterator[tuple[int, str]]:
    """Where declarations and definitions of functions begin, and their texts."""
    end = depth = 0
    is_function = False
    for found in re.finditer(_PUNCTUATION, text):
        mark = found[0]
        if mark == "{":
            if depth == 0:
                is_function = text[end : found.start()].rstrip().endswith(")")
            depth += 1
        elif mark == "}":
            depth -= 1
        if depth == 0 and (mark == ";" or (mark == "}" and is_function)):
            before = re.compile(_BEFORE).match(text, end)
            start = before.end() if before else end
            end = found.end()
            yield start, text[start:end]


def _names(declaration: str) -> frozenset[str]:
    """What a declaration of one function or type gives a name to; nothing if it is something else."""
    outline = _outline(declaration)
    function, type_ = re.fullmatch(_FUNCTION, outline), re.fullmatch(_TYPE, outline)
    if "#" in declaration or (function and function["declared"] and "{" in declaration):
        return frozenset()
    if function:
        return frozenset([function["declared"] or function["defined"], *re.findall(_TAG, outline)])
    names = re.findall(_TAG, declaration)
    if type_ is None or "__attribute__" in names:
        return frozenset()
    if "enum" in declaration:
        names += re.findall(_CONSTANT, declaration)
    if type_["pointer"]:
        names += re.findall(_POINTER, declaration)[:1]
    return frozenset([*names, type_["name"]] if type_["name"] else names)


def _outline(declaration: str) -> str:
    """The text without what is in parentheses and braces."""
    pieces = []
    depth = end = 0
    for found in re.finditer(_BRACKET, declaration):
        if found[0] in "({":
            if depth == 0:
                pieces.append(declaration[end : found.end()])
            depth += 1
        elif found[0] in ")}":
            depth -= 1
            if depth == 0:
                end = found.start()
    return "".join((*pieces, declaration[end:]))
