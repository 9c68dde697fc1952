"""Intervals of integer variables at cut points, as candidate invariants.

Source: P. Cousot & R. Cousot, *Abstract interpretation*, POPL 1977 (intervals, widening, narrowing); widening goes to
the next constant of the program (thresholds, Blanchet et al., PLDI 2003). Arithmetic that may leave the range of its
type gives the whole range. Memory that is reached through pointers is not looked at. Executions are kept apart while a
temporary variable tells which operand has decided a ``&&`` or ``||`` (L. Mauborgne & X. Rival, *Trace partitioning*,
ESOP 2005). The result is only a guess: whoever uses it checks it with :mod:`gia.smt.invariants.induction`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce

from gia.analyses.proving.candidates.comparisons import NEGATED, bounds, compare_with_constant
from gia.analyses.proving.candidates.environments import (
    WHOLE,
    Environment,
    Interval,
    Partition,
    join,
    key_of,
    united,
)
from gia.cfa.expressions import (
    MIRRORED,
    Binary,
    Cast,
    Expression,
    IntegerConstant,
    Storage,
    Unary,
    Variable,
    VariableReference,
    variables_of,
    walk,
)
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Assign, Assume, Call, Declare, Input, Return, Unmodelled
from gia.cfa.supergraph import Node, StepKind, Supergraph
from gia.cfa.types import CType, IntegerType
from gia.smt.invariants.blocks import Skeleton, reverse_postorder
from gia.smt.invariants.control_graph import Arc, ArcKind, check_deadline

_PATIENCE = 3
"""How often the intervals of a cut point may grow before they are widened."""
_HUGE = 1 << 128
"""Beyond the bounds of every integer type."""
_NARROWING = 2
"""How often every node is computed again from the widened result."""


def interval_candidates(
    program: Program, supergraph: Supergraph, shape: Skeleton[Node], deadline: float
) -> dict[Node, tuple[Expression, ...]]:
    """The bounds of variables at each cut point that the analysis reaches. Raises :class:`OutOfTimeError`."""
    found = _Analysis(program, supergraph, shape, deadline).at_cuts()
    return {cut: tuple(_as_expressions(environment)) for cut, environment in found.items()}


def _as_expressions(environment: Environment) -> Iterator[Expression]:
    for variable in sorted(environment, key=lambda v: (v.function or "", v.name)):
        assert isinstance(variable.type, IntegerType)
        low, high = environment[variable]
        least, greatest = bounds(variable.type)
        reference = VariableReference(variable)
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
        self.flags = _flags(edges.values())
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
                        joined = {key: self._widen(known.get(key, part), part) for key, part in joined.items()}
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
        found: dict[Variable, Interval] = {}
        for initialiser in self.program.statics:
            variable = initialiser.variable
            if not self._tracked(variable):
                continue
            found[variable] = (0, 0)
            for target, value in initialiser.assignments:
                if target == VariableReference(variable):
                    found[variable] = _evaluate(value, {})
        return found

    def _tracked(self, variable: Variable) -> bool:
        return isinstance(variable.type, IntegerType) and variable not in self.program.address_taken

    def _after(self, node: Node, partition: Partition) -> Iterator[tuple[Node, Partition]]:
        """The environments behind the arcs of a node; infeasible ones are left out."""
        for arc in self.shape.arcs[node]:
            if arc.leads_into(self.shape.arcs):
                found = [self._execute(node, arc, environment) for environment in partition.values()]
                parts = [{key_of(e, self.flags): e} for e in found if e is not None]
                if parts:
                    yield arc.target, reduce(united, parts)

    def _execute(self, node: Node, arc: Arc[Node], environment: Environment) -> Environment | None:
        if arc.step is None:
            return self._beyond_the_frame(arc, environment)
        match arc.edge.operation:
            case Assume(condition=condition, outcome=outcome):
                after = _assume(condition, outcome, environment)
                return self._after_asking(condition, after)
            case Assign(target=target, value=value):
                return self._assign(environment, target, value)
            case Declare(variable=variable):
                return _without(environment, variable)
            case Input(target=VariableReference(variable=variable)):
                return _without(environment, variable)
            case Call(function=name, arguments=arguments, target=target):
                if arc.step.kind is StepKind.EXTERNAL:
                    return _without(environment, *_named(target))
                result = dict(environment)
                for parameter, argument in zip(self.program.functions[name].parameters, arguments, strict=False):
                    self._store(result, parameter, _evaluate(argument, environment))
                return result
            case Return(value=value) if arc.step.kind is StepKind.RETURN:
                call = self.supergraph.call_edge(node.context).operation
                assert isinstance(call, Call)
                if call.target is not None and value is not None:
                    return self._assign(environment, call.target, value)
            case Unmodelled(writes=writes):
                return {} if writes is None else _without(environment, *(v for w in writes for v in _named(w)))
        return environment

    def _after_asking(self, condition: Expression, after: Environment | None) -> Environment | None:
        """Without the flags that the condition asks for: nobody does so again."""
        asked = self.flags & variables_of(condition)
        return _without(after, *asked) if after is not None and asked else after

    def _beyond_the_frame(self, arc: Arc[Node], environment: Environment) -> Environment:
        """What is left of an environment by an arc that is no step of the inlined program."""
        operation = arc.edge.operation
        if arc.kind is ArcKind.UNKNOWN:
            return {}
        if arc.kind is ArcKind.SUMMARY:
            assert isinstance(operation, Call)
            kept = {v: value for v, value in environment.items() if not v.is_static}
            return _without(kept, *_named(operation.target))
        result = {v: value for v, value in environment.items() if v.is_static}
        if isinstance(operation, Call):
            called = self.program.functions[operation.function]
            for parameter, argument in zip(called.parameters, operation.arguments, strict=False):
                self._store(result, parameter, _evaluate(argument, environment))
        return result

    def _assign(self, environment: Environment, target: Expression, value: Expression) -> Environment:
        if not isinstance(target, VariableReference):
            return environment
        result = dict(environment)
        self._store(result, target.variable, _evaluate(value, environment))
        return result

    def _store(self, environment: dict[Variable, Interval], variable: Variable, value: Interval) -> None:
        environment.pop(variable, None)
        if self._tracked(variable):
            assert isinstance(variable.type, IntegerType)
            value = _fit(value, variable.type)
            if value != bounds(variable.type):
                environment[variable] = value

    def _widen(self, old: Environment, new: Environment) -> Environment:
        """Bounds that grew go to the next threshold, or to the bound of the type."""
        result: dict[Variable, Interval] = {}
        for variable, after in new.items():
            assert isinstance(variable.type, IntegerType)
            least, greatest = bounds(variable.type)
            before = old.get(variable, (least, greatest))
            low = after[0] if after[0] >= before[0] else max(least, self._threshold_below(after[0]))
            high = after[1] if after[1] <= before[1] else min(greatest, self._threshold_above(after[1]))
            if (low, high) != (least, greatest):
                result[variable] = (low, high)
        return result

    def _threshold_below(self, value: int) -> int:
        place = bisect_right(self.thresholds, value)
        return self.thresholds[place - 1] if place else -_HUGE

    def _threshold_above(self, value: int) -> int:
        place = bisect_left(self.thresholds, value)
        return self.thresholds[place] if place < len(self.thresholds) else _HUGE


def _flags(edges: Iterable[Edge]) -> frozenset[Variable]:
    """The temporary variables that say whether a ``&&`` or ``||`` holds: all that they are ever given are constants."""
    given: dict[Variable, bool] = {}
    for edge in edges:
        match edge.operation:
            case Assign(target=VariableReference(variable=variable), value=value):
                given[variable] = given.get(variable, True) and isinstance(value, IntegerConstant)
            case Input(target=VariableReference(variable=variable)) | Call(target=VariableReference(variable=variable)):
                given[variable] = False
    return frozenset(v for v, is_flag in given.items() if is_flag and v.storage is Storage.TEMPORARY)


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


def _named(target: Expression | None) -> tuple[Variable, ...]:
    return (target.variable,) if isinstance(target, VariableReference) else ()


def _without(environment: Environment, *variables: Variable) -> Environment:
    return {variable: value for variable, value in environment.items() if variable not in variables}


def _range(type_: CType) -> Interval:
    return bounds(type_) if isinstance(type_, IntegerType) else (-_HUGE, _HUGE)


def _fit(value: Interval, type_: CType) -> Interval:
    """The interval converted to a type: itself if it is in range, else everything."""
    least, greatest = _range(type_)
    return value if least <= value[0] and value[1] <= greatest else (least, greatest)


def _evaluate(expression: Expression, environment: Environment) -> Interval:
    """The values that an expression may have."""
    match expression:
        case IntegerConstant(value=value):
            return (value, value)
        case VariableReference(variable=variable):
            return environment.get(variable) or _range(variable.type)
        case Cast(operand=operand, type=type_) if isinstance(operand.type, IntegerType):
            inner = _evaluate(operand, environment)
            if isinstance(type_, IntegerType) and type_.is_bool:
                return (0, 0) if inner == (0, 0) else (1, 1) if not inner[0] <= 0 <= inner[1] else (0, 1)
            return _fit(inner, type_)
        case Unary(operator="-", operand=operand, type=type_):
            low, high = _evaluate(operand, environment)
            return _fit((-high, -low), type_)
        case Unary(operator="!"):
            return (0, 1)
        case Binary():
            return _evaluate_binary(expression, environment)
    return _range(expression.type)


def _evaluate_binary(expression: Binary, environment: Environment) -> Interval:
    if expression.operator in NEGATED or expression.operator in ("&&", "||"):
        return (0, 1)
    if not isinstance(expression.left.type, IntegerType) or not isinstance(expression.right.type, IntegerType):
        return _range(expression.type)
    (a, b), (c, d) = _evaluate(expression.left, environment), _evaluate(expression.right, environment)
    match expression.operator:
        case "+":
            return _fit((a + c, b + d), expression.type)
        case "-":
            return _fit((a - d, b - c), expression.type)
        case "*":
            products = (a * c, a * d, b * c, b * d)
            return _fit((min(products), max(products)), expression.type)
        case "/" if c > 0:
            quotients = [abs(x) // y * (1 if x >= 0 else -1) for x in (a, b) for y in (c, d)]
            return (min(quotients), max(quotients))
        case "%" if c > 0:
            return (0 if a >= 0 else max(a, 1 - d), 0 if b <= 0 else min(b, d - 1))
        case "&" if a >= 0 or c >= 0:
            return (0, min(high for low, high in ((a, b), (c, d)) if low >= 0))
        case ">>" if a >= 0 and c >= 0:
            return (a >> min(d, 200), b >> min(c, 200))
    return _range(expression.type)


def _assume(condition: Expression, outcome: bool, environment: Environment) -> Environment | None:
    """The environment in which the condition has the outcome, ``None`` if there is none."""
    match condition:
        case Unary(operator="!", operand=operand):
            return _assume(operand, not outcome, environment)
        case Binary(operator=operator, left=left, right=right) if _is_junction(condition, outcome):
            if (operator[0] == "&") == outcome:
                first = _assume(left, outcome, environment)
                return None if first is None else _assume(right, outcome, first)
            one, other = _assume(left, outcome, environment), _assume(right, outcome, environment)
            return other if one is None else one if other is None else join(one, other)
        case Binary(operator=operator, left=left, right=right) if operator in NEGATED:
            if not isinstance(left.type, IntegerType):
                return environment
            relation = operator if outcome else NEGATED[operator]
            first = _restrict(left, relation, _evaluate(right, environment), environment)
            return None if first is None else _restrict(right, MIRRORED[relation], _evaluate(left, first), first)
    if isinstance(condition.type, IntegerType):
        return _restrict(condition, "!=" if outcome else "==", (0, 0), environment)
    return environment


def _is_junction(condition: Binary, outcome: bool) -> bool:
    """Whether the condition has the outcome only if both operands have it, or exactly if one of them has it.

    Numbers have no bit in common also if none of them is zero, but only then if both are truth values.
    """
    if condition.operator in ("&&", "||"):
        return True
    operands = (condition.left, condition.right)
    are_truths = all(isinstance(operand, Binary) and operand.operator in NEGATED for operand in operands)
    return condition.operator in ("&", "|") and (are_truths or (condition.operator == "&") == outcome)


def _restrict(expression: Expression, operator: str, other: Interval, environment: Environment) -> Environment | None:
    """What ``expression operator v`` for some ``v`` in ``other`` says about the variable below conversions."""
    low, high = _evaluate(expression, environment)
    match operator:
        case "==":
            low, high = max(low, other[0]), min(high, other[1])
        case "!=" if other[0] == other[1]:
            low, high = low + (low == other[0]), high - (high == other[0])
        case "<":
            high = min(high, other[1] - 1)
        case "<=":
            high = min(high, other[1])
        case ">":
            low = max(low, other[0] + 1)
        case ">=":
            low = max(low, other[0])
    if low > high:
        return None
    while isinstance(expression, Cast) and isinstance(expression.operand.type, IntegerType):
        inner = _evaluate(expression.operand, environment)
        if _fit(inner, expression.type) != inner:
            return environment  # the conversion may change the value
        expression = expression.operand
    if isinstance(expression, VariableReference) and isinstance(expression.type, IntegerType):
        least, greatest = _evaluate(expression, environment)
        return {**environment, expression.variable: (max(low, least), min(high, greatest))}
    return environment
