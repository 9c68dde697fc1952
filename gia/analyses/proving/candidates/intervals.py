"""Intervals of integer variables at cut points, as candidate invariants.

Source: P. Cousot & R. Cousot, *Abstract interpretation*, POPL 1977 (intervals, widening, narrowing); widening goes to
the next constant of the program (thresholds, Blanchet et al., PLDI 2003). Numbers in structures and small arrays count
as variables, also where pointers lead to them (:mod:`.memory_parts`). Executions are kept apart while a temporary
variable tells which operand has decided a ``&&`` or ``||``, or a local one which constant a function has returned (L.
Mauborgne & X. Rival, *Trace partitioning*, ESOP 2005). The result is only a guess: whoever uses it checks it with
:mod:`gia.smt.invariants.induction`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import reduce

from gia.analyses.proving.candidates.assigned import assigned_in
from gia.analyses.proving.candidates.comparisons import compare_with_constant
from gia.analyses.proving.candidates.environments import WHOLE, Environment, Partition, key_of, united
from gia.analyses.proving.candidates.interval_effects import Frame
from gia.analyses.proving.candidates.memory_parts import MemoryParts, Number, Part, variable_of
from gia.cfa.expressions import (
    Expression,
    IntegerConstant,
    Storage,
    Unary,
    Variable,
    VariableReference,
    variables_of,
    walk,
)
from gia.cfa.graph import Edge, Function, Program
from gia.cfa.intervals import HUGE, Interval, join, range_of
from gia.cfa.operations import Assign, Assume, Call, Declare, Input, Return, Unmodelled
from gia.cfa.points_to import points_to
from gia.cfa.supergraph import Context, Node, StepKind, Supergraph
from gia.cfa.types import IntegerType
from gia.smt.invariants.blocks import Skeleton, reverse_postorder
from gia.smt.invariants.control_graph import Arc, ArcKind, check_deadline

_PATIENCE = 3
"""How often the intervals of a cut point may grow before they are widened."""
_PACE = 20
"""How often a bound then goes to the next threshold before it skips some, twice as many each time."""
_NARROWING = 2
"""How often every node is computed again from the widened result."""


def interval_candidates(
    program: Program, supergraph: Supergraph, shape: Skeleton[Node], deadline: float
) -> dict[Node, tuple[Expression, ...]]:
    """The bounds of variables at each cut point that the analysis reaches. Raises :class:`OutOfTimeError`."""
    found = _Analysis(program, supergraph, shape, deadline).at_cuts()
    constant = program.derived(points_to).constant
    return {cut: tuple(_as_expressions(environment, constant)) for cut, environment in found.items()}


def _as_expressions(environment: Environment, constant: Set[Variable]) -> Iterator[Expression]:
    """The bounds, but for variables that are constant: their values are known without them."""
    for number in sorted((n for n in environment if variable_of(n) not in constant), key=_order):
        low, high = environment[number]
        least, greatest = range_of(number.type)
        reference = number.lvalue if isinstance(number, Part) else VariableReference(number)
        if low == high:
            yield compare_with_constant("==", reference, low)
            continue
        if low > least:
            yield compare_with_constant(">=", reference, low)
        if high < greatest:
            yield compare_with_constant("<=", reference, high)


class _Analysis:
    """Chaotic iteration over a skeleton."""

    def __init__(self, program: Program, supergraph: Supergraph, shape: Skeleton[Node], deadline: float) -> None:
        self.program = program
        self.supergraph = supergraph
        self.shape = shape
        self.deadline = deadline
        self.cuts = frozenset(shape.cuts)
        self.order = {node: number for number, node in enumerate(reverse_postorder(shape, shape.graph.entry))}
        edges = {arc.edge.number: arc.edge for leaving in shape.arcs.values() for arc in leaving}
        constants = {
            part.value
            for edge in edges.values()
            for e in _operands(edge.operation)
            for part in walk(e)
            if isinstance(part, IntegerConstant)
        }
        self.parts = MemoryParts(program, supergraph)
        self.frames: dict[Context, Frame] = {}
        self.climbed: dict[Node, Counter[Number]] = {}
        self.flags = _flags(edges.values())
        self.telling = self.flags | _results(program, edges.values())
        self.thresholds = sorted({value + offset for value in constants | {0} for offset in (-1, 0, 1)})

    def at_cuts(self) -> dict[Node, Environment]:
        """The environments of the cut points in a post-fixpoint."""
        states: dict[Node, Partition] = {self.shape.graph.entry: {WHOLE: self._initial()}}
        growth: dict[Node, int] = {}
        pending = {self.shape.graph.entry}
        while pending:
            check_deadline(self.deadline)
            node = min(pending, key=self.order.__getitem__)
            pending.discard(node)
            for target, after in self._after(node, states[node]):
                known = states.get(target)
                joined = after if known is None else united(known, after)
                if joined == known:
                    continue
                if known is not None and target in self.cuts:
                    growth[target] = growth.get(target, 0) + 1
                    if growth[target] > _PATIENCE:
                        climbed = self.climbed.setdefault(target, Counter())
                        joined = {k: self._widen(known.get(k, part), part, climbed) for k, part in joined.items()}
                states[target] = joined
                pending.add(target)
        for _ in range(_NARROWING):
            states = self._again(states)
        return {cut: reduce(join, states[cut].values()) for cut in self.shape.cuts if cut in states}

    def _again(self, states: Mapping[Node, Partition]) -> dict[Node, Partition]:
        """Every node computed once more from its predecessors: a narrowing step on a post-fixpoint."""
        entry = self.shape.graph.entry
        result: dict[Node, Partition] = {entry: {WHOLE: self._initial()}}
        for node in sorted(states, key=self.order.__getitem__):
            check_deadline(self.deadline)
            source = result.get(node, states[node]) if node not in self.cuts else states[node]
            for target, after in self._after(node, source):
                known = result.get(target)
                result[target] = after if known is None else united(known, after)
        return result

    def _initial(self) -> Environment:
        """The static variables with their initial values."""
        view, found = self.parts.seen_from(()), dict[Number, Interval]()
        values = self._frame(()).values
        for initialiser in self.program.statics:
            numbers = self.parts.numbers_of(initialiser.variable)
            found.update(dict.fromkeys(numbers, (0, 0)))
            for target, value in initialiser.assignments if numbers else ():
                found.update(dict.fromkeys(view.numbers(target), values.evaluate(value, {})))
        return found

    def _frame(self, context: Context) -> Frame:
        """What operations do in a frame."""
        if context not in self.frames:
            self.frames[context] = Frame(self.parts, self.parts.seen_from(context))
        return self.frames[context]

    def _after(self, node: Node, partition: Partition) -> Iterator[tuple[Node, Partition]]:
        """The environments behind the arcs of a node; infeasible ones are left out."""
        for arc in self.shape.arcs[node]:
            if arc.leads_into(self.shape.arcs):
                found = [self._execute(node, arc, environment) for environment in partition.values()]
                telling = self.flags if arc.target in self.cuts else self.telling
                parts = [{key_of(e, telling): e} for e in found if e is not None]
                if parts:
                    yield arc.target, reduce(united, parts)

    def _execute(self, node: Node, arc: Arc[Node], environment: Environment) -> Environment | None:
        if arc.step is None:
            return self._beyond_the_frame(node, arc, environment)
        frame = self._frame(node.context)
        match arc.edge.operation:
            case Assume(condition=condition, outcome=outcome):
                after = frame.values.assume(condition, outcome, environment)
                return self._after_asking(condition, after)
            case Assign(target=target, value=value):
                return frame.assign(environment, target, value)
            case Declare(variable=variable):
                return frame.forget(environment, VariableReference(variable))
            case Input(target=target) if target is not None:
                return frame.forget(environment, target)
            case Call() as call if arc.step.kind is StepKind.EXTERNAL:
                return frame.call_library(environment, call)
            case Call(function=name) as call:
                arguments = frame.arguments(environment, call)
                return self._frame(arc.target.context).enter(environment, self.program.functions[name], arguments)
            case Return(value=value) if arc.step.kind is StepKind.RETURN:
                return self._give_back(node, value, environment)
            case Unmodelled() if arc.edge.number in self.program.derived(points_to).known_calls:
                return None
            case Unmodelled(writes=writes):
                return {} if writes is None else frame.forget(environment, *writes)
        return environment

    def _give_back(self, node: Node, value: Expression | None, environment: Environment) -> Environment:
        """The environment after a frame has ended and returned a value."""
        call, caller = self.supergraph.call_edge(node.context).operation, self._frame(node.context[:-1])
        function = self.supergraph.function_of(node)
        kept = {n: interval for n, interval in environment.items() if not _belongs_to(variable_of(n), function)}
        assert isinstance(call, Call)
        if call.target is None:
            return kept
        if value is None or not isinstance(value.type, IntegerType):
            return caller.forget(kept, call.target)
        return caller.store(kept, call.target, self._frame(node.context).values.evaluate(value, environment))

    def _after_asking(self, condition: Expression, after: Environment | None) -> Environment | None:
        """Without the flags that the condition asks for: nobody does so again."""
        asked = self.flags & variables_of(condition)
        return _without(after, *asked) if after is not None and asked else after

    def _beyond_the_frame(self, node: Node, arc: Arc[Node], environment: Environment) -> Environment:
        """What is left of an environment by an arc that is no step of the inlined program."""
        if arc.kind is ArcKind.UNKNOWN:
            return {}
        call, frame = arc.edge.operation, self._frame(node.context)
        if arc.kind is ArcKind.SUMMARY:
            assert isinstance(call, Call)
            kept: Environment = {n: environment[n] for n in environment if isinstance(n, Variable) and not n.is_static}
            return kept if call.target is None else frame.forget(kept, call.target)
        statics = {number: i for number, i in environment.items() if variable_of(number).is_static}
        if not isinstance(call, Call):
            return statics
        arguments = frame.arguments(environment, call)
        return self._frame(arc.target.context).enter(statics, self.program.functions[call.function], arguments)

    def _widen(self, old: Environment, new: Environment, climbed: Counter[Number]) -> Environment:
        """Bounds that grew go to the next threshold, later to one further on, and at last to the bound of the type.

        ``climbed`` has how often those of a number have done so.
        """
        result: dict[Number, Interval] = {}
        for number, after in new.items():
            least, greatest = range_of(number.type)
            before = old.get(number, (least, greatest))
            low, high = after
            if low < before[0] or high > before[1]:
                climbed[number] += 1
                far = 1 << max(0, climbed[number] - _PACE)
                low = low if low >= before[0] else max(least, self._threshold_below(low, far))
                high = high if high <= before[1] else min(greatest, self._threshold_above(high, far))
            if (low, high) != (least, greatest):
                result[number] = (low, high)
        return result

    def _threshold_below(self, value: int, far: int) -> int:
        place = bisect_right(self.thresholds, value) - far
        return self.thresholds[place] if place >= 0 else -HUGE

    def _threshold_above(self, value: int, far: int) -> int:
        place = bisect_left(self.thresholds, value) + far - 1
        return self.thresholds[place] if place < len(self.thresholds) else HUGE


def _flags(edges: Iterable[Edge]) -> frozenset[Variable]:
    """The temporary variables that say whether a ``&&`` or ``||`` holds: all that they are ever given are constants."""
    given = assigned_in(edges).items()
    constant = (v for v, values in given if all(isinstance(value, IntegerConstant) for value in values))
    return frozenset(v for v in constant if v.storage is Storage.TEMPORARY)


def _results(program: Program, edges: Iterable[Edge]) -> frozenset[Variable]:
    """The local variables that hold what a function returns which returns constants, such as numbers of errors."""
    found = set[Variable]()
    for edge in edges:
        match edge.operation:
            case Call(target=VariableReference(variable=variable), function=name) if name in program.functions:
                if not variable.is_static and any(_returns_constant(e) for e in program.functions[name].edges):
                    found.add(variable)
    return frozenset(found)


def _returns_constant(edge: Edge) -> bool:
    match edge.operation:
        case Return(value=IntegerConstant() | Unary(operand=IntegerConstant())):
            return True
    return False


def _operands(operation: object) -> Iterator[Expression]:
    """The expressions whose constants are thresholds."""
    match operation:
        case Assume(condition=condition):
            yield condition
        case Assign(value=value):
            yield value
        case Call(arguments=arguments):
            yield from arguments
        case Return(value=value) if value is not None:
            yield value


def _without(environment: Environment, *variables: Variable) -> Environment:
    return {number: value for number, value in environment.items() if number not in variables}


def _belongs_to(variable: Variable, function: Function) -> bool:
    """Whether the variable ends with a frame of the function."""
    return variable.function == function.name and not variable.is_static


def _order(number: Number) -> tuple[str, str, int]:
    """The order of candidates, which is that of names."""
    variable = variable_of(number)
    return variable.function or "", variable.name, number.offset if isinstance(number, Part) else 0
