"""Samples of the states at cut points: executions with the inputs of tests, at random, and aimed at what these miss."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, islice
from random import Random

from gia.analyses.proving.aiming import Aim
from gia.analyses.proving.cells import Numbers, elements_of
from gia.analyses.proving.executions import Course, Execution, Inputs
from gia.analyses.proving.samples import Samples
from gia.cfa.expressions import Expression, IntegerConstant, Member, Subscript, Variable, VariableReference, walk
from gia.cfa.operations import operands_of
from gia.cfa.supergraph import Node
from gia.cfa.types import IntegerType
from gia.smt.invariants.control_graph import OutOfTimeError
from gia.smt.invariants.induction import Induction
from gia.smt.solvers import make_solver
from gia.smt.terms import Kind

_IDLE = 10
"""So many executions may bring nothing new."""
_FEW = 10
"""Cut points with fewer samples get some by aimed executions."""
_MOST_CONSTANTS = 40
_MOST_IN_MEMORY = 8


def draw_samples(
    induction: Induction[Node],
    places: Mapping[Node, tuple[Expression, ...]],
    *,
    seed: int,
    most: int,
    deadline: float,
    tests: Iterable[Inputs] = (),
) -> Samples:
    """Execute the blocks with the inputs of tests, and then at random, until every cut point has ``most`` different
    samples, or no run finds new ones; then with inputs that lead to the cut points with few of them.

    ``places`` are variables, and what :func:`integers_in_memory` finds. After ``deadline``, what was seen by then.
    """
    random = Random(seed)
    samples = Samples(dict(places), {cut: {} for cut in places})
    course = Course(induction, samples.places, deadline)
    constants = _constants(induction)
    preferred = cycle((*constants, None))
    idle = 0
    try:
        for inputs in tests:
            Execution(course, samples, random, None, inputs).run()
        while idle < _IDLE + len(constants) and samples.wanting(most):
            before = samples.wanting(most)
            Execution(course, samples, random, next(preferred)).run()
            idle = idle + 1 if samples.wanting(most) == before else 0
        _aim(course, samples, random)
    except OutOfTimeError:
        pass
    return samples


def _aim(course: Course, samples: Samples, random: Random) -> None:
    """Execute what leads to the cut points that executions hardly came to, until that brings nothing new."""
    aim = Aim(course, samples, random, make_solver())
    left, before = samples.wanting(_FEW), None
    while left and left != before:
        for cut in [cut for cut, found in samples.values.items() if len(found) < _FEW]:
            for approach in aim.at(cut):
                Execution(course, samples, random, None).run(approach.start, approach.values)
        left, before = samples.wanting(_FEW), left


def integers_in_memory(
    induction: Induction[Node], variables: Mapping[Node, Sequence[Variable]], deadline: float
) -> dict[Node, tuple[Expression, ...]]:
    """The integers in arrays and structures that the program names, of elements that it computes those in small arrays.

    Of each cut point those in its ``variables`` that are carried from block to block, as variables are. A field that is
    named by a pointer belongs to every structure that has it.
    """
    operands = (expression for edge in induction.shape.edges for expression in operands_of(edge.operation))
    parts = dict.fromkeys(p for operand in operands for p in walk(operand) if isinstance(p.type, IntegerType))
    constant = [part for part in parts if _owner(part) is not None]
    computed = (part for part in parts if _owner(part) is None)
    named = (*constant, *(each for part in computed for each in elements_of(part)))
    numbers = Numbers.of(induction.shape.edges)
    found: dict[Node, tuple[Expression, ...]] = {}
    for cut, visible in variables.items():
        initial = induction.block(cut, deadline).initial
        inside = (place for place in dict.fromkeys((*named, *numbers.at(visible))) if _owner(place) in visible)
        carried = (
            place for place in inside if induction.encoder.evaluate(place, initial, cut.context).kind is Kind.VARIABLE
        )
        found[cut] = tuple(islice(carried, _MOST_IN_MEMORY))
    return found


def _owner(place: Expression) -> Variable | None:
    """The variable that a place at a constant distance from its begin is a part of; ``None`` for anything else."""
    part = place
    while True:
        match part:
            case Subscript(array=array, index=IntegerConstant()):
                part = array
            case Member(base=base):
                part = base
            case VariableReference(variable=variable) if part is not place:
                return variable
            case _:
                return None


def _constants(induction: Induction[Node]) -> tuple[int, ...]:
    """Those of the program if calls are summarised: the values of functions for the arguments that it allows matter."""
    if not induction.shape.borders:
        return ()
    expressions = (e for edge in induction.shape.edges for e in operands_of(edge.operation))
    found = {part.value for e in expressions for part in walk(e) if isinstance(part, IntegerConstant)}
    return tuple(sorted(found))[:_MOST_CONSTANTS]
