"""C expressions as terms, in one state and one frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import gcd
from typing import Any

from gia.cfa.expressions import (
    COMPARISONS,
    AddressOf,
    Binary,
    Cast,
    Dereference,
    Expression,
    FloatConstant,
    FunctionReference,
    IntegerConstant,
    Member,
    Result,
    Storage,
    StringLiteral,
    Subscript,
    Unary,
    VariableReference,
)
from gia.cfa.graph import Edge
from gia.cfa.local_bounds import interval_of
from gia.cfa.pointer_values import constant, greatest_index
from gia.cfa.supergraph import Context
from gia.cfa.types import CType, FloatType, IntegerType, PointerType
from gia.smt.encoding import operators
from gia.smt.encoding.access import Within, in_bounds, leads_somewhere, read
from gia.smt.encoding.conversions import convert, from_bits, is_signed, scalar_sort, to_int, truth
from gia.smt.encoding.float_constants import converted, parse_float
from gia.smt.encoding.layout import size_of
from gia.smt.encoding.pool_access import allocated
from gia.smt.encoding.pools import NUMBER_WIDTH
from gia.smt.encoding.state import SymbolicState
from gia.smt.encoding.world import Mode, World
from gia.smt.terms import (
    Kind,
    Sort,
    SortKind,
    Term,
    bv_add,
    bv_const,
    bv_mul,
    bv_neg,
    bv_not,
    conjunction,
    disjunction,
    extract,
    fp_const,
    fp_neg,
    implication,
    ite,
    negation,
    resize,
    signed,
    sle,
    slt,
    ule,
)
from gia.smt.terms.ieee import round_rational


class Evaluator:
    """Evaluates expressions in ``state``, in the frame ``context``.

    ``requirements`` collects what must hold so that the evaluation was defined: in mode ``UNDER`` all of it, else that
    no pointer was followed that is known to be stray where it leads to no object. ``result`` is the value of
    ``\\result``.
    """

    __slots__ = ("_premises", "_unwrapped", "context", "edge", "requirements", "result", "state", "world")

    def __init__(
        self, world: World, state: SymbolicState, context: Context, edge: Edge | None = None, result: Term | None = None
    ) -> None:
        self.world = world
        self.state = state
        self.context = context
        self.edge = edge
        self.result = result
        self.requirements: list[Term] = []
        self._premises: list[Term] = []
        self._unwrapped: list[tuple[int, Term]] = []
        """What holds where no index times stride wraps around, in the address at hand; with each goes the stride, or 0
        if the form of the distance does not show the index."""

    def value(self, expression: Expression) -> Term:
        """The value of a scalar expression."""
        return _VALUES[type(expression)](self, expression)

    def condition(self, expression: Expression) -> Term:
        """Whether a scalar expression compares unequal to 0."""
        if isinstance(expression, Binary):
            operator = expression.operator
            if operator in COMPARISONS:
                return self._comparison(expression)
            if operator in ("&&", "||"):
                left = self.condition(expression.left)
                self._premises.append(left if operator == "&&" else negation(left))
                right = self.condition(expression.right)
                self._premises.pop()
                return conjunction(left, right) if operator == "&&" else disjunction(left, right)
        elif isinstance(expression, Unary) and expression.operator == "!":
            return negation(self.condition(expression.operand))
        if isinstance(expression.type, PointerType):
            value = self.value(expression)
            null = operators.pointers_equal(self.world, value, bv_const(0, value.width))
            return negation(null)
        if isinstance(expression.type, FloatType) and expression.type.width == 80:
            return self.world.names.fresh("long-double", Sort(SortKind.BOOL))
        return truth(self.value(expression))

    def require(self, condition: Term) -> None:
        """Note what must hold, given that the operand in question is evaluated at all."""
        if self.world.mode is Mode.UNDER:
            self._require(condition)

    def _require(self, condition: Term) -> None:
        if not condition.is_true:
            self.requirements.append(implication(conjunction(*self._premises), condition))

    def defined(self, condition: Term, value: Term) -> Term:
        """``value`` if ``condition`` holds; otherwise the behaviour is undefined: anything, or left out."""
        if condition.is_true:
            return value
        if self.world.mode is Mode.UNDER:
            self.require(condition)
            return value
        return ite(condition, value, self.world.names.fresh("undefined", value.sort))

    def unknown(self, type_: CType, reason: str) -> Term:
        """An arbitrary value, recorded as an imprecision."""
        self.world.imprecise(self.edge, reason)
        return self.world.names.fresh("unknown", scalar_sort(type_, self.world.types))

    def place(self, lvalue: Expression) -> Term:
        """The address of an lvalue that lies in memory."""
        match lvalue:
            case VariableReference(variable=variable):
                return self.world.address(variable, self.context)
            case Dereference(pointer=pointer):
                return self.value(pointer)
            case Subscript(array=VariableReference(variable=variable), index=index) if (
                variable.storage is Storage.GHOST
            ):
                number = resize(self.value(index), NUMBER_WIDTH, is_signed(index.type))
                return self.world.block_address(variable, number)
            case Subscript(array=array, index=index):
                stride = size_of(lvalue.type, self.world.types)
                if stride is None:
                    return self.unknown(PointerType(lvalue.type), "an element of a variable-length type is accessed")
                return bv_add(self.place(array), self._scaled(index, stride))
            case Member(base=base, field=field):
                offset = self.world.types.field(lvalue.struct, field).offset
                return bv_add(self.place(base), bv_const(offset, self.world.pointer_width))
            case StringLiteral():
                return self.world.string_address(lvalue)
            case FunctionReference(name=name):
                return self.world.function_address(name)
            case Cast(operand=operand):
                return self.place(operand)
        return self.unknown(PointerType(lvalue.type), "the address of a value is taken")

    def within(self, lvalue: Expression, pointer: Term, offset: int, size: int) -> Within | None:
        """Where so many bytes of an lvalue lie, so far from its begin, if it is in an array of a structure.

        ``None`` if the places where ``pointer`` leads to them are constants, or an index may be negative.
        """
        if self.edge is None or not _has_index(lvalue):
            return None
        if all(target.offset.value is not None for target in self.world.addresses.targets(pointer)):
            return None
        found: Within | None = None
        first, step, last, most = offset, 0, offset, 1 << (self.world.pointer_width - 1)
        while isinstance(lvalue, Member | Subscript):
            if isinstance(lvalue, Member):
                inside = self.world.types.field(lvalue.struct, lvalue.field).offset
                first, last, lvalue = first + inside, last + inside, lvalue.base
                continue
            interval = partial(interval_of, self.world.program, location=self.edge.source)
            stride, number = size_of(lvalue.type, self.world.types), constant(lvalue.index)
            reach = greatest_index(lvalue, self.world.types, interval) if number is None else number
            if not stride or reach is None or reach < 0 or last + size + reach * stride >= most:
                return None
            first, last = first + (number or 0) * stride, last + reach * stride
            if number is None:
                self.require(ule(self._scaled(lvalue.index, 1), bv_const(reach, self.world.pointer_width)))
                step = gcd(step, stride)
                found = Within(self.place(lvalue.array), range(first, last + 1, step))
            lvalue = lvalue.array
        return found

    def load(self, pointer: Term, size: int, within: Within | None = None) -> Term:
        """The bytes at an address."""
        if self.world.mode is Mode.UNDER:
            self.require(in_bounds(self.world, pointer, size))
        elif self.edge is not None:
            self._require(leads_somewhere(self.world, pointer))
        found = read(self.world, self.state, pointer, size, self.edge, within=within)
        if self.world.pools and self.edge is not None and found.width == self.world.pointer_width:
            self._require(allocated(self.world, self.state, found))
        return found

    def _scaled(self, index: Expression, stride: int) -> Term:
        """An index in bytes."""
        width = self.world.pointer_width
        value = resize(self.value(index), width, is_signed(index.type))
        if self.edge is None and scalar_sort(index.type, self.world.types).width >= width and stride > 1:
            most = (1 << (width - 3)) // stride  # so that the sum of some does not either
            inside = conjunction(sle(bv_const(-most, width), value), slt(value, bv_const(most, width)))
            self._unwrapped.append((stride if _stays(value, most) else 0, inside))
        return bv_mul(value, bv_const(stride, width))

    def _variable(self, expression: VariableReference) -> Term:
        facts = self.world.facts(expression.variable)
        if facts.sort is None:
            return self._load_lvalue(expression)
        found = self.state.values.get(self.world.instance(expression.variable, self.context))
        return found if found is not None else self.world.names.fresh(facts.name, facts.sort)

    def _load_lvalue(self, expression: Expression) -> Term:
        sort = scalar_sort(expression.type, self.world.types)
        size = size_of(expression.type, self.world.types)
        if size is None:
            return self.unknown(expression.type, "a value of an incomplete type is read")
        return from_bits(self._fetch(expression, 0, size), sort)

    def _fetch(self, lvalue: Expression, offset: int, size: int) -> Term:
        """The bytes at an offset from an lvalue's begin.

        Without an edge (see :func:`~gia.smt.encoding.access.read`) the bytes may be any where a distance wraps
        around: what the machine would find there depends on the form in which the distance is known.
        """
        mark = len(self._unwrapped)
        pointer = bv_add(self.place(lvalue), bv_const(offset, self.world.pointer_width))
        found = self.load(pointer, size, self.within(lvalue, pointer, offset, size))
        distances = self._unwrapped[mark:]
        del self._unwrapped[mark:]
        if [stride for stride, _ in distances] == [size]:
            return found  # the index itself is compared with the number of elements
        certain = conjunction(*(inside for _, inside in distances))
        return found if certain.is_true else ite(certain, found, self.world.names.fresh("outside", found.sort))

    def _member(self, expression: Member) -> Term:
        field = self.world.types.field(expression.struct, expression.field)
        if field.bit_width is None:
            return self._load_lvalue(expression)
        first, last = field.bit_offset // 8, (field.bit_offset + field.bit_width - 1) // 8
        low = field.bit_offset - 8 * first
        bits = extract(self._fetch(expression, first, last - first + 1), low + field.bit_width - 1, low)
        return resize(bits, scalar_sort(expression.type, self.world.types).width, is_signed(field.type))

    def _unary(self, expression: Unary) -> Term:
        if expression.operator == "!":
            return to_int(negation(self.condition(expression.operand)))
        operand = self.value(expression.operand)
        if isinstance(expression.type, FloatType):
            if operand.sort.kind is not SortKind.FP:
                return self.unknown(expression.type, "long double arithmetic")
            return fp_neg(operand)
        return bv_neg(operand) if expression.operator == "-" else bv_not(operand)

    def _binary(self, expression: Binary) -> Term:
        operator = expression.operator
        if operator in COMPARISONS or operator in ("&&", "||"):
            return to_int(self.condition(expression), scalar_sort(expression.type, self.world.types).width)
        left_type, right_type = expression.left.type, expression.right.type
        if isinstance(left_type, PointerType) or isinstance(right_type, PointerType):
            return self._pointer_arithmetic(expression)
        left, right = self.value(expression.left), self.value(expression.right)
        if isinstance(expression.type, FloatType):
            if left.sort.kind is not SortKind.FP:
                return self.unknown(expression.type, "long double arithmetic")
            return operators.FLOATING[operator](left, right)
        value, defined = operators.integer(operator, left, right, is_signed(left_type))
        return self.defined(defined, value)

    def _pointer_arithmetic(self, expression: Binary) -> Term:
        left, right = expression.left, expression.right
        if isinstance(left.type, PointerType) and isinstance(right.type, PointerType):
            stride = size_of(left.type.target, self.world.types)
            if not stride:
                return self.unknown(expression.type, "pointers to a variable-length type are subtracted")
            width = scalar_sort(expression.type, self.world.types).width
            return resize(operators.difference(self.value(left), self.value(right), stride), width, True)
        if not isinstance(left.type, PointerType):
            left, right = right, left
        assert isinstance(left.type, PointerType)
        stride = size_of(left.type.target, self.world.types)
        if stride is None:
            return self.unknown(expression.type, "arithmetic on a pointer to a variable-length type")
        offset = self._scaled(right, stride)
        return bv_add(self.value(left), bv_neg(offset) if expression.operator == "-" else offset)

    def _comparison(self, expression: Binary) -> Term:
        left, right = self.value(expression.left), self.value(expression.right)
        operator = expression.operator
        if isinstance(expression.left.type, PointerType) or isinstance(expression.right.type, PointerType):
            return operators.compare_pointers(self.world, operator, left, right)
        if isinstance(expression.left.type, FloatType):
            if left.sort.kind is not SortKind.FP:
                self.world.imprecise(self.edge, "long double arithmetic")
                return self.world.names.fresh("long-double", Sort(SortKind.BOOL))
            return operators.compare_floats(operator, left, right)
        return operators.compare_integers(operator, left, right, is_signed(expression.left.type))

    def _cast(self, expression: Cast) -> Term:
        operand = expression.operand
        source, target = operand.type, expression.type
        if isinstance(source, PointerType) and isinstance(target, IntegerType) and target.is_bool:
            return to_int(self.condition(operand), target.width)
        if isinstance(source, FloatType) and source.width == 80 and isinstance(target, FloatType | IntegerType):
            constant = converted(operand, target, scalar_sort(target, self.world.types))
            if constant is not None:
                return constant
        if source != target and any(isinstance(t, FloatType) and t.width == 80 for t in (source, target)):
            self.world.imprecise(self.edge, "long double arithmetic")
        return convert(self.value(operand), source, target, self.world.types, self.world.names)

    def _integer(self, expression: IntegerConstant) -> Term:
        return bv_const(expression.value, expression.type.width)

    def _float(self, expression: FloatConstant) -> Term:
        sort = scalar_sort(expression.type, self.world.types)
        exact = parse_float(expression.text) if sort.kind is SortKind.FP else None
        if exact is None:
            return self.unknown(expression.type, f"the floating constant {expression.text}")
        return fp_const(round_rational(exact, expression.text.startswith("-"), sort), sort)

    def _result(self, expression: Result) -> Term:
        return self.result if self.result is not None else self.unknown(expression.type, "\\result without an input")

    def _address(self, expression: AddressOf) -> Term:
        operand = expression.operand
        if isinstance(operand, VariableReference) and self.world.facts(operand.variable).sort is not None:
            return self.unknown(expression.type, f"the address of {operand.variable.name} is taken unexpectedly")
        return self.place(operand)


def _has_index(lvalue: Expression) -> bool:
    """Whether an lvalue lies in an element of an array in a structure."""
    while isinstance(lvalue, Member):
        lvalue = lvalue.base
    return isinstance(lvalue, Subscript) and isinstance(lvalue.array, Member | Subscript)


def _stays(index: Term, most: int) -> bool:
    """Whether an index is the quotient of its form times a stride by the stride, of which ``most`` do not wrap."""
    if index.value is not None:
        return abs(signed(index.value, index.width)) < most
    if index.kind is Kind.BV_ADD:
        return all(_stays(child, most) for child in index.children)
    return index.kind not in (Kind.BV_MUL, Kind.ITE)  # their constants are multiplied by the stride


_VALUES: Mapping[type[Any], Callable[[Evaluator, Any], Term]] = {
    IntegerConstant: Evaluator._integer,
    FloatConstant: Evaluator._float,
    VariableReference: Evaluator._variable,
    Unary: Evaluator._unary,
    Binary: Evaluator._binary,
    Cast: Evaluator._cast,
    Dereference: Evaluator._load_lvalue,
    Subscript: Evaluator._load_lvalue,
    Member: Evaluator._member,
    AddressOf: Evaluator._address,
    StringLiteral: Evaluator.place,
    FunctionReference: Evaluator.place,
    Result: Evaluator._result,
}
