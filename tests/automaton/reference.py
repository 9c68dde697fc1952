"""The definitions once more, slow and obviously right: the judge of everything that works on automata.

Source: Haltermann & Wehrheim, SoSyM 2024, section 2 (paths) and Definition 3 (covers). Programs have the
global variables ``x`` and ``y`` of type int, functions without parameters, and the operations that
:func:`_execute` knows. Paths are enumerated with their concrete states; inputs range over ``VALUES``.

Also here: strategies that make random programs of this kind, and random well-formed automata on their edges.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from types import CodeType

from hypothesis import strategies as st

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.cfa.expressions import Binary, Expression, IntegerConstant, Storage, Variable, VariableReference
from gia.cfa.graph import Edge, EdgeReference, Function, Initialiser, Program
from gia.cfa.operations import Assign, Assume, Call, Input, Operation, Return, Skip
from gia.cfa.types import INT, DataModel, FunctionType, TypeTable
from gia.errors import Position

FACTOR = int(os.environ.get("GIA_TEST_FACTOR", "1"))
"""How many times the quick number of random cases is tried; 100 is meant for the night."""

VALUES = (0, 1)
"""The values that an input may return."""

X, Y = (Variable(name, INT, Storage.GLOBAL) for name in "xy")

Configuration = Mapping[str, int]
r"""The values of ``x`` and ``y``, and of ``\result`` directly after an input."""


# ---- paths


@dataclass(frozen=True)
class Path:
    """``⟨c0,l0⟩ -g1-> … -gn-> ⟨cn,ln⟩``; ``configurations`` has one more element than ``edges``."""

    edges: tuple[Edge, ...]
    configurations: tuple[Configuration, ...]
    feasible: bool

    @property
    def word(self) -> tuple[EdgeReference, ...]:
        """What the automaton reads."""
        return tuple(edge.reference for edge in self.edges)


def paths(program: Program, length: int) -> Iterator[Path]:
    """All semantic paths from the entry with at most ``length`` edges, the infeasible ones included."""
    entry = program.functions[program.entry]
    pending = [(Path((), ({"x": 0, "y": 0},), True), entry.name, entry.entry, ())]
    while pending:
        path, function, location, stack = pending.pop()
        yield path
        if len(path.edges) == length:
            continue
        for edge in program.functions[function].leaving[location]:
            position = _move(program, edge, function, stack)
            for configuration, holds in _execute(edge.operation, path.configurations[-1]):
                longer = Path((*path.edges, edge), (*path.configurations, configuration), path.feasible and holds)
                pending.append((longer, *position))


def _move(program, edge, function, stack):
    """The function, location and stack (return places, innermost last) behind an edge."""
    match edge.operation:
        case Call(function=name) if name in program.functions:
            return name, program.functions[name].entry, (*stack, (function, edge.target))
        case Return() if stack:
            return (*stack[-1], stack[:-1])
    return function, edge.target, stack


def _execute(operation: Operation, before: Configuration) -> Iterator[tuple[Configuration, bool]]:
    """Each configuration that the operation may lead to, and whether an assumption holds."""
    values = {name: value for name, value in before.items() if name in ("x", "y")}
    match operation:
        case Assign(target=VariableReference(variable=variable), value=value):
            yield {**values, variable.name: _evaluate(value, values)}, True
        case Input(target=VariableReference(variable=variable)):
            for value in VALUES:
                yield {**values, variable.name: value, "\\result": value}, True
        case Assume(condition=condition, outcome=outcome):
            yield values, (_evaluate(condition, values) != 0) == outcome
        case Skip() | Call() | Return():
            yield values, True
        case _:
            raise AssertionError(operation)


def _evaluate(expression: Expression, values: Configuration) -> int:
    match expression:
        case IntegerConstant(value=value):
            return value
        case VariableReference(variable=variable):
            return values[variable.name]
        case Binary(operator="+", left=left, right=right):
            return _evaluate(left, values) + _evaluate(right, values)
        case Binary(operator="<", left=left, right=right):
            return int(_evaluate(left, values) < _evaluate(right, values))
        case Binary(operator="==", left=left, right=right):
            return int(_evaluate(left, values) == _evaluate(right, values))
    raise AssertionError(expression)


# ---- Definition 3


def holds(condition: Condition | None, configuration: Configuration) -> bool:
    r"""``c ⊨ condition``. Conditions are C that is Python after replacing the operators; no ``\result``: false."""
    if condition is None:
        return True
    values = {name.replace("\\", "_"): value for name, value in configuration.items()}
    if "\\result" in condition.text and "_result" not in values:
        return False
    return bool(eval(_compiled(condition.text), {}, values))


@cache
def _compiled(text: str) -> CodeType:
    python = text.replace("\\", "_").replace("&&", " and ").replace("||", " or ")
    return compile(re.sub(r"!(?!=)", " not ", python).strip(), text, "eval")


def covers(automaton: Automaton, kind: Acceptance, path: Path) -> bool:
    """Definition 3: some run ``q0 … qk``, ``k ≤ n``, ends in ``F_kind`` and satisfies conditions 1 to 4."""
    return any(automaton.states[run[-1]].accept is kind for run in runs(automaton, path))


def runs(automaton: Automaton, path: Path) -> Iterator[tuple[int, ...]]:
    """All runs on prefixes of the path, as their states."""
    pending = [(automaton.initial,)]
    while pending:
        run = pending.pop()
        step = len(run) - 1
        if not holds(automaton.states[run[-1]].invariant, path.configurations[step]):
            continue
        yield run
        if step == len(path.edges):
            continue
        edge, configuration = path.edges[step].reference, path.configurations[step + 1]
        for source, target, edges, assumption in automaton.transitions:
            if source == run[-1] and (edges is ANY or edge in edges) and holds(assumption, configuration):
                pending.append((*run, target))


def language(automaton: Automaton, kind: Acceptance, among: Iterable[Path]) -> frozenset[int]:
    """``P_kind(A)`` restricted to the given paths, as their indices."""
    return frozenset(index for index, path in enumerate(among) if covers(automaton, kind, path))


def languages(automaton: Automaton, among: Sequence[Path]) -> tuple[frozenset[int], ...]:
    """``P_ut``, ``P_rt`` and ``P_cand`` restricted to the given paths."""
    return tuple(language(automaton, kind, among) for kind in Acceptance)


def is_correct(automaton: Automaton, targets: frozenset[int], among: Iterable[Path]) -> bool:
    """Definition 4 on the given paths; the targets are numbers of edges. A path reaches one by executing it."""
    for path in among:
        good = path.feasible and any(edge.number in targets for edge in path.edges)
        if (good and covers(automaton, Acceptance.UT, path)) or (not good and covers(automaton, Acceptance.RT, path)):
            return False
    return True


# ---- programs


def make_program(**functions: Sequence[tuple[int, int, Operation]]) -> Program:
    """A program of functions given as edges (source, target, operation).

    The least source is the function's entry, location -1 its exit; locations of functions are apart.
    """
    made = {}
    number = 0
    for index, (name, edges) in enumerate(functions.items()):
        base = 100 * index
        built = []
        for source, target, operation in edges:
            goal = base + 99 if target == -1 else base + target
            reference = EdgeReference(name, number + 1, 1, _kind(operation), _branch(operation))
            built.append(Edge(number, base + source, goal, operation, reference, "p.c", f"operation {number}"))
            number += 1
        entry = base + min(source for source, _, _ in edges)
        made[name] = Function(name, FunctionType(INT, ()), (), (), entry, base + 99, tuple(built), Position("p.c", 1))
    statics = (Initialiser(X), Initialiser(Y))
    return Program("p.c", "0" * 64, TypeTable(DataModel.LP64), made, statics, {}, next(iter(functions)))


def _kind(operation: Operation) -> str:
    return type(operation).__name__.lower()


def _branch(operation: Operation) -> str:
    return ("then" if operation.outcome else "else") if isinstance(operation, Assume) else ""


def less(variable: Variable, value: int) -> Binary:
    """``variable < value``."""
    return Binary("<", VariableReference(variable), IntegerConstant(value, INT), INT)


CONDITIONS = (less(X, 1), less(Y, 1), Binary("==", VariableReference(X), VariableReference(Y), INT))
STEPS: tuple[Operation, ...] = (
    Skip(),
    Assign(VariableReference(X), IntegerConstant(1, INT)),
    Assign(VariableReference(Y), VariableReference(X)),
    Input(VariableReference(X), "__VERIFIER_nondet_int", INT),
)


@st.composite
def programs(draw, with_calls: bool = True) -> Program:
    """Programs with loops, branches, inputs, dead code and (recursive) calls of one function ``f``."""
    functions = {"main": draw(_bodies(("f",) if with_calls else ()))}
    if with_calls:
        functions["f"] = draw(_bodies(("f",)))
    return make_program(**functions)


@st.composite
def _bodies(draw, callees: tuple[str, ...]):
    """The edges of a function with locations 0 … n-1: each a step, a call, a decision or a return."""
    size = draw(st.integers(2, 4))
    target = st.integers(0, size - 1)
    edges = []
    for location in range(size):
        last = location == size - 1
        choice = "return" if last else draw(st.sampled_from(["step", "branch", "branch", "call", "return"]))
        if choice == "call" and callees:
            edges.append((location, draw(target), Call(None, draw(st.sampled_from(callees)), ())))
        elif choice == "branch":
            condition = draw(st.sampled_from(CONDITIONS))
            edges += [(location, draw(target), Assume(condition, outcome)) for outcome in (True, False)]
        elif choice == "return":
            edges.append((location, -1, Return(None)))
        else:
            edges.append((location, location + 1, draw(st.sampled_from(STEPS))))
    return edges


# ---- automata

TEXTS = ("x < 1", "!(x < 1)", "y == 0", "x < 1 && y == 0", "x == y")


@st.composite
def automata(
    draw,
    edges: Sequence[EdgeReference],
    conditions: Sequence[str] = TEXTS,
    kinds: Sequence[Acceptance] = tuple(Acceptance),
    max_states: int = 5,
) -> Automaton:
    """Well-formed automata on the edges; every second transition has an assumption, every third state an invariant."""
    maybe = st.none() | st.sampled_from([Condition(text, "main") for text in conditions]) if conditions else st.none()
    accepts = st.sampled_from([None, None, *kinds])
    states = [State(None, draw(accepts) if draw(st.integers(0, 5)) == 0 else None)]
    states += [
        State(draw(maybe) if draw(st.integers(0, 2)) == 0 else None, draw(accepts))
        for _ in range(draw(st.integers(1, max_states - 1)))
    ]
    some_edges = st.none() | st.frozensets(st.sampled_from(edges), min_size=1, max_size=4)
    number = st.integers(0, len(states) - 1)
    transitions = [Transition(n, n, ANY) for n, state in enumerate(states) if state.accept is Acceptance.CAND]
    for _ in range(draw(st.integers(0, 3 * len(states)))):
        source, target = draw(number), draw(number)
        final = states[source].accept in (Acceptance.UT, Acceptance.RT)
        if not final or states[target].accept is states[source].accept:
            transitions.append(Transition(source, target, draw(some_edges), draw(maybe)))
    return Automaton(tuple(states), tuple(transitions), 0)


@st.composite
def programs_with_automata(draw, count: int = 1, with_calls: bool = True, **options):
    """A program and ``count`` automata on its edges."""
    program = draw(programs(with_calls))
    edges = [edge.reference for edge in program.edge_list]
    return program, [draw(automata(edges, **options)) for _ in range(count)]


def free_paths(edges: Sequence[Edge], length: int) -> list[Path]:
    """Every sequence of edges up to a length, program path or not, in configurations that never change."""
    words = (word for size in range(length + 1) for word in product(edges, repeat=size))
    return [Path(word, ({"x": 0, "y": 0},) * (len(word) + 1), True) for word in words]
