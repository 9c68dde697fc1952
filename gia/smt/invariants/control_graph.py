"""Graphs over the inlined program: what is cut into blocks.

A control graph is anything that projects to the inlined program: the supergraph itself, or its product with an
automaton. A call that the supergraph leaves out because of its limit on recursion becomes an arc of which nothing is
known but what the control flow tells: which edges it may execute, and whether it may return.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterator
from enum import StrEnum
from time import monotonic
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from msgspec import Struct

from gia.cfa.contracts import Contracts
from gia.cfa.expressions import Expression, Storage, Variable
from gia.cfa.graph import Edge, Function, Program
from gia.cfa.impossible import is_impossible, needless
from gia.cfa.operations import Call, Return
from gia.cfa.supergraph import Node, Step, Supergraph
from gia.smt.invariants.rounds import Rounds

N = TypeVar("N", bound=Hashable)


class OutOfTimeError(Exception):
    """The deadline of a computation has passed; its caller keeps what was finished before."""


class TooLargeError(Exception):
    """A graph has more nodes than the limit that its caller gave."""


def check_deadline(deadline: float) -> None:
    """Raise :class:`OutOfTimeError` when ``deadline`` (a value of ``time.monotonic``) has passed."""
    if monotonic() >= deadline:
        raise OutOfTimeError


Requirement = tuple[Expression, bool]
"""A condition and the outcome that it must have."""


class ArcKind(StrEnum):
    """What an arc stands for."""

    STEP = "step"
    """A step of the inlined program."""
    UNKNOWN = "unknown"
    """A call of which nothing is known: whatever it does, it may return to the target."""
    ENTER = "enter"
    """A call of a function that is looked at once for all calls: the target is where all of them begin."""
    SUMMARY = "summary"
    """Such a call, from its beginning to its end: if it returns, then as the function's contract says."""
    LEAVE = "leave"
    """The end of such a call: the target is where its contract has to hold."""


class Arc(NamedTuple, Generic[N]):
    r"""One step of a graph: the edge that is taken and the node it leads to.

    ``step`` is ``None`` for all kinds but the first. ``contract`` is, for a summary, where the function ends. An edge
    may have several arcs from one node, numbered by ``case``, whose ``requirements`` (on the state behind the edge;
    ``\result`` is the input that it read) exclude each other and leave nothing out.
    """

    edge: Edge
    step: Step | None
    target: N
    case: int = 0
    requirements: tuple[Requirement, ...] = ()
    kind: ArcKind = ArcKind.STEP
    contract: N | None = None
    ends: bool = False
    """Whether nothing follows the edge: it calls a function that never returns, or no execution takes it."""

    def leads_into(self, nodes: Container[N]) -> bool:
        """Whether the arc leads to one of ``nodes``."""
        return not self.ends and self.target in nodes

    def points_into(self, nodes: Container[N]) -> bool:
        """Whether a path of the program does, as its edges are: no matter that no execution takes them."""
        return self.target in nodes and (not self.ends or is_impossible(self.edge))


class ArcKey(NamedTuple, Generic[N]):
    """Identifies an arc: the node that it leaves, the number of its edge, and the case."""

    source: N
    edge: int
    case: int = 0


class ControlGraph(Protocol[N]):
    """A finite graph over the inlined program.

    Law: for every execution of the program there is a walk from ``entry`` whose places and edges are those of the
    execution, except that an arc without a step stands for all that happens inside the call.
    """

    @property
    def entry(self) -> N:
        """Where every execution begins."""
        ...

    def place(self, node: N) -> Node:
        """Where in the inlined program a node is."""
        ...

    def arcs(self, node: N) -> tuple[Arc[N], ...]:
        """The arcs that leave a node, always in the same order."""
        ...


class EndingGraph(Struct, Generic[N], frozen=True):
    """A graph in which nothing follows the steps that ``ended`` names.

    If none of these can be executed in it, none can be in ``graph`` either: an execution that takes one is, up to the
    first one, an execution of this graph.
    """

    graph: ControlGraph[N]
    ended: Callable[[N, Arc[N]], bool]

    @property
    def entry(self) -> N:
        """Where every execution begins."""
        return self.graph.entry

    def place(self, node: N) -> Node:
        """Where in the inlined program a node is."""
        return self.graph.place(node)

    def arcs(self, node: N) -> tuple[Arc[N], ...]:
        """Those of the graph; some of them end."""
        return tuple(arc._replace(ends=True) if self._ends(node, arc) else arc for arc in self.graph.arcs(node))

    def _ends(self, node: N, arc: Arc[N]) -> bool:
        return arc.kind is ArcKind.STEP and self.ended(node, arc)


