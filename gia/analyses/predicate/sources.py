"""Where predicates come from: facts at the cut points of an infeasible path that exclude it.

Of what a source proposes, :func:`~gia.analyses.predicate.paths.selected` keeps a smallest part that is a proof for the
path, bit-precisely; invariants of loops are kept as far as they are inductive. Sources:

* ``modes``: what holds in each combination of values of flags, see :mod:`gia.analyses.predicate.modes`;
* ``loops``: invariants of the loops through the path, see :mod:`gia.analyses.predicate.loops`;
* ``invariants``, ``interpolants``: Horn clauses, see :mod:`gia.analyses.predicate.horn_sources`;
* ``strongest``: what holds after the path so far, as values of variables and equations between them (D. Dietsch et al.,
  *Craig vs. Newton in software model checking*, ESEC/FSE 2017);
* ``weakest``: what excludes the rest of the path, backwards from the claim (T. Ball & S. Rajamani, SPIN 2001);
* ``atoms``: conditions of the program, comparisons of what it compares, and linear equations seen in random executions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Final

from gia.analyses.predicate.atoms import atoms_at
from gia.analyses.predicate.horn_sources import interpolants, path_invariants
from gia.analyses.predicate.loops import loop_invariants
from gia.analyses.predicate.modes import mode_invariants
from gia.analyses.predicate.paths import Explanation, Facts, InfeasiblePath, selected
from gia.analyses.proving.backward import Backward
from gia.analyses.proving.candidates.comparisons import compare, compare_with_constant
from gia.cfa.expressions import Expression
from gia.cfa.types import IntegerType
from gia.smt.terms import Term, signed

Source = Callable[[InfeasiblePath], Explanation | None]
"""Facts that exclude a path; ``None`` if it finds none. May raise :class:`OutOfTimeError`."""


def strongest(path: InfeasiblePath) -> Facts | None:
    """The values of variables after the path so far that are constants, and equations between those that are not."""
    facts: Facts = []
    encoder = path.blocks.proof.induction.encoder
    for before, cut in zip(path.counterexamples.along(path.cuts), path.cuts, strict=False):
        if before is None or cut not in before.exits:
            return None
        state = before.exits[cut]
        known: list[Expression] = []
        others: dict[Term, list[Expression]] = {}
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
    usable = atoms_at(path.blocks, path.cuts, path.blocks.equations)
    return [usable[cut] for cut in path.cuts]


def _selecting(propose: Callable[[InfeasiblePath], Facts | None]) -> Source:
    """The source that keeps as much of the proposed facts as the path needs."""

    def explain(path: InfeasiblePath) -> Explanation | None:
        proposed = propose(path)
        facts = selected(path, proposed) if proposed is not None else None
        return None if facts is None else Explanation(facts)

    return explain


SOURCES: Final[Mapping[str, Source]] = MappingProxyType(
    {
        "modes": mode_invariants,
        "loops": loop_invariants,
        "invariants": _selecting(path_invariants),
        "atoms": _selecting(atoms),
        "weakest": _selecting(weakest),
        "interpolants": _selecting(interpolants),
        "strongest": _selecting(strongest),
    }
)
"""All sources by name, in the order in which they are tried."""


def predicates_for(path: InfeasiblePath, sources: Sequence[str], turn: int) -> Explanation | None:
    """Facts that exclude the path, from the first source that has enough; ``None`` if none has.

    In each ``turn`` another source is first: one that goes on finding special facts only must not keep out the others.
    """
    first = turn % len(sources)
    for name in (*sources[first:], *sources[:first]):
        found = SOURCES[name](path)
        if found is not None:
            return found
    return None
