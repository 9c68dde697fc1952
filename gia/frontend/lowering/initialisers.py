"""Initialisers as assignments to the parts of an object (ISO C 6.7.9)."""

from __future__ import annotations

from pycparser import c_ast

from gia.cfa.c_expressions import expression_to_c
from gia.cfa.expressions import (
    Expression,
    FloatConstant,
    IntegerConstant,
    LValue,
    Member,
    Storage,
    StringLiteral,
    Subscript,
    VariableReference,
    variables_of,
)
from gia.cfa.graph import Initialiser
from gia.cfa.operations import Assign, Assume
from gia.cfa.types import ArrayType, CType, IntegerType, StructType, is_of_unknown_length
from gia.frontend import literals, operators
from gia.frontend.conversions import integer, size_type, zero
from gia.frontend.lowering.calls import CallLowering
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.lowering.expressions import ExpressionLowering
from gia.frontend.lowering.initialiser_plan import InitialiserPlan, Path
from gia.frontend.operators import TypingError
from gia.frontend.parsing.syntax import Node

LONGEST_UNROLLED = 1024
"""Longer stretches of zeros in an array are written by a loop."""


class InitialiserLowering:
    """Lowers the initialisers of one function's variables, or of those at file scope."""

    def __init__(self, context: FunctionContext, expressions: ExpressionLowering, calls: CallLowering) -> None:
        self._context = context
        self._graph = context.graph
        self._types = context.types
        self._expressions = expressions
        self._calls = calls

    def completed(self, type_: CType, node: Node) -> CType:
        """The type with the number of elements that the initialiser gives to an array without a length."""
        if not isinstance(type_, ArrayType) or type_.length is not None or node is None:
            return type_
        if _is_literal(node):
            return self.type_of_literal(node)
        string = self._string_for(type_, node)
        if string is not None:
            assert isinstance(string.type, ArrayType)
            return ArrayType(type_.element, string.type.length)
        return ArrayType(type_.element, self._plan(type_, node).length)

    def local(self, target: Expression, node: Node) -> None:
        """Add the assignments that initialise a variable of the function; parts without an initialiser become zero."""
        node = _elements(target.type, node)
        if not isinstance(node, c_ast.InitList) and self._string_for(target.type, node) is None:
            self._assign_part(target, node, node)
            return
        plan = self._plan(target.type, node)
        begun = {path[:length] for path in plan.parts for length in range(len(path) + 1)}
        self._zero_rest(target, (), plan, begun, node)
        first: dict[Node, Expression] = {}
        for path, part in plan.parts.items():
            place = self._select(target, path)
            if part in first and not self._context.effects.is_pure(part):  # of a range: evaluated once (GCC manual)
                self._assign(place, first[part], part)
            else:
                self._assign_part(place, part, node)
            first.setdefault(part, place)

    def static(self, target: Expression, node: Node) -> tuple[tuple[Expression, Expression], ...]:
        """The assignments of constants to the parts of a static object that are not zero."""
        plan = self._plan(target.type, _elements(target.type, node), static=True)
        found: list[tuple[Expression, Expression]] = []
        for path, part in plan.parts.items():
            place = self._select(target, path)
            string = self._string_for(place.type, part)
            if string is not None:
                found.extend(self._characters(place, string, with_end=_is_flexible(place)))
                continue
            value = self._constant_value(part, place.type)
            if any(variable.storage is Storage.TEMPORARY for variable in variables_of(value)):
                raise self._context.unit.not_supported(part, "an initialiser that is not constant")
            if not (isinstance(value, IntegerConstant) and value.value == 0) or _is_flexible(place):
                found.append((place, value))
        return tuple(found)

    def _constant_value(self, part: Node, type_: CType) -> Expression:
        try:
            with self._context.unevaluated():
                return operators.assignable(self._expressions.value(part), type_, self._types)
        except TypingError as problem:
            raise self._context.unit.not_supported(part, str(problem)) from None

    def compound_literal(self, node: Node, used: bool) -> Expression:
        """The object of a compound literal, which is initialised."""
        type_ = self.type_of_literal(node)
        context = self._context
        if not context.name:
            variable = context.unit.new_literal(type_)
            plan = self.static(VariableReference(variable), node.init)
            context.unit.statics[variable] = Initialiser(variable, plan)
            return VariableReference(variable)
        variable = context.new_variable("$literal", type_, Storage.LOCAL)
        context.declare_local(variable, node)
        self.local(VariableReference(variable), node.init)
        return VariableReference(variable)

    # ------------------------------------------------------------------ parts
    def _plan(self, type_: CType, node: Node, *, static: bool = False) -> InitialiserPlan:
        try:
            return InitialiserPlan(type_, node, self._types, self._type_of, self._expressions.constant, static=static)
        except TypingError as problem:
            raise self._context.unit.not_supported(node, str(problem)) from None

    def _type_of(self, node: Node) -> CType:
        return self.type_of_literal(node) if _is_literal(node) else self._expressions.type_of(node)

    def type_of_literal(self, node: Node) -> CType:
        """The type of a compound literal."""
        type_ = self._context.type_builder.type_of(node.type, self._context.scope)
        return self.completed(type_, node.init)

    def _select(self, base: Expression, path: Path) -> Expression:
        for step in path:
            if isinstance(base.type, ArrayType) and isinstance(step, int):
                base = Subscript(base, integer(step), base.type.element)
            else:
                assert isinstance(base.type, StructType) and isinstance(step, str)
                base = Member(base, step, self._types.field(base.type, step).type)
        return base

    def _string_for(self, type_: CType, node: Node) -> StringLiteral | None:
        """The string literal that initialises an array of characters."""
        if isinstance(node, c_ast.InitList) and len(node.exprs or ()) == 1:
            node = node.exprs[0]
        characters = isinstance(type_, ArrayType) and isinstance(type_.element, IntegerType)
        if characters and isinstance(node, c_ast.Constant) and node.type == "string":
            return literals.string_literal(node.value)
        return None

    def _characters(
        self, place: Expression, string: StringLiteral, *, with_end: bool = False
    ) -> list[tuple[Expression, Expression]]:
        """The assignments to the elements of an array of characters that a string makes different from zero.

        ``with_end``: and to the last one, which is zero.
        """
        assert isinstance(place.type, ArrayType) and isinstance(place.type.element, IntegerType)
        element = place.type.element
        codes = _characters(string, place.type)
        if with_end:
            codes[len(string.data) // (element.width // 8) - 1] = 0
        return [(Subscript(place, integer(index), element), integer(code, element)) for index, code in codes.items()]

    def _assign_part(self, place: Expression, part: Node, node: Node) -> None:
        string = self._string_for(place.type, part)
        if string is not None:
            for element, value in self._characters(place, string):
                self._assign(element, value, node)
            return
        try:
            value = self._value_for(place, part)
        except TypingError as problem:
            raise self._context.unit.not_supported(part, str(problem)) from None
        if value is not place:
            self._assign(place, value, part)

    def _value_for(self, place: Expression, part: Node) -> Expression:
        """The value for a place, which is the place itself if it is stored there already."""
        if not (isinstance(part, c_ast.FuncCall) and isinstance(place, VariableReference)):
            value = self._expressions.handed_on(part)
        elif (value := self._calls.call(part, True, place)) is place:
            return value
        return operators.assignable(value, place.type, self._types)

    def _assign(self, place: Expression, value: Expression, node: Node) -> None:
        names = self._context.c_names
        constant = isinstance(value, IntegerConstant | FloatConstant)
        shown = expression_to_c(value, names) if constant else self._context.unit.text(node)
        self._context.assign(place, value, node, f"{expression_to_c(place, names)} = {shown}")

    # ------------------------------------------------------------------ zeros
    def _zero_rest(self, place: Expression, path: Path, plan: InitialiserPlan, begun: set[Path], node: Node) -> None:
        """Set to zero what the plan leaves out; ``begun`` are the paths to objects that it initialises in part."""
        string = self._string_for(place.type, plan.parts[path]) if path in plan.parts else None
        if string is not None:
            self._zero_array(place, node, set(_characters(string, place.type)))
        elif path in plan.parts:
            return
        elif path not in begun:
            self.zero(place, node)
        elif isinstance(place.type, ArrayType):
            mentioned = {p[len(path)] for p in begun if len(p) > len(path) and p[: len(path)] == path}
            self._zero_array(place, node, mentioned)
            for index in sorted(step for step in mentioned if isinstance(step, int)):
                self._zero_rest(self._select(place, (index,)), (*path, index), plan, begun, node)
        elif isinstance(place.type, StructType):
            fields = self._types.layouts[place.type.tag].fields
            if place.type.is_union:
                fields = tuple(field for field in fields if (*path, field.name) in begun)
                whole = self._types.size_of(place.type)
                if not any(field.bit_width is not None or self._types.size_of(field.type) == whole for field in fields):
                    self._zero_union(place, node)  # else gcc leaves what is padding in the member
            for name in (field.name for field in fields):
                self._zero_rest(self._select(place, (name,)), (*path, name), plan, begun, node)

    def zero(self, place: Expression, node: Node) -> None:
        """Set a whole object to zero."""
        match place.type:
            case ArrayType():
                self._zero_array(place, node, set())
            case StructType(is_union=True):
                self._zero_union(place, node)
            case StructType(tag=tag):
                for field in self._types.layouts[tag].fields:
                    self.zero(Member(place, field.name, field.type), node)
            case type_:
                self._assign(place, zero(type_), node)

    def _zero_union(self, place: Expression, node: Node) -> None:
        assert isinstance(place.type, StructType)
        fields = self._types.layouts[place.type.tag].fields
        if fields:
            largest = max(fields, key=lambda field: self._types.size_of(field.type))
            self.zero(Member(place, largest.name, largest.type), node)

    def _zero_array(self, place: Expression, node: Node, but: set[int | str] | set[int]) -> None:
        """Set the elements of an array to zero, except those with an index in ``but``."""
        assert isinstance(place.type, ArrayType)
        length = place.type.length or 0
        start = 0
        if length > LONGEST_UNROLLED:
            start = length - max((step + 1 for step in but if isinstance(step, int)), default=0)
            start = length - start
            self._zero_by_loop(place, start, node)
            length = start
            start = 0
        for index in range(start, length):
            if index not in but:
                self.zero(Subscript(place, integer(index), place.type.element), node)

    def _zero_by_loop(self, place: Expression, start: int, node: Node) -> None:
        """Set the elements from ``start`` on to zero in a loop of the graph."""
        assert isinstance(place.type, ArrayType)
        graph, position = self._graph, self._context.unit.position(node)
        index = graph.reference(size_type(self._types.data_model))
        size = integer(place.type.length or 0, size_type(self._types.data_model))
        name = index.variable.name
        graph.emit(Assign(index, integer(start, size.type)), position, f"{name} = {start}")
        head, body, behind = graph.location(), graph.location(), graph.location()
        graph.join(head, position)
        condition = operators.binary("<", index, size, self._types)
        graph.emit(Assume(condition, True), position, f"{name} < {size.value}", source=head, target=body)
        graph.emit(Assume(condition, False), position, f"!({name} < {size.value})", source=head, target=behind)
        graph.start(body)
        element = Subscript(place, index, place.type.element)
        assert isinstance(element, LValue)
        self.zero(element, node)
        following = operators.binary("+", index, integer(1), self._types)
        graph.emit(Assign(index, following), position, f"{name}++", target=head)
        graph.start(behind)


def _elements(type_: CType, node: Node) -> Node:
    """The initialisers of the elements, where a compound literal initialises an array (GCC manual)."""
    return node.init if isinstance(type_, ArrayType) and _is_literal(node) else node


def _is_flexible(place: Expression) -> bool:
    """Whether a place is (in) a flexible array member: how many elements it has is known by its initialisers alone."""
    while isinstance(place, Member | Subscript):
        if isinstance(place, Member) and is_of_unknown_length(place.type):
            return True
        place = place.base if isinstance(place, Member) else place.array
    return False


def _is_literal(node: Node) -> bool:
    return isinstance(node, c_ast.CompoundLiteral)


def _characters(string: StringLiteral, type_: CType) -> dict[int, int]:
    """The codes that a string gives to the elements of an array of characters, without those that are zero."""
    assert isinstance(type_, ArrayType) and isinstance(type_.element, IntegerType)
    step = type_.element.width // 8
    codes = [int.from_bytes(string.data[i : i + step], "little") for i in range(0, len(string.data), step)]
    return {index: code for index, code in enumerate(codes[: type_.length]) if code}
