"""Which variables and fields matter to a goal: those in the conditions before it, then those that meet these.

It is a guess in which order candidates are worth trying, like the data dependences of a slice (M. Weiser, *Program
slicing*, ICSE 1981) without a direction; nothing is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from gia.analyses.proving.candidates.houdini import Vocabulary, integers_in
from gia.analyses.proving.cells import Cell
from gia.cfa.expressions import Expression
from gia.cfa.graph import Program
from gia.cfa.operations import Assume


def distances(program: Program, vocabulary: Vocabulary, goals: Collection[int]) -> Mapping[Cell, int]:
    """Over how many operations each cell of a vocabulary is related to the conditions before the edges of goals."""
    found = {
        cell: 0
        for condition in _conditions_before(program, goals)
        for cell in integers_in(condition)
        if cell in vocabulary.related
    }
    pending = list(found)
    for cell in pending:
        for other in vocabulary.related[cell]:
            if other not in found:
                found[other] = found[cell] + 1
                pending.append(other)
    return found


def _conditions_before(program: Program, goals: Collection[int]) -> Iterator[Expression]:
    """The last conditions on the ways to some edges, in their functions; their own ones if they have any."""
    pending = [program.edge_list[number] for number in sorted(goals)]
    seen = set()
    while pending:
        edge = pending.pop()
        if isinstance(edge.operation, Assume):
            yield edge.operation.condition
        elif edge.source not in seen:
            seen.add(edge.source)
            pending += program.functions[program.function_of_location[edge.source]].entering.get(edge.source, ())
