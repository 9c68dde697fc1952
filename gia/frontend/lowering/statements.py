"""Statements as control flow (ISO C 6.8)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec import Struct
from pycparser import c_ast
from pycparserext import ext_c_parser as ext

from gia.cfa.expressions import Expression, IntegerConstant, VariableReference
from gia.cfa.operations import Return, Skip
from gia.cfa.types import VOID, StructType, is_scalar
from gia.frontend import operators
from gia.frontend.conversions import decay, integer
from gia.frontend.lowering.cleanups import INTO_SCOPE, Cleanups
from gia.frontend.lowering.conditions import ConditionLowering
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.lowering.expressions import ExpressionLowering
from gia.frontend.lowering.local_declarations import LocalDeclarations
from gia.frontend.lowering.switches import Switch, SwitchLowering
from gia.frontend.parsing.syntax import ComputedGoto, Node, defines_tag, within
from gia.frontend.probes import NoValueProbe, StatementProbe, Visible

Extent = tuple[int, int]
"""Where a text begins and ends, as offsets."""


class _Target(Struct, frozen=True):
    """Where ``break`` or ``continue`` leads, and how many cleanups are due there."""

    location: int
    depth: int


class StatementLowering:
    """Lowers statements in one function."""

    def __init__(
        self,
        context: FunctionContext,
        expressions: ExpressionLowering,
        conditions: ConditionLowering,
        declarations: LocalDeclarations,
        cleanups: Cleanups,
    ) -> None:
        self._context = context
        self._graph = context.graph
        self._expressions = expressions
        self._conditions = conditions
        self._declarations = declarations
        self._cleanups = cleanups
        self._switches = SwitchLowering(context, expressions)
        self._labels: dict[str, int] = {}
        self._breaks: list[_Target] = []
        self._continues: list[_Target] = []
        self._open_switches: list[Switch] = []
        self._without_probe: set[Node] = set()
        self._declaration: Extent | None = None
        self._by_class: dict[type, Callable[[Node], None]] = {
            c_ast.Compound: self._compound,
            c_ast.If: self._if,
            c_ast.While: self._while,
            c_ast.DoWhile: self._do,
            c_ast.For: self._for,
            c_ast.Switch: self._switch,
            c_ast.Case: self._case,
            c_ast.Default: self._case,
            c_ast.Label: self._label,
            c_ast.Goto: self._goto,
            ComputedGoto: self._computed_goto,
            c_ast.Break: self._break,
            c_ast.Continue: self._continue,
            c_ast.Return: self._return,
            c_ast.EmptyStatement: lambda node: None,
            c_ast.Pragma: context.type_builder.pragma,
            c_ast.StaticAssert: lambda node: None,
            c_ast.Decl: self._declarations.declare,
            c_ast.Typedef: self._declarations.define_type,
            c_ast.DeclList: lambda node: self._all(node.decls),
            ext.Asm: self._assembly,
        }

    # ------------------------------------------------------------------ interface
    def function_body(self, body: Node, end: Node) -> None:
        """Lower the body of the function, up to the return at its end; ``end`` is where that stands."""
        self._all(body.block_items or ())
        self._cleanups.leave(0, ends=True)
        if self._graph.is_entered:
            value = integer(0) if self._context.name == "main" and self._context.result != VOID else None
            if value is None:
                self._probe_no_value(end.coord.offset, end.coord.offset)
            self._graph.emit(Return(value), self._context.unit.position(end), "return", target=self._graph.exit)
        self._cleanups.finish()

    def statement(self, node: Node | list[Node]) -> None:
        """Lower one statement."""
        if isinstance(node, list):
            self._all(node)
            return
        extent = self._extent_of_goal(node)
        visible = None if extent is None else self._context.visible(extent[0])
        first = self._graph.next_edge
        if extent is not None and _has_decision(node):
            self._graph.emit(Skip(), self._context.unit.position(node), self._context.unit.text(node), kind="statement")
        method = self._by_class.get(type(node))
        if method is not None:
            method(node)
        else:
            self._expressions.effect(node)
        begin = None if extent is None else self._graph.begin_statement(first)
        if begin is not None and extent is not None:
            self._probe(extent, begin, visible, isinstance(node, c_ast.Decl))

    def _extent_of_goal(self, node: Node) -> Extent | None:
        """The text of a statement that is a goal of its own; the declarators of one declaration share its text."""
        extent = self._context.unit.tree.statements.get(node)
        if not isinstance(node, c_ast.Decl):
            self._declaration = None
        elif extent is not None:
            self._declaration = extent
        else:
            extent = self._declaration
        hidden = node in self._without_probe or self._context.unit.is_foreign(node)
        return None if hidden or isinstance(node, _NO_GOAL) else extent

    def statement_expression(self, node: Node, used: bool) -> Expression:
        """The value of ``({ … })``: that of its last statement if it is an expression."""
        items = _flat(node.block_items or ())
        depth = self._cleanups.depth
        with self._context.block():
            last = items[-1] if items else None
            if last is None:
                return operators.NOTHING
            self._all(items[:-1])
            while isinstance(last, c_ast.Label):
                self._at_label(last)
                last = last.stmt
            self._without_probe.add(last)
            is_value = last in self._context.unit.tree.extents  # a block is none, another statement expression is
            if type(last) in self._by_class and not is_value:
                self.statement(last)
                self._cleanups.leave(depth, ends=True)
                return operators.NOTHING
            value = decay(self._expressions.lower(last, used))
            if self._cleanups.depth > depth and used and value.type != VOID:
                value = self._context.in_temporary(value, last)
            self._cleanups.leave(depth, ends=True)
            return value

    # ------------------------------------------------------------------ blocks
    def _all(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self.statement(node)

    def _compound(self, node: Node) -> None:
        depth = self._cleanups.depth
        with self._context.block():
            self._all(node.block_items or ())
            self._cleanups.leave(depth, ends=True)

    def _probe(self, extent: Extent, edge: int, visible: Visible | None, is_declaration: bool = False) -> None:
        begin, end = extent
        self._context.unit.add_probe(lambda number: StatementProbe(number, begin, end, edge, is_declaration, visible))
        self._declaration = None  # it is observed

    def _skip_to(self, node: Node, text: str, target: int, kind: str | None = None) -> None:
        self._graph.emit(Skip(), self._context.unit.position(node), text, kind=kind, target=target)
        self._graph.start_unreachable()

    def _join(self, location: int, node: Node) -> None:
        self._graph.join(location, self._context.unit.position(node))

    # ------------------------------------------------------------------ selection and iteration
    def _inner(self, node: Node | list[Node]) -> None:
        """A part of a selection or iteration, which is a block of its own even without braces (6.8.4, 6.8.5)."""
        with self._context.block():
            self.statement(node)

    def _if(self, node: Node) -> None:
        behind = self._graph.location()
        with self._context.block():
            yes, no = self._conditions.decide(node.cond, node.coord.offset)
            for location, branch in ((yes, node.iftrue), (no, node.iffalse)):
                self._graph.start(location)
                if branch is not None:
                    self._inner(branch)
                self._join(behind, node)
        self._graph.start(behind)

    def _loop_body(self, node: Node, breaks: int, continues: int) -> None:
        self._breaks.append(_Target(breaks, self._cleanups.depth))
        self._continues.append(_Target(continues, self._cleanups.depth))
        self._inner(node)
        self._breaks.pop()
        self._continues.pop()

    def _while(self, node: Node) -> None:
        head, behind = self._graph.location(), self._graph.location()
        self._join(head, node)
        self._graph.start(head)
        with self._context.block():
            stay, leave = self._conditions.decide(node.cond, node.coord.offset)
            self._graph.start(stay)
            self._loop_body(node.stmt, behind, head)
            self._join(head, node)
        self._graph.start(leave)
        self._join(behind, node)
        self._graph.start(behind)

    def _do(self, node: Node) -> None:
        head, test, behind = (self._graph.location() for _ in range(3))
        self._join(head, node)
        self._graph.start(head)
        self._loop_body(node.stmt, behind, test)
        self._join(test, node)
        self._graph.start(test)
        with self._context.block():
            stay, leave = self._conditions.decide(node.cond, node.coord.offset)
        self._graph.start(stay)
        self._join(head, node)
        self._graph.start(leave)
        self._join(behind, node)
        self._graph.start(behind)

    def _for(self, node: Node) -> None:
        head, step, behind = (self._graph.location() for _ in range(3))
        keyword, depth = node.coord.offset, self._cleanups.depth
        with self._context.block():
            if isinstance(node.init, c_ast.DeclList):
                self._all(node.init.decls)
            elif node.init is not None:
                self._expressions.effect(node.init)
            self._cleanups.require_depth(node, depth, "a cleanup in the first part of a for")
            self._join(head, node)
            self._graph.start(head)
            if node.cond is None:
                stay, leave = self._conditions.decide_always(keyword, self._context.unit.tree.operators[node])
            else:
                stay, leave = self._conditions.decide(node.cond, keyword)
            self._graph.start(stay)
            self._loop_body(node.stmt, behind, step)
            self._join(step, node)
            self._graph.start(step)
            if node.next is not None:
                if defines_tag(node.next):  # it is visible in the body, which comes later in the text
                    raise self._context.unit.not_supported(node.next, "a type defined in the step of a loop")
                self._expressions.effect(node.next)
            self._join(head, node)
        self._graph.start(leave)
        self._join(behind, node)
        self._graph.start(behind)

    # ------------------------------------------------------------------ switch
    def _switch(self, node: Node) -> None:
        behind = self._graph.location()
        with self._context.block():
            value = self._switches.controlling_value(node)
            switch = Switch(self._graph.here, self._cleanups.depth)
            self._graph.start_unreachable()
            self._open_switches.append(switch)
            self._breaks.append(_Target(behind, switch.depth))
            self._inner(node.stmt)
        self._breaks.pop()
        self._open_switches.pop()
        self._join(behind, node)
        self._switches.dispatch(node, value, switch, behind)
        self._graph.start(behind)

    def _case(self, node: Node) -> None:
        switch = self._open_switches[-1]
        self._cleanups.require_depth(node, switch.depth, INTO_SCOPE)
        label = self._graph.location()
        self._join(label, node)
        self._graph.start(label)
        self._switches.add_label(node, switch, label)
        self._all(node.stmts or ())

    # ------------------------------------------------------------------ jumps
    def _location_of(self, label: str) -> int:
        if label not in self._labels:
            self._labels[label] = self._graph.location()
        return self._labels[label]

    def _label(self, node: Node) -> None:
        edge = self._at_label(node)
        extent = self._context.unit.tree.statements.get(node.stmt)
        observed = not (self._graph.suspended or self._context.unit.in_system_header(node))
        if observed and extent is not None and node not in self._without_probe:
            self._probe(extent, edge, self._context.visible(extent[0]))  # behind the label, where jumps come by
        self.statement(node.stmt)

    def _at_label(self, node: Node) -> int:
        """Continue at a label; the edge that stands for it."""
        location = self._location_of(node.name)
        self._join(location, node)
        self._graph.start(location)
        self._cleanups.at_label(node.name)
        edge = self._graph.next_edge
        self._graph.emit(Skip(), self._context.unit.position(node), f"{node.name}:", kind="label")
        return edge

    def _goto(self, node: Node) -> None:
        text = f"goto {node.name}"
        if not self._cleanups.is_used:
            self._skip_to(node, text, self._location_of(node.name))
            return
        self._graph.emit(Skip(), self._context.unit.position(node), text)
        self._cleanups.jump(node, node.name, self._location_of(node.name))

    def _computed_goto(self, node: Node) -> None:
        if self._cleanups.is_used:
            raise self._context.unit.not_supported(node, "a computed goto in a function with a cleanup")
        self._switches.computed_goto(node, self._location_of)

    def _break(self, node: Node) -> None:
        self._leave_to(self._breaks[-1], node, "break")

    def _continue(self, node: Node) -> None:
        self._leave_to(self._continues[-1], node, "continue")

    def _leave_to(self, target: _Target, node: Node, text: str) -> None:
        self._cleanups.leave(target.depth)
        self._skip_to(node, text, target.location)

    def _probe_no_value(self, start: int, end: int) -> None:
        """Note where the function is left without a value, if its result is a scalar; so that it has some."""
        if is_scalar(self._context.result) and not self._graph.suspended:
            self._context.unit.add_probe(lambda number: NoValueProbe(number, start, end))

    def _return(self, node: Node) -> None:
        value: Expression | None = None
        if node.expr is not None and self._context.result == VOID:
            self._expressions.effect(node.expr)
        elif node.expr is not None:
            value = self._expressions.handed_on(node.expr)
            value = operators.assignable(value, self._context.result, self._context.types)
            is_due = self._cleanups.depth > 0 and not isinstance(value, IntegerConstant)
            if is_due or (isinstance(value.type, StructType) and not isinstance(value, VariableReference)):
                value = self._context.in_temporary(value, node)
        else:
            self._probe_no_value(*self._context.unit.tree.statements[node])
        self._cleanups.leave(0)
        text = "return" if node.expr is None else f"return {self._context.unit.text(node.expr)}"
        self._graph.emit(Return(value), self._context.unit.position(node), text, target=self._graph.exit)
        self._graph.start_unreachable()

    # ------------------------------------------------------------------ assembly
    def _assembly(self, node: Node) -> None:
        unit = self._context.unit
        tokens = unit.tree.asm_tokens[node]
        text = unit.source.text[tokens[0].offset : tokens[-1].end]
        if _CHANGES_ROUNDING.search(text):
            raise unit.not_supported(node, "assembly that changes how floats are rounded")
        if "GOTO" in (token.type for token in tokens):
            raise unit.not_supported(node, "assembly that jumps")
        for token in tokens:
            symbol = self._context.scope.find(token.value) if token.type == "ID" else None
            variable = getattr(symbol, "variable", None)
            if variable is not None:
                unit.exposed.add(variable)
        self._context.unmodelled(node, f"{self._context.code_of(text)};", "inline assembly", None)


_CHANGES_ROUNDING = re.compile(r"\b(v?ldmxcsr|fldcw|fldenv|frstor|fx?rstor|xrstor\w*|fninit|finit)\b")

_NO_GOAL = (
    c_ast.Compound,
    c_ast.Case,
    c_ast.Default,
    c_ast.Label,
    c_ast.Typedef,
    c_ast.DeclList,
    c_ast.If,
    c_ast.While,
    c_ast.DoWhile,
    c_ast.For,
    c_ast.Switch,
    c_ast.EmptyStatement,
)
"""What is no statement to be covered: blocks, labels, and decisions, which are goals of branch coverage."""


def _has_decision(node: Node) -> bool:
    """Whether an expression of the statement may be lowered to control flow."""
    return any(isinstance(part, c_ast.TernaryOp) or getattr(part, "op", "") in ("&&", "||") for part in within(node))


def _flat(items: Sequence[Node | list[Node]]) -> list[Node]:
    flat: list[Node] = []
    for item in items:
        flat.extend(item if isinstance(item, list) else [item])
    return flat
