"""``switch`` and computed ``goto``: one location from which one edge leads to each label."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field
from pycparser import c_ast
from pycparserext import ext_c_parser as ext

from gia.cfa.c_expressions import expression_to_c
from gia.cfa.expressions import Binary, Expression, IntegerConstant, VariableReference
from gia.cfa.operations import Assume, Halt
from gia.cfa.types import INT, IntegerType
from gia.frontend import operators
from gia.frontend.conversions import convert, integer, promote
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.lowering.expressions import ExpressionLowering
from gia.frontend.operators import TypingError
from gia.frontend.parsing.syntax import Node
from gia.frontend.probes import SwitchProbe
from gia.frontend.wide_bit_fields import own_width


class _Case(Struct, frozen=True):
    """A ``case`` label: its values, its text in the source, its location."""

    first: int
    last: int
    text: str
    location: int


class Switch(Struct):
    """A ``switch`` whose body is being lowered: where it decides, how many cleanups are due, and its labels so far."""

    start: int
    depth: int
    cases: list[_Case] = field(default_factory=list)
    default: int | None = None


class SwitchLowering:
    """Lowers the decisions of ``switch`` statements in one function."""

    def __init__(self, context: FunctionContext, expressions: ExpressionLowering) -> None:
        self._context = context
        self._graph = context.graph
        self._expressions = expressions

    def controlling_value(self, node: Node) -> Expression:
        """The promoted value of the controlling expression; it does not change in the body."""
        value = self._expressions.value(node.cond)
        if own_width(value, self._context.types) is not None:
            raise self._context.unit.not_supported(node.cond, "a switch on a bit-field wider than int")
        value = promote(value, self._context.types)
        if not isinstance(value.type, IntegerType):
            raise TypingError("a switch on a value that is no integer")
        return value

    def add_label(self, node: Node, switch: Switch, location: int) -> None:
        """Note a ``case`` or ``default`` label of ``switch``."""
        if isinstance(node, c_ast.Default):
            switch.default = location
            return
        ranged = isinstance(node.expr, ext.RangeExpression)
        bounds = (node.expr.first, node.expr.last) if ranged else (node.expr, node.expr)
        first, last = (self._expressions.constant(bound) for bound in bounds)
        if first is None or last is None:
            raise self._context.unit.not_supported(node, "a case label that is not constant")
        texts = [self._context.unit.text(bound) for bound in bounds]
        switch.cases.append(_Case(first, last, " ... ".join(texts) if ranged else texts[0], location))

    def dispatch(self, node: Node, value: Expression, switch: Switch, behind: int) -> None:
        """Add one edge to each label, and one for all other values."""
        unit, graph = self._context.unit, self._graph
        keyword = node.coord.offset
        position, text = unit.source.position(keyword), unit.text(node.cond)
        is_goal = not unit.source.is_foreign(keyword)
        edges: list[tuple[str, int]] = []
        tests: list[Expression] = []
        for case in switch.cases:
            test = self._test(value, case)
            shown = str(case.first) if case.first == case.last else f"{case.first} ... {case.last}"
            branch = f"case {shown}" if is_goal else ""
            tests.append(test)
            edge = graph.emit(
                Assume(test, True),
                position,
                f"{text} == {case.text}",
                branch=branch,
                source=switch.start,
                target=case.location,
            )
            edges.append((case.text, edge))
        outcome = "none" if switch.default is None else "default"
        rest = graph.emit(
            Assume(_any_of(tests), False),
            position,
            f"{text}: no other case",
            branch=outcome if is_goal else "",
            source=switch.start,
            target=behind if switch.default is None else switch.default,
        )
        if is_goal and not graph.suspended:
            begin, end = unit.extent(node.cond)
            assert isinstance(value.type, IntegerType)
            type_, cases = value.type, tuple(edges)
            constant = expression_to_c(value, self._context.c_names) if isinstance(value, IntegerConstant) else None
            unit.add_probe(lambda number: SwitchProbe(number, begin, end, cases, rest, type_, constant))

    def _test(self, value: Expression, case: _Case) -> Expression:
        assert isinstance(value.type, IntegerType)
        first, last = integer(case.first, value.type), integer(case.last, value.type)
        types = self._context.types
        if case.first == case.last:
            return operators.binary("==", value, first, types)
        above, below = operators.binary(">=", value, first, types), operators.binary("<=", value, last, types)
        return operators.logical("&&", above, below)

    def computed_goto(self, node: Node, location_of: Callable[[str], int]) -> None:
        """``goto *pointer``: to the label whose address it is."""
        context, graph = self._context, self._graph
        position, text = context.unit.position(node), f"goto *{context.unit.text(node.target)}"
        pointer = self._expressions.value(node.target)
        if not isinstance(pointer, VariableReference):
            pointer = context.in_temporary(pointer, node.target)
        start = graph.here
        tests: list[Expression] = []
        for label in context.addressed.labels:
            test = Binary("==", pointer, convert(context.label_address(label), pointer.type), INT)
            tests.append(test)
            graph.emit(Assume(test, True), position, f"{text}: {label}", source=start, target=location_of(label))
        graph.emit(Assume(_any_of(tests), False), position, f"{text}: no label", source=start)
        graph.emit(Halt("abort", ()), position, text)
        graph.start_unreachable()


def _any_of(tests: list[Expression]) -> Expression:
    """The disjunction of all tests, as a balanced tree."""
    if not tests:
        return IntegerConstant(0, INT)
    if len(tests) == 1:
        return tests[0]
    middle = len(tests) // 2
    return Binary("||", _any_of(tests[:middle]), _any_of(tests[middle:]), INT)
