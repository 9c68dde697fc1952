"""Definition 6, checked on all executions of small programs against the definition of covering itself."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.cfa.expressions import Binary, Expression, Result, Variable, VariableReference, variables_of
from gia.cfa.graph import EdgeReference, Program
from gia.cfa.operations import operands_of
from gia.cfa.types import INT, CType
from gia.errors import InputError
from gia.reducer import reduce_program
from gia.reducer.building import ADDED
from tests.automaton.reference import FACTOR
from tests.cfa.data_programs import NAMES, constant, data_programs, structured_programs, variables
from tests.cfa.graphs import law
from tests.cfa.interpreter import Machine, evaluate
from tests.reducer.text_programs import Moment

INPUTS = (0, 1)
LENGTH = 8

CONDITIONS: dict[Condition, Expression] = {
    Condition(f"{variable.name} {operator} {value}", name): Binary(
        operator, VariableReference(variable), constant(value), INT
    )
    for name in NAMES
    for variable in variables(name)
    for operator in ("==", "<")
    for value in (0, 1)
}
RESULTS = {Condition(rf"\result == {v}", "main"): Binary("==", Result(INT), constant(v), INT) for v in INPUTS}


def parse(text: str, scope: str, program: Program | None = None, *, result: CType | None = None) -> Expression:
    found = {**CONDITIONS, **RESULTS}.get(Condition(text, scope))
    if found is None or ("result" in text and result is None):
        raise InputError(text)
    return found


Trace = tuple[Moment, ...]


def moment(edge: EdgeReference, machine: Machine, returned: int | None) -> Moment:
    def shown(values: dict[Variable, int]) -> tuple[tuple[str, int], ...]:
        return tuple(sorted((v.name, value) for v, value in values.items() if not v.name.startswith("$") and value))

    frames = tuple(
        (f.function.parameters[0].function or "" if f.function.parameters else "main", shown(f.locals))
        for f in machine.frames
    )
    return Moment(edge, shown(machine.statics), frames, returned)


def traces(program: Program) -> set[Trace]:
    """All executions of up to ``LENGTH`` edges that are not ``ADDED``; every prefix is one."""
    found: set[Trace] = set()
    pending: list[tuple[Machine, Trace, EdgeReference | None, int | None, int]] = [
        (Machine.start(program), (), None, None, 0)
    ]
    while pending:
        machine, before, last, returned, idle = pending.pop()
        trace = before if last is None else (*before, moment(last, machine, returned))
        added = [step for step in machine.steps(INPUTS) if step[0].reference.kind == ADDED]
        if added:
            assert len(added) == 1, "added edges are deterministic"
            assert idle < 100
            edge, after = added[0]
            if after.frames:
                pending.append((after, before, last, returned, idle + 1))
            else:
                found.add(trace)
            continue
        found.add(trace)
        if len(trace) < LENGTH:
            for edge, after in machine.steps(INPUTS):
                pending.append((after, trace, edge.reference, after.returned, 0))
    return found


def holds(condition: Condition | None, now: Moment) -> bool:
    if condition is None:
        return True
    expression = parse(condition.text, condition.scope, result=INT)
    functions = [name for name, _ in now.frames]
    for variable in variables_of(expression):
        if not variable.is_static and variable.function not in functions:
            return False

    def read(variable: Variable) -> int:
        if variable.is_static:
            return dict(now.statics).get(variable.name, 0)
        values = next(values for name, values in reversed(now.frames) if name == variable.function)
        return dict(values).get(variable.name, 0)

    if condition in RESULTS and now.returned is None:
        return False
    return bool(evaluate(expression, read, now.returned))


def covered(automaton: Automaton, kind: Acceptance, trace: Trace) -> bool:
    """Whether the automaton X-covers the path: DESIGN §2, literally."""
    current = {automaton.initial}
    final = automaton.accepting(kind)
    for now in trace:
        if current & final:
            return True
        current = {
            t.target
            for q in current
            for t in automaton.leaving[q]
            if (t.edges is ANY or now.edge in t.edges)
            and holds(t.assumption, now)
            and holds(automaton.states[t.target].invariant, now)
        }
    return bool(current & final)


@st.composite
def automata(draw: st.DrawFn, program: Program) -> Automaton:
    """A well-formed automaton over the edges of a program, with a way to an accepting state."""
    conditions = [c for c in CONDITIONS if c.scope in program.functions]
    maybe = st.one_of(st.none(), st.sampled_from(conditions), st.sampled_from(conditions))
    count = draw(st.integers(2, 4))
    accepts = [None, *draw(st.lists(st.sampled_from([None, *Acceptance]), min_size=count - 2, max_size=count - 2))]
    accepts.append(draw(st.sampled_from(list(Acceptance))))
    states = [State(None if i == 0 else draw(st.one_of(st.none(), maybe)), accepts[i]) for i in range(count)]
    references = [edge.reference for edge in program.edges()]
    inputs = [reference for reference in references if reference.kind == "input"]
    ends = [(i, i + 1) for i in range(count - 1)]
    ends += draw(st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=5))
    transitions = []
    for source, target in ends:
        if accepts[source] in (Acceptance.UT, Acceptance.RT):
            continue
        if inputs and draw(st.integers(0, 3)) == 0:
            edges = frozenset(draw(st.lists(st.sampled_from(inputs), min_size=1)))
            transitions.append(Transition(source, target, edges, draw(st.sampled_from(list(RESULTS)))))
        else:
            chosen = st.lists(st.sampled_from(references), min_size=1).map(frozenset)
            transitions.append(Transition(source, target, draw(st.one_of(st.none(), chosen)), draw(maybe)))
    transitions += [Transition(i, i, ANY) for i in range(count) if accepts[i] is Acceptance.CAND]
    transitions += [Transition(i, i, ANY) for i in range(count) if accepts[i] is None and draw(st.booleans())]
    return Automaton(tuple(states), tuple(transitions))


@st.composite
def followers(draw: st.DrawFn, program: Program, runs: list[Trace], wrt: Acceptance) -> Automaton:
    """An automaton along executions, so that all of its conditions matter.

    A condition holds there, held there a step before, is what a decision tests, or tells the execution from others.
    """
    conditions = [c for c in CONDITIONS if c.scope in program.functions]
    states, transitions = [State()], []
    for _ in range(draw(st.integers(1, 2))):
        run = draw(st.sampled_from(runs))
        kind = draw(st.sampled_from([wrt, wrt, wrt, Acceptance.UT, Acceptance.RT]))
        length, at, skipping = draw(st.integers(1, len(run)) | st.just(len(run))), 0, draw(st.booleans())
        bare = draw(st.booleans())
        for number, now in enumerate(run[:length]):
            ends = number == length - 1
            if skipping and not ends and draw(st.booleans()):
                transitions.append(Transition(at, at, frozenset({now.edge}) if draw(st.booleans()) else ANY))
                continue
            states.append(State(None if bare or draw(st.booleans()) else draw(interesting(conditions, run, number))))
            assumption = None if bare or draw(st.booleans()) else draw(interesting(conditions, run, number))
            if now.edge.kind == "input" and draw(st.booleans()):
                assumption = draw(st.sampled_from([*RESULTS]))
            target = len(states) - 1
            transitions.append(Transition(at, target, frozenset({now.edge}), assumption))
            if ends:
                states[-1] = states[-1]._replace(accept=kind)
                other = None if bare else draw(st.sampled_from([None, *conditions]))
                transitions.append(Transition(at, target, frozenset({now.edge}), other or assumption))
            at = target
    if draw(st.integers(0, 3)) == 0:
        edges = frozenset(draw(st.lists(st.sampled_from([edge.reference for edge in program.edges()]), min_size=1)))
        target = len(states)
        states.append(State(None, Acceptance.CAND))
        transitions += [Transition(0, 0, ANY), Transition(0, target, edges), Transition(target, target, ANY)]
    return Automaton(tuple(states), tuple(transitions))


def interesting(conditions: list[Condition], run: Trace, number: int) -> st.SearchStrategy[Condition | None]:
    """Conditions that hold at a moment of an execution, some that held before it only, or any."""
    true = [condition for condition in conditions if holds(condition, run[number])]
    stale = [c for c in conditions if number and c not in true and holds(c, run[number - 1])]
    ways = [st.sampled_from(found) for found in (true, true, stale, conditions) if found]
    return st.one_of(st.none(), *ways)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Program, Automaton, Acceptance]:
    program = draw(data_programs() | structured_programs() | structured_programs())
    kind = draw(st.sampled_from([Acceptance.UT, Acceptance.RT]))
    runs = sorted((run for run in traces(program) if len(run) > 1), key=lambda run: (len(run), repr(run)))
    returning = [run for run in runs if any(now.edge.kind == "return" for now in run[:-1])]
    along = runs and draw(st.integers(0, 3))
    followed = returning if returning and draw(st.integers(0, 3)) else runs[len(runs) // 2 :]
    return program, draw(followers(program, followed, kind) if along else automata(program)), kind


def assert_scopes(original: Program, reduced: Program) -> None:
    """Whatever an edge mentions is visible in its function."""
    for function in reduced.functions.values():
        for edge in function.edges:
            name = edge.reference.function
            assert name in original.functions
            for expression in operands_of(edge.operation):
                assert all(v.is_static or v.function == name for v in variables_of(expression)), edge


@given(problems(), st.sampled_from([frozenset[str]()] * 3 + [frozenset({"h"})]))
@law(250 * FACTOR)
def test_needed_paths_stay_and_no_others_come(
    problem: tuple[Program, Automaton, Acceptance], kept: frozenset[str]
) -> None:
    program, automaton, kind = problem
    reduced = reduce_program(program, automaton, kind, parse, error_functions=kept)
    assert_scopes(program, reduced.program)
    original, left = traces(program), traces(reduced.program)
    assert left <= original
    has_candidates = bool(automaton.accepting(Acceptance.CAND))
    for trace in original:
        if has_candidates and not covered(automaton, Acceptance.CAND, trace):
            continue
        if not covered(automaton, kind, trace):
            assert trace in left
    if not reduced.statistics.untestable and not kept & program.functions.keys():
        for trace in left - {()}:
            assert not covered(automaton, kind, trace[:-1])


@given(problems())
@law(60 * FACTOR)
def test_a_small_limit_keeps_the_reduction_sound(problem: tuple[Program, Automaton, Acceptance]) -> None:
    program, automaton, kind = problem
    reduced = reduce_program(program, automaton, kind, parse, most_nodes=3)
    left = traces(reduced.program)
    for trace in traces(program):
        if not automaton.accepting(Acceptance.CAND) or covered(automaton, Acceptance.CAND, trace):
            assert trace in left or covered(automaton, kind, trace)


def references(program: Program) -> Iterator[EdgeReference]:
    return (edge.reference for edge in program.edges())


@given(problems())
@law(60 * FACTOR)
def test_numbers_and_references_fit_together(problem: tuple[Program, Automaton, Acceptance]) -> None:
    program, automaton, kind = problem
    reduced = reduce_program(program, automaton, kind, parse)
    again = reduce_program(program, automaton, kind, parse)
    assert again == reduced
    assert [edge.number for edge in reduced.program.edges()] == list(range(len(reduced.program.edge_list)))
    kept = {reference for reference in references(reduced.program) if reference.kind != ADDED}
    assert kept | reduced.removed_edges == set(references(program))
    assert not kept & reduced.removed_edges
    locations = [location for function in reduced.program.functions.values() for location in function.leaving]
    assert len(locations) == len(set(locations))
