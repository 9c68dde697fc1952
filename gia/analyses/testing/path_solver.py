"""Inputs that take another path: queries for one decision to fall differently.

Sources: independent constraints as in *CUTE* (Sen, Marinov & Agha, ESEC/FSE 2005, section 3.2: only what shares
variables with the negated condition is solved again) and the caches of *KLEE* (Cadar, Dunbar & Engler, OSDI 2008,
section 3.3), of which equal queries are answered again. One solver keeps what it has learnt from query to query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic

from msgspec import Struct

from gia.analyses.testing.symbolic_path import Alternative, SymbolicPath
from gia.smt.solvers import make_solver
from gia.smt.solvers.solver import Result, Solver
from gia.smt.terms import SortKind, Term, variables_of

QUERY_SECONDS = 2.0
"""Seconds that one query may take."""

QUERIES_OF_ONE_SOLVER = 500
"""After so many queries a new solver begins: what an old one remembers makes it slow."""

Model = Mapping[Term, int]
"""The bits of the variables of a query."""


class Statistics(Struct):
    """What the queries cost."""

    queries: int = 0
    cached: int = 0
    unknown: int = 0
    conditions: int = 0
    """How many conditions the queries held in all, and would have held without slicing."""
    unsliced: int = 0
    seconds: float = 0.0


class PathSolver:
    """Answers queries about paths; the options switch off what makes it fast, so that it can be measured."""

    def __init__(self, *, slicing: bool = True, caching: bool = True, incremental: bool = True) -> None:
        self.statistics = Statistics()
        self._slicing = slicing
        self._caching = caching
        self._queries_left = self._queries_of_one = QUERIES_OF_ONE_SOLVER if incremental else 1
        self._solver: Solver = make_solver()
        self._cache: dict[frozenset[Term], Model | None] = {}

    def solve(self, path: SymbolicPath, position: int, wanted: Alternative, deadline: float) -> Model | None:
        """Values with which the path comes to the decision at ``position`` and takes the alternative; ``None`` if none.

        ``None`` also if the solver does not know in time.
        """
        statistics = self.statistics
        conditions = self._conditions(path, position, wanted.condition)
        statistics.queries += 1
        statistics.conditions += len(conditions)
        statistics.unsliced += position + 1
        query = frozenset(conditions)
        if self._caching and query in self._cache:
            statistics.cached += 1
            return self._cache[query]
        begun = monotonic()
        answer, model = self._ask(conditions, min(QUERY_SECONDS, max(0.0, deadline - begun)))
        statistics.seconds += monotonic() - begun
        if answer is Result.UNKNOWN:
            statistics.unknown += 1
        else:
            self._cache[query] = model
        return model

    def _conditions(self, path: SymbolicPath, position: int, wanted: Term) -> list[Term]:
        """The conditions before a position that share variables with ``wanted``, directly or not, and it itself."""
        if not self._slicing:
            return [*path.encoder.axioms, *(decision.condition for decision in path.decisions[:position]), wanted]
        seen = set(variables_of(wanted))
        pending = sorted(seen, key=lambda variable: variable.number)
        positions: set[int] = set()
        while pending:
            for place in path.occurrences.get(pending.pop(), ()):
                if place >= position:
                    break
                if place not in positions:
                    positions.add(place)
                    fresh = [v for v in path.decisions[place].variables if v not in seen]
                    seen.update(fresh)
                    pending.extend(fresh)
        return [*path.axioms_about(seen), *(path.decisions[place].condition for place in sorted(positions)), wanted]

    def _ask(self, conditions: Sequence[Term], seconds: float) -> tuple[Result, Model | None]:
        if self._queries_left == 0:
            self._solver = make_solver()
            self._queries_left = self._queries_of_one
        self._queries_left -= 1
        answer = self._solver.check(list(dict.fromkeys(conditions)), seconds)
        if answer is not Result.SAT:
            return answer, None
        variables = [v for v in variables_of(*conditions) if v.sort.kind is SortKind.BV]
        return answer, {variable: self._solver.value(variable) for variable in variables}
