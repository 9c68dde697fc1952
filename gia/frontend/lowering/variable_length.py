"""Arrays of variable length (ISO C 6.7.6.2).

An array of variable length becomes a pointer to memory of its size. If its elements are such arrays themselves, the
pointer is one to the elements of the innermost, and the name is bound to *strides*: for each dimension but the last,
how many of these elements one step of its subscript passes. So it is with a pointer to such arrays (``int (*p)[n]``).
What C computes with the type of a row is thereby explicit, in what has strides: such a name, a row that a subscript or
``*`` selects, and a sum of one of these and a number. Such an expression may be assigned, passed, compared with another
pointer or with 0, dereferenced, and an operand of ``sizeof``; any other use of it is not supported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from pycparser import c_ast

from gia.cfa.expressions import Expression, Storage, Variable, VariableReference
from gia.cfa.operations import Call
from gia.cfa.types import CType, IntegerType, PointerType
from gia.frontend import operators
from gia.frontend.conversions import convert, difference_type, integer, size_type
from gia.frontend.dimensions import dimensions
from gia.frontend.library import implicit_type
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.operators import TypingError
from gia.frontend.parsing.syntax import Node
from gia.frontend.probes import LengthProbe
from gia.frontend.symbols import VariableSymbol

UNSUPPORTED_USE: Final = "such a use of an array of arrays of variable length"


class VariableLengthArrays:
    """Lowers the declarations of one function's arrays of variable length, and what is done with their rows."""

    def __init__(
        self, context: FunctionContext, value: Callable[[Node], Expression], constant: Callable[[Node], int | None]
    ) -> None:
        self._context = context
        self._value = value
        self._constant = constant
        self._size = size_type(context.types.data_model)
        self._has_rows = False

    # ------------------------------------------------------------------ declarations
    def dimensions(self, declarator: Node) -> tuple[list[Node], Node]:
        """The :func:`~gia.frontend.dimensions.dimensions` of a declarator in a block."""
        return dimensions(declarator, lambda node: self._constant(node) is not None)

    def rows_behind(self, declarator: Node) -> tuple[list[Node], Node]:
        """The same of what a pointer leads to that is declared in a block."""
        return self.dimensions(declarator.type) if isinstance(declarator, c_ast.PtrDecl) else ([], declarator)

    def declare(self, node: Node, lengths: Sequence[Node], element: CType) -> None:
        """Declare an array with these lengths."""
        context = self._context
        self._require_an_order(lengths)
        bytes_ = self._bytes(element)
        self._add_probes(lengths, bytes_)
        counts = [convert(self._value(length), self._size) for length in lengths]
        strides = self._strides_of(counts[1:], node)
        whole = operators.binary("*", counts[0], strides[0], context.types) if strides else counts[0]
        total = context.in_temporary(operators.binary("*", whole, integer(bytes_, self._size), context.types), node)
        variable = context.new_variable(node.name, PointerType(element), Storage.LOCAL)
        context.declare(node.name, variable, total, strides)
        position = context.unit.position(node)
        for name in ("malloc", "free"):  # it ends with its block, and the next one may lie where it was
            context.add_external(name, implicit_type(name, context.types.data_model), False, position)
        memory = context.graph.reference(implicit_type("malloc", context.types.data_model).result)
        context.graph.emit(Call(memory, "malloc", (total,)), position, f"{node.name}[]")
        context.assign(VariableReference(variable), convert(memory, variable.type), node, f"{node.name}[]")

    def declare_pointer(self, node: Node, variable: Variable, lengths: Sequence[Node]) -> None:
        """Declare a pointer to arrays with these lengths."""
        self._require_an_order(lengths)
        counts = [convert(self._value(length), self._size) for length in lengths]
        self._context.declare(node.name, variable, None, self._strides_of(counts, node))

    def _require_an_order(self, lengths: Sequence[Node]) -> None:
        if len(lengths) > 1 and not all(self._context.effects.is_pure(length) for length in lengths):
            raise TypingError("a length of an array of arrays that is not simple")

    def _bytes(self, element: CType) -> int:
        try:
            return self._context.types.size_of(element)
        except ValueError as problem:
            raise TypingError(str(problem)) from None

    def _add_probes(self, lengths: Sequence[Node], element_bytes: int) -> None:
        """Have the lengths looked at when they are executed."""
        unit = self._context.unit
        extents = [unit.extent(length) for length in lengths]
        for index, (begin, end) in enumerate(extents if not self._context.graph.suspended else ()):
            inner = tuple(extents[index + 1 :])
            unit.add_probe(partial(LengthProbe, start=begin, end=end, element=element_bytes, inner_lengths=inner))

    def _strides_of(self, counts: Sequence[Expression], node: Node) -> tuple[Expression, ...]:
        """How many elements a step of each subscript but the last passes, in variables; of the lengths behind it."""
        strides: list[Expression] = []
        self._has_rows = self._has_rows or bool(counts)
        for count in reversed(counts):
            stride = operators.binary("*", count, strides[0], self._context.types) if strides else count
            strides.insert(0, self._context.in_temporary(stride, node))
        return tuple(strides)

    # ------------------------------------------------------------------ expressions
    def strides(self, node: Node) -> tuple[Expression, ...]:
        """The strides of what an expression denotes, none if it denotes no arrays of variable length."""
        if not self._has_rows:  # else sums of many operands would be walked through for each of them
            return ()
        match node:
            case c_ast.ID():
                symbol = self._symbol(node)
                return symbol.strides if symbol is not None else ()
            case c_ast.ArrayRef(name=rows) | c_ast.UnaryOp(op="*", expr=rows):
                return self.strides(rows)[1:]
            case c_ast.BinaryOp(op="+"):
                return self.strides(node.left) or self.strides(node.right)
            case c_ast.BinaryOp(op="-"):
                return self.strides(node.left) if not self.strides(node.right) else ()
        return ()

    def is_pointer(self, node: Node) -> bool:
        """Whether an expression is the name of a pointer to arrays of variable length."""
        symbol = self._symbol(node)
        return symbol is not None and symbol.is_pointer_to_rows

    def size(self, node: Node) -> Expression | None:
        """``sizeof`` of an array of variable length, a row of one or such a type; ``None`` for anything else."""
        if isinstance(node, c_ast.Typename):
            return self._size_of_type(node)
        symbol = self._symbol(node)
        if symbol is not None:
            is_pointer = symbol.is_pointer_to_rows
            return integer(self._bytes(symbol.variable.type), self._size) if is_pointer else symbol.bytes
        rows = _selected_from(node)
        strides = self.strides(rows) if rows is not None else ()
        if not strides:
            return None
        if not self._context.effects.is_pure(node):  # its operand would be evaluated
            raise TypingError("the size of a row that is not simple")
        element = self.start(rows).type
        assert isinstance(element, PointerType)
        bytes_ = integer(self._bytes(element.target), self._size)
        return operators.binary("*", strides[0], bytes_, self._context.types)

    def _size_of_type(self, node: Node) -> Expression | None:
        """``sizeof (int[n])``, which evaluates the lengths."""
        lengths, element = self.dimensions(node.type)
        if not lengths:
            return None
        types = self._context.types
        size: Expression = integer(
            self._bytes(self._context.type_builder.type_of(element, self._context.scope)), self._size
        )
        for length in reversed(lengths):
            if length is None or not self._context.effects.is_pure(length):
                raise TypingError("the size of a type with a length that is not simple")
            size = operators.binary("*", convert(self._value(length), self._size), size, types)
        return size

    def is_one(self, node: Node) -> bool:
        """Whether an expression denotes an array of variable length, or a row of one."""
        symbol = self._symbol(node)
        named = symbol is not None and (symbol.bytes is not None or bool(symbol.strides))
        rows = _selected_from(node)
        return named or (rows is not None and bool(self.strides(rows)))

    def start(self, node: Node) -> Expression:
        """The pointer to the first element of what an expression with strides denotes."""
        symbol = self._symbol(node)
        if symbol is not None:
            return VariableReference(symbol.variable)
        if not isinstance(node, c_ast.BinaryOp):
            return self.row(node)
        preserve, value = self._context.preserve, self._value
        if self.strides(node.left):
            start = preserve(self.start(node.left), node.left, [node.right])
            return self.moved(start, node.op, value(node.right), self.strides(node)[0])
        index = preserve(value(node.left), node.left, [node.right])
        return self.moved(self.start(node.right), node.op, index, self.strides(node)[0])

    def row(self, node: Node) -> Expression:
        """The pointer to the first element of the row that a subscript or ``*`` selects."""
        if isinstance(node, c_ast.UnaryOp):
            return self.start(node.expr)
        start = self._context.preserve(self.start(node.name), node.name, [node.subscript])
        return self.moved(start, "+", self._value(node.subscript), self.strides(node.name)[0])

    def moved(self, start: Expression, operator: str, index: Expression, stride: Expression) -> Expression:
        """A pointer, moved by ``index`` rows of ``stride`` elements."""
        types = self._context.types
        if not isinstance(index.type, IntegerType):
            raise TypingError(f"a subscript of type {index.type}")
        passed = operators.binary("*", convert(index, self._size), stride, types)
        return operators.binary(operator, start, convert(passed, difference_type(types.data_model)), types)

    def _symbol(self, node: Node) -> VariableSymbol | None:
        symbol = self._context.scope.find(node.name) if isinstance(node, c_ast.ID) else None
        return symbol if isinstance(symbol, VariableSymbol) else None


def _selected_from(node: Node) -> Node | None:
    """That of which a subscript or ``*`` selects a part."""
    match node:
        case c_ast.ArrayRef(name=whole) | c_ast.UnaryOp(op="*", expr=whole):
            return whole
    return None
