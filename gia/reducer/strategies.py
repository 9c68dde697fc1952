"""The strategies of the reducer behind one door: a program and what is known of it in, C text out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from gia.automaton.model import Acceptance, Automaton
from gia.cfa.goals import Goal, is_error_label
from gia.cfa.graph import Edge, EdgeReference, Program
from gia.cfa.operations import Assume
from gia.cfa.writer import write_c, write_c_with_goals
from gia.errors import GiaError, InputError
from gia.frontend import LoadedProgram
from gia.frontend.exchange_expressions import parse_expression
from gia.reducer.renamed import renamed
from gia.reducer.residual import Statistics, reduce_program
from gia.reducer.text import reduce_text
from gia.reducer.woven import QUIET


class Strategy(StrEnum):
    """How a program is reduced; the values are the names that the command line takes."""

    RESIDUAL = "residual"
    """The product of program and automaton, written as a new program: the most exact."""
    MONITOR = "monitor"
    """The text of the program with the automaton woven in as a variable: the size stays linear."""
    PRUNE = "prune"
    """The text of the program without the parts that no needed path passes."""


def strategy_of(name: str) -> Strategy:
    """The strategy of that name; :class:`InputError` if there is none."""
    if name not in set(Strategy):
        raise InputError(f"there is no strategy {name!r} of the reducer", hint=f"there is: {', '.join(Strategy)}")
    return Strategy(name)


class Sizes(Struct, frozen=True):
    """Sizes of a program. After a reduction that keeps the text, edges count if a path that is left takes them."""

    lines: int
    functions: int
    decisions: int
    edges: int


class Reduction(Struct, frozen=True):
    """A reduced program as C text.

    ``goals`` gives for each goal of the original the ids that the text's front end would give to it there; it is empty
    for a goal that no path reaches any more. Lines need no map: the text has ``#line`` directives.
    """

    text: str
    strategy: Strategy
    goals: Mapping[str, tuple[str, ...]]
    before: Sizes
    after: Sizes
    removed_edges: frozenset[EdgeReference]
    removed_functions: tuple[str, ...]
    statistics: Statistics

    def lines(self) -> Iterable[str]:
        """What was done, for a person."""
        yield f"strategy {self.strategy.value}"
        yield f"{'':<10}{'before':>8}{'after':>8}"
        for name in ("lines", "functions", "decisions", "edges"):
            yield f"{name:<10}{getattr(self.before, name):>8}{getattr(self.after, name):>8}"
        found = self.statistics
        yield f"paths are cut in {found.cuts} places, {found.tests} conditions are tested"
        removed = f": {', '.join(self.removed_functions)}" if self.removed_functions else ""
        yield f"removed: {len(self.removed_edges)} edges, {len(self.removed_functions)} functions{removed}"
        for condition, function in found.untestable:
            where = f" in {function}" if function else ""
            yield f"cannot be tested{where}, its paths are kept: {textwrap.shorten(condition.text, 100)}"
        if found.gave_up:
            yield "more than needed was kept: the product is too large, or calls cannot be followed"


def reduce_to_c(
    strategy: Strategy, loaded: LoadedProgram, goals: Sequence[Goal], automaton: Automaton, wrt: Acceptance
) -> Reduction:
    """The program without the paths that ``automaton`` covers with respect to ``wrt`` (``UT`` or ``RT``) as C text."""
    program = loaded.program
    if strategy is Strategy.RESIDUAL:
        return _residual(loaded, goals, automaton, wrt)
    woven = reduce_text(loaded, automaton, wrt, parse_expression, prune=strategy is Strategy.PRUNE)
    left = [edge for edge in program.edge_list if edge.reference not in woven.removed_edges]
    names = {}
    for goal in goals:
        place = woven.position(program.edge_list[min(goal.edges)])
        reached = any(program.edge_list[number].reference not in woven.removed_edges for number in goal.edges)
        rest = goal.id.removeprefix(f"{goal.function}:{goal.line}:{goal.column}:")
        known = place is not None and reached
        names[goal.id] = (f"{goal.function}:{goal.line}:{place.column}:{rest}",) if known and place else ()
    functions = {edge.reference.function for edge in left}
    return Reduction(
        text=woven.text,
        strategy=strategy,
        goals=names,
        before=_sizes(woven.original, program.edge_list, len(program.functions)),
        after=_sizes(woven.text, left, len(functions)),
        removed_edges=woven.removed_edges,
        removed_functions=tuple(name for name in program.functions if name not in functions),
        statistics=woven.statistics,
    )


def _residual(loaded: LoadedProgram, goals: Sequence[Goal], automaton: Automaton, wrt: Acceptance) -> Reduction:
    program = loaded.program
    reduced = reduce_program(program, automaton, wrt, parse_expression)
    _refuse_several_labels(reduced.program, goals)
    written = write_c_with_goals(reduced.program, head=QUIET)
    editable = loaded.source.editable
    original = write_c(program) if editable is None else editable.text
    functions = {edge.reference.function for edge in reduced.program.edge_list}
    return Reduction(
        text=written.text,
        strategy=Strategy.RESIDUAL,
        goals=renamed(written, program, goals),
        before=_sizes(original, program.edge_list, len(program.functions)),
        after=_sizes(written.text, reduced.program.edge_list, len(reduced.program.functions)),
        removed_edges=reduced.removed_edges,
        removed_functions=tuple(name for name in program.functions if name not in functions),
        statistics=reduced.statistics,
    )


def _refuse_several_labels(program: Program, goals: Iterable[Goal]) -> None:
    """A label can stand at one place of a function only."""
    if any(goal.outcome == "label" for goal in goals):
        for function in program.functions.values():
            labels = [edge for edge in function.edges if is_error_label(edge)]
            if len(labels) > 1:
                message = "the label that marks the error would have to stand at several places"
                raise GiaError(message, labels[0].position, "use the strategy monitor")


def _sizes(text: str, edges: Sequence[Edge], functions: int) -> Sizes:
    decisions = {edge.source for edge in edges if isinstance(edge.operation, Assume) and edge.reference.branch}
    return Sizes(len(text.splitlines()), functions, len(decisions), len(edges))


def map_of(reduction: Reduction, program: Program, goals: Iterable[Goal], wrt: Acceptance) -> dict[str, object]:
    """Where each goal of the original is in the reduced text, as a document."""
    return {
        "program": program.main_file,
        "sha256": program.sha256,
        "strategy": reduction.strategy.value,
        "wrt": wrt.value,
        "goals": [
            {
                "goal": goal.id,
                "file": goal.file,
                "line": goal.line,
                "column": goal.column,
                "reduced": list(reduction.goals[goal.id]),
            }
            for goal in goals
        ],
    }
