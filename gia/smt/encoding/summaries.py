"""Calls of functions that are looked at once for all calls: entering, leaving, and the call as a whole.

Source: C. A. R. Hoare, *Procedures and parameters: an axiomatic approach*, 1971 (a contract is assumed of the recursive
calls while it is proven of the body). The body is executed in a frame that stands for those of all calls. Caller and
callee may have that same frame; so nothing that belongs to a frame passes between them, but the values of parameters
and the contract's ghosts (:mod:`gia.cfa.contracts`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gia.cfa.call_effects import Effects, recursive_effects
from gia.cfa.contracts import old_ghost, remembered, result_ghost
from gia.cfa.expressions import Variable, VariableReference
from gia.cfa.graph import Edge, Function
from gia.cfa.operations import Call, Return
from gia.cfa.places import ANYWHERE, ENDLESS, Area, Blocks, Place
from gia.cfa.supergraph import Context, Node
from gia.cfa.types import is_scalar
from gia.smt.encoding.assignment import assign, havoc_lvalue
from gia.smt.encoding.conversions import scalar_sort
from gia.smt.encoding.evaluator import Evaluator
from gia.smt.encoding.frames import living
from gia.smt.encoding.heap_blocks import block_address, given_pointer
from gia.smt.encoding.memory import MemoryObject
from gia.smt.encoding.pool_access import havocked_pools
from gia.smt.encoding.state import Instance, SymbolicState
from gia.smt.encoding.world import World
from gia.smt.terms import BOOL, Term, bv_const, conjunction

_ALL = Area(ANYWHERE, ENDLESS)


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
    return SymbolicState(state.guard, values, _shared_objects(world, state, function), state.inputs)


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
    return SymbolicState(state.guard, values, _shared_objects(world, state, function), state.inputs)


def summarise(world: World, state: SymbolicState, edge: Edge, context: Context, frame: Context) -> Summary:
    """The call as a whole: what its callee may write is arbitrary behind it, but for its contract."""
    function = _callee(world, edge)
    arguments = _arguments(world, state, edge, context, function)
    returned = world.names.fresh(f"returned {function.name}", BOOL)
    after = _after_effects(world, state, world.program.derived(recursive_effects)[function.name], context)
    after = after.with_guard(conjunction(state.guard, returned))
    ghost = result_ghost(function)
    after, result = _with_result(world, after, edge, ghost)
    ends = _static_values(world, after)
    ends.update(_old_values(world, state, function, arguments, frame))
    if ghost is not None and result is not None:
        ends[world.instance(ghost, frame)] = result
    end = SymbolicState(after.guard, ends, _shared_objects(world, after, function))
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


def _shared_objects(world: World, state: SymbolicState, function: Function) -> dict[Term, MemoryObject]:
    """The objects that all frames of a function know: what is static, or in a frame that lasts longer than all."""
    statics = ((initialiser.variable, ()) for initialiser in world.program.statics)
    found = {}
    for shared, frame in (*statics, *world.lasting(function).items()):
        address = world.known_address(world.instance(shared, frame))
        if address is not None and address in state.objects:
            found[address] = state.objects[address]
    return found


def _after_effects(world: World, state: SymbolicState, effects: Effects, context: Context) -> SymbolicState:
    """The state in which everything that the effects tell may have another value; ``context`` is that of the caller."""
    values = dict(state.values)
    for initialiser in world.program.statics:
        instance = world.instance(initialiser.variable, ())
        if instance in values and (effects.statics is None or initialiser.variable in effects.statics):
            values[instance] = world.names.fresh(instance[1], values[instance].sort)
    after = SymbolicState(state.guard, values, _written(world, state, effects, context), state.inputs)
    memory = effects.memory
    in_pools = memory is None or effects.allocates or any(isinstance(place, Blocks) for place in memory)
    return havocked_pools(world, after) if in_pools else after


def _written(world: World, state: SymbolicState, effects: Effects, context: Context) -> Mapping[Term, MemoryObject]:
    """The objects, with other contents where the effects tell."""
    memory = effects.memory
    if memory is None:
        return {address: world.havocked(content) for address, content in state.objects.items()}
    if not memory:
        return state.objects
    places: dict[Term | None, Place] = {block_address(world, block): block for block in world.points_to.blocks}
    places.update((world.known_address(world.instance(found, frame)), found) for found, frame in living(world, context))
    areas = {address: memory.get(places[address], ()) if address in places else (_ALL,) for address in state.objects}
    return {address: _scrambled(world, content, areas[address]) for address, content in state.objects.items()}


def _scrambled(world: World, content: MemoryObject, areas: Iterable[Area]) -> MemoryObject:
    """The object with arbitrary contents in some areas."""
    for area in areas:
        if area.begin.modulus:
            return world.havocked(content)
        size = None if area.size >= ENDLESS else area.size
        content = world.scrambled(content, bv_const(area.begin.rest, world.pointer_width), size)
    return content
