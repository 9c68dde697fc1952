"""What is known about each goal, from the automaton and the control flow alone (``gia status``).

A goal is *covered* if an interprocedurally valid path of the CFA that executes it has a run that ends
in ``F_rt``; *unreachable* if every such path to it has a run that reached ``F_ut`` at or before the goal;
else *open*. Nothing is executed and nothing is solved, hence:

* An ``rt`` run counts without looking at its conditions: it is a claim that the path is feasible.
* A ``ut`` run counts if its assumptions hold whatever the path does: there is none, or the assumption is
  the condition of the very edge, or the assumptions on one edge cover both sides of a case distinction.
* The invariants of states count as claims about every execution; :mod:`gia.checker` checks them.

If a goal is both, the automaton contradicts itself, and an executed test is what counts: *covered*.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Mapping
from heapq import heappop, heappush
from itertools import product

from msgspec import field

from gia.automaton.antichain import AntichainExploration
from gia.automaton.conditions import literal
from gia.automaton.guards import guard_of
from gia.automaton.initial import GoalLike
from gia.automaton.model import ANY, Acceptance, Automaton, Condition
from gia.automaton.product import Exploration, Frame, Point, Stepper, reaching
from gia.cfa.graph import Edge, EdgeReference, Program
from gia.cfa.hiding import hidden
from gia.cfa.operations import Return
from gia.verdict import GoalStatus

LEAST_LIMIT, LIMIT_FOR_EACH_EDGE = 100_000, 20
"""So many points of the product are looked at to find out what is excluded. Of proofs for 32 tasks, the largest product
had 1,908; but sets of runs grow without end if evidence guesses how recursive calls go on."""

MORE_SETS, LEAST_SETS = 10, 10_000
"""What is found where calls are single steps (:func:`_waiting_for_returns`) is mostly all that there is: of the sets
that there are if runs look inside, only so many times more are looked at then, and so many."""

MAXIMAL_CASES = 4
"""How many different assumptions on one edge are split into cases; beyond it, they count as not holding.

