"""What system headers declare and the program does not mention: most of the text of a small program.

Functions without a body are enough: a header declares hundreds of them, and few types. To leave out one whose name is
nowhere else in the text changes nothing, whatever it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from gia.frontend.preprocessed import PreprocessedSource

_PLAIN = r"[^();{}#]"
_PARENTHESES = rf"\((?:{_PLAIN}|\((?:{_PLAIN}|\((?:{_PLAIN}|\({_PLAIN}*\))*\))*\))*\)"
_PROTOTYPE = re.compile(
    rf"extern\s+[A-Za-z_](?:\w|\s|\*)*?\b(?P<name>\w+)\s*{_PARENTHESES}(?:\s*[A-Za-z_]\w*+(?:\s*{_PARENTHESES})?)*\s*;"
)
"""The declaration of one function without a body; what follows its parameters are attributes and the like."""
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_NOT_BLANK = re.compile(r"\S")


def without_unused(source: PreprocessedSource) -> PreprocessedSource:
    """The source with blanks in the place of the functions that system headers declare and nothing mentions."""
    declared = list(_prototypes(source))
    if not declared:
        return source
    times = Counter(found["name"] for found in declared)
    mentioned = Counter(_IDENTIFIER.findall(source.text))
    pieces, consumed = [], 0
    for found in declared:
        if mentioned[found["name"]] == times[found["name"]]:
            pieces += [source.text[consumed : found.start()], _NOT_BLANK.sub(" ", found[0])]
            consumed = found.end()
    return replace(source, text="".join((*pieces, source.text[consumed:])))


def _prototypes(source: PreprocessedSource) -> Iterator[re.Match[str]]:
    for found in _PROTOTYPE.finditer(source.text):
        if _begins_declaration(source.text, found.start()) and source.in_system_header(found.start()):
            yield found


def _begins_declaration(text: str, offset: int) -> bool:
    """Whether a declaration or a directive ends before ``offset``."""
    before = offset
    while before and text[before - 1].isspace():
        before -= 1
    return before == 0 or text[before - 1] == ";" or text.startswith("#", text.rfind("\n", 0, before) + 1)
