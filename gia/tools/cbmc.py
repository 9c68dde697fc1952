"""What CBMC says about the goals: the output of ``cbmc --json-ui``.

As a verifier it gets an assertion ``gia_goal_N`` at each goal: one with the status ``SUCCESS`` cannot be reached,
provided that all unwinding assertions hold as well. As a tester it is asked to cover (``--cover cover``): it lists
tests with their inputs. The trace of a failed assertion has the inputs, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from gia.cfa.types import DOUBLE, FLOAT
from gia.errors import DocumentError, Position
from gia.exchange.suites.testcase import TestCase
from gia.native import write_literal
from gia.tools.findings import Findings
from gia.tools.marking import LABEL

_GOAL: Final = re.compile(rf"\b{LABEL}(\d+)\b")
_UNWINDING: Final = re.compile(r"\.(unwind|recursion)\b|unwinding assertion")


def read_cbmc_json(text: str, goals: Sequence[str], name: str = "the output") -> Findings:
    """The findings in CBMC's output; ``goals[n]`` is the goal of mark n. Raises :class:`DocumentError`."""
    messages = _messages(text, name)
    results = [result for message in messages for result in _list(message, "result")]
    tests = [
        *(_test(test.get("inputs")) for message in messages for test in _list(message, "tests")),
        *(_test(_trace_inputs(result.get("trace"))) for result in results if result.get("status") == "FAILURE"),
    ]
    unreachable, remarks = _proven(results, goals)
    if not results and not any("goals" in message or "tests" in message for message in messages):
        remarks = (*remarks, f"it gives no result{_last_error(messages)}")
    return Findings(tuple(dict.fromkeys(tests)), unreachable, remarks)


def _messages(text: str, name: str) -> list[Mapping[str, Any]]:
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"not the JSON that CBMC writes: {error}", Position(name)) from None
    if not isinstance(tree, list):
        raise DocumentError("not what CBMC writes: a list is expected", Position(name, 1))
    return [message for message in tree if isinstance(message, Mapping)]


def _list(message: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    found = message.get(key)
    yield from (item for item in found if isinstance(item, Mapping)) if isinstance(found, list) else ()


def _proven(results: Iterable[Mapping[str, Any]], goals: Sequence[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    statuses: dict[str, set[str]] = {}
    bounded = False
    for result in results:
        status = str(result.get("status"))
        text = f"{result.get('property', '')} {result.get('description', '')}"
        found = _GOAL.search(text)
        if found and int(found[1]) < len(goals):
            statuses.setdefault(goals[int(found[1])], set()).add(status)
        elif _UNWINDING.search(text) and status != "SUCCESS":
            bounded = True
    proven = frozenset(goal for goal, seen in statuses.items() if goal and seen == {"SUCCESS"})
    if bounded and proven:
        return frozenset(), ("its proofs hold up to a bound of the loops only, and are not taken",)
    return proven, ()


def _trace_inputs(trace: object) -> list[Mapping[str, Any]]:
    """The inputs of a trace in the form of those of a test."""
    steps = trace if isinstance(trace, list) else []
    return [
        {"id": step.get("inputID"), "value": (step.get("values") or [{}])[0]}
        for step in steps
        if isinstance(step, Mapping) and step.get("stepType") == "input"
    ]


def _test(inputs: object) -> TestCase:
    """The values of a test in their order."""
    values = []
    for entry in inputs if isinstance(inputs, list) else []:
        value = entry.get("value") if isinstance(entry, Mapping) else None
        if isinstance(value, Mapping) and "data" in value:
            values.append((str(value.get("type", "")), _literal(value)))
    return TestCase(tuple(values))


def _literal(value: Mapping[str, Any]) -> str:
    """The literal of a value: its bits are exact, its text is C (``'a'``, ``sizeof(int) /*4ul*/``), or rounded."""
    data, binary, kind = str(value["data"]), str(value.get("binary", "")), value.get("name")
    if kind == "float" and re.fullmatch(r"[01]{32}|[01]{64}", binary):
        return write_literal(FLOAT if len(binary) == 32 else DOUBLE, int(binary, 2))
    if kind == "boolean" or data.lower() in ("true", "false"):
        return str(int(data.lower() in ("true", "1")))
    if re.fullmatch(r"-?\d+[uUlL]*", data):
        return data.rstrip("uUlL")
    if kind == "integer" and re.fullmatch(r"[01]+", binary):
        negative = binary[0] == "1" and not re.search(r"unsigned|bool", str(value.get("type", "")), re.IGNORECASE)
        return str(int(binary, 2) - (1 << len(binary) if negative else 0))
    return data.rstrip("uUlLfF")


def _last_error(messages: Sequence[Mapping[str, Any]]) -> str:
    errors = [str(m.get("messageText")) for m in messages if m.get("messageType") == "ERROR"]
    return f": {errors[-1][:200]}" if errors else ""
