"""Conditions: decisions of statements and of ``?:``, and short-circuit evaluation (ISO C 6.5.13 to 6.5.15)."""

from __future__ import annotations

from pycparser import c_ast

from gia.cfa.expressions import Cast, Expression, IntegerConstant
from gia.cfa.operations import Assign, Assume
from gia.cfa.types import INT, VOID, CType, IntegerType, PointerType, StructType, is_scalar
from gia.errors import Position
from gia.frontend import operators, wide_bit_fields
from gia.frontend.conversions import common_type, convert, integer, promote
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.lowering.expressions import ExpressionLowering
from gia.frontend.operators import TypingError
from gia.frontend.parsing.syntax import Node
from gia.frontend.probes import ConditionProbe, SwitchProbe


class ConditionLowering:
    """Lowers conditions in one function."""

    def __init__(self, context: FunctionContext, expressions: ExpressionLowering) -> None:
        self._context = context
        self._graph = context.graph
        self._expressions = expressions

    def truth(self, node: Node) -> Expression:
        """The scalar value of an expression that is compared with zero."""
        value = wide_bit_fields.unmarked(self._expressions.handed_on(node))
        if not is_scalar(value.type):
            raise TypingError(f"a condition has type {value.type}")
        return value

    def decide(self, node: Node, keyword: int) -> tuple[int, int]:
        """Evaluate a condition and add its two decision edges; the locations behind them, for true and for false.

        ``keyword`` is the offset of the deciding keyword (or ``?``), which gives the edges their position.
        """
        condition = self.truth(node)
        unit = self._context.unit
        text = unit.text(node)
        edges, targets = self._fork(condition, unit.source.position(keyword), text, self._branches(keyword))
        begin, end = unit.extent(node)
        self._add_probe(begin, end, edges, keyword)
        return targets

    def decide_always(self, keyword: int, place: int) -> tuple[int, int]:
        """The decision of ``for`` without a condition, which would stand at the offset ``place``."""
        edges, targets = self._fork(
            integer(1), self._context.unit.source.position(keyword), "1", self._branches(keyword)
        )
        self._add_probe(place, place, edges, keyword)
        return targets

    def _branches(self, keyword: int) -> tuple[str, str]:
        """The outcomes; without names, and so no goals, in code of system headers."""
        return ("", "") if self._context.unit.source.is_foreign(keyword) else ("then", "else")

    def _fork(
        self,
        condition: Expression,
        position: Position,
        text: str,
        branches: tuple[str, str],
        *,
        kind: str = "assume",
        targets: tuple[int, int] | None = None,
    ) -> tuple[tuple[int, int], tuple[int, int]]:
        """Add the two edges of a condition from here; their numbers and the locations that they lead to."""
        here = self._graph.here
        yes, no = targets or (self._graph.location(), self._graph.location())
        first = self._graph.emit(Assume(condition, True), position, text, kind=kind, branch=branches[0], target=yes)
        second = self._graph.emit(
            Assume(condition, False), position, f"!({text})", kind=kind, branch=branches[1], source=here, target=no
        )
        return (first, second), (yes, no)

    def _add_probe(self, begin: int, end: int, edges: tuple[int, int], keyword: int) -> None:
        unit = self._context.unit
        if not self._graph.suspended and not unit.source.in_system_header(keyword):
            visible = self._context.visible(begin)
            unit.add_probe(lambda number: ConditionProbe(number, begin, end, edges, visible))

    # ------------------------------------------------------------------ && and ||
    def logical(self, node: Node) -> Expression:
        """The value of ``&&`` or ``||``: an expression if evaluating both sides has no effect, else control flow."""
        if self._graph.suspended or self._context.effects.is_pure(node):
            return operators.logical(node.op, self.truth(node.left), self.truth(node.right))
        result = self._graph.reference(INT)
        yes, no, behind = self._graph.location(), self._graph.location(), self._graph.location()
        self._short_circuit(node, yes, no)
        position, text = self._context.unit.position(node), result.variable.name
        for location, number in ((yes, 1), (no, 0)):
            operation = Assign(result, integer(number))
            self._graph.emit(operation, position, f"{text} = {number}", source=location, target=behind)
        return result

    def _short_circuit(self, node: Node, yes: int, no: int) -> None:
        """Evaluate a condition from here on and go to ``yes`` if it is true, to ``no`` if it is false."""
        splits = self._context.unit.atomic or not self._context.effects.is_pure(node)
        if splits and isinstance(node, c_ast.BinaryOp) and node.op in ("&&", "||"):
            between = self._graph.location()
            if node.op == "&&":
                self._short_circuit(node.left, between, no)
            else:
                self._short_circuit(node.left, yes, between)
            self._graph.start(between)
            self._short_circuit(node.right, yes, no)
        elif splits and isinstance(node, c_ast.UnaryOp) and node.op == "!":
            self._short_circuit(node.expr, no, yes)
        else:
            self._atom(node, yes, no)

    def _atom(self, node: Node, yes: int, no: int) -> None:
        condition = self.truth(node)
        unit = self._context.unit
        offset = node.coord.offset
        position, text = unit.source.position(offset), unit.text(node)
        is_goal = unit.atomic and not unit.source.is_foreign(offset)
        kind, branches = ("atomic", self._branches(offset)) if is_goal else ("assume", ("", ""))
        edges, _ = self._fork(condition, position, text, branches, kind=kind, targets=(yes, no))
        if is_goal:
            begin, end = unit.extent(node)
            self._add_probe(begin, end, edges, offset)

    # ------------------------------------------------------------------ ?:
    def conditional(self, node: Node, used: bool) -> Expression:
        """The value of ``condition ? positive : negative``; GNU C lets the middle be the condition's own value."""
        if self._graph.suspended:
            return self._typed_only(node)
        keyword = self._context.unit.tree.operators[node]
        shared: Expression | None = None
        if node.iftrue is None:
            shared, (yes, no) = self._decide_and_keep(node.cond, keyword)
        else:
            yes, no = self.decide(node.cond, keyword)
        values, ends = [], []
        for location, branch in ((yes, node.iftrue), (no, node.iffalse)):
            self._graph.start(location)
            if used and branch is None:
                assert shared is not None
                values.append(shared)
            elif used:
                values.append(self._expressions.value(branch))
            elif branch is not None:
                self._expressions.effect(branch)
            ends.append(self._graph.here)
        return self._merge(node, values, ends)

    def _decide_and_keep(self, node: Node, keyword: int) -> tuple[Expression, tuple[int, int]]:
        """The value of a condition, and the locations behind its decision edges."""
        unit = self._context.unit
        value = self._context.in_temporary(self.truth(node), node)
        position, text = unit.source.position(keyword), unit.text(node)
        (positive, negative), targets = self._fork(value, position, text, self._branches(keyword))
        type_ = value.type
        if isinstance(type_, IntegerType) and not unit.source.in_system_header(keyword):
            begin, end = unit.extent(node)
            unit.add_probe(lambda number: SwitchProbe(number, begin, end, (("0", negative),), positive, type_))
        return value, targets

    def _merge(self, node: Node, values: list[Expression], ends: list[int]) -> Expression:
        """Let both branches meet, their values in one temporary (``values`` is empty if none is needed)."""
        behind = self._graph.location()
        position = self._context.unit.position(node)
        type_ = self._type_of_result(values[0], values[1]) if values else VOID
        if type_ == VOID:
            for end in ends:
                self._graph.start(end)
                self._graph.join(behind, position)
            self._graph.start(behind)
            return operators.NOTHING
        result = self._graph.reference(type_)
        branches = (node.iftrue or node.cond, node.iffalse)
        for value, end, branch in zip(values, ends, branches, strict=True):
            converted = value if isinstance(type_, StructType) else convert(wide_bit_fields.unmarked(value), type_)
            text = f"{result.variable.name} = {self._context.unit.text(branch)}"
            self._graph.emit(Assign(result, converted), position, text, source=end, target=behind)
        return result

    def _typed_only(self, node: Node) -> Expression:
        """The value if the condition is constant, else something of the right type."""
        condition = self.truth(node.cond)
        positive = condition if node.iftrue is None else self._expressions.value(node.iftrue)
        negative = self._expressions.value(node.iffalse)
        type_ = self._type_of_result(positive, negative)
        chosen = negative if isinstance(condition, IntegerConstant) and condition.value == 0 else positive
        chosen = convert(chosen, type_) if is_scalar(type_) else chosen
        if isinstance(condition, IntegerConstant) or not is_scalar(type_):
            return chosen
        return self._graph.reference(type_)

    def _type_of_result(self, positive: Expression, negative: Expression) -> CType:
        """The type of a conditional expression (6.5.15)."""
        left, right = positive.type, negative.type
        if left == right and not isinstance(left, IntegerType):
            return left
        if VOID in (left, right):
            return VOID
        if isinstance(left, PointerType) or isinstance(right, PointerType):
            return _pointer_result(positive, negative)
        types = self._context.types
        if not (operators.is_arithmetic(left) and operators.is_arithmetic(right)):
            raise TypingError(f"operands of ?: have types {left} and {right}")
        known = wide_bit_fields.operands("?:", positive, negative, types, compared=False)
        if known is None:
            raise TypingError("a bit-field wider than int as the result of ?:")
        return common_type(promote(known[0], types).type, promote(known[1], types).type)


def _pointer_result(positive: Expression, negative: Expression) -> CType:
    """The pointer type of a result; a null pointer constant takes the other's type, else ``void *`` wins."""
    left, right = positive.type, negative.type
    if not isinstance(right, PointerType) or _is_null(negative):
        return left
    if not isinstance(left, PointerType) or _is_null(positive):
        return right
    return right if right.target == VOID else left


def _is_null(value: Expression) -> bool:
    return (
        isinstance(value, Cast)
        and value.type == PointerType(VOID)
        and isinstance(value.operand, IntegerConstant)
        and value.operand.value == 0
    )
