"""Where predicates come from: facts at the cut points of an infeasible path that exclude it.

Each source proposes facts; :func:`selected` keeps a smallest part that is a proof for the path, bit-precisely, in the
sense of T. Henzinger, R. Jhala, R. Majumdar & K. McMillan, *Abstractions from proofs*, POPL 2004: the facts at a cut
point follow from those at the one before, and those at the last one exclude the claim. Sources:

* ``invariants``: the blocks of the path as a program with loops, as Horn clauses with one relation for each cut point
  (D. Beyer, T. Henzinger, R. Majumdar & A. Rybalchenko, *Path invariants*, PLDI 2007), solved by Spacer;
* ``interpolants``: the path as Horn clauses with one relation for each position: a sequence of interpolants
  (K. McMillan, CAV 2006);
* ``strongest``: what holds after the path so far, as values of variables and equations between them (D. Dietsch et al.,
  *Craig vs. Newton in software model checking*, ESEC/FSE 2017);
* ``weakest``: what excludes the rest of the path, backwards from the claim (T. Ball & S. Rajamani, SPIN 2001);
* ``atoms``: conditions of the program, comparisons of what it compares, and linear equations seen in random executions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from gia.analyses.predicate.blocks import Blocks
from gia.analyses.predicate.counterexamples import Counterexamples
from gia.analyses.proving.backward import Backward
from gia.analyses.proving.comparisons import compare, compare_with_constant
from gia.analyses.proving.houdini import Vocabulary, candidates_at
from gia.analyses.proving.known import atoms_of, meaningful_at
from gia.analyses.proving.points import Flattening, Point, conjuncts
from gia.cfa.expressions import Binary, Expression, IntegerConstant, Unary, VariableReference
from gia.cfa.operations import Assume
from gia.cfa.supergraph import Node
from gia.cfa.types import INT, IntegerType
from gia.smt.control_graph import ArcKey
from gia.smt.solver import Result
from gia.smt.terms import Term, conjunction, negation, signed, variables_of
from gia.smt.to_expression import to_expression

if TYPE_CHECKING:
    from gia.smt.horn import Strategy

MOST_ATOMS: Final = 150
"""So many atoms are tried at a cut point."""
MOST_PARTS: Final = 8
"""Facts with more atoms than this are not taken, or not taken apart."""
SPACER_SECONDS: Final = 4.0
"""The most that one question for interpolants may take."""

_NEVER: Final = IntegerConstant(0, INT)
"""What holds at cut points that the beginning of a path does not reach."""

Facts = list[list[Expression]]
"""For each cut point of a path, in its order, what is proposed or known there."""


@dataclass(frozen=True)
class InfeasiblePath:
    """A path through ``cuts`` that takes the arc of ``claim`` at its end, and that no execution follows."""

    blocks: Blocks
    counterexamples: Counterexamples
    cuts: tuple[Node, ...]
    claim: ArcKey[Node]

    @property
    def starts(self) -> tuple[Node | None, ...]:
        """The starts of its blocks."""
        return (None, *self.cuts)

    @property
    def targets(self) -> tuple[Node | ArcKey[Node], ...]:
        """Where its blocks lead."""
        return (*self.cuts, self.claim)

    def premises(self, index: int, facts: Sequence[Expression]) -> list[Term]:
        """The facts where block ``index`` starts, and that it leads on along the path."""
        start = self.starts[index]
        known = [] if start is None else [self.blocks.at_start(start, fact) for fact in facts]
        return [*known, self.blocks.guard(start, self.targets[index])]


Source = Callable[[InfeasiblePath], Facts | None]
"""Proposes facts for a path; ``None`` if it finds nothing. May raise :class:`OutOfTimeError`."""


def selected(path: InfeasiblePath, facts: Facts) -> Facts | None:
    """A smallest part of the facts that excludes the path; ``None`` if all of them do not."""
    facts = _holding(path, facts)
    chosen: Facts = [[] for _ in path.cuts]
    needed: list[Expression] = []
    for index in range(len(path.cuts), -1, -1):
        start = path.starts[index]
        available = [] if index == 0 else list(dict.fromkeys((*facts[index - 1], _NEVER)))
        if index < len(path.cuts):
            if path.blocks.is_unknown(path.cuts[index]) and needed:
                return None
            refuted = negation(conjunction(*(path.blocks.at_exit(start, path.cuts[index], e) for e in needed)))
            if refuted.is_false:  # nothing is needed any more
                break
            conclusion = [refuted]
        else:
            conclusion = []

        def suffices(kept: Sequence[Expression], index: int = index, also: Sequence[Term] = conclusion) -> bool:
            question = [*path.premises(index, kept), *also]
            return path.blocks.ask(path.starts[index], question) is Result.UNSAT

        if not suffices(available):
            return None
        needed = _smallest(available, suffices)
        if index:
            chosen[index - 1] = needed
    return [[fact for fact in known if fact != _NEVER] for known in chosen]


def _smallest(items: list[Expression], suffices: Callable[[Sequence[Expression]], bool]) -> list[Expression]:
    """A part that suffices and of which nothing can be left out, dropping larger pieces first and later items first."""
    size = max(1, len(items) // 2)
    while items:
        position = len(items)
        while position > 0:
            fewer = items[: max(0, position - size)] + items[position:]
            if suffices(fewer):
                items = fewer
            position -= size
        if size == 1:
            break
        size = max(1, size // 2)
    return items


# ---- sources


def path_invariants(path: InfeasiblePath) -> Facts | None:
    """The conjuncts of invariants of the program that consists of the path's blocks; only if that has a loop."""
    from gia.smt.horn import Arithmetic, Strategy  # noqa: PLC0415 - Z3 takes time to load

    strategies = (
        Strategy(Arithmetic.INTEGERS),
        Strategy(Arithmetic.INTEGERS, guided=True, inlined=False),
        Strategy(Arithmetic.BOUNDED_INTEGERS, guided=True, inlined=False),
        Strategy(Arithmetic.BOUNDED_INTEGERS),
    )
    return _solved(path, list(path.cuts), strategies) if len(set(path.cuts)) < len(path.cuts) else None


