"""Calls of functions that are looked at once for all calls: entering, leaving, and the call as a whole.

Source: C. A. R. Hoare, *Procedures and parameters: an axiomatic approach*, 1971 (a contract is assumed of the recursive
calls while it is proven of the body). The body is executed in a frame that stands for those of all calls. Caller and
callee may have that same frame; so nothing that belongs to a frame passes between them, but the values of parameters
and the contract's ghosts (:mod:`gia.cfa.contracts`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

from gia.cfa.allocations import ALLOCATORS
from gia.cfa.contracts import old_ghost, remembered, result_ghost
from gia.cfa.expressions import Dereference, Expression, Variable, VariableReference
from gia.cfa.graph import Edge, Function, Program
from gia.cfa.library_effects import destination, library_function, without_effect
from gia.cfa.operations import Assign, Call, Input, Return, Unmodelled
from gia.cfa.points_to import points_to
from gia.cfa.supergraph import Context, Node
from gia.cfa.types import CHAR, PointerType, is_scalar
from gia.smt.encoding.assignment import assign, havoc_lvalue
from gia.smt.encoding.conversions import scalar_sort
from gia.smt.encoding.evaluator import Evaluator
from gia.smt.encoding.heap_blocks import given_pointer
from gia.smt.encoding.memory import MemoryObject
from gia.smt.encoding.pool_access import havocked_pools
from gia.smt.encoding.state import Instance, SymbolicState
from gia.smt.encoding.world import World
from gia.smt.terms import BOOL, Term, conjunction


class Summary(NamedTuple):
    """A call that may return, which it does if ``returned`` holds: ``after`` it, and at the ``end`` of its callee.

    The callee's contract, evaluated in ``end``, may be assumed if ``returned`` holds.
    """

    returned: Term
    after: SymbolicState
    end: SymbolicState


def enter(world: World, state: SymbolicState, edge: Edge, context: Context, frame: Context) -> SymbolicState:
    """The state at the entry of the callee, with its parameters and ghosts and what is static."""
    function = _callee(world, edge)
    arguments = _arguments(world, state, edge, context, function)
    values = _static_values(world, state)
    for parameter in function.parameters:
        if parameter in arguments and world.facts(parameter).sort is not None:
            values[world.instance(parameter, frame)] = arguments[parameter]
    values.update(_old_values(world, state, function, arguments, frame))
    return SymbolicState(state.guard, values, _static_objects(world, state), state.inputs)


def as_entered(world: World, state: SymbolicState, node: Node) -> SymbolicState:
    """An arbitrary state at the entry of a callee; nothing has changed since then, if nothing leads back."""
    function = world.contracts.function_in(node.context)
    if function is None or node.location != function.entry:
        return state
    if any(edge.target == function.entry for edge in function.edges):
        return state
    values = dict(state.values)
    for variable in remembered(world.program, function):
        instance = world.instance(variable, node.context)
        if instance in values:
            values[world.instance(old_ghost(function, variable), node.context)] = values[instance]
    return SymbolicState(state.guard, values, state.objects, state.inputs)


def leave(world: World, state: SymbolicState, edge: Edge, frame: Context) -> SymbolicState:
    """The state at the end of a call: its result and ghosts and what is static."""
    function = world.program.functions[edge.reference.function]
    values = _static_values(world, state)
    for variable in remembered(world.program, function):
        instance = world.instance(old_ghost(function, variable), frame)
        if instance in state.values:
            values[instance] = state.values[instance]
    result = result_ghost(function)
    operation = edge.operation
    assert isinstance(operation, Return)
    sort = None if result is None else world.facts(result).sort
    if result is not None and sort is not None:
        value = None
        if operation.value is not None and is_scalar(operation.value.type):
            value = Evaluator(world, state, frame, edge).value(operation.value)
        if value is None or value.sort != sort:  # a variable of its own, so that it is there where paths meet
            value = world.names.fresh(f"result {function.name}", sort)
        values[world.instance(result, frame)] = value
    return SymbolicState(state.guard, values, _static_objects(world, state), state.inputs)


def summarise(world: World, state: SymbolicState, edge: Edge, context: Context, frame: Context) -> Summary:
    """The call as a whole: what its callee may write is arbitrary behind it, but for its contract."""
    function = _callee(world, edge)
    arguments = _arguments(world, state, edge, context, function)
    returned = world.names.fresh(f"returned {function.name}", BOOL)
    after = _after_effects(world, state, effects_of(world.program, function))
    after = after.with_guard(conjunction(state.guard, returned))
    ghost = result_ghost(function)
    after, result = _with_result(world, after, edge, ghost)
    ends = _static_values(world, after)
    ends.update(_old_values(world, state, function, arguments, frame))
    if ghost is not None and result is not None:
        ends[world.instance(ghost, frame)] = result
    end = SymbolicState(after.guard, ends, _static_objects(world, after))
    operation = _call(edge)
    if operation.target is not None:
        evaluator = Evaluator(world, after, context, edge)
        fits = result is not None and is_scalar(operation.target.type)
        if fits and result is not None and result.sort == scalar_sort(operation.target.type, world.types):
            after = assign(evaluator, operation.target, result)
        else:
            after = havoc_lvalue(evaluator, operation.target, f"the result of {function.name} is not followed")
    return Summary(returned, after, end)


def _with_result(
    world: World, state: SymbolicState, edge: Edge, ghost: Variable | None
) -> tuple[SymbolicState, Term | None]:
    """What a call may give, whose callee has a ghost for it, in the state behind it."""
    if ghost is None:
        return state, None
    target, name = _call(edge).target, f"result of {_call(edge).function}"
    fresh = world.names.fresh(name, scalar_sort(ghost.type, world.types))
    if not isinstance(target, VariableReference):
        return state, fresh
    found = given_pointer(world, state, target.variable, str(fresh))
    if found is None:
        return state, fresh
    value, required = found
    return state.with_guard(conjunction(state.guard, required)), value


def _call(edge: Edge) -> Call:
    assert isinstance(edge.operation, Call)
    return edge.operation


def _callee(world: World, edge: Edge) -> Function:
    return world.program.functions[_call(edge).function]


def _arguments(
    world: World, state: SymbolicState, edge: Edge, context: Context, function: Function
) -> dict[Variable, Term]:
    """The values of the scalar parameters, as far as arguments of their types are given."""
    assert isinstance(edge.operation, Call)
    found = {}
    for parameter, argument in zip(function.parameters, edge.operation.arguments, strict=False):
        if is_scalar(parameter.type) and is_scalar(argument.type):
            value = Evaluator(world, state, context, edge).value(argument)
            if value.sort == scalar_sort(parameter.type, world.types):
                found[parameter] = value
    return found


def _old_values(
    world: World, state: SymbolicState, function: Function, arguments: dict[Variable, Term], frame: Context
) -> dict[Instance, Term]:
    """The ghosts for what was when the function was entered."""
    found = {}
    for variable in remembered(world.program, function):
        value = arguments.get(variable) if not variable.is_static else state.values.get(world.instance(variable, ()))
        if value is not None:
            found[world.instance(old_ghost(function, variable), frame)] = value
    return found


def _static_values(world: World, state: SymbolicState) -> dict[Instance, Term]:
    statics = world.of_pools.union(world.instance(found.variable, ()) for found in world.program.statics)
    return {instance: value for instance, value in state.values.items() if instance in statics}


def _static_objects(world: World, state: SymbolicState) -> dict[Term, MemoryObject]:
    found = {}
    for initialiser in world.program.statics:
        if world.facts(initialiser.variable).sort is None:
            address = world.address(initialiser.variable, ())
            if address in state.objects:
                found[address] = state.objects[address]
    return found


class Effects(Struct, frozen=True):
    """What a call may write: scalar statics by their name, and ``memory``, anything that is not a plain variable, or
    memory that it allocates.

    ``statics`` is ``None`` if it may write every static.
    """

    statics: frozenset[Variable] | None
    memory: bool


def effects_of(program: Program, function: Function) -> Effects:
    """What a call of a function may write, judged by the operations of all that it may call."""
    statics: set[Variable] = set()
    memory = False
    for called in _closure(program, function):
        for edge in called.edges:
            memory |= _allocates(edge)
            written = _written(program, edge)
            if written is None:
                return Effects(None, True)
            for target in written:
                plain = isinstance(target, VariableReference) and is_scalar(target.type)
                if plain and isinstance(target, VariableReference) and target.variable not in program.address_taken:
                    statics |= {target.variable} if target.variable.is_static else set()
                else:
                    memory = True
    return Effects(frozenset(statics), memory)


def _allocates(edge: Edge) -> bool:
    call = edge.operation
    return isinstance(call, Call) and library_function(call) in ALLOCATORS


def _closure(program: Program, function: Function) -> Iterator[Function]:
    """The function and all that it may call."""
    seen = {function.name}
    pending = [function]
    while pending:
        current = pending.pop()
        yield current
        for edge in current.edges:
            operation = edge.operation
            if isinstance(operation, Call) and operation.function in program.functions.keys() - seen:
                seen.add(operation.function)
                pending.append(program.functions[operation.function])


def _written(program: Program, edge: Edge) -> tuple[Expression, ...] | None:
    """The lvalues that an edge may write, ``None`` for whatever it likes."""
    match edge.operation:
        case Assign(target=target):
            return (target,)
        case Input(target=target):
            return () if target is None else (target,)
        case Unmodelled() if edge.number in program.derived(points_to).known_calls:
            return ()
        case Unmodelled(writes=writes):
            return None if writes is None else tuple(writes)
        case Call(function=name, arguments=arguments, target=target) as call:
            written = () if target is None else (target,)
            leads_on = any(isinstance(argument.type, PointerType) for argument in arguments)
            if name in program.functions or not leads_on or without_effect(call):
                return written
            behind = destination(call)
            return None if behind is None else (*written, Dereference(behind, CHAR))
    return ()


def _after_effects(world: World, state: SymbolicState, effects: Effects) -> SymbolicState:
    """The state in which everything that the effects tell may have another value."""
    values = dict(state.values)
    for initialiser in world.program.statics:
        instance = world.instance(initialiser.variable, ())
        if instance in values and (effects.statics is None or initialiser.variable in effects.statics):
            values[instance] = world.names.fresh(instance[1], values[instance].sort)
    objects = state.objects
    if effects.memory:
        objects = {address: world.havocked(content) for address, content in objects.items()}
    after = SymbolicState(state.guard, values, objects, state.inputs)
    return havocked_pools(world, after) if effects.memory else after
