"""Drawn programs over a few ints, with inputs, loops and calls."""

from collections.abc import Sequence

from hypothesis import strategies as st
from msgspec.structs import replace

from gia.cfa.expressions import Binary, Expression, IntegerConstant, Storage, Unary, Variable, VariableReference
from gia.cfa.graph import Edge, EdgeReference, Function, Initialiser, Program
from gia.cfa.operations import Assign, Assume, Call, Halt, Input, Operation, Return
from gia.cfa.types import INT, DataModel, FunctionType, TypeTable
from gia.errors import Position

GLOBAL = Variable("g", INT, Storage.GLOBAL)
NAMES = ("main", "f", "h")


def parameters(function: str) -> tuple[Variable, ...]:
    return () if function == "main" else (Variable("p", INT, Storage.PARAMETER, function),)


def local(function: str) -> Variable:
    return Variable("x", INT, Storage.LOCAL, function)


def constant(value: int) -> IntegerConstant:
    return IntegerConstant(value, INT)


def variables(function: str) -> tuple[Variable, ...]:
    return (GLOBAL, local(function), *parameters(function))


def comparisons(function: str) -> st.SearchStrategy[Expression]:
    """Conditions over the variables that a function sees."""
    variable = st.sampled_from(variables(function)).map(VariableReference)
    value = st.integers(0, 2).map(constant)
    compared = st.builds(lambda o, a, b: Binary(o, a, b, INT), st.sampled_from(["==", "<", "!="]), variable, value)
    return st.one_of(compared, compared.map(lambda c: Unary("!", c, INT)))


@st.composite
def _functions(
    draw: st.DrawFn, name: str, callees: Sequence[str], *, base: int, first_edge: int, size: int
) -> Function:
    edges: list[Edge] = []
    exit_ = base + size - 1

    def add(source: int, target: int, operation: Operation, kind: str, branch: str = "") -> None:
        number = first_edge + len(edges)
        reference = EdgeReference(name, number + 1, 1, kind, branch)
        edges.append(Edge(number, source, target, operation, reference, "p.c", kind))

    for place in range(base, exit_):
        following = place + 1 if draw(st.integers(0, 3)) else draw(st.integers(base, exit_ - 1))
        variable = VariableReference(draw(st.sampled_from(variables(name))))
        kinds = ["assign", "assign", "input", "assume", "assume", "call", "call", "return", "halt"]
        kind = draw(st.sampled_from(kinds)) if following != exit_ else "return"
        if callees and name == "main" and place < base + 3 and following == place + 1 and draw(st.booleans()):
            kind = "call"
        match kind:
            case "assign":
                value: Expression = draw(st.integers(0, 2).map(constant))
                added: Expression = Binary("+", VariableReference(draw(st.sampled_from(variables(name)))), value, INT)
                add(place, following, Assign(variable, draw(st.sampled_from((value, added)))), kind)
            case "input":
                target = draw(st.sampled_from([variable, None]))
                add(place, following, Input(target, "__VERIFIER_nondet_int", INT), kind)
            case "assume":
                condition = draw(comparisons(name))
                add(place, following, Assume(condition, True), kind, "then")
                add(place, draw(st.integers(base, exit_ - 1)), Assume(condition, False), kind, "else")
            case "call" if callees:
                passed: tuple[Expression, ...] = (VariableReference(GLOBAL), constant(1))
                arguments = (draw(st.sampled_from(passed)),)
                call = Call(draw(st.sampled_from([variable, None])), draw(st.sampled_from(callees)), arguments)
                add(place, following, call, kind)
            case "halt":
                add(place, exit_ + 1, Halt("abort", ()), kind)
            case _:
                returned: tuple[Expression, ...] = (variable, constant(0))
                add(place, exit_, Return(draw(st.sampled_from(returned))), "return")
    types = FunctionType(INT, tuple(parameter.type for parameter in parameters(name)))
    return Function(name, types, parameters(name), (local(name),), base, exit_, tuple(edges), Position("p.c", 1, 1))


@st.composite
def data_programs(draw: st.DrawFn, max_size: int = 6) -> Program:
    """A program of up to three functions (``main``, ``f``, ``h``) that may call each other recursively."""
    names = NAMES[: draw(st.sampled_from([1, 2, 2, 3]))]
    functions: dict[str, Function] = {}
    base = edge = 0
    for name in names:
        size = draw(st.integers(3 if name == "main" else 2, max_size))
        functions[name] = draw(_functions(name, names[1:], base=base, first_edge=edge, size=size))
        base += size + 1
        edge += len(functions[name].edges)
    return Program("p.c", "", TypeTable(DataModel.LP64), functions, (Initialiser(GLOBAL),), {}, "main")


