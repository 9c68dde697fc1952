"""The bit-precise encoding of C: supergraph steps as functions on symbolic states.

Everything that needs the meaning of an operation, tester, verifier and checker, uses this one encoding. What it does
not model it over-approximates and records as an :class:`~gia.smt.encoding.world.Imprecision`. Assumptions (the
documented ones): signed overflow wraps around, no execution accesses memory outside of objects, ``malloc`` does not
fail.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gia.cfa.expressions import Expression, Variable, VariableReference
from gia.cfa.graph import Edge, Initialiser, Program
from gia.cfa.operations import Assign, Assume, Call, Declare, Halt, Input, Return, Skip, Unmodelled
from gia.cfa.supergraph import Context, Node, Step, StepKind
from gia.cfa.types import CType, FloatType, IntegerType, is_scalar
from gia.smt.encoding import frames
from gia.smt.encoding.access import havoc_for_code
from gia.smt.encoding.assignment import assign, copy, havoc_lvalue
from gia.smt.encoding.conversions import from_bits, scalar_sort
from gia.smt.encoding.evaluator import Evaluator
from gia.smt.encoding.layout import size_of
from gia.smt.encoding.library import calls
from gia.smt.encoding.library.error_number import without_error_number
from gia.smt.encoding.pool_access import without_blocks
from gia.smt.encoding.state import InputRecord, InputTrace, SymbolicState
from gia.smt.encoding.world import Imprecision, Mode, World
from gia.smt.terms import (
    FALSE,
    TRUE,
    Term,
    bv_const,
    bv_sort,
    conjunction,
    negation,
    variable,
    variables_of,
    zero_extend,
)

__all__ = ["Encoder", "Imprecision", "Mode", "PathEncoder"]


class Encoder:
    """Executes a program on symbolic states.

    One encoder gives out fresh variables, so that its states may stand in one formula. Arbitrary states are the
    exception: their variables are named after the program's, and two such states share them.
    """

    def __init__(self, program: Program, mode: Mode = Mode.OVER, *, with_pools: bool = False) -> None:
        self.program = program
        self.mode = mode
        self.world = World(program, mode, with_pools=with_pools)
        self.given: int | None = None
        """The bits that the next call of the library gives in the execution that is followed, if that is known."""
        self._inputs: dict[Term, None] = {}
        self._initial: SymbolicState | None = None
        self._last_branch: tuple[SymbolicState, Context, Expression, Term, list[Term]] | None = None

    @property
    def imprecisions(self) -> tuple[Imprecision, ...]:
        """Where the formulas made so far say less than the program."""
        return self.world.imprecisions

    @property
    def axioms(self) -> tuple[Term, ...]:
        """What holds for objects' addresses in every execution; may be added to any query. Grows while encoding."""
        return self.world.axioms

    def undefined(self, *formulas: Term) -> tuple[Term, ...]:
        """The variables of formulas that stand neither for inputs nor for addresses: undefined or unknown values."""
        known = self.world.addresses
        return tuple(found for found in variables_of(*formulas) if found not in self._inputs and found not in known)

    def initial_state(self) -> SymbolicState:
        """The state in which the program starts: statics initialised, the entry function's parameters arbitrary."""
        if self._initial is None:
            state = without_blocks(self.world, SymbolicState(TRUE, {}, {}))
            for initialiser in self.program.statics:
                state = frames.zero(self.world, state, initialiser.variable)
            for initialiser in self.program.statics:
                state = self._initialise(state, initialiser)
            for parameter in self.program.functions[self.program.entry].parameters:
                state = frames.declare(self.world, state, parameter, ())
            self._initial = state
        return self._initial

    def _initialise(self, state: SymbolicState, initialiser: Initialiser) -> SymbolicState:
        """The state after giving a static object, which is zero, its initial value."""
        if self.world.facts(initialiser.variable).sort is None:
            after = frames.initialise(self.world, state, initialiser)
            if after is not None:
                return after
        for target, value in initialiser.assignments:
            state = self._assign(state, (), target, value, None)
        return state

    def arbitrary_state(self, node: Node) -> SymbolicState:
        """Any state at a node: every static and every local variable on the stack is arbitrary.

        Pointers point where they may, whatever was executed before, and objects that nothing writes to hold what they
        did in the initial state (:mod:`gia.cfa.points_to`).
        """
        return frames.arbitrary_state(self.world, node, self.initial_state())

    def living(self, context: Context) -> list[tuple[Variable, Context]]:
        """The variables that exist in the frames of ``context``, each with the context of its own frame."""
        return list(frames.living(self.world, context))

    def variable_at(self, state: SymbolicState, context: Context, asked: Variable) -> Term | None:
        """The value of a scalar variable in a state; ``None`` if it has none there or is no scalar.

        ``context`` is the frame of the variable, or any for statics.
        """
        if not is_scalar(asked.type):
            return None
        instance = self.world.instance(asked, context)
        if self.world.facts(asked).sort is not None:
            return state.values.get(instance)
        size = size_of(asked.type, self.program.types)
        content = state.objects.get(self.world.address(asked, context))
        if content is None or size is None:
            return None
        bits = content.read(bv_const(0, self.world.pointer_width), size)
        return from_bits(bits, scalar_sort(asked.type, self.program.types))

    def evaluate(
        self, expression: Expression, state: SymbolicState, context: Context, result: Term | None = None
    ) -> Term:
        r"""The value of a scalar expression; ``result`` is the value of ``\result``."""
        return Evaluator(self.world, state, context, result=result).value(expression)

    def condition(
        self, expression: Expression, state: SymbolicState, context: Context, result: Term | None = None
    ) -> Term:
        r"""Whether a scalar expression is unequal to 0; ``result`` is the value of ``\result``."""
        return Evaluator(self.world, state, context, result=result).condition(expression)

    def step(self, state: SymbolicState, step: Step, context: Context) -> SymbolicState:
        """The state after a step that leaves a node with ``context``; its guard is false if the step is infeasible."""
        operation = step.edge.operation
        return _STEPS[type(operation)](self, state, step, context, operation)

    def _skip(self, state: SymbolicState, _step: Step, _context: Context, _operation: Skip | Halt) -> SymbolicState:
        return state

    def _declare(self, state: SymbolicState, _step: Step, context: Context, operation: Declare) -> SymbolicState:
        return frames.declare(self.world, state, operation.variable, context)

    def _assume(self, state: SymbolicState, step: Step, context: Context, operation: Assume) -> SymbolicState:
        condition, requirements = self._branch(state, operation.condition, context, step.edge)
        taken = condition if operation.outcome else negation(condition)
        return state.with_guard(conjunction(state.guard, taken, *requirements))

    def _branch(
        self, state: SymbolicState, expression: Expression, context: Context, edge: Edge
    ) -> tuple[Term, list[Term]]:
        """The condition of a branch, the same for all edges that leave it in one state.

        So the edges exclude each other even where the condition reads something unknown.
        """
        last = self._last_branch
        if last is not None and last[0] is state and last[1] == context and last[2] == expression:
            return last[3], last[4]
        evaluator = Evaluator(self.world, state, context, edge)
        condition = evaluator.condition(expression)
        self._last_branch = (state, context, expression, condition, evaluator.requirements)
        return condition, evaluator.requirements

    def _assignment(self, state: SymbolicState, step: Step, context: Context, operation: Assign) -> SymbolicState:
        return self._assign(state, context, operation.target, operation.value, step.edge)

    def _assign(
        self, state: SymbolicState, context: Context, target: Expression, value: Expression, edge: Edge | None
    ) -> SymbolicState:
        evaluator = Evaluator(self.world, state, context, edge)
        if is_scalar(target.type):
            after = assign(evaluator, target, evaluator.value(value))
        else:
            after = copy(evaluator, evaluator.place(target), evaluator.place(value), target.type)
        return _guarded(after, evaluator)

    def _input(self, state: SymbolicState, step: Step, context: Context, operation: Input) -> SymbolicState:
        if not is_scalar(operation.type):
            evaluator = Evaluator(self.world, state, context, step.edge)
            reason = "an input that is not scalar"
            self.world.imprecise(step.edge, reason)
            return havoc_lvalue(evaluator, operation.target, reason) if operation.target is not None else state
        state, value = self._read_input(state, operation, step.edge, context)
        state = without_error_number(self.world, state)
        if operation.target is None:
            return state
        evaluator = Evaluator(self.world, state, context, step.edge)
        return _guarded(assign(evaluator, operation.target, value), evaluator)

    def _read_input(
        self, state: SymbolicState, operation: Input, edge: Edge, context: Context
    ) -> tuple[SymbolicState, Term]:
        """The state after reading a scalar input, and its value."""
        type_: CType = operation.type
        number = self.number_of_next_input(state)
        name = f"input{number}:{operation.function}"
        sort = scalar_sort(type_, self.program.types)
        if isinstance(type_, IntegerType) and type_.is_bool:
            fresh = variable(name, bv_sort(1))
            bits = zero_extend(fresh, type_.width - 1)
        else:
            bits = fresh = variable(name, bv_sort(type_.width if isinstance(type_, FloatType) else sort.width))
        self._inputs[fresh] = None
        record = InputRecord(number, state.guard, bits, operation.function, type_, edge, context)
        trace = InputTrace((state.inputs,) if state.inputs else (), record)
        return SymbolicState(state.guard, state.values, state.objects, trace), from_bits(bits, sort)

    def number_of_next_input(self, state: SymbolicState) -> int:
        """The number of an input that is read in ``state``: another one for each input of an unfolding."""
        return len(self._inputs) + 1

    def _call(self, state: SymbolicState, step: Step, context: Context, operation: Call) -> SymbolicState:
        evaluator = Evaluator(self.world, state, context, step.edge)
        if step.kind is StepKind.CALL:
            return self._enter(evaluator, operation, step.target.context)
        return _guarded(calls.call(evaluator, operation, self.given), evaluator)

    def _enter(self, evaluator: Evaluator, operation: Call, inner: Context) -> SymbolicState:
        """Bind the parameters of a defined function; missing arguments are arbitrary."""
        callee = self.program.functions[operation.function]
        arguments = dict(zip(callee.parameters, operation.arguments, strict=False))
        scalars = {
            parameter: evaluator.value(argument)
            for parameter, argument in arguments.items()
            if is_scalar(parameter.type) and is_scalar(argument.type)
        }
        for parameter in callee.parameters:
            evaluator.state = frames.declare(self.world, evaluator.state, parameter, inner)
            if parameter in scalars:
                binding = Evaluator(self.world, evaluator.state, inner, evaluator.edge)
                evaluator.state = assign(binding, VariableReference(parameter), scalars[parameter])
            elif parameter in arguments:
                target, source = self.world.address(parameter, inner), evaluator.place(arguments[parameter])
                evaluator.state = copy(evaluator, target, source, parameter.type)
        return _guarded(evaluator.state, evaluator)

    def _return(self, state: SymbolicState, step: Step, context: Context, operation: Return) -> SymbolicState:
        """Leave a frame: the call's target gets the value, the frame's variables end."""
        if step.kind is not StepKind.RETURN:
            return state
        call = self.program.edge_list[context[-1]].operation
        assert isinstance(call, Call)
        inner = Evaluator(self.world, state, context, step.edge)
        outer = Evaluator(self.world, state, context[:-1], step.edge)
        after = state
        if call.target is not None:
            if operation.value is None:
                after = havoc_lvalue(outer, call.target, "the value of a function that returns none is used")
            elif is_scalar(call.target.type):
                after = assign(outer, call.target, inner.value(operation.value))
            else:
                after = copy(outer, outer.place(call.target), inner.place(operation.value), call.target.type)
        after = _guarded(_guarded(after, inner), outer)
        return frames.leave(self.world, after, self.program.functions[call.function], context)

    def _unmodelled(self, state: SymbolicState, step: Step, context: Context, operation: Unmodelled) -> SymbolicState:
        if step.edge.number in self.world.points_to.known_calls:
            return state.with_guard(FALSE)
        reason = f"not modelled: {operation.reason}"
        self.world.imprecise(step.edge, reason)
        if operation.writes is not None:
            for target in operation.writes:
                state = havoc_lvalue(Evaluator(self.world, state, context, step.edge), target, reason)
            return state
        return havoc_for_code(self.world, state, ((), context), step.edge, reason)


class PathEncoder(Encoder):
    """An encoder for single paths, whose states are never merged or used together.

    Inputs have the numbers of their positions on the path, so that paths with a common beginning share its formulas.
    """

    def number_of_next_input(self, state: SymbolicState) -> int:
        """One more than the inputs that the path has read."""
        return 1 if state.inputs is None or state.inputs.record is None else state.inputs.record.number + 1


def _guarded(state: SymbolicState, evaluator: Evaluator) -> SymbolicState:
    """The state, restricted to the executions in which the evaluation was defined."""
    if not evaluator.requirements:
        return state
    return state.with_guard(conjunction(state.guard, *evaluator.requirements))


_STEPS: Mapping[type[Any], Callable[[Encoder, SymbolicState, Step, Context, Any], SymbolicState]] = {
    Skip: Encoder._skip,
    Halt: Encoder._skip,
    Declare: Encoder._declare,
    Assign: Encoder._assignment,
    Assume: Encoder._assume,
    Input: Encoder._input,
    Call: Encoder._call,
    Return: Encoder._return,
    Unmodelled: Encoder._unmodelled,
}
