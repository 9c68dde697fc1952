"""Control-flow automata ``C = (Loc, l0, G)`` of C programs, one graph per function.

Source: Haltermann & Wehrheim, SoSyM 2024, section 2. Deviation: the graph of a function keeps a call
as one edge from before to after it; :mod:`gia.cfa.supergraph` gives the interprocedural paths, on
which a call edge is followed by the edges of the callee up to one of its return edges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeVar

from msgspec import Struct, field

from gia.cfa.expressions import Expression, Variable
from gia.cfa.operations import Assume, Input, Operation, Unmodelled
from gia.cfa.types import FunctionType, TypeTable
from gia.errors import Position

_Result = TypeVar("_Result")


class EdgeReference(Struct, frozen=True, order=True):
    """What identifies an edge in the source, for any C tool: DESIGN §3.

    ``kind`` is ``assume``, ``atomic``, ``assign``, ``input``, ``call``, ``return``, ``declare``, ``halt``, ``skip``,
    ``label``, ``statement`` (the beginning of one that starts with a decision) or ``unmodelled``. ``branch`` is the
    outcome on decision edges (``then``, ``else``, ``case 3``, ``default``, ``none``), else empty. ``ordinal`` (from 1)
    tells apart edges that agree in all the rest, in the order of evaluation.
    """

    function: str
    line: int
    column: int
    kind: str
    branch: str = ""
    ordinal: int = 1


class Edge(Struct, frozen=True):
    """One edge of ``G``: ``source -operation-> target``; ``number`` is unique in the program.

    ``text`` is the operation as a person would write it; it carries no meaning.
    """

    number: int
    source: int
    target: int
    operation: Operation
    reference: EdgeReference
    file: str
    text: str

    @property
    def position(self) -> Position:
        """Where the operation stands in the original source."""
        return Position(self.file, self.reference.line, self.reference.column)


class Function(Struct, frozen=True, dict=True):
    """The CFA of one function: locations are numbers unique in the program.

    Every path of edges ends in ``exit`` (by :class:`~gia.cfa.operations.Return`) or in a location
    without successors (by :class:`~gia.cfa.operations.Halt`), or it is infinite.
    """

    name: str
    type: FunctionType
    parameters: tuple[Variable, ...]
    locals: tuple[Variable, ...]
    entry: int
    exit: int
    edges: tuple[Edge, ...]
    position: Position
    noreturn: bool = False
    statements: frozenset[int] = frozenset()
    """The numbers of the edges with which a statement begins (:attr:`~gia.cfa.goals.Criterion.STATEMENTS`)."""
    limits: Mapping[Variable, Variable] = field(default_factory=dict)
    """Parameters from which on the function writes only as many bytes as another one says, whatever is done with its
    other parameters: a promise that models of the library make."""

    @cached_property
    def leaving(self) -> Mapping[int, tuple[Edge, ...]]:
        """The edges that leave each location, in the order of the source."""
        result: dict[int, list[Edge]] = {self.entry: [], self.exit: []}
        for edge in self.edges:
            result.setdefault(edge.source, []).append(edge)
            result.setdefault(edge.target, [])
        return {location: tuple(edges) for location, edges in result.items()}

    @cached_property
    def entering(self) -> Mapping[int, tuple[Edge, ...]]:
        """The edges that lead to each location, in the order of the source; none to most entries."""
        result: dict[int, list[Edge]] = {}
        for edge in self.edges:
            result.setdefault(edge.target, []).append(edge)
        return {location: tuple(edges) for location, edges in result.items()}


class Initialiser(Struct, frozen=True):
    """The initial value of a static object: ``assignments`` to parts of it, the rest is zero."""

    variable: Variable
    assignments: tuple[tuple[Expression, Expression], ...] = ()


EFFECT_SUFFIX = "__changes"
"""Behind the name of a function that has a result and no body: a function without a result that does what that one may
do to the memory that it is given."""


class ExternalFunction(Struct, frozen=True):
    """A function without a body: a library function, or an undefined one that is treated as an input."""

    name: str
    type: FunctionType
    is_input: bool
    position: Position
    most: int | None = None
    """The largest value of an input that has no negative ones; ``None``: it has all of its type."""
    never_returns: bool = False
    """Whether it is declared so, and is neither of the library nor one of those that end a path (DESIGN §9)."""


class Program(Struct, frozen=True, dict=True):
    """A whole program: the CFAs of its functions and everything static.

    ``statics`` lists all globals and static locals with their initial values, in source order.
    ``main_file`` is the name of the source as the user gave it, ``sha256`` the hash of its bytes.
    """

    main_file: str
    sha256: str
    types: TypeTable
    functions: Mapping[str, Function]
    statics: tuple[Initialiser, ...]
    externals: Mapping[str, ExternalFunction]
    entry: str
    address_taken: frozenset[Variable] = field(default_factory=frozenset)
    """Variables that something other than their name may read or write (arrays and structs included when decayed)."""

    def edges(self) -> Iterator[Edge]:
        """All edges, in the order of their numbers."""
        return iter(self.edge_list)

    @cached_property
    def edge_list(self) -> tuple[Edge, ...]:
        """All edges of all functions; ``edge_list[n].number == n``."""
        found = [edge for function in self.functions.values() for edge in function.edges]
        return tuple(sorted(found, key=lambda edge: edge.number))

    def derived(self, analysis: Callable[[Program], _Result]) -> _Result:
        """What the analysis says of the program, computed once: a program does not change."""
        if analysis not in self._derived:
            self._derived[analysis] = analysis(self)
        result: _Result = self._derived[analysis]
        return result

    @cached_property
    def _derived(self) -> dict[Callable[[Program], Any], Any]:
        return {}

    @property
    def reads_inputs(self) -> bool:
        """Whether an operation takes an input; if not, no test makes a difference."""
        operations = [edge.operation for edge in self.edge_list]
        return any(
            isinstance(found, Input) or (isinstance(found, Unmodelled) and found.reads_input) for found in operations
        )

    @cached_property
    def unconditional(self) -> frozenset[EdgeReference]:
        """The edges that are neither conditions nor inputs: those whose effect an exchange file need not mention."""
        return frozenset(e.reference for e in self.edge_list if not isinstance(e.operation, Assume | Input))

    @cached_property
    def condition_texts(self) -> dict[int, str]:
        """The conditions of assume edges as exchange files have them, by the numbers of the edges, as far as they were
        asked for: each test mentions thousands, mostly the same."""
        return {}

    @cached_property
    def by_reference(self) -> Mapping[EdgeReference, Edge]:
        """The edges by what identifies them in an exchange file."""
        return {edge.reference: edge for edge in self.edge_list}

    @cached_property
    def function_of_location(self) -> Mapping[int, str]:
        """The function that each location belongs to."""
        return {location: name for name, function in self.functions.items() for location in function.leaving}
