"""Every pointer that an execution has is where the analysis says, and no prover excludes what an execution does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic

from hypothesis import given, settings
from hypothesis import strategies as st

from gia.analyses.registry import ACTORS
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.automaton.status import goal_status
from gia.cfa.expressions import Variable
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.graph import Program
from gia.cfa.places import NOWHERE, Block, Blocks, Code, Distance, Place, Places
from gia.cfa.points_to import PointsTo, points_to
from gia.cfa.types import DataModel
from gia.frontend import load
from gia.verdict import GoalStatus
from tests.cfa.pointer_programs import PointerProgram, Seen, executions, looks, taken

SEEDS = range(6)


@given(st.randoms(use_true_random=False), st.sampled_from(DataModel))
@settings(max_examples=12, deadline=None)
def test_pointers_are_where_they_may_be(random: Random, model: DataModel) -> None:
    with TemporaryDirectory() as folder:
        text = PointerProgram(random).text
        assert not list(strays(text, Path(folder), model))


@given(st.randoms(use_true_random=False))
@settings(max_examples=3, deadline=None)
def test_what_is_executed_is_not_excluded(random: Random) -> None:
    with TemporaryDirectory() as folder:
        assert not wrong_claims(PointerProgram(random).text, Path(folder), 2.0)


def strays(text: str, folder: Path, model: DataModel) -> Iterator[str]:
    """The pointers of executions that are not where the analysis says, as text."""
    source = folder / "program.c"
    source.write_text(text)
    program = load(source, data_model=model).program
    found = points_to(program)
    for lines in executions(text, folder, SEEDS, model):
        first: dict[str, list[Seen]] | None = None
        for number, objects in enumerate(looks(lines)):
            first = first or objects
            for problem in _problems(program, found, objects, first):
                yield f"look {number}: {problem}"


def _problems(
    program: Program, found: PointsTo, objects: Mapping[str, list[Seen]], first: Mapping[str, list[Seen]]
) -> Iterator[str]:
    size = program.types.data_model.pointer_width // 8
    for variable, places in found.places.items():
        for seen in _seen(found, program, variable, objects):
            value = int.from_bytes(seen.contents, "little")
            if value and not _is_in(found, program, value, places, objects):
                yield f"{variable} is {value:#x}, expected {places}"
    for place, held in found.held.items():
        for seen in _seen(found, program, place, objects):
            for start, places in held.items():
                value = int.from_bytes(seen.contents[start : start + size], "little")
                is_null = seen.contents and not value and NOWHERE not in places
                if is_null or (value and not _is_in(found, program, value, places, objects)):
                    yield f"{place}[{start}] is {value:#x}, expected {places}"
    for variable in found.constant:
        for seen in _seen(found, program, variable, objects):
            if seen.contents != _seen(found, program, variable, first)[0].contents:
                yield f"{variable} has changed"


def _seen(found: PointsTo, program: Program, place: Place, objects: Mapping[str, list[Seen]]) -> Sequence[Seen]:
    """The objects of a place."""
    match place:
        case Variable(name=name, function=None | "main"):
            return objects.get(name, ())
        case Block(edge=edge):
            return _given(program, edge, objects)
        case Blocks():
            sites = (site.edge for site, pool in found.pools.items() if pool == place)
            return [seen for edge in sites for seen in _given(program, edge, objects)]
        case Code(name=name):
            return objects.get(f"{name}()", ())
    return ()


def _given(program: Program, edge: int, objects: Mapping[str, list[Seen]]) -> Sequence[Seen]:
    """The blocks that a call gave."""
    return objects.get(f"block:{program.edge_list[edge].reference.line}", ())


def _is_in(found: PointsTo, program: Program, value: int, places: Places, objects: Mapping[str, list[Seen]]) -> bool:
    """Whether a pointer is at one of the places, or at no object that was seen."""
    known = (seen for group in objects.values() for seen in group)
    if not any(seen.address <= value < seen.address + seen.size for seen in known):
        return True
    for place, at in places.items():
        for seen in _seen(found, program, place, objects):
            distance = value - seen.address
            if 0 <= distance <= seen.size and at.includes(Distance(0, distance)):
                return True
    return False


def wrong_claims(text: str, folder: Path, seconds: float) -> list[str]:
    """The branches that an execution takes and that a prover excludes."""
    source = folder / "program.c"
    source.write_text(text)
    reached = {found for lines in executions(text, folder, SEEDS, DataModel.LP64) for found in taken(lines)}
    loaded = load(source, data_model=DataModel.LP64)
    all_goals, text_lines = goals_of(loaded.program, Criterion.BRANCHES), text.splitlines()
    goals = tuple(goal for goal in all_goals if "BRANCH(" in text_lines[goal.line - 1])
    wrong = []
    for prover in ("interval", "kinduction"):
        request = ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + seconds, folder)
        status = goal_status(loaded.program, ACTORS[prover].load()(request), goals)
        for goal in goals:
            proven = status[goal.id] is GoalStatus.UNREACHABLE
            if proven and (goal.line, goal.id.endswith(":then")) in reached:
                wrong.append(f"{prover} {goal.id}")
    return wrong
