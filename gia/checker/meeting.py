"""Whether some execution of a program is covered as ``ut`` and reaches what is claimed as ``rt``.

Source: Haltermann & Wehrheim, SoSyM 2024, Definition 7 (the precondition of the combiner). Looked for is a path of the
control flow with a run to ``F_rt`` that ends with the path and a run to ``F_ut`` on the path or a prefix of it, all of
whose assumptions, those of the program, of the transitions and the invariants of the states, hold in one execution.
(What the path may go on to after its target is reached is no contradiction: that later edges are infeasible is what
proofs say all the time.) The paths are followed breadth first in the product of the inlined program with both automata,
as far as the solver does not exclude them; so the first that is found is a shortest one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct, field

from gia.automaton.model import Acceptance, Automaton, Condition, Transition
from gia.automaton.product import reaching
from gia.cfa.closure import closure
from gia.cfa.graph import Edge, EdgeReference, Program
from gia.cfa.hiding import hidden
from gia.cfa.operations import Assume
from gia.cfa.supergraph import Context, Node, Step, Supergraph
from gia.checker.conditions import Conditions
from gia.smt.encoding.encoder import Encoder, Mode
from gia.smt.encoding.state import InputBits, SymbolicState, inputs_under
from gia.smt.invariants.control_graph import OutOfTimeError, TooLargeError, check_deadline
from gia.smt.solvers import make_solver
from gia.smt.solvers.solver import Result
from gia.smt.terms import conjunction

NODE_LIMIT = 200_000
"""Larger products are not searched."""

PATH_LIMIT = 50_000
"""So many beginnings of paths are followed before the search gives up."""

_RECURSION = 1
_EXCLUDED = -1
"""Stands for all ``ut`` states: the path is covered."""


class Meeting(Struct, frozen=True):
    """A path that is covered as ``ut`` and as ``rt``.

    ``excluding`` and ``reaching`` are the last transitions of the two runs (``None``: an initial state accepts);
    ``excluded_on`` is the edge on which the first one accepts. ``inputs`` is what an execution of it reads. If it is
    not ``certain``, the path has an operation that the encoding of C over-approximates, and only an execution can tell.
    """

    edges: tuple[Edge, ...]
    excluding: Transition | None
    excluded_on: Edge | None
    reaching: Transition | None
    inputs: tuple[InputBits, ...]
    certain: bool


class _Place(NamedTuple):
    """A node of the product: where the path, the ``rt`` run and the ``ut`` run are."""

    node: Node
    reaching: int
    excluding: int


class _Move(NamedTuple):
    """An arc of the product: a step with the transitions of both runs (``None``: the ``ut`` run has ended)."""

    step: Step
    reaching: Transition
    excluding: Transition | None
    target: _Place


class _Trail(Struct, eq=False):
    """A beginning of a path with both runs: the move that it ends with, and the state that it leads to."""

    place: _Place
    state: SymbolicState
    word: tuple[int, int]
    move: _Move | None = None
    before: _Trail | None = None

    def moves(self) -> list[_Move]:
        """All moves from the start."""
        found: list[_Move] = []
        trail: _Trail | None = self
        while trail is not None and trail.move is not None:
            found.append(trail.move)
            trail = trail.before
        return found[::-1]


class UndecidedError(Exception):
    """Why it is not known whether there is such a path."""


def find_meeting(program: Program, excluding: Automaton, reaching: Automaton, *, deadline: float) -> Meeting | None:
    """A shortest path in ``P_ut(excluding)`` and ``P_rt(reaching)`` that can be executed, ``None`` if there is none.

    Before: both automata are well-formed. Raises :class:`UndecidedError`, at the latest at ``deadline`` (a value of
    ``time.monotonic``).
    """
    search = _Search(program, excluding, reaching, deadline)
    try:
        found = search.result()
    except OutOfTimeError:
        raise UndecidedError("the time for looking is used up") from None
    except TooLargeError:
        raise UndecidedError("program and automata together are too large") from None
    if found is None and search.doubts:
        raise UndecidedError(search.doubts[0])
    return found


class _Moves(Struct):
    """The transitions of an automaton towards one accepting set, by edge."""

    automaton: Automaton
    kind: Acceptance
    final: frozenset[int] = frozenset()
    useful: frozenset[int] = frozenset()
    _found: dict[tuple[int, EdgeReference], list[Transition]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.final = self.automaton.accepting(self.kind)
        self.useful = reaching(self.automaton, self.kind)

    def on(self, state: int, edge: EdgeReference) -> list[Transition]:
        """The transitions from ``state`` on an edge to where ``F_kind`` can be reached."""
        key = (state, edge)
        if key not in self._found:
            self._found[key] = [
                t
                for t in self.automaton.leaving[state]
                if t.target in self.useful and (t.edges is None or edge in t.edges)
            ]
        return self._found[key]


class _Search:
    """One search."""

    def __init__(self, program: Program, excluding: Automaton, reaching: Automaton, deadline: float) -> None:
        self.program = program
        self.deadline = deadline
        self.ut = _Moves(excluding, Acceptance.UT)
        self.rt = _Moves(reaching, Acceptance.RT)
        self.supergraph = Supergraph(program, _RECURSION)
        self.conditions = Conditions(self.supergraph)
        self.encoder = Encoder(program, Mode.OVER)
        self.solver = make_solver()

    def result(self) -> Meeting | None:
        """Explore the product without conditions, then follow the paths through what is useful of it."""
        first, second = self.ut.automaton.initial, self.rt.automaton.initial
        if first not in self.ut.useful or second not in self.rt.useful:
            return None
        covered = first in self.ut.final
        start = _Place(self.supergraph.entry, second, _EXCLUDED if covered else first)
        if second in self.rt.final:
            return Meeting((), None, None, None, (), certain=True) if covered else None
        moves = self._product(start)
        useful = self._useful(moves)
        return self._follow(start, moves, useful) if start in useful else None

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why there may be such a path although none was found."""
        found = list(self.conditions.remarks)
        if self.supergraph.cut_calls:
            found.append("it may be inside a recursive call")
        if hidden(self.program) is not None:
            found.append("code may run at times that the program does not show")
        return tuple(found)

    def _product(self, start: _Place) -> dict[_Place, list[_Move]]:
        """All places that can be reached if conditions are not looked at, with what leaves them."""
        found: dict[_Place, list[_Move]] = {}
        pending = [start]
        while pending:
            place = pending.pop()
            if place in found:
                continue
            if len(found) >= NODE_LIMIT:
                raise TooLargeError
            if len(found) % 1024 == 0:
                check_deadline(self.deadline)
            found[place] = list(self._moves(place))
            pending.extend(move.target for move in found[place] if move.target.reaching not in self.rt.final)
        return found

    def _moves(self, place: _Place) -> Iterator[_Move]:
        for step in self.supergraph.successors(place.node):
            edge = step.edge.reference
            for taken in self.rt.on(place.reaching, edge):
                if place.excluding == _EXCLUDED:
                    yield _Move(step, taken, None, _Place(step.target, taken.target, _EXCLUDED))
                    continue
                for other in self.ut.on(place.excluding, edge):
                    where = _EXCLUDED if other.target in self.ut.final else other.target
                    yield _Move(step, taken, other, _Place(step.target, taken.target, where))

    def _ends(self, move: _Move) -> bool:
        return move.target.reaching in self.rt.final and move.target.excluding == _EXCLUDED

    def _useful(self, moves: dict[_Place, list[_Move]]) -> set[_Place]:
        """The places from which both runs can be completed."""
        sources: dict[_Place, list[_Place]] = {}
        pending = []
        for place, leaving in moves.items():
            for move in leaving:
                sources.setdefault(move.target, []).append(place)
                if self._ends(move):
                    pending.append(place)
        return closure(pending, sources)

    def _follow(self, start: _Place, moves: dict[_Place, list[_Move]], useful: set[_Place]) -> Meeting | None:
        """The first path in breadth-first order that the solver does not exclude."""
        pending = deque([_Trail(start, self.encoder.initial_state(), (0, 0))])
        words: dict[tuple[int, int], int] = {}
        seen: set[tuple[tuple[int, int], _Place, int]] = set()
        while pending:
            check_deadline(self.deadline)
            trail = pending.popleft()
            behind: dict[int, SymbolicState] = {}
            word = words.setdefault(trail.word, len(words))
            if len(seen) > PATH_LIMIT:
                raise TooLargeError
            for move in moves[trail.place]:
                ends = self._ends(move)
                if not ends and (move.target not in useful or move.target.reaching in self.rt.final):
                    continue
                number = move.step.edge.number
                if number not in behind:
                    behind[number] = self.encoder.step(trail.state, move.step, trail.place.node.context)
                reached = _taken(trail.state, behind[number], move) if ends else behind[number]
                after = self._required(self.encoder, reached, move)
                if after is None or not self._possible(trail.state, after):
                    continue
                longer = _Trail(move.target, after, (word, number), move, trail)
                if ends:
                    return self._meeting(longer)
                key = (longer.word, move.target, id(after.guard))
                if key not in seen:
                    seen.add(key)
                    pending.append(longer)
        return None

    def _required(self, encoder: Encoder, behind: SymbolicState, move: _Move) -> SymbolicState | None:
        """The state in which all conditions of the move hold; ``None`` if one of them has no meaning there."""
        asked: list[Condition | None] = [move.reaching.assumption]
        asked.append(self.rt.automaton.states[move.reaching.target].invariant)
        if move.excluding is not None:
            asked += [move.excluding.assumption, self.ut.automaton.states[move.excluding.target].invariant]
        context: Context = move.step.target.context
        result = behind.inputs.record.term if behind.inputs and behind.inputs.record else None
        guard = behind.guard
        for condition in asked:
            if condition is None:
                continue
            expression = self.conditions.at(condition, move.step.target, move.step.edge)
            if expression is None:
                return None
            guard = conjunction(guard, encoder.condition(expression, behind, context, result))
        return behind.with_guard(guard)

    def _possible(self, before: SymbolicState, after: SymbolicState) -> bool:
        """Whether the solver allows the path; it is asked only if a condition came in."""
        if after.guard.is_false:
            return False
        if after.guard is before.guard:
            return True
        check_deadline(self.deadline)
        return self.solver.check([after.guard, *self.encoder.axioms], 5.0) is not Result.UNSAT

    def _meeting(self, trail: _Trail) -> Meeting:
        """The path once more, without what is undefined or unknown."""
        moves = trail.moves()
        encoder = Encoder(self.program, Mode.UNDER)
        state: SymbolicState | None = encoder.initial_state()
        context: Context = ()
        for move in moves:
            if state is not None:
                behind = encoder.step(state, move.step, context)
                behind = _taken(state, behind, move) if move is moves[-1] else behind
                state = self._required(encoder, behind, move)
            context = move.step.target.context
        solver = make_solver()
        certain = state is not None and solver.check([state.guard, *encoder.axioms], 5.0) is Result.SAT
        inputs: tuple[InputBits, ...] = ()
        if certain and state is not None:
            inputs = tuple(inputs_under(state, solver.value))
            certain = not encoder.imprecisions and not encoder.undefined(state.guard)
        edges = tuple(move.step.edge for move in moves)
        excluding = next((move for move in reversed(moves) if move.excluding is not None), None)
        if excluding is None:
            return Meeting(edges, None, None, moves[-1].reaching, inputs, certain)
        return Meeting(edges, excluding.excluding, excluding.step.edge, moves[-1].reaching, inputs, certain)


def _taken(before: SymbolicState, behind: SymbolicState, move: _Move) -> SymbolicState:
    """The state of the executions that take the last edge: what ends the program on it does not prevent it."""
    return behind if isinstance(move.step.edge.operation, Assume) else behind.with_guard(before.guard)