def interpolants(path: InfeasiblePath) -> Facts | None:
    """The conjuncts of a sequence of interpolants, over integers if that is good enough, else over bit-vectors."""
    from gia.smt.horn import Arithmetic, Strategy  # noqa: PLC0415 - Z3 takes time to load

    strategies = (
        Strategy(Arithmetic.INTEGERS, inlined=False),
        Strategy(Arithmetic.BIT_VECTORS, inlined=False),
    )
    return _solved(path, list(range(len(path.cuts))), strategies)


def _solved(path: InfeasiblePath, relations: Sequence[Hashable], strategies: Sequence[Strategy]) -> Facts | None:
    """The first answer of Spacer for the path's clauses that is good enough.

    Positions with equal ``relations`` have one relation.
    """
    from gia.analyses.proving.chc import as_predicate  # noqa: PLC0415 - Z3 takes time to load
    from gia.smt.horn import Clause, solve  # noqa: PLC0415

    flat = Flattening()
    used = _relevant(path, flat, relations)
    predicates = {key: as_predicate(f"at{number}", point) for number, (key, point) in enumerate(used.items())}
    points = [used[key] for key in relations]
    clauses: dict[Clause, None] = {}
    for index, (start, target) in enumerate(zip(path.starts, path.targets, strict=True)):
        body = predicates[relations[index - 1]] if index else None
        guard = flat(path.blocks.guard(start, target))
        if index == len(path.cuts):
            clauses[Clause(body, guard, None, ())] = None
        else:
            values = tuple(flat(term) for term in _values(path, index, points[index]))
            clauses[Clause(body, guard, predicates[relations[index]], values)] = None
    for strategy in strategies:
        seconds = min(SPACER_SECONDS, max(0.0, path.blocks.deadline - monotonic()) / 4)
        solution = solve(list(clauses), strategy, seconds)
        if solution is not None:
            facts = [
                list(_readable(solution.get(predicates[key].name), point))
                for key, point in zip(relations, points, strict=True)
            ]
            if selected(path, facts) is not None:
                return facts
    return None