There a superset of the runs may be told to exclude less. That it is then judged as the subset is, which excludes no
more than it really does, is still right.
"""


def goal_status(program: Program, automaton: Automaton, goals: Iterable[GoalLike]) -> Mapping[str, GoalStatus]:
    """The status of each goal by its id, in the order of the goals."""
    wanted = tuple(goals)
    covered = covered_edges(program, automaton, frozenset().union(*(goal.edges for goal in wanted)))
    reachable = edges_not_excluded(program, automaton)
    result = {}
    for goal in wanted:
        if goal.edges & covered:
            result[goal.id] = GoalStatus.COVERED
        elif goal.edges & reachable:
            result[goal.id] = GoalStatus.OPEN
        else:
            result[goal.id] = GoalStatus.UNREACHABLE
    return result


def unreachable_goals(program: Program, automaton: Automaton, goals: Iterable[GoalLike]) -> frozenset[str]:
    """The ids of the goals that :func:`goal_status` says are unreachable.

    What is covered matters to them only if the automaton excludes something: else no path passes them at all.
    """
    reachable = edges_not_excluded(program, automaton)
    excluded = [goal for goal in goals if goal.edges.isdisjoint(reachable)]
    if excluded and automaton.accepting(Acceptance.UT):
        covered = covered_edges(program, automaton, frozenset().union(*(goal.edges for goal in excluded)))
        excluded = [goal for goal in excluded if goal.edges.isdisjoint(covered)]
    return frozenset(goal.id for goal in excluded)


# ---- unreachable


def edges_not_excluded(program: Program, automaton: Automaton) -> frozenset[int]:
    """The numbers of the edges that some valid path executes without being ``ut``-covered by then.

    All edges of the program, should the product be too large to be explored, or if code may run that no path shows.
    """
    if hidden(program) is not None:
        return frozenset(edge.number for edge in program.edge_list)
    final = automaton.accepting(Acceptance.UT)
    runs = CertainRuns(program, automaton)
    if runs.start & final:
        return frozenset()
    executed: set[int] = set()

    def step(edge: Edge, states: frozenset[int]) -> list[frozenset[int]]:
        cases = [after for after in runs.after(edge, states) if not after & final]
        if cases:
            executed.add(edge.number)
        return cases

    limit = LEAST_LIMIT + LIMIT_FOR_EACH_EDGE * len(program.edge_list)
    found = frozenset(edge.number for edge in program.edge_list)
    for frozen in dict.fromkeys((_waiting_for_returns(program, automaton), frozenset[int]())):
        executed.clear()
        exploration = AntichainExploration(program, step, limit, frozen=frozen)
        exploration.run([Frame(program.entry, runs.start)])
        if exploration.complete:
            found &= executed
            limit = min(limit, MORE_SETS * sum(map(len, exploration.points.values())) + LEAST_SETS)
    return found


def _waiting_for_returns(program: Program, automaton: Automaton) -> frozenset[int]:
    """The states in which a run stays whatever the path does, until it takes some return for that of a call.

    Evidence about functions that call themselves has such states. Calls below return as well: there are very many sets
    of runs that take one of these returns for theirs, and they exclude nothing that the right ones do not.
    """
    loops = (t.source for t in automaton.transitions if t.edges is ANY and t.source == t.target)
    looping = {state for state in loops if automaton.states[state].accept is None}
    leaving = [t for t in automaton.transitions if t.source in looping and t.source != t.target] if looping else []
    others = {t.source for t in leaving if t.edges is ANY or not all(_is_return(program, edge) for edge in t.edges)}
    return frozenset(t.source for t in leaving) - others


def _is_return(program: Program, reference: EdgeReference) -> bool:
    edge = program.by_reference.get(reference)
    return edge is not None and isinstance(edge.operation, Return)


class CertainRuns:
    """The ``ut`` runs that a path has whatever its data are, by cases of the assumptions."""

    def __init__(self, program: Program, automaton: Automaton) -> None:
        useful = reaching(automaton, Acceptance.UT)
        self.start = frozenset({automaton.initial} & useful)
        self._program = program
        self._stepper = Stepper(automaton, useful)
        self._guards: dict[int, tuple[Condition, bool] | None] = {}

    def after(self, edge: Edge, states: frozenset[int]) -> list[frozenset[int]]:
        """The sets of states in which runs can be after ``edge``, one for each case of the assumptions on it."""
        certain: set[int] = set()
        conditional: dict[tuple[Condition, bool], set[int]] = {}
        for state in states:
            for target, assumption in self._stepper.successors(state, edge.reference):
                if assumption is None or literal(assumption) == self._guard(edge):
                    certain.add(target)
                else:
                    conditional.setdefault(literal(assumption), set()).add(target)
        atoms = sorted({atom for (atom, _), targets in conditional.items() if not targets <= certain})
        if not atoms or len(atoms) > MAXIMAL_CASES:
            return [frozenset(certain)]
        cases = []
        for values in product((True, False), repeat=len(atoms)):
            chosen = (conditional.get(found, ()) for found in zip(atoms, values, strict=True))
            cases.append(frozenset(certain.union(*chosen)))
        return list(dict.fromkeys(cases))

    def _guard(self, edge: Edge) -> tuple[Condition, bool] | None:
        """The condition that an assume edge tests, as a literal: it holds on every feasible path through the edge."""
        if edge.number not in self._guards:
            self._guards[edge.number] = self._tested(edge)
        return self._guards[edge.number]

    def _tested(self, edge: Edge) -> tuple[Condition, bool] | None:
        guard = guard_of(edge, self._program)
        return literal(guard) if guard is not None else None


# ---- covered


def covered_edges(program: Program, automaton: Automaton, wanted: frozenset[int]) -> frozenset[int]:
    """Those of the ``wanted`` edges that every path through some reachable ``rt`` step has executed.

    The edge of the step itself belongs to them, and what each valid path that a run follows up to it
    must pass. (What only some of these paths pass is not claimed. Should the product be too large to be
    explored, only the edges of the steps are.)
    """
    useful = reaching(automaton, Acceptance.RT)
    final = automaton.accepting(Acceptance.RT)
    if automaton.initial not in useful or automaton.initial in final:
        return frozenset()
    stepper = Stepper(automaton, useful)
    hits: dict[tuple[int, int], None] = {}
    """The edge and the first state of each step into an ``rt`` state that was found to be reachable."""

    def step(edge: Edge, state: int) -> list[int]:
        found = [target for target, _ in stepper.successors(state, edge.reference)]
        if not final.isdisjoint(found):
            hits[edge.number, state] = None
        return [target for target in found if target not in final]

    start, distances = [Frame(program.entry, automaton.initial)], _steps_to(automaton, final)
    ends = _steps_into(program, automaton, useful - final, final)
    others = wanted.difference(number for number, _ in ends)

    def step_aside(edge: Edge, state: int) -> list[int]:
        return [] if edge.number in others else step(edge, state)

    exploration = _NearestFirst(program, step_aside, distances=distances)
    exploration.run(start, lambda: hits.keys() == ends)
    if hits.keys() == ends:  # no path must pass another edge; so it is with tests, which have very many points
        return wanted - others
    if others:
        exploration = _NearestFirst(program, step, distances=distances)
        exploration.run(start)
    of_steps = wanted & {number for number, _ in hits}
    return of_steps | _passed_before(exploration, hits, wanted - of_steps) if exploration.complete else of_steps


def _passed_before(
    exploration: Exploration[int], steps: Container[tuple[int, int]], wanted: frozenset[int]
) -> frozenset[int]:
    """Those of the ``wanted`` edges that every path to one of the steps has executed."""
    bits = {number: 1 << position for position, number in enumerate(sorted(wanted))}
    passed = _MustPass(exploration, bits)
    found = 0
    for frame, points in exploration.points.items():
        for point in points:
            leaving = exploration.program.functions[frame.function].leaving[point.location]
            if any((edge.number, point.value) in steps for edge in leaving):
                found |= passed.before(frame, point)
    return frozenset(number for number, bit in bits.items() if found & bit)


def _steps_into(
    program: Program, automaton: Automaton, states: frozenset[int], final: frozenset[int]
) -> set[tuple[int, int]]:
    """The edge and the first state of all steps from some states into final ones, reachable or not."""
    found: set[tuple[int, int]] = set()
    for source, target, edges, _ in automaton.transitions:
        if source in states and target in final:
            named = program.by_reference if edges is ANY else edges & program.by_reference.keys()
            found.update((program.by_reference[reference].number, source) for reference in named)
    return found


def _steps_to(automaton: Automaton, states: Iterable[int]) -> dict[int, int]:
    """How many transitions lead from each state to the nearest of some states; no entry if none does."""
    distances = dict.fromkeys(states, 0)
    pending = deque(distances)
    while pending:
        state = pending.popleft()
        for source in automaton.entered_from[state]:
            if source not in distances:
                distances[source] = distances[state] + 1
                pending.append(source)
    return distances


class _NearestFirst(Exploration[int]):
    """Points with the states that are nearest to the end of a run come first: long runs have very many points."""

    distances: Mapping[int, int] = field(default_factory=dict)
    _waiting: list[tuple[int, int, Frame[int], Point[int]]] = field(default_factory=list)

    def _wait(self, frame: Frame[int], point: Point[int]) -> None:
        heappush(self._waiting, (self.distances[point.value], -self._count, frame, point))

    def _next(self) -> tuple[Frame[int], Point[int]] | None:
        return heappop(self._waiting)[2:] if self._waiting else None


class _MustPass:
    """Which edges (as bits) every valid path to a point has executed: a greatest fixed point."""

    def __init__(self, exploration: Exploration[int], bits: Mapping[int, int]) -> None:
        self._exploration = exploration
        self._bits = bits
        self._local: dict[tuple[Frame[int], Point[int]], int] = {}
        self._entry: dict[Frame[int], int] = {}
        self._solve_local()
        self._solve_entries()

    def before(self, frame: Frame[int], point: Point[int]) -> int:
        """The edges on every path from the start of the program to the point."""
        return self._entry[frame] | self._local[frame, point]

    def _solve_local(self) -> None:
        """From the entry of each frame to its points, callees by their summaries."""
        functions = self._exploration.program.functions
        pending = []
        for frame in self._exploration.points:
            entry = (frame, Point(functions[frame.function].entry, frame.value))
            self._local[entry] = 0
            pending.append(entry)
        while pending:
            frame, point = pending.pop()
            value = self._local[frame, point]
            for edge in functions[frame.function].leaving[point.location]:
                after = value | self._bits.get(edge.number, 0)
                for target in self._behind(frame, point, edge, after):
                    known = self._local.get(target[:2])
                    reduced = target[2] if known is None else known & target[2]
                    if reduced != known:
                        self._local[target[:2]] = reduced
                        pending.append(target[:2])

    def _behind(
        self, frame: Frame[int], point: Point[int], edge: Edge, after: int
    ) -> list[tuple[Frame[int], Point[int], int]]:
        """The points behind an edge with what must have been passed, as far as it is known by now."""
        exploration = self._exploration
        found: list[tuple[Frame[int], Point[int], int]] = []
        for value in exploration.step(edge, point.value):
            callee = exploration.callee(edge, value)
            if callee is not None:
                for exit_point, exit_edge, returned in exploration.exits.get(callee, ()):
                    inside = self._local.get((callee, exit_point))
                    if inside is not None:
                        passed = after | inside | self._bits.get(exit_edge.number, 0)
                        found.append((frame, Point(edge.target, returned), passed))
            elif exploration.is_return(edge):
                for caller, call_point, call in exploration.callers.get(frame, ()):
                    outside = self._local.get((caller, call_point))
                    if outside is not None:
                        passed = outside | self._bits.get(call.number, 0) | after
                        found.append((caller, Point(call.target, value), passed))
            else:
                found.append((frame, Point(edge.target, value), after))
        return found

    def _solve_entries(self) -> None:
        """From the start of the program to the entry of each frame."""
        calls: dict[Frame[int], list[tuple[Frame[int], int]]] = {}
        for callee, callers in self._exploration.callers.items():
            for frame, point, call in callers:
                passed = self._local[frame, point] | self._bits.get(call.number, 0)
                calls.setdefault(frame, []).append((callee, passed))
        start = next(iter(self._exploration.points))
        self._entry[start] = 0
        pending = [start]
        while pending:
            frame = pending.pop()
            for callee, passed in calls.get(frame, ()):
                known = self._entry.get(callee)
                value = self._entry[frame] | passed
                reduced = value if known is None else known & value
                if reduced != known:
                    self._entry[callee] = reduced
                    pending.append(callee)
