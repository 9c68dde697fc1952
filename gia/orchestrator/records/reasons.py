"""Why goals are open at the end of a run: what the budgets, the actors and the program say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from pathlib import PurePath
from typing import Final

from pydantic import BaseModel, ConfigDict

from gia.cfa.arbitrary_values import arbitrary_values
from gia.cfa.goals import Goal
from gia.cfa.graph import Edge, Program
from gia.cfa.hiding import limits_of
from gia.cfa.operations import Call, Return
from gia.errors import Position
from gia.exchange.obstacles import Unmodelled
from gia.frontend.library import ARBITRARY, MODEL_PREFIX
from gia.frontend.preprocessed import ADDED
from gia.orchestrator.records.step import StepRecord, StepState
from gia.verdict import StopKind, StopReason


class OpenKind(StrEnum):
    """What keeps a goal open."""

    BUDGET = "budget"
    """The run, or an actor, ended because something was used up: with more of it the goal might be decided."""
    UNMODELLED = "unmodelled"
    """An actor did not follow exactly what may be executed before the goal."""
    UNKNOWN = "unknown"
    """An actor, or its solver, gave up the goal; more time does not help it."""
    FAILED = "failed"
    """An actor failed."""


class OpenReason(BaseModel):
    """One of the reasons why a goal is open. ``by`` is the actor who says so; without one it is the run itself.

    ``file``, ``line`` and ``column`` say where the construct is that is not modelled.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: OpenKind
    detail: str
    by: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None


MOST: Final = 5
"""So many reasons of each kind are listed with a goal."""
MOST_CONSTRUCTS: Final = 100
"""So many constructs that are not modelled are looked at."""
_USED_UP: Final = (StopKind.TIME, StopKind.CPU, StopKind.MEMORY, StopKind.ROUNDS, StopKind.CANCELLED)


def open_reasons(
    program: Program, goals: Sequence[Goal], steps: Sequence[StepRecord], stop: StopReason
) -> Mapping[str, list[OpenReason]]:
    """The reasons for each of the open ``goals`` of a run, at least one.

    What nobody can find out comes first. Then comes the budget, for it hides the others; then what is said of the goal
    itself, and then what is before it. Values that no input gives are named where nothing else is known.
    """
    common, limits = list(_of_run(steps, stop)), _limits(program)
    constructs = _with_what_is_behind(program, list(_constructs(program, steps))[:MOST_CONSTRUCTS])
    result = {
        goal.id: [*_before(goal, limits), *common, *_given_up(goal.id, steps), *_before(goal, constructs)]
        for goal in goals
    }
    without = [goal for goal in goals if not result[goal.id]]
    values = _with_what_is_behind(program, list(_arbitrary(program))[:MOST_CONSTRUCTS] if without else [])
    for goal in without:
        result[goal.id] = _before(goal, values) or [OpenReason(kind=OpenKind.UNKNOWN, detail=_nobody(steps))]
    return result


def _of_run(steps: Sequence[StepRecord], stop: StopReason) -> Iterator[OpenReason]:
    """What holds for all goals."""
    if stop.kind in _USED_UP:
        yield OpenReason(kind=OpenKind.BUDGET, detail=str(stop))
    elif stop.kind is StopKind.FAILED:
        yield OpenReason(kind=OpenKind.FAILED, detail=str(stop))
    last = {step.actor: step for step in steps}
    for actor, step in last.items():
        detail = step.remarks[0] if step.remarks else step.state.value
        if step.state is StepState.TIMED_OUT and stop.kind not in _USED_UP:
            yield OpenReason(kind=OpenKind.BUDGET, detail=detail, by=actor)
        elif step.state is StepState.FAILED:
            yield OpenReason(kind=OpenKind.FAILED, detail=detail, by=actor)


_Places = Sequence[tuple[OpenReason, frozenset[int]]]
"""Reasons with the numbers of edges: those that they are about, or all that may be executed from there on."""


def _with_what_is_behind(program: Program, places: _Places) -> _Places:
    flow = _leaving(program) if places else {}
    return [(reason, _behind(program, flow, edges)) for reason, edges in places]


def _limits(program: Program) -> _Places:
    """What keeps goals open whatever the budget is."""
    found = list(islice(limits_of(program), MOST_CONSTRUCTS))
    everything = frozenset(edge.number for edge in program.edge_list)
    others = [limit for limit in found if not limit.everything]
    places = [(_at(limit.edge.position, limit.text, None), frozenset({limit.edge.number})) for limit in others]
    return [
        *((_at(limit.edge.position, limit.text, None), everything) for limit in found if limit.everything),
        *_with_what_is_behind(program, places),
    ]


