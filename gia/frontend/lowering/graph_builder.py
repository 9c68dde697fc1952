"""Building the graph of one function: edges at a current location, and locations that turn out to be one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct, field
from msgspec.structs import replace

from gia.cfa.expressions import Storage, Variable, VariableReference
from gia.cfa.graph import Edge, EdgeReference
from gia.cfa.operations import (
    Assign,
    Assume,
    Call,
    Declare,
    Halt,
    Input,
    Operation,
    Return,
    Skip,
    Unmodelled,
)
from gia.cfa.types import CType
from gia.errors import Position

KINDS: dict[type[Operation], str] = {
    Skip: "skip",
    Declare: "declare",
    Assign: "assign",
    Assume: "assume",
    Input: "input",
    Call: "call",
    Return: "return",
    Halt: "halt",
    Unmodelled: "unmodelled",
}
_TEXT_LENGTH = 300


class Numbering(Struct):
    """The numbers and references that are unique in the whole program."""

    edges: int = 0
    locations: int = 0
    references: Counter[tuple[str, int, int, str, str]] = field(default_factory=Counter)

    def location(self) -> int:
        """A new location."""
        self.locations += 1
        return self.locations - 1


class GraphBuilder:
    """The graph of the function ``name``, which grows at the location ``here``.

    ``join`` makes the current location the same as another one, so that no edges without meaning are needed where
    paths meet. While ``suspended`` (operands of ``sizeof``), nothing is recorded.
    """

    def __init__(self, name: str, numbering: Numbering) -> None:
        self.name = name
        self._numbering = numbering
        self._edges: list[Edge] = []
        self._same: dict[int, int] = {}
        self._entered: set[int] = set()
        self._temporaries = 0
        self.suspended = False
        self.locals: list[Variable] = []
        self.statements: set[int] = set()
        self.entry = self.location()
        self.exit = self.location()
        self.here = self.entry
        self._entered.add(self.entry)

    # ------------------------------------------------------------------ locations
    def location(self) -> int:
        """A new location without edges."""
        return self._numbering.location()

    def start(self, location: int) -> None:
        """Continue at ``location``."""
        self.here = location

    def start_unreachable(self) -> None:
        """Continue at a new location, behind a jump."""
        self.here = self.location()

    def representative(self, location: int) -> int:
        """The location that stands for all that were joined with ``location``."""
        found = location
        while found in self._same:
            found = self._same[found]
        while location != found:  # shorten the way for the next time
            self._same[location], location = found, self._same[location]
        return found

    def join(self, location: int, position: Position) -> None:
        """Let the current location, from which nothing leads on yet, be ``location``; continue nowhere."""
        if self.suspended:
            return
        here, there = self.representative(self.here), self.representative(location)
        if here == there:
            self.emit(Skip(), position, "empty loop", target=location)
        else:
            self._same[here] = there
            if here in self._entered:
                self._entered.add(there)
        self.start_unreachable()

    @property
    def is_entered(self) -> bool:
        """Whether an edge leads to the current location (or it is the entry)."""
        return self.representative(self.here) in self._entered

    # ------------------------------------------------------------------ edges
    def emit(
        self,
        operation: Operation,
        position: Position,
        text: str,
        *,
        kind: str | None = None,
        branch: str = "",
        source: int | None = None,
        target: int | None = None,
    ) -> int:
        """Add an edge from ``source`` (default: here) to ``target`` (default: a new location), and continue there.

        Returns the number of the edge, -1 while suspended.
        """
        if self.suspended:
            return -1
        begin = self.here if source is None else source
        end = self.location() if target is None else target
        key = (self.name, position.line, position.column, kind or KINDS[type(operation)], branch)
        self._numbering.references[key] += 1
        reference = EdgeReference(*key, self._numbering.references[key])
        shown = " ".join(text.split())
        shown = shown if len(shown) <= _TEXT_LENGTH else f"{shown[: _TEXT_LENGTH - 1]}…"
        self._edges.append(Edge(self._numbering.edges, begin, end, operation, reference, position.file, shown))
        self._numbering.edges += 1
        self._entered.add(self.representative(end))
        self.here = end
        return self._numbering.edges - 1

    def begin_statement(self, number: int) -> int | None:
        """The first edge from ``number`` on that does something is the beginning of a statement.

        Its number; ``None`` if there is none, or if it is a decision, whose outcome the statement leaves open.
        """
        begin = len(self._edges) - (self._numbering.edges - number)
        since = (self._edges[index] for index in range(begin, len(self._edges)))
        first = next((edge for edge in since if not isinstance(edge.operation, Declare)), None)
        if first is None or isinstance(first.operation, Assume):
            return None
        self.statements.add(first.number)
        return first.number

    @property
    def next_edge(self) -> int:
        """The number of the next edge."""
        return self._numbering.edges

    def edges(self) -> tuple[Edge, ...]:
        """All edges, with joined locations replaced by the one that stands for them."""
        same = self.representative
        return tuple(replace(edge, source=same(edge.source), target=same(edge.target)) for edge in self._edges)

    @contextmanager
    def unevaluated(self) -> Iterator[None]:
        """Within, expressions are typed but leave no edges and no variables."""
        before = (self.suspended, self.here, self._temporaries, len(self.locals))
        self.suspended = True
        try:
            yield
        finally:
            self.suspended, self.here, self._temporaries, count = before
            if not self.suspended:
                del self.locals[count:]

    # ------------------------------------------------------------------ variables
    def temporary(self, type_: CType) -> Variable:
        """A new temporary of this function."""
        self._temporaries += 1
        variable = Variable(f"$t{self._temporaries}", type_, Storage.TEMPORARY, self.name)
        self.locals.append(variable)
        return variable

    def reference(self, type_: CType) -> VariableReference:
        """A new temporary as an lvalue."""
        return VariableReference(self.temporary(type_))
