"""Facts that are made of the text of the program: its conditions, and comparisons of what it compares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from gia.analyses.predicate.blocks import Blocks
from gia.analyses.proving.candidates.houdini import Vocabulary, candidates_at, conditions_of
from gia.analyses.proving.candidates.known import conditions_at
from gia.cfa.expressions import Binary, Expression, atoms_of
from gia.cfa.supergraph import Node

MOST_ATOMS: Final = 150
"""So many comparisons are tried at a cut point."""
MOST_PARTS: Final = 8
"""Facts with more atoms than this are not taken, or not taken apart."""


def atoms_at(
    blocks: Blocks, cuts: Iterable[Node], also: Mapping[Node, Sequence[Expression]] = MappingProxyType({})
) -> dict[Node, list[Expression]]:
    """The conditions of the program and their negations that have a meaning at a cut point, ``also``, comparisons."""
    proof = blocks.proof
    vocabulary, conditions = _vocabulary(blocks)
    usable: dict[Node, list[Expression]] = {}
    for cut in dict.fromkeys(cuts):
        found = conditions_at(proof.supergraph, cut, conditions)
        compared = candidates_at(vocabulary, proof.integers(cut), MOST_ATOMS)
        usable[cut] = [*found, *also.get(cut, ()), *sorted(compared, key=_is_special)]
    return usable


def _is_special(comparison: Expression) -> bool:
    """Whether it holds for one value only: such facts are the first to be left out, since they seldom hold again."""
    return isinstance(comparison, Binary) and comparison.operator == "=="


def _vocabulary(blocks: Blocks) -> tuple[Vocabulary, list[Expression]]:
    """What the useful part of the program compares, and its conditions."""
    edges = blocks.proof.shape.edges
    return Vocabulary.of(blocks.proof.program, edges), conditions_of(edges)


def with_atoms(facts: Sequence[Expression]) -> list[Expression]:
    """The facts and the conditions that they are made of: an abstraction finds other combinations of these itself."""
    found = dict.fromkeys(facts)
    for fact in facts:
        parts = list(atoms_of(fact))
        found.update(dict.fromkeys(parts if len(parts) <= MOST_PARTS else ()))
    return list(found)