class InlinedGraph:
    """The supergraph as a :class:`ControlGraph`: a call that recursion cut off becomes an arc without a step.

    With ``contracts``, it becomes two if its function is one of them: one enters the function, in the frame that stands
    for all calls of it, one is a summary of the call. With ``rounds``, the loops that they are of are unrolled.
    """

    def __init__(self, supergraph: Supergraph, contracts: bool = False, rounds: Rounds | None = None) -> None:
        self.supergraph = supergraph
        self.rounds = rounds or Rounds(supergraph, {})
        self.contracts = supergraph.contracts if contracts else Contracts(supergraph.program, {})
        self.returning = returning_functions(supergraph.program)

    @property
    def entry(self) -> Node:
        """The entry of the program."""
        return self.supergraph.entry

    def place(self, node: Node) -> Node:
        """The node itself."""
        return node

    def arcs(self, node: Node) -> tuple[Arc[Node], ...]:
        """The steps of the supergraph and the calls that it cuts off."""
        return tuple(
            Arc(
                move.edge,
                move.step,
                move.target,
                kind=move.kind,
                contract=move.contract,
                ends=nothing_follows(self.supergraph.program, move.edge, move.kind, self.returning),
            )
            for move in moves_of(self.supergraph, node, self.contracts, self.rounds)
        )


OVER_A_CALL: Final = (ArcKind.UNKNOWN, ArcKind.SUMMARY)
"""The kinds of arcs that lead over a call, to where it returns."""


class Move(NamedTuple):
    """What an edge that leaves a node of the inlined program stands for; as in :class:`Arc`."""

    edge: Edge
    step: Step | None
    target: Node
    kind: ArcKind
    contract: Node | None = None


def moves_of(supergraph: Supergraph, node: Node, contracts: Contracts, rounds: Rounds) -> Iterator[Move]:
    """The moves along every edge that leaves a node; a call of a function with a contract has two."""
    steps = {step.edge.number: step for step in supergraph.successors(node)}
    framed = contracts.function_in(node.context)
    for edge in supergraph.function_of(node).leaving[node.location]:
        step = steps.get(edge.number)
        behind = rounds.behind(node, edge, step, step.target if step else Node(node.context, edge.target))
        if framed is not None and isinstance(edge.operation, Return):
            yield Move(edge, None, Node(node.context, framed.exit), ArcKind.LEAVE)
        elif step is not None:
            yield Move(edge, step, behind, ArcKind.STEP)
        else:
            assert isinstance(edge.operation, Call)
            called = supergraph.program.functions[edge.operation.function]
            frame = contracts.contexts.get(called.name)
            if frame is None:
                yield Move(edge, None, behind, ArcKind.UNKNOWN)
            else:
                yield Move(edge, None, Node(frame, called.entry), ArcKind.ENTER)
                yield Move(edge, None, behind, ArcKind.SUMMARY, Node(frame, called.exit))


def returning_functions(program: Program) -> frozenset[str]:
    """The functions from whose entry some path of edges leads to a return, as far as the control flow tells."""
    returning: set[str] = set()
    changed = True
    while changed:
        found = {
            name
            for name, function in program.functions.items()
            if any(isinstance(edge.operation, Return) for edge in _executed(program, function, returning))
        }
        changed = found != returning
        returning = found
    return frozenset(returning)


def may_return(program: Program, edge: Edge, returning: Container[str]) -> bool:
    """Whether something may follow an edge: it calls no defined function, or one of ``returning``."""
    match edge.operation:
        case Call(function=name) if name in program.functions:
            return name in returning
    return True


def nothing_follows(program: Program, edge: Edge, kind: ArcKind, returning: Container[str]) -> bool:
    """Whether no execution goes on behind an arc: none takes it, or it leads over a call that never returns."""
    if kind in OVER_A_CALL:
        return not may_return(program, edge, returning)
    return edge.number in program.derived(needless)


def visible_variables(supergraph: Supergraph, node: Node) -> tuple[Variable, ...]:
    """The variables that denote exactly one object at a node: static ones, then those of each frame of the stack.

    Temporaries of the front end are left out, and so are the variables of functions that occur twice on the stack.
    """
    program = supergraph.program
    found = [initialiser.variable for initialiser in program.statics]
    stack = supergraph.stack(node.context)
    framed = supergraph.contracts.function_in(node.context[:1])
    if framed is not None:  # the frame below it is that of nobody
        found += supergraph.contracts.ghosts_at(node.context[:1], node.location)
        stack = stack[1:] if node.location != framed.exit else ()
    for name in dict.fromkeys(stack):
        if stack.count(name) == 1:
            function = program.functions[name]
            found += [*function.parameters, *function.locals]
    return tuple(variable for variable in dict.fromkeys(found) if variable.storage is not Storage.TEMPORARY)


def edges_below(program: Program, name: str, returning: Container[str]) -> frozenset[int]:
    """The edges that a call of function ``name`` may execute; ``returning`` are the functions that may return."""
    found: set[int] = set()
    pending, called = [name], {name}
    while pending:
        for edge in _executed(program, program.functions[pending.pop()], returning):
            found.add(edge.number)
            match edge.operation:
                case Call(function=callee) if callee in program.functions and callee not in called:
                    called.add(callee)
                    pending.append(callee)
    return frozenset(found)


def _executed(program: Program, function: Function, returning: Container[str]) -> Iterator[Edge]:
    """The edges of a function that a path from its entry executes."""
    pending, seen = [function.entry], {function.entry}
    while pending:
        for edge in function.leaving[pending.pop()]:
            yield edge
            if edge.target not in seen and may_return(program, edge, returning):
                seen.add(edge.target)
                pending.append(edge.target)
