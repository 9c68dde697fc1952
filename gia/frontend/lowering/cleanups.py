"""``__attribute__((cleanup(f)))``: ``f(&variable)`` is called wherever the scope of the variable is left.

Source: GCC manual, *Common Variable Attributes*. The scope reaches from behind the declaration to the end of its block.
It is left at the end, by a jump, and by ``return``, whose value is computed before; not by ``exit`` or ``longjmp``.
"""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct
from pycparser import c_ast

from gia.cfa.expressions import AddressOf, VariableReference
from gia.cfa.types import PointerType
from gia.frontend.lowering.calls import CallLowering
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.parsing.attributes import CLEANUP, attribute_name
from gia.frontend.parsing.syntax import Node
from gia.frontend.symbols import FunctionSymbol

INTO_SCOPE = "a jump into the scope of a variable with a cleanup"


class _Cleanup(Struct, frozen=True):
    """A call that is due where a variable's scope is left; it stands where the attribute does."""

    variable: VariableReference
    function: FunctionSymbol
    call: Node


class _Jump(Struct, frozen=True):
    """A ``goto`` from the location ``start``, where some calls are due, to a label at another location."""

    node: Node
    label: str
    start: int
    location: int
    due: tuple[_Cleanup, ...]


class Cleanups:
    """The calls that are due at the current place of one function, in the order of the declarations."""

    def __init__(self, context: FunctionContext, calls: CallLowering) -> None:
        self._context = context
        self._calls = calls
        self._due: list[_Cleanup] = []
        self._labels: dict[str, tuple[_Cleanup, ...]] = {}
        self._jumps: list[_Jump] = []

    @cached_property
    def is_used(self) -> bool:
        """Whether anything in the function has a cleanup."""
        unit = self._context.unit
        uses = unit.tree.attributes_in.get(unit.defined.get(self._context.name), ())
        return any(use.name == CLEANUP for use in uses)

    @property
    def depth(self) -> int:
        """How many calls are due."""
        return len(self._due)

    def declare(self, declaration: Node, variable: VariableReference) -> None:
        """Note what is due for a variable whose declaration has been lowered."""
        builder = self._context.type_builder
        for attribute in builder.attributes(declaration):
            if attribute_name(attribute) == CLEANUP:
                builder.followed.add(attribute.coord.offset)
                self._due.append(_Cleanup(variable, self._function(attribute), self._call(attribute)))

    def leave(self, depth: int, *, ends: bool = False) -> None:
        """Make the calls for all scopes within the outermost ``depth``; with ``ends``, these are at their end."""
        due = self._due[depth:]
        for cleanup in reversed(due):
            type_ = PointerType(cleanup.variable.type)
            self._calls.named(cleanup.call, cleanup.function, (AddressOf(cleanup.variable, type_),), None)
        if ends:
            del self._due[depth:]

    def require_depth(self, node: Node, depth: int, what: str) -> None:
        """Refuse ``what`` unless just ``depth`` calls are due."""
        if self.depth != depth:
            raise self._context.unit.not_supported(node, what)

    def at_label(self, name: str) -> None:
        """Note what is due at a label."""
        if not self._context.graph.suspended:
            self._labels[name] = tuple(self._due)

    def jump(self, node: Node, label: str, location: int) -> None:
        """``goto``: which calls it makes is known when the label has been seen."""
        if not self._context.graph.suspended:
            self._jumps.append(_Jump(node, label, self._context.graph.here, location, tuple(self._due)))
        self._context.graph.start_unreachable()

    def finish(self) -> None:
        """Let each jump lead to its label; one that enters a scope with a cleanup is refused."""
        graph = self._context.graph
        for jump in self._jumps:
            target = self._labels.get(jump.label, ())
            if target != jump.due[: len(target)]:
                raise self._context.unit.not_supported(jump.node, INTO_SCOPE)
            graph.start(jump.start)
            self._due = list(jump.due)
            self.leave(len(target), ends=True)
            graph.join(jump.location, self._context.unit.position(jump.node))

    def _function(self, attribute: Node) -> FunctionSymbol:
        name = attribute.args.exprs[0].name
        symbol = self._context.function(name)
        if symbol is None or name not in self._context.unit.defined:
            raise self._context.unit.not_supported(attribute, f"the cleanup {name} without a definition")
        return symbol

    def _call(self, attribute: Node) -> Node:
        """A call without a name, since it stands nowhere in the text: nothing can be woven around it."""
        call = c_ast.FuncCall(c_ast.UnaryOp("*", attribute.args.exprs[0]), None, attribute.coord)
        self._context.unit.tree.extents[call] = (attribute.coord.offset, self._context.unit.extent(attribute)[1])
        return call
