"""Abstract counterexamples: whether some execution follows one, and the inputs with which it does.

A counterexample stands for all paths through its sequence of blocks. They are executed together, from the program's
start and with its memory, so that this is as precise as the encoding of C is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import monotonic

from msgspec import Struct, field

from gia.analyses.predicate.blocks import QUERY_SECONDS
from gia.analyses.proving.proof import Proof
from gia.cfa.supergraph import Node
from gia.smt.encoding.state import InputBits, inputs_under
from gia.smt.invariants.blocks import Block, block_behind
from gia.smt.invariants.control_graph import ArcKey, OutOfTimeError
from gia.smt.solvers import make_solver
from gia.smt.solvers.solver import Result, Solver
from gia.smt.terms import SortKind, Term, bv_const, conjunction, equal, negation


class Judgement(Struct, frozen=True):
    """Whether an execution follows a counterexample, as far as the encoding tells; ``inputs`` make it do so.

    ``taken`` are all claims whose arcs that execution takes.
    """

    result: Result
    inputs: tuple[InputBits, ...] = ()
    taken: tuple[ArcKey[Node], ...] = ()


class _Executed(Struct):
    """The block behind a sequence of cut points, ``None`` if they cannot be passed, and what was executed behind it."""

    block: Block[Node] | None
    behind: dict[Node, _Executed] = field(default_factory=dict)


class Counterexamples:
    """Executes sequences of blocks; common beginnings are executed once."""

    def __init__(self, proof: Proof) -> None:
        self.proof = proof
        self._entry: _Executed | None = None

    def judge(self, cuts: Sequence[Node], claim: ArcKey[Node]) -> Judgement:
        """Whether an execution passes exactly these cut points and then takes the arc of the claim.

        Raises :class:`OutOfTimeError`.
        """
        *_, block = self.along(cuts)
        if block is None or claim not in block.guards:
            return Judgement(Result.UNSAT)
        guard = block.guards[claim]
        solver = make_solver()
        defaults = self._defaults(guard)
        for assumptions in ([guard, defaults], [guard]):
            left = self.proof.deadline - monotonic()
            if left <= 0:
                raise OutOfTimeError
            answer = solver.check(assumptions, min(left, 3 * QUERY_SECONDS))
            if answer is Result.SAT:
                inputs = tuple(inputs_under(block.taking[claim], solver.value))
                return Judgement(answer, inputs, self._taken(cuts, claim, solver))
        return Judgement(answer)

    def _taken(self, cuts: Sequence[Node], claim: ArcKey[Node], solver: Solver) -> tuple[ArcKey[Node], ...]:
        """The claims that the solver's model violates on the way through the blocks, and the one at the end."""
        found = {claim: None}
        for block in self.along(cuts):
            for other, guard in block.guards.items() if block is not None else ():
                if solver.value(guard):
                    found[other] = None
        return tuple(found)

    def along(self, cuts: Sequence[Node]) -> Iterator[Block[Node] | None]:
        """The block at the entry, and the one behind each cut point."""
        if self._entry is None:
            self._entry = _Executed(self.proof.induction.block(None, self.proof.deadline))
        last = self._entry
        yield last.block
        for cut in cuts:
            if cut not in last.behind:
                last.behind[cut] = _Executed(self._execute(last.block, cut))
            last = last.behind[cut]
            yield last.block

    def _execute(self, before: Block[Node] | None, cut: Node) -> Block[Node] | None:
        proof = self.proof
        if before is None or cut not in before.exits:
            return None
        if cut in proof.shape.unknown:  # after an unknown call, everything is possible
            return proof.induction.block(cut, proof.deadline)
        return block_behind(proof.shape, proof.induction.encoder, cut, before.exits[cut], proof.deadline)

    def _defaults(self, guard: Term) -> Term:
        """That what is undefined is zero: a test must not depend on it."""
        undefined = self.proof.induction.encoder.undefined(guard)
        return conjunction(*(zero for variable in undefined if (zero := _zero(variable)) is not None))


def _zero(variable: Term) -> Term | None:
    """The variable is zero; ``None`` for arrays and floating-point numbers."""
    match variable.sort.kind:
        case SortKind.BOOL:
            return negation(variable)
        case SortKind.BV:
            return equal(variable, bv_const(0, variable.width))
    return None
