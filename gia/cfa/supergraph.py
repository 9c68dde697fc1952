"""The interprocedural graph of a program with its calls inlined: which edge may follow which, in which call context.

Source: the paths of Haltermann & Wehrheim, SoSyM 2024, section 2, where a call edge is followed by the edges of the
callee up to one of its return edges. The graph is never built as a whole: :meth:`Supergraph.successors` gives it node
by node, and it is finite because recursion is cut at a limit.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import Final, NamedTuple

from gia.cfa.contracts import Contracts, contracts_of
from gia.cfa.graph import Edge, Function, Program
from gia.cfa.operations import Call, Return
from gia.errors import InputError

Context = tuple[int, ...]
"""The numbers of the call edges on the inlined stack, outermost first; ``()`` is the entry function's frame."""


class Node(NamedTuple):
    """A location in a call context.

    ``rounds`` tell copies of it apart where loops are unrolled (:mod:`gia.smt.invariants.rounds`); in a
    supergraph there is none: ``()``.
    """

    context: Context
    location: int
    rounds: tuple[tuple[int, ...], ...] = ()


UNROLLED_RECURSION: Final = 250
"""The limit of recursion for who follows a program to its end: loops and recursion are no cycles then."""


class StepKind(StrEnum):
    """How a step changes the stack."""

    INTRA = "intra"
    """The edge stays in its frame; also the ``Return`` that ends the program."""
    CALL = "call"
    """A call of a defined function: to the entry of the callee, in a new frame."""
    RETURN = "return"
    """A ``Return`` edge of a callee: to the target of the call edge, which assigns the value."""
    EXTERNAL = "external"
    """A call of a function without a body."""


class Step(NamedTuple):
    """One step from a node: the edge that is taken, how it changes the stack, and the node it leads to."""

    edge: Edge
    kind: StepKind
    target: Node


class CutCall(NamedTuple):
    """A call that recursion beyond the limit would make: the frame it stands in and the number of its edge."""

    context: Context
    edge: int


class Supergraph:
    """The inlined graph of ``program``.

    ``recursion_limit`` is how often a function may occur on the stack beyond its first occurrence. A call beyond it
    leads nowhere and is recorded in :attr:`cut_calls`: whoever claims something about all paths must look there.
    """

    def __init__(self, program: Program, recursion_limit: int = 0) -> None:
        if program.entry not in program.functions:
            raise InputError(f"the program does not define its entry function {program.entry}")
        self.program = program
        self.recursion_limit = recursion_limit
        self.entry = Node((), program.functions[program.entry].entry)
        self._stacks: dict[Context, tuple[str, ...]] = {(): (program.entry,)}
        self._cut: dict[CutCall, None] = {}

    @property
    def cut_calls(self) -> tuple[CutCall, ...]:
        """The calls at the recursion limit that :meth:`successors` has met so far, in the order of their discovery."""
        return tuple(self._cut)

    @cached_property
    def contracts(self) -> Contracts:
        """The functions that may be looked at once for all calls, in frames that no step of this graph leads into."""
        return self.program.derived(contracts_of)

    def stack(self, context: Context) -> tuple[str, ...]:
        """The functions on the stack, outermost first; the last one is executed."""
        found = self._stacks.get(context)
        if found is None:
            call = self.call_edge(context).operation
            assert isinstance(call, Call)
            found = self._stacks[context] = (*self.stack(context[:-1]), call.function)
        return found

    def function_of(self, node: Node) -> Function:
        """The function that the node's location belongs to."""
        return self.program.functions[self.stack(node.context)[-1]]

    def call_edge(self, context: Context) -> Edge:
        """The call edge that opened the innermost frame of a context other than ``()``."""
        return self.program.edge_list[context[-1]]

    def successors(self, node: Node) -> tuple[Step, ...]:
        """The steps that leave a node, in the order of the source."""
        steps = []
        for edge in self.function_of(node).leaving[node.location]:
            step = self._step(node, edge)
            if step is not None:
                steps.append(step)
        return tuple(steps)

    def _step(self, node: Node, edge: Edge) -> Step | None:
        """The step along an edge that leaves ``node``, ``None`` for a call at the recursion limit."""
        context = node.context
        match edge.operation:
            case Call(function=name) if name in self.program.functions:
                if self.stack(context).count(name) > self.recursion_limit:
                    self._cut[CutCall(context, edge.number)] = None
                    return None
                entry = self.program.functions[name].entry
                return Step(edge, StepKind.CALL, Node((*context, edge.number), entry))
            case Call():
                return Step(edge, StepKind.EXTERNAL, Node(context, edge.target))
            case Return() if context:
                return Step(edge, StepKind.RETURN, Node(context[:-1], self.call_edge(context).target))
        return Step(edge, StepKind.INTRA, Node(context, edge.target))
