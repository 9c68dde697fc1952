"""Predicates from Horn clauses about the blocks of an infeasible path, solved by Spacer.

* ``invariants``: the blocks of the path as a program, with one relation for each cut point (D. Beyer, T. Henzinger,
  R. Majumdar & A. Rybalchenko, *Path invariants*, PLDI 2007); only if the path passes a cut point twice.
* ``interpolants``: one relation for each position: a sequence of interpolants (K. McMillan, CAV 2006).

What Spacer finds over integers is checked bit-precisely, as what all sources propose.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from gia.analyses.predicate.atoms import MOST_PARTS
from gia.analyses.predicate.paths import Facts, InfeasiblePath, selected
from gia.analyses.proving.points import Flattening, Point, conjuncts
from gia.cfa.expressions import Expression, atoms_of
from gia.cfa.supergraph import Node
from gia.smt.encoding.to_expression import to_expression
from gia.smt.invariants.control_graph import ArcKey
from gia.smt.terms import Term, conjunction, variables_of

if TYPE_CHECKING:
    from gia.smt.solvers.horn import Strategy

SPACER_SECONDS: Final = 4.0
"""The most that one question to Spacer may take."""


class Segment(Struct, frozen=True):
    """A block as a clause: from the relation ``body`` where it starts to ``head`` where it leads.

    ``body`` is ``None`` at the program's start, ``head`` if ``target`` is the arc of a claim.
    """

    start: Node | None
    target: Node | ArcKey[Node]
    body: Hashable | None
    head: Hashable | None


def path_invariants(path: InfeasiblePath) -> Facts | None:
    """The conjuncts of invariants of the program that consists of the path's blocks; only if that has a loop."""
    from gia.smt.solvers.horn import Arithmetic, Strategy  # noqa: PLC0415 - Z3 takes time to load

    strategies = (
        Strategy(Arithmetic.INTEGERS),
        Strategy(Arithmetic.INTEGERS, guided=True, inlined=False),
        Strategy(Arithmetic.BOUNDED_INTEGERS, guided=True, inlined=False),
        Strategy(Arithmetic.BOUNDED_INTEGERS),
    )
    if len(set(path.cuts)) == len(path.cuts):
        return None
    program = frozenset(_segments(path, list(path.cuts)))  # of other paths as well: more rounds in the same loops
    if program in path.blocks.unanswered:
        return None
    found = _solved(path, list(path.cuts), strategies)
    if found is None:
        path.blocks.unanswered.add(program)
    return found


def interpolants(path: InfeasiblePath) -> Facts | None:
    """The conjuncts of a sequence of interpolants, over integers if that is good enough, else over bit-vectors."""
    from gia.smt.solvers.horn import Arithmetic, Strategy  # noqa: PLC0415 - Z3 takes time to load

    strategies = (
        Strategy(Arithmetic.INTEGERS, inlined=False),
        Strategy(Arithmetic.BIT_VECTORS, inlined=False),
    )
    return _solved(path, list(range(len(path.cuts))), strategies)


def _segments(path: InfeasiblePath, relations: Sequence[Hashable]) -> list[Segment]:
    """The blocks of the path, with the relations at its positions."""
    bodies, heads = (None, *relations), (*relations, None)
    parts = zip(path.starts, path.targets, bodies, heads, strict=True)
    return list(dict.fromkeys(Segment(*part) for part in parts))


def _solved(path: InfeasiblePath, relations: Sequence[Hashable], strategies: Sequence[Strategy]) -> Facts | None:
    """The first answer of Spacer that is good enough for the path, whose positions have these ``relations``."""
    for solution in solutions(path, _segments(path, relations), strategies, SPACER_SECONDS):
        facts = [list(solution[key]) for key in relations]
        if selected(path, facts) is not None:
            return facts
    return None


def solutions(
    path: InfeasiblePath, segments: Sequence[Segment], strategies: Sequence[Strategy], most: float
) -> Iterator[Mapping[Hashable, list[Expression]]]:
    """What Spacer finds for each relation, by one strategy after the other; each has ``most`` seconds."""
    from gia.analyses.proving.chc import as_predicate  # noqa: PLC0415 - Z3 takes time to load
    from gia.smt.solvers.horn import Clause, solve  # noqa: PLC0415

    flat = Flattening()
    points = _relevant(path, flat, segments)
    predicates = {key: as_predicate(f"at{number}", point) for number, (key, point) in enumerate(points.items())}
    clauses: dict[Clause, None] = {}
    for segment in segments:
        body = None if segment.body is None else predicates[segment.body]
        known = path.blocks.known(segment.start)
        guard = flat(conjunction(path.blocks.guard(segment.start, segment.target), *known))
        if segment.head is None:
            clauses[Clause(body, guard, None, ())] = None
        else:
            values = tuple(flat(term) for term in _values(path, segment, points[segment.head]))
            clauses[Clause(body, guard, predicates[segment.head], values)] = None
    for strategy in strategies:
        seconds = min(most, max(0.0, path.blocks.deadline - monotonic()) / 4)
        solution = solve(list(clauses), strategy, seconds)
        if solution is not None:
            yield {key: list(_readable(solution.get(predicates[key].name), point)) for key, point in points.items()}


def _readable(formula: Term | None, point: Point) -> Iterator[Expression]:
    """The parts of a relation as expressions; those that speak about single bits are too special to be of use."""
    for part in conjuncts(formula) if formula is not None and not formula.is_true else ():
        expression = to_expression(part, point.leaves)
        if expression is not None and len(list(atoms_of(expression))) <= MOST_PARTS:
            yield expression


def _values(path: InfeasiblePath, segment: Segment, point: Point) -> list[Term]:
    """The values of a point's variables where a block ends, at the cut point to which it leads."""
    cut = segment.target
    assert isinstance(cut, Node)
    state = path.blocks.block(segment.start).exits[cut]
    encoder = path.blocks.proof.induction.encoder
    return [encoder.evaluate(reference, state, cut.context) for reference in point.references]


def _relevant(path: InfeasiblePath, flat: Flattening, segments: Iterable[Segment]) -> Mapping[Hashable, Point]:
    """For each relation, the variables on which what follows depends."""
    ordered = list(segments)
    points: dict[Hashable, Point] = {s.head: Point((), ()) for s in ordered if s.head is not None}
    changed = True
    while changed:
        changed = False
        for segment in reversed(ordered):
            start = segment.start
            if segment.body is None or start is None or path.blocks.is_unknown(start):
                continue
            needed = [path.blocks.guard(start, segment.target)]
            if segment.head is not None:
                needed += _values(path, segment, points[segment.head])
            used = frozenset(variables_of(*(flat(term) for term in needed)))
            known = points[segment.body]
            point = path.blocks.point(start).restricted(used | frozenset(known.terms))
            changed |= point != known
            points[segment.body] = point
    return points


def relevant_variables(path: InfeasiblePath) -> list[Point]:
    """The variables at each cut point on which the rest of the path depends."""
    positions = list(range(len(path.cuts)))
    found = _relevant(path, Flattening(), _segments(path, positions))
    return [found[position] for position in positions]
