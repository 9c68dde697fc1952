"""Drawn programs over a few ints, with inputs, loops and calls."""

from collections.abc import Sequence

from hypothesis import strategies as st

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
