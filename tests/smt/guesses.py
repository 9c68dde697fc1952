"""Programs with guesses at invariants: comparisons of variables with numbers, some of which hold."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from gia.cfa.expressions import Binary, Expression, IntegerConstant, VariableReference
from gia.cfa.graph import Program
from gia.cfa.supergraph import Node, Supergraph
from gia.cfa.types import INT
from gia.smt.encoding.encoder import Encoder
from gia.smt.invariants.blocks import Skeleton, skeleton
from gia.smt.invariants.control_graph import InlinedGraph, visible_variables
from gia.smt.invariants.induction import Induction
from gia.smt.solvers import make_solver
from gia.smt.solvers.solver import Solver
from tests.checker.programs import branches, load_text


class Guesses(NamedTuple):
    """A program, its blocks, what is guessed at its loops, and an induction."""

    program: Program
    shape: Skeleton[Node]
    candidates: dict[Node, list[Expression]]
    induction: Induction[Node]


def guessed(
    text: str,
    directory: Path,
    comparisons: Collection[tuple[str, int]],
    names: Collection[str],
    solver: Callable[[], Solver] = make_solver,
) -> Guesses:
    """The guesses are all ``comparisons`` of the variables with these names."""
    loaded = load_text(directory, text)
    supergraph = Supergraph(loaded.program)
    edges = frozenset(number for goal in branches(loaded) for number in goal.edges)
    shape = skeleton(loaded.program, InlinedGraph(supergraph), edges)
    candidates: dict[Node, list[Expression]] = {
        cut: [
            Binary(operator, VariableReference(variable), IntegerConstant(value, INT), INT)
            for variable in visible_variables(supergraph, cut)
            if variable.name in names
            for operator, value in comparisons
        ]
        for cut in shape.cuts
    }
    return Guesses(loaded.program, shape, candidates, Induction(shape, Encoder(loaded.program), solver))
