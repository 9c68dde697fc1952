r"""What Frama-C's Eva says about the goals: the text of ``frama-c -eva … -then -report``.

Each goal is marked with ``/*@ check gia_goal_N: \false; */``. Where Eva shows that no execution gets there, the
report gives the annotation the status *Dead*.

Eva takes it that an execution ends where the C standard leaves the behaviour undefined, and says so by an alarm. For
gia only undefined memory accesses end one (and a division by zero, which the processor refuses): with any other alarm
nothing that Eva says is taken. The same holds if it has left something out (recursion, assembly, a function of which
it knows nothing).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from gia.tools.findings import Findings
from gia.tools.marking import LABEL

HARMLESS_ALARMS: Final = frozenset(
    ["mem_access", "index_bound", "dangling_pointer", "pointer_value", "division_by_zero", "overlap"]
)
"""After these, no execution goes on whose behaviour gia speaks about."""

_STATUS: Final = re.compile(rf"^\[\s*([\w-]+)\s*\] Check '{LABEL}(\d+)'", re.MULTILINE)
_ALARM: Final = re.compile(r"^\[\s*([\w-]+)\s*\] Assertion 'Eva,(\w+)'(?: \(file ([^)]*)\))?", re.MULTILINE)
_UNSPECIFIED: Final = re.compile(r"Neither code nor (?:explicit )?(?:specification|\w+) for function ([\w$]+)")
_END: Final = "--- Status Report Summary"
_INCOMPLETE: Final = {
    "soundness relies": "it takes on trust what a function does",
    "recursive call": "it does not follow recursion",
    "[kernel:asm": "it does not follow assembly code",
    "[eva] Assembly": "it does not follow assembly code",
    "ignoring": "it has left something out",
}


def read_eva_report(text: str, goals: Sequence[str], known_functions: Collection[str]) -> Findings:
    """The goals that are dead in a report; ``goals[n]`` is the goal of mark n.

    ``known_functions`` have no body, and any value may be their result, without any other effect.
    """
    if _END not in text:
        return Findings(remarks=(f"its report is not complete{_last_error(text)}",))
    reason = _not_trusted(text, known_functions)
    if reason:
        return Findings(remarks=(f"nothing of it is taken: {reason}",))
    seen: dict[str, set[str]] = {}
    for status, number in _STATUS.findall(text):
        if int(number) < len(goals) and goals[int(number)]:
            seen.setdefault(goals[int(number)], set()).add(status)
    return Findings(unreachable=frozenset(goal for goal, statuses in seen.items() if statuses == {"Dead"}))


def _not_trusted(text: str, known_functions: Collection[str]) -> str:
    for status, kind, place in _ALARM.findall(text):
        if kind not in HARMLESS_ALARMS and status != "Dead":
            return f"it speaks only of executions without {kind.replace('_', ' ')} ({place or 'somewhere'})"
    for function in _UNSPECIFIED.findall(text):
        if function not in known_functions:
            return f"it does not know what {function} does"
    return next((reason for sign, reason in _INCOMPLETE.items() if sign in text), "")


def _last_error(text: str) -> str:
    errors = [line for line in text.splitlines() if "error" in line.lower()]
    return f": {errors[-1].strip()[:200]}" if errors else ""
