"""The inputs of CREST's runs, as the harness logs them: CREST itself keeps those of the last run only.

A line ``run`` begins a run; each further line is the type of an input and its value.
"""

from __future__ import annotations

from gia.errors import DocumentError, InputError, Position
from gia.exchange.suites.testcase import TestCase
from gia.native import parse_literal

LOG = "crest-inputs.txt"
"""Where the harness writes."""


def read_crest_inputs(text: str, name: str = LOG) -> tuple[TestCase, ...]:
    """The tests, each once. A last line that is not complete is left out. Raises :class:`DocumentError`."""
    runs: list[list[tuple[str, str]]] = []
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        words = line.rsplit(maxsplit=1)
        if not line.endswith("\n"):
            break
        if line == "run\n":
            runs.append([])
        elif len(words) == 2 and runs:
            try:
                parse_literal(words[1])
            except InputError as error:
                raise DocumentError(error.message, Position(name, number)) from None
            runs[-1].append((words[0], words[1]))
        else:
            raise DocumentError(f"expected a type and a value, found {line.strip()[:40]!r}", Position(name, number))
    return tuple(dict.fromkeys(TestCase(tuple(run)) for run in runs))
