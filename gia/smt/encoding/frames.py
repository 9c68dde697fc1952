"""Where variables begin and end: the initial state, arbitrary states, declarations, and leaving a function."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from gia.cfa.expressions import Member, Variable
from gia.cfa.graph import Function, Initialiser
from gia.cfa.operations import Call
from gia.cfa.supergraph import Context, Node
from gia.cfa.types import is_scalar
from gia.smt.encoding.conversions import from_bits, to_bits
from gia.smt.encoding.evaluator import Evaluator
from gia.smt.encoding.heap_blocks import Pointers
from gia.smt.encoding.memory import MemoryObject
from gia.smt.encoding.pool_access import with_any_blocks
from gia.smt.encoding.state import Instance, SymbolicState
from gia.smt.encoding.world import World
from gia.smt.terms import TRUE, Term, bv_const, bv_sort, conjunction, variable

_MOST_CONSTANTS = 64
"""What larger objects hold that nothing writes to is not part of every formula."""


def living(world: World, context: Context) -> Iterator[tuple[Variable, Context]]:
    """The variables that exist while the innermost frame is ``context``: each with the context of its frame."""
    for initialiser in world.program.statics:
        yield initialiser.variable, ()
    framed = world.contracts.function_in(context[:1])
    if framed is not None:
        yield from world.lasting(framed).items()
    for ghost in world.contracts.ghosts_at(context[:1], framed.exit) if framed is not None else ():
        yield ghost, context[:1]
    for depth in range(0 if framed is None else 1, len(context) + 1):
        function = _function_of(world, context[:depth])
        for local in (*function.parameters, *function.locals):
            if not local.is_static:
                yield local, context[:depth]


def _function_of(world: World, context: Context) -> Function:
    """The function whose frame ``context`` is."""
    if not context:
        return world.program.functions[world.program.entry]
    call = world.program.edge_list[context[-1]].operation
    assert isinstance(call, Call)
    return world.program.functions[call.function]


def arbitrary_state(world: World, node: Node, initial: SymbolicState) -> SymbolicState:
    """Any state with which control comes to a node; small objects that nothing writes to are as in the initial one."""
    context = node.context
    start = with_any_blocks(world, SymbolicState(TRUE, {}, {}))
    values = dict(start.values)
    objects: dict[Term, MemoryObject] = {}
    alive = list(living(world, context))
    framed = world.contracts.function_in(context[:1])
    lasting = None if framed is None else world.lasting(framed)
    pointers = Pointers(world, alive, start, lasting)
    for found, frame in alive:
        facts = world.facts(found)
        instance = world.instance(found, frame)
        if facts.sort is None:
            address = world.address(found, frame)
            content = initial.objects.get(address) if found in world.points_to.constant else None
            if content is None or len(content.cells) > _MOST_CONSTANTS:
                content = world.arbitrary(world.addresses.info(address).name, found.type)
                content = pointers.held(found, content)
            objects[address] = content
        else:
            name = instance_name(instance)
            values[instance] = pointers.value(found, node, name) or variable(name, facts.sort)
    if lasting is None:
        objects.update(pointers.blocks())
    return SymbolicState(conjunction(start.guard, *pointers.required), values, objects)


def instance_name(instance: Instance) -> str:
    """The name of the term for a variable in an arbitrary state."""
    context, name = instance
    return f"{name}@{'.'.join(map(str, context))}" if context else name


def declare(world: World, state: SymbolicState, declared: Variable, context: Context) -> SymbolicState:
    """The state after a variable began to live with an indeterminate value."""
    facts = world.facts(declared)
    if facts.sort is not None:
        value = world.names.fresh(facts.name, facts.sort)
        return state.with_value(world.instance(declared, context), value)
    address = world.address(declared, context)
    name = world.names.fresh(facts.name, bv_sort(1)).name
    return state.with_objects({**state.objects, address: world.arbitrary(name, declared.type)})


def zero(world: World, state: SymbolicState, static: Variable) -> SymbolicState:
    """The state with a static variable set to zero."""
    facts = world.facts(static)
    if facts.sort is not None:
        return state.with_value(((), facts.name), from_bits(bv_const(0, facts.sort.width), facts.sort))
    address = world.address(static, ())
    return state.with_objects({**state.objects, address: world.zeroed(facts.name, static.type)})


def initialise(world: World, state: SymbolicState, initialiser: Initialiser) -> SymbolicState | None:
    """The state with the initial value of a static object that consists of scalars side by side, done at once.

    ``None`` if the initialiser is of another kind: then its assignments have to be executed one by one.
    """
    address = world.address(initialiser.variable, ())
    content = state.objects[address]
    evaluator = Evaluator(world, state, ())
    cells: dict[int, Term] = {}
    for target, value in initialiser.assignments:
        size = world.layout(target.type).size
        if not is_scalar(target.type) or size is None or (isinstance(target, Member) and _is_bit_field(world, target)):
            return None
        (place, *others) = world.addresses.targets(evaluator.place(target))
        if others or place.address is not address or place.offset.value is None:
            return None
        cells[place.offset.value] = to_bits(evaluator.value(value), size, world.names)
    ends = 0
    for offset in sorted(cells):
        if offset < ends:
            return None
        ends = offset + cells[offset].width // 8
    return state.with_objects({**state.objects, address: replace(content, cells=cells)})


def _is_bit_field(world: World, member: Member) -> bool:
    return world.types.field(member.struct, member.field).bit_width is not None


def leave(world: World, state: SymbolicState, function: Function, context: Context) -> SymbolicState:
    """The state without the variables of a frame."""
    values, objects = dict(state.values), state.objects
    gone = []
    for instance in world.frame_instances(function, context):
        if values.pop(instance, None) is None:
            address = world.known_address(instance)
            if address is not None:
                gone.append(address)
    if gone:
        objects = dict(objects)
        for address in gone:
            objects.pop(address, None)
    return SymbolicState(state.guard, values, objects, state.inputs)