class _Body:
    """The edges of a function that are being drawn as structured code; most of it depends on data."""

    def __init__(self, draw: st.DrawFn, name: str, callees: Sequence[str], base: int, first_edge: int) -> None:
        self.draw, self.name, self.callees = draw, name, callees
        self.first_edge, self.base = first_edge, base
        self.edges: list[Edge] = []
        self.last = base
        self.returns: list[tuple[int, Expression]] = []

    def place(self) -> int:
        self.last += 1
        return self.last

    def add(self, source: int, target: int, operation: Operation, kind: str, branch: str = "") -> int:
        number = self.first_edge + len(self.edges)
        reference = EdgeReference(self.name, number + 1, 1, kind, branch)
        self.edges.append(Edge(number, source, target, operation, reference, "p.c", kind))
        return target

    def variable(self) -> VariableReference:
        return VariableReference(self.draw(st.sampled_from(variables(self.name))))

    def block(self, at: int, depth: int, most: int) -> int:
        """Some statements from a location on; the location behind them."""
        for _ in range(self.draw(st.integers(1, most))):
            at = self.statement(at, depth)
        return at

    def statement(self, at: int, depth: int) -> int:
        kind = self.draw(st.sampled_from(["assign", "input", "call", "call", "if", "if", "while"]))
        match kind:
            case "if" | "while" if depth:
                condition = self.condition()
                inside = self.add(at, self.place(), Assume(condition, True), "assume", "then")
                outside = self.add(at, self.place(), Assume(condition, False), "assume", "else")
                end = self.block(inside, depth - 1, 1)
                if self.draw(st.integers(0, 3)) == 0:
                    self.returns.append((end, self.variable()))
                else:
                    self.edges[-1] = replace(self.edges[-1], target=at if kind == "while" else outside)
                return outside
            case "call" if self.name == "main" or not depth:  # so that recursion may end
                return self.call(at)
            case "input":
                target = self.draw(st.sampled_from([self.variable(), None]))
                return self.add(at, self.place(), Input(target, "__VERIFIER_nondet_int", INT), "input")
        value: Expression = self.draw(st.integers(0, 2).map(constant) | st.just(self.variable()))
        return self.add(at, self.place(), Assign(self.variable(), value), "assign")

    def condition(self) -> Expression:
        """A comparison that inputs of 0 and 1 can decide either way."""
        compared = self.draw(st.sampled_from([GLOBAL, GLOBAL, *parameters(self.name), local(self.name)]))
        operator, value = self.draw(st.sampled_from([("==", 0), ("==", 1), ("<", 1)]))
        return Binary(operator, VariableReference(compared), constant(value), INT)

    def call(self, at: int) -> int:
        passed: tuple[Expression, ...] = (VariableReference(GLOBAL), VariableReference(GLOBAL), self.variable())
        target = self.draw(st.sampled_from([self.variable(), None]))
        call = Call(target, self.draw(st.sampled_from(self.callees)), (self.draw(st.sampled_from(passed)),))
        return self.add(at, self.place(), call, "call")

    def function(self, most: int) -> Function:
        at = self.base
        if self.name == "main":
            at = self.add(at, self.place(), Input(VariableReference(GLOBAL), "__VERIFIER_nondet_int", INT), "input")
            at = self.call(at)
        end = self.block(at, 1, most)
        self.returns.append((end, self.variable()))
        exit_ = self.place()
        for place, value in self.returns:
            self.add(place, exit_, Return(value), "return")
        types = FunctionType(INT, tuple(parameter.type for parameter in parameters(self.name)))
        position = Position("p.c", 1, 1)
        edges = tuple(self.edges)
        return Function(self.name, types, parameters(self.name), (local(self.name),), self.base, exit_, edges, position)


@st.composite
def structured_programs(draw: st.DrawFn) -> Program:
    """Structured code: inputs, decisions and loops on data, and calls that return, recursive ones among them."""
    names = NAMES[: draw(st.sampled_from([2, 2, 3]))]
    functions: dict[str, Function] = {}
    base = edge = 0
    for name in names:
        body = _Body(draw, name, names[1:], base, edge)
        functions[name] = body.function(3 if name == "main" else 2)
        base = body.last + 2
        edge += len(body.edges)
    return Program("p.c", "", TypeTable(DataModel.LP64), functions, (Initialiser(GLOBAL),), {}, "main")