def _readable(formula: Term | None, point: Point) -> Iterator[Expression]:
    """The parts of a relation as expressions; those that speak about single bits are too special to be of use."""
    for part in conjuncts(formula) if formula is not None and not formula.is_true else ():
        expression = to_expression(part, point.leaves)
        if expression is not None and len(list(atoms_of(expression))) <= MOST_PARTS:
            yield expression


def _values(path: InfeasiblePath, index: int, point: Point) -> list[Term]:
    """The values of a point's variables where block ``index`` ends, at the cut point of that position."""
    cut = path.cuts[index]
    state = path.blocks.block(path.starts[index]).exits[cut]
    encoder = path.blocks.proof.induction.encoder
    return [encoder.evaluate(reference, state, cut.context) for reference in point.references]


def _relevant(path: InfeasiblePath, flat: Flattening, relations: Sequence[Hashable]) -> dict[Hashable, Point]:
    """For each relation, the variables on which the rest of the path depends at one of its positions."""
    nothing = Point((), ())
    points: dict[Hashable, Point] = dict.fromkeys(relations, nothing)
    changed = True
    while changed:
        changed = False
        for index in range(len(path.cuts), 0, -1):
            start, key = path.cuts[index - 1], relations[index - 1]
            if path.blocks.is_unknown(start):
                continue
            needed = [path.blocks.guard(start, path.targets[index])]
            if index < len(path.cuts):
                needed += _values(path, index, points[relations[index]])
            used = frozenset(variables_of(*(flat(term) for term in needed)))
            point = path.blocks.point(start).restricted(used | frozenset(points[key].terms))
            changed |= point != points[key]
            points[key] = point
    return points


def relevant_variables(path: InfeasiblePath) -> list[Point]:
    """The variables at each cut point on which the rest of the path depends."""
    found = _relevant(path, Flattening(), list(range(len(path.cuts))))
    return list(found.values())


def strongest(path: InfeasiblePath) -> Facts | None:
    """The values of variables after the path so far that are constants, and equations between those that are not."""
    facts: Facts = []
    encoder = path.blocks.proof.induction.encoder
    for index, cut in enumerate(path.cuts):
        before = path.counterexamples.block_behind(path.cuts[:index])
        if before is None or cut not in before.exits:
            return None
        state = before.exits[cut]
        known: list[Expression] = []
        others: dict[Term, list[VariableReference]] = {}
        for reference in path.blocks.point(cut).references:
            assert isinstance(reference.type, IntegerType)
            value = encoder.evaluate(reference, state, cut.context)
            if value.value is not None:
                number = signed(value.value, value.width) if reference.type.signed else value.value
                known.append(compare_with_constant("==", reference, number))
            else:
                others.setdefault(value, []).append(reference)
        for same in others.values():
            known += [compare("==", left, right) for left, right in combinations(same, 2)]
        facts.append(known)
    return facts


def weakest(path: InfeasiblePath) -> Facts | None:
    """What keeps the rest of the path from being followed, backwards from the claim."""
    proof = path.blocks.proof
    backward = Backward(proof.induction, proof.supergraph, path.blocks.deadline)
    facts: Facts = [[] for _ in path.cuts]
    if path.cuts:
        facts[-1] = list(backward.avoiding(path.blocks.block(path.cuts[-1]), path.claim))
    for index in range(len(path.cuts) - 1, 0, -1):
        block = path.blocks.block(path.cuts[index - 1])
        facts[index - 1] = [
            *backward.leaving(block, path.cuts[index]),
            *(e for fact in facts[index] for e in backward.before(block, path.cuts[index], fact)),
        ]
    return facts


