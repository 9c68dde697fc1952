"""What TestCov prints at its end: how much of a program a test suite covers."""

from __future__ import annotations

import re
from typing import Final

from gia.tools.findings import Findings

_LINES: Final = {
    "tests": re.compile(r"^\s*Tests run:\s*(\d+)", re.MULTILINE),
    "coverage": re.compile(r"^\s*Coverage:\s*([\d.]+)\s*%", re.MULTILINE),
    "goals": re.compile(r"^\s*Number of goals:\s*(\d+)", re.MULTILINE),
}


def read_coverage_report(text: str) -> Findings:
    """A measurement as a remark: it decides no goal."""
    found = {name: match[1] for name, line in _LINES.items() if (match := line.search(text))}
    if "coverage" not in found:
        return Findings(remarks=("it has measured nothing",))
    goals = f" of {found['goals']} goals" if "goals" in found else ""
    tests = f" with {found['tests']} tests" if "tests" in found else ""
    return Findings(remarks=(f"it measures {found['coverage']} %{goals}{tests}",))
