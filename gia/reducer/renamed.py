"""What the goals of a program are called in a text that was written anew of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gia.cfa.goals import ERROR_FUNCTIONS, Criterion, Goal, goals_of
from gia.cfa.graph import EdgeReference, Program
from gia.cfa.writer import WrittenText
from gia.frontend import LoadedProgram
from gia.frontend.lines import lines_of
from gia.frontend.probes import CallProbe, StatementProbe
from gia.frontend.reading import load_written


def renamed(written: WrittenText, program: Program, goals: Sequence[Goal]) -> dict[str, tuple[str, ...]]:
    """For each goal of ``program`` the ids that the front end gives to its places in the written text.

    The ids of decisions are known to the writer. Statements and calls stand in the columns in which the text has them,
    beside statements that the writer has added: for them the text is read as any other.
    """
    references = {goal.id: {program.edge_list[number].reference for number in goal.edges} for goal in goals}
    known: Mapping[EdgeReference, Sequence[str]] = written.decisions
    others = [goal for goal in goals if any(r.kind not in ("assume", "atomic") for r in references[goal.id])]
    if others:
        found: dict[EdgeReference, list[str]] = {reference: list(ids) for reference, ids in known.items()}
        there = load_written(written.text, data_model=program.types.data_model)
        of_statements = any(goal.outcome == "statement" for goal in others)
        for line, name in _goals_by_line(there, of_statements):
            if line in written.edges:
                found.setdefault(written.edges[line], []).append(name)
        known = found
    return {
        goal: tuple(name for reference in sorted(edges) for name in known.get(reference, ()))
        for goal, edges in references.items()
    }


def _goals_by_line(there: LoadedProgram, of_statements: bool) -> Iterator[tuple[int, str]]:
    """The lines, from 1, in which the goals of a text begin: its statements, or its calls of error functions."""
    starts = [0]
    for physical in lines_of(there.source.text):
        starts.append(starts[-1] + len(physical))
    kinds = (StatementProbe,) if of_statements else (CallProbe, StatementProbe)
    begins = {probe.edge: probe.start for probe in there.source.probes if isinstance(probe, kinds)}
    for goal in _goals(there.program, of_statements):
        for edge in goal.edges:
            if edge in begins:
                yield bisect_right(starts, begins[edge]), goal.id


def _goals(program: Program, of_statements: bool) -> Iterable[Goal]:
    """The statements, or the calls of each error function and the error labels: which of them count is known."""
    if of_statements:
        return goals_of(program, Criterion.STATEMENTS)
    calls = [goal for name in ERROR_FUNCTIONS for goal in goals_of(program, Criterion.ERROR_CALL, (name,))]
    return [*calls, *goals_of(program, Criterion.UNREACH_CALL, ())]
