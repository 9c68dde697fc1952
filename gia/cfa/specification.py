"""The properties of SV-COMP and Test-Comp as texts (``.prp`` files), and the short names of the criteria."""

from __future__ import annotations

import re

from gia.cfa.goals import ERROR_FUNCTIONS, ERROR_LABEL, Criterion
from gia.errors import InputError

_TEXTS = {
    Criterion.BRANCHES: "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )",
    Criterion.ATOMIC: "COVER( init(main()), FQL(COVER EDGES(@CONDITIONEDGE)) )",
    Criterion.STATEMENTS: "COVER( init(main()), FQL(COVER EDGES(@BASICBLOCKENTRY)) )",
    Criterion.ERROR_CALL: "COVER( init(main()), FQL(COVER EDGES(@CALL(reach_error))) )",
    Criterion.UNREACH_CALL: "CHECK( init(main()), LTL(G ! call(reach_error())) )",
}
_LABEL = f"CHECK( init(main()), LTL(G ! label({ERROR_LABEL})) )"
"""What is verified in old tasks without an error function."""

_BEGIN = re.compile(r"init\s*\(\s*([A-Za-z_]\w*)\s*\(\s*\)\s*\)")


def property_text(criterion: Criterion, error_function: str | None = ERROR_FUNCTIONS[0], entry: str = "main") -> str:
    """The text of the property file that stands for a criterion, without a line end.

    ``error_function`` is the one that counts in the program, ``None`` if it is the label of old tasks; ``entry`` is
    where the program begins.
    """
    if error_function is None and criterion is Criterion.UNREACH_CALL:
        text = _LABEL
    else:
        text = _TEXTS[criterion].replace(ERROR_FUNCTIONS[0], error_function or ERROR_FUNCTIONS[0])
    return text.replace("init(main())", f"init({entry}())")


def parse_property(text: str) -> Criterion:
    """The criterion of a property file's text, whatever function it begins with.

    White space does not matter, lines that begin with ``//`` are comments. Each of the known error functions may be
    named, or the label. Raises :class:`InputError` for every other property.
    """
    wanted = _squeezed(_BEGIN.sub("init(main())", _without_comments(text), count=1))
    for criterion in Criterion:
        if wanted in [_squeezed(property_text(criterion, called)) for called in (*ERROR_FUNCTIONS, None)]:
            return criterion
    shown = " ".join(text.split()) or "(empty)"
    known_texts = "".join(f"\n    {name}: {known}" for name, known in _TEXTS.items())
    raise InputError(f"the property is not supported: {shown}", hint=f"these are:{known_texts}")


def parse_criterion(text: str) -> Criterion:
    """The criterion that ``text`` gives by its name (``branches``, …) or as the text of a property file."""
    name = text.strip()
    if name in set(Criterion):
        return Criterion(name)
    if "(" in text:
        return parse_property(text)
    names = ", ".join(Criterion)
    raise InputError(
        f"the specification {name or '(empty)'!r} is not known", hint=f"known are: {names}; or a .prp file"
    )


def entry_of(text: str) -> str | None:
    """The function that a property's text begins with (``init(f())``); ``None`` for the name of a criterion."""
    found = _BEGIN.search(_without_comments(text))
    return found[1] if found else None


def _without_comments(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))


def _squeezed(text: str) -> str:
    return "".join(text.split())