def _before(goal: Goal, places: _Places) -> list[OpenReason]:
    """The reasons that may be executed before a goal."""
    return list(dict.fromkeys(reason for reason, edges in places if goal.edges & edges))[:MOST]


def _arbitrary(program: Program) -> Iterator[tuple[OpenReason, frozenset[int]]]:
    """The values that no input gives, with the edges that use them first."""
    for function in program.functions.values():
        if function.name.startswith(MODEL_PREFIX):
            continue
        for variable, edge in arbitrary_values(function, program.address_taken, program.types).items():
            detail = f"{variable.name.partition('$')[0]} is used before anything is assigned to it"
            uses = frozenset(other.number for other in function.leaving[edge.source])
            yield _at(edge.position, detail, None), uses


def _at(place: Position, detail: str, actor: str | None) -> OpenReason:
    kind = OpenKind.UNMODELLED
    return OpenReason(kind=kind, detail=detail, by=actor, file=place.file, line=place.line, column=place.column)


def _constructs(program: Program, steps: Sequence[StepRecord]) -> Iterator[tuple[OpenReason, frozenset[int]]]:
    """What actors have not followed exactly, with its edges; an actor may know the file by another path."""
    places: dict[tuple[str, int, int], list[Edge]] = {}
    for edge in program.edge_list:
        places.setdefault(_place(edge.position), []).append(edge)
    found: dict[Unmodelled, str] = {}
    for step in steps:
        for construct in step.obstacles.unmodelled:
            found.setdefault(construct, step.actor)
    for construct, actor in sorted(found.items()):
        edges = places.get(_place(construct.position))
        if edges:
            yield _unmodelled(program, construct, actor, edges), frozenset(edge.number for edge in edges)


def _unmodelled(program: Program, construct: Unmodelled, actor: str, edges: Sequence[Edge]) -> OpenReason:
    place = edges[0].position
    if place.file == ADDED:
        model = program.function_of_location[edges[0].source].removeprefix(MODEL_PREFIX)
        called = {edge.operation.function for edge in edges if isinstance(edge.operation, Call)}
        is_arbitrary = not called.isdisjoint(ARBITRARY)
        reason = "any result is possible" if is_arbitrary else construct.reason
        return OpenReason(kind=OpenKind.UNMODELLED, detail=f"{reason} (in the model of {model})", by=actor)
    return _at(place, construct.reason, actor)


def _place(position: Position) -> tuple[str, int, int]:
    return PurePath(position.file).name, position.line, position.column


def _given_up(goal: str, steps: Sequence[StepRecord]) -> list[OpenReason]:
    """What the actors who gave the goal up say, each the last time."""
    said = {step.actor: step.obstacles.undecided[goal] for step in steps if goal in step.obstacles.undecided}
    return [OpenReason(kind=OpenKind.UNKNOWN, detail=reason, by=actor) for actor, reason in said.items()][:MOST]


def _nobody(steps: Sequence[StepRecord]) -> str:
    actors = list(dict.fromkeys(step.actor for step in steps if step.state is StepState.DONE))
    return f"{', '.join(actors)} ended without an answer" if actors else "nobody was asked"


def _leaving(program: Program) -> dict[int, list[tuple[int, int]]]:
    """For each location, the edges (numbers) that leave it and where they lead, across calls and returns as well."""
    returns: dict[str, list[int]] = {}
    for edge in program.edge_list:
        if isinstance(edge.operation, Call):
            returns.setdefault(edge.operation.function, []).append(edge.target)
    found: dict[int, list[tuple[int, int]]] = {}
    for edge in program.edge_list:
        targets = [edge.target]
        if isinstance(edge.operation, Return):
            targets = returns.get(program.function_of_location[edge.source], [])
        elif isinstance(edge.operation, Call) and edge.operation.function in program.functions:
            targets = [program.functions[edge.operation.function].entry]
        found.setdefault(edge.source, []).extend((edge.number, target) for target in targets)
    return found


def _behind(program: Program, flow: Mapping[int, list[tuple[int, int]]], edges: frozenset[int]) -> frozenset[int]:
    """The edges and those that may be executed after them, whoever has called."""
    found = set(edges)
    pending = [
        target for number in edges for other, target in flow[program.edge_list[number].source] if other == number
    ]
    seen: set[int] = set()
    while pending:
        location = pending.pop()
        if location not in seen:
            seen.add(location)
            for number, target in flow.get(location, ()):
                found.add(number)
                pending.append(target)
    return frozenset(found)