def atoms(path: InfeasiblePath) -> Facts | None:
    """The conditions of the program and their negations, comparisons, and equations that hold in random executions."""
    proof = path.blocks.proof
    sampled = path.blocks.equations
    vocabulary, conditions = _vocabulary(path.blocks)
    usable: dict[Node, list[Expression]] = {}
    for cut in path.cuts:
        if cut not in usable:
            found = [e for e in conditions if meaningful_at(proof.supergraph, cut, e)]
            found += [Unary("!", e, INT) for e in found]
            found += sampled.get(cut, ())
            compared = candidates_at(vocabulary, proof.variables(cut), MOST_ATOMS)
            usable[cut] = [*found, *sorted(compared, key=_is_special)]
    return [usable[cut] for cut in path.cuts]


def _is_special(comparison: Expression) -> bool:
    """Whether it holds for one value only: such facts are the first to be left out, since they seldom hold again."""
    return isinstance(comparison, Binary) and comparison.operator == "=="


def _holding(path: InfeasiblePath, facts: Facts) -> Facts:
    """Those of the facts that follow from the beginning of the path, from one cut point to the next."""
    kept: Facts = []
    for index, (cut, proposed) in enumerate(zip(path.cuts, facts, strict=True)):
        before = kept[-1] if kept else []
        known = [] if path.blocks.is_unknown(cut) else list(dict.fromkeys(proposed))
        kept.append(_following(path, index, before, known))
    return kept


def _following(
    path: InfeasiblePath, index: int, before: Sequence[Expression], proposed: list[Expression]
) -> list[Expression]:
    """Those of the proposed facts that follow at the end of a block: models drop the others."""
    start, cut = path.starts[index], path.cuts[index]
    premises = path.premises(index, before)
    terms = {e: path.blocks.at_exit(start, cut, e) for e in proposed}
    kept = proposed
    while kept:
        answer = path.blocks.ask(start, [*premises, negation(conjunction(*(terms[e] for e in kept)))])
        if answer is not Result.SAT:
            return kept if answer is Result.UNSAT else []
        kept = [e for e in kept if path.blocks.value(start, terms[e])]
    return kept


def _vocabulary(blocks: Blocks) -> tuple[Vocabulary, list[Expression]]:
    """What the useful part of the program compares, and its conditions."""
    shape = blocks.proof.shape
    edges = {arc.edge.number: arc.edge for leaving in shape.arcs.values() for arc in leaving}
    ordered = [edges[number] for number in sorted(edges)]
    conditions = [edge.operation.condition for edge in ordered if isinstance(edge.operation, Assume)]
    found: Iterable[Expression] = (atom for condition in conditions for atom in atoms_of(condition))
    return Vocabulary.of(blocks.proof.program, ordered), list(dict.fromkeys(found))


SOURCES: Final[Mapping[str, Source]] = MappingProxyType(
    {
        "invariants": path_invariants,
        "atoms": atoms,
        "weakest": weakest,
        "interpolants": interpolants,
        "strongest": strongest,
    }
)
"""All sources by name, in the order in which they are tried."""


def with_atoms(facts: Sequence[Expression]) -> list[Expression]:
    """The facts and the conditions that they are made of: an abstraction finds other combinations of these itself."""
    found = dict.fromkeys(facts)
    for fact in facts:
        parts = list(atoms_of(fact))
        found.update(dict.fromkeys(parts if len(parts) <= MOST_PARTS else ()))
    return list(found)


def predicates_for(path: InfeasiblePath, sources: Sequence[str], turn: int) -> Facts | None:
    """Facts that exclude the path, from the first source that has enough; ``None`` if none has.

    In each ``turn`` another source is first: one that goes on finding special facts only must not keep out the others.
    """
    first = turn % len(sources)
    for name in (*sources[first:], *sources[:first]):
        found = SOURCES[name](path)
        if found is not None:
            facts = selected(path, found)
            if facts is not None:
                return facts
    return None
