"""A slow, plain interpreter of programs over ints: the reference that other implementations are compared with."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from gia.cfa.expressions import (
    Binary,
    Cast,
    Expression,
    IntegerConstant,
    Result,
    Unary,
    Variable,
    VariableReference,
)
from gia.cfa.graph import Edge, Function, Program
from gia.cfa.operations import Assign, Assume, Call, Declare, Halt, Input, Return, Skip

Lookup = Callable[[Variable], int]

_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "&&": lambda a, b: int(bool(a) and bool(b)),
    "||": lambda a, b: int(bool(a) or bool(b)),
}


def evaluate(expression: Expression, lookup: Lookup, result: int | None = None) -> int:
    """The value of an expression; arithmetic is that of int and wraps."""
    match expression:
        case IntegerConstant(value=value):
            return value
        case VariableReference(variable=variable):
            return lookup(variable)
        case Result():
            assert result is not None
            return result
        case Unary(operator="!", operand=operand):
            return int(not evaluate(operand, lookup, result))
        case Unary(operator="-", operand=operand):
            return _wrapped(-evaluate(operand, lookup, result))
        case Cast(operand=operand):
            return evaluate(operand, lookup, result)
        case Binary(operator=operator, left=left, right=right):
            return _wrapped(_BINARY[operator](evaluate(left, lookup, result), evaluate(right, lookup, result)))
    raise NotImplementedError(expression)


def _wrapped(value: int) -> int:
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)


@dataclass
class Frame:
    """A function that is being executed, and the call it was entered by."""

    function: Function
    locals: dict[Variable, int]
    call: Edge | None


@dataclass
class Machine:
    """A run of a program; it forks at inputs."""

    program: Program
    statics: dict[Variable, int] = field(default_factory=dict)
    frames: list[Frame] = field(default_factory=list)
    location: int = 0
    returned: int | None = None
    """What the last input returned."""

    @classmethod
    def start(cls, program: Program) -> "Machine":
        machine = cls(program)
        for initialiser in program.statics:
            values = [value for _, value in initialiser.assignments]
            machine.statics[initialiser.variable] = evaluate(values[0], machine.read) if values else 0
        machine._enter(program.functions[program.entry], (), None)
        return machine

    def copy(self) -> "Machine":
        frames = [Frame(frame.function, dict(frame.locals), frame.call) for frame in self.frames]
        return Machine(self.program, dict(self.statics), frames, self.location, self.returned)

    def read(self, variable: Variable) -> int:
        """A static, or a local of the innermost frame."""
        return self.statics[variable] if variable.is_static else self.frames[-1].locals.get(variable, 0)

    def steps(self, inputs: Sequence[int]) -> Iterator[tuple[Edge, "Machine"]]:
        """The edges that can be taken now, with the machine after each; one for each input value."""
        if not self.frames:
            return
        for edge in self.frames[-1].function.leaving[self.location]:
            match edge.operation:
                case Assume(condition=condition, outcome=outcome):
                    if bool(evaluate(condition, self.read)) == outcome:
                        yield edge, self._after(edge)
                case Input():
                    for value in inputs:
                        yield edge, self._after(edge, value)
                case _:
                    yield edge, self._after(edge)

    def _after(self, edge: Edge, value: int | None = None) -> "Machine":
        machine = self.copy()
        machine.returned = value
        machine.location = edge.target
        match edge.operation:
            case Assign(target=VariableReference(variable=variable), value=expression):
                machine._write(variable, evaluate(expression, self.read))
            case Input(target=VariableReference(variable=variable)):
                assert value is not None
                machine._write(variable, value)
            case Call(function=name, arguments=arguments) if name in self.program.functions:
                machine._enter(self.program.functions[name], [evaluate(a, self.read) for a in arguments], edge)
            case Return(value=expression):
                machine._leave(0 if expression is None else evaluate(expression, self.read))
            case Halt():
                machine.frames = []
            case Declare(variable=variable):
                machine.frames[-1].locals.pop(variable, None)  # a new object, which has 0 like all others
            case Skip() | Assume() | Input() | Call():
                pass
            case other:
                raise NotImplementedError(other)
        return machine

    def _enter(self, function: Function, arguments: Sequence[int], call: Edge | None) -> None:
        self.frames.append(Frame(function, dict(zip(function.parameters, arguments, strict=True)), call))
        self.location = function.entry

    def _leave(self, value: int) -> None:
        call = self.frames.pop().call
        if call is not None:
            self.location = call.target
            assert isinstance(call.operation, Call)
            if isinstance(call.operation.target, VariableReference):
                self._write(call.operation.target.variable, value)

    def _write(self, variable: Variable, value: int) -> None:
        if variable.is_static:
            self.statics[variable] = value
        else:
            self.frames[-1].locals[variable] = value
