"""Places of witnesses in a program: which edges and locations of the CFA a line and a column denote, and back.

Witness formats speak of the text: the first character of a statement, the keyword of a loop, the parenthesis that
closes a call. The CFA knows for each edge where its operation stands. What lies between is found out from the text
itself (:mod:`gia.exchange.source.source_text`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import PurePath

from msgspec import Struct

from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Assume, Call, Halt, Input, Return
from gia.exchange.source.source_text import Point, SourceText
from gia.exchange.witness.model import Place

_LOOPS = ("while", "for", "do")


class ProgramPlaces:
    """The places of one program; ``text`` is that of its main file."""

    def __init__(self, program: Program, text: SourceText) -> None:
        self.program = program
        self.text = text

    @staticmethod
    def of(program: Program) -> ProgramPlaces:
        """The places of a program, whose main file is read."""
        return ProgramPlaces(program, SourceText.of(program.main_file))

    @cached_property
    def _main_edges(self) -> tuple[Edge, ...]:
        name = self.program.main_file
        return tuple(edge for edge in self.program.edge_list if edge.file == name)

    @cached_property
    def _by_line(self) -> dict[int, list[Edge]]:
        found: dict[int, list[Edge]] = {}
        for edge in self._main_edges:
            found.setdefault(edge.reference.line, []).append(edge)
        return found

    @cached_property
    def entering(self) -> dict[int, list[Edge]]:
        """The edges after which control is at each location: those that lead there, calls and returns included."""
        found: dict[int, list[Edge]] = {}
        returns: dict[str, list[Edge]] = {}
        calls: dict[str, list[Edge]] = {}
        for edge in self.program.edge_list:
            match edge.operation:
                case Call(function=name) if name in self.program.functions:
                    found.setdefault(self.program.functions[name].entry, []).append(edge)
                    calls.setdefault(name, []).append(edge)
                case Return():
                    returns.setdefault(edge.reference.function, []).append(edge)
                case _:
                    found.setdefault(edge.target, []).append(edge)
        for name, callers in calls.items():
            for call in callers:
                found.setdefault(call.target, []).extend(returns.get(name, ()))
        return found

    def is_here(self, place: Place) -> bool:
        """Whether a place is in the main file, as far as its name tells; folders do not count."""
        return not place.file or _base(place.file) == _base(self.program.main_file)

    # ---- edges at a place

    def on_line(self, place: Place) -> list[Edge]:
        """The edges whose operations stand on the line, in the function if the place has one that the program knows."""
        edges = self._by_line.get(place.line, [])
        if place.function in self.program.functions:
            edges = [edge for edge in edges if edge.reference.function == place.function]
        return edges

    def decisions(self, place: Place) -> list[Edge]:
        """The outcomes of the decision whose keyword is at the place; without a column, of the first on the line."""
        found = [edge for edge in self.on_line(place) if edge.reference.branch and edge.reference.kind == "assume"]
        columns = {edge.reference.column for edge in found}
        column = place.column if place.column in columns else min(columns, default=0)
        if place.column and place.column not in columns and len(columns) > 1:
            return []
        return [edge for edge in found if edge.reference.column == column]

    def calls(self, place: Place) -> list[Edge]:
        """The calls and inputs whose closing parenthesis is at the place; without a column, the first on the line."""
        exact = self._by_closing.get((place.line, place.column), [])
        if exact:
            return exact
        found = [edge for edge in self.on_line(place) if called(edge) is not None]
        columns = {edge.reference.column for edge in found}
        if place.column and len(columns) > 1:
            return []
        return [edge for edge in found if edge.reference.column == min(columns)]

    @cached_property
    def _by_closing(self) -> dict[Point, list[Edge]]:
        found: dict[Point, list[Edge]] = {}
        for edge in self._main_edges:
            closing = self.closing_of(edge)
            if closing is not None:
                found.setdefault(closing, []).append(edge)
        return found

    def closing_of(self, edge: Edge) -> Point | None:
        """The parenthesis that closes the call of an edge; ``None`` for other edges, and for calls in macros."""
        function = called(edge)
        if function is None:
            return None
        return self.text.closing_of_call((edge.reference.line, edge.reference.column), function)

    # ---- locations at a place

    def statement_starts(self, place: Place) -> list[int]:
        """The locations where the statement or declaration at the place begins."""
        column = place.column or self.text.first_column(place.line)
        found = self._starts_of(place, (place.line, column))
        if not found and self.on_line(place):
            column = min(edge.reference.column for edge in self.on_line(place))
            found = self._starts_of(place, (place.line, column))
        return found

    def _starts_of(self, place: Place, begin: Point) -> list[int]:
        end = self.text.statement_end(begin)
        if end is None:
            return []
        if self.text.word(begin) == "do":
            return [head for head, _ in self._do_places(place.at_column(begin[1]))]
        if self.text.word(begin) == "for":
            condition = self.text.loop_condition(begin)
            before = [] if condition is None else self._within(place, begin, condition[0])
            edges = [edge for edge in before if not isinstance(edge.operation, Assume)]
            return list(_first_locations(edges)) if edges else self.loop_heads(place.at_column(begin[1]))
        return list(_first_locations(self._within(place, begin, end)))

    def loop_heads(self, place: Place) -> list[int]:
        """The locations at which the loop whose keyword is at the place is about to evaluate its condition.

        For ``do``, also that at which an iteration begins.
        """
        candidates = self._loop_decisions(place)
        found: dict[int, None] = {}
        for column in sorted({edge.reference.column for edge in candidates}):
            at = place.at_column(column)
            for head in self._heads(at, [edge for edge in candidates if edge.reference.column == column]):
                found[head] = None
        return list(found)

    def _loop_decisions(self, place: Place) -> list[Edge]:
        """The outcomes of the conditions of loops at the place; without a column, of the first loop on the line."""
        found = [edge for edge in self.on_line(place) if edge.reference.branch and edge.reference.kind == "assume"]
        found = [edge for edge in found if self.text.word((place.line, edge.reference.column)) in _LOOPS]
        exact = [edge for edge in found if edge.reference.column == place.column]
        if exact:
            return exact
        first = min((edge.reference.column for edge in found), default=0)
        return [edge for edge in found if edge.reference.column == first]

    def _heads(self, place: Place, decisions: list[Edge]) -> Iterator[int]:
        if self.text.word((place.line, place.column)) == "do":
            for both in self._do_places(place):
                yield from both
            return
        condition = self.text.loop_condition((place.line, place.column))
        inside = [] if condition is None else self._within(place, *condition)
        yield from _first_locations([*inside, *decisions])

    def _do_places(self, place: Place) -> Iterator[tuple[int, int]]:
        """Where the body of the ``do`` at the place begins, and where the decision about its condition is taken."""
        for edge in self.decisions(place):
            if edge.reference.branch == "then":
                yield edge.target, edge.source

    def _within(self, place: Place, begin: Point, end: Point) -> list[Edge]:
        """The edges whose operations stand between two points, in the function of the place if it has one."""
        lines = (Place(place.file, line, 0, place.function) for line in range(begin[0], end[0] + 1))
        edges = (edge for line in lines for edge in self.on_line(line))
        return [edge for edge in edges if begin <= (edge.reference.line, edge.reference.column) <= end]

    # ---- and back

    @cached_property
    def loops(self) -> dict[int, Place]:
        """The ``while`` or ``for`` whose condition is evaluated next at a location, if at no other one."""
        found: dict[int, Place] = {}
        for edge in self._main_edges:
            reference = edge.reference
            place = Place(self.program.main_file, reference.line, reference.column, reference.function)
            if reference.branch == "then" and self.text.word((place.line, place.column)) in ("while", "for"):
                heads = self.loop_heads(place)
                if len(heads) == 1:  # what holds at one of several heads need not hold at the others
                    found.setdefault(heads[0], place)
        return found

    @cached_property
    def do_loops(self) -> dict[int, list[DoLoop]]:
        """The ``do`` loops by the location where a round begins: those whose condition has no effects."""
        found: dict[int, list[DoLoop]] = {}
        for edge in self._main_edges:
            reference, operation = edge.reference, edge.operation
            place = Place(self.program.main_file, reference.line, reference.column, reference.function)
            if reference.branch != "then" or self.text.word((place.line, place.column)) != "do":
                continue
            condition = self.text.do_condition((place.line, place.column))
            if condition is None or self._within(place, *condition) or not isinstance(operation, Assume):
                continue
            if len(list(self._do_places(place))) == 1:
                found.setdefault(edge.target, []).append(DoLoop(place, operation, edge.source))
        return found


class DoLoop(Struct, frozen=True):
    """The keyword of a ``do``, the outcome of its condition with which there is another round, and the location where
    the condition is evaluated."""

    place: Place
    again: Assume
    decision: int


def called(edge: Edge) -> str | None:
    """The name of the function that an edge calls."""
    match edge.operation:
        case Call(function=name) | Halt(function=name) | Input(function=name):
            return name
    return None


def _base(name: str) -> str:
    """The last part of a path of any system."""
    return PurePath(name.replace("\\", "/")).name


def _first_locations(edges: Iterable[Edge]) -> Iterator[int]:
    """The locations at which the control enters a set of edges: their sources that none of the others leads to.

    In a set that is one cycle, the source of the first edge in the order of the program.
    """
    ordered = sorted(edges, key=lambda edge: edge.number)
    functions: dict[str, list[Edge]] = {}
    for edge in ordered:
        functions.setdefault(edge.reference.function, []).append(edge)
    for group in functions.values():
        targets = {edge.target for edge in group}
        sources = dict.fromkeys(edge.source for edge in group)
        entries = [source for source in sources if source not in targets]
        yield from entries or [group[0].source]
