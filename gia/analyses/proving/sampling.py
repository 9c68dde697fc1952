"""Random executions of blocks: which values the variables have at cut points, for guessing what always holds.

Source: the dynamic detection of likely invariants, M. D. Ernst et al., TSE 2001. Deviation: what is executed are the
formulas of the blocks, with random inputs. Arrays, and memory that is not kept in cells, are not carried from block to
block: samples may be impossible in the program, which costs candidates and never a proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from gia.cfa.expressions import Expression, Variable, VariableReference
from gia.cfa.supergraph import Node
from gia.smt.blocks import Block
from gia.smt.control_graph import OutOfTimeError, check_deadline
from gia.smt.induction import Induction
from gia.smt.state import SymbolicState
from gia.smt.terms import SortKind, Term, Value, bv_const, default_value, evaluate_all

Sample = tuple[int, ...]
"""The values of the integer variables of a cut point, unsigned, in the order of :attr:`Samples.variables`."""

_STEPS = 40
"""How many blocks a random execution may be long."""
_INTERESTING = (0, 1, 2, 3, 5, 8, 10, 100, -1, -2)


@dataclass
class Samples:
    """What was seen at each cut point."""

    variables: dict[Node, tuple[Variable, ...]] = field(default_factory=dict)
    values: dict[Node, dict[Sample, None]] = field(default_factory=dict)


class _Assignment(dict[Term, Value]):
    """The values of variables; one that is asked for first gets a random one."""

    def __init__(self, random: Random) -> None:
        super().__init__()
        self.random = random

    def get(self, key: Term, default: object = None, /) -> Value:
        """The value of a variable."""
        if key not in self:
            self[key] = self._draw(key)
        return self[key]

    def _draw(self, variable: Term) -> Value:
        if variable.sort.kind is SortKind.BOOL:
            return self.random.random() < 0.5
        if variable.sort.kind is not SortKind.BV:
            return default_value(variable.sort)
        if self.random.random() < 0.7:
            return self.random.choice(_INTERESTING) & ((1 << variable.width) - 1)
        return self.random.randrange(min(1 << variable.width, 200))


def draw_samples(
    induction: Induction[Node],
    variables: dict[Node, tuple[Variable, ...]],
    *,
    seed: int,
    most: int,
    deadline: float,
) -> Samples:
    """Execute the blocks at random until every cut point has ``most`` different samples, or no run finds new ones.

    ``variables`` are the integer variables of each cut point. After ``deadline``, what was seen by then.
    """
    random = Random(seed)
    samples = Samples(dict(variables), {cut: {} for cut in variables})
    idle = 0
    while idle < 10 and any(len(found) < most for found in samples.values.values()):
        before = sum(len(found) for found in samples.values.values())
        try:
            _run(induction, samples, random, deadline)
        except OutOfTimeError:
            break
        idle = idle + 1 if sum(len(found) for found in samples.values.values()) == before else 0
    return samples


def consistent(
    induction: Induction[Node], samples: Samples, cut: Node, candidates: Sequence[Expression], deadline: float
) -> tuple[Expression, ...]:
    """The candidates that hold in all samples of a cut point."""
    initial = induction.block(cut, deadline).initial
    leaves = [
        induction.encoder.evaluate(VariableReference(variable), initial, cut.context)
        for variable in samples.variables.get(cut, ())
    ]
    left = list(candidates)
    terms = [induction.encoder.condition(candidate, initial, cut.context) for candidate in left]
    for sample in samples.values.get(cut, ()):
        check_deadline(deadline)
        holds = evaluate_all(terms, dict(zip(leaves, sample, strict=True)))
        left = [candidate for candidate, true in zip(left, holds, strict=True) if true]
        terms = [term for term, true in zip(terms, holds, strict=True) if true]
    return tuple(left)


def _run(induction: Induction[Node], samples: Samples, random: Random, deadline: float) -> None:
    """One random execution from the program's start."""
    carried: dict[Term, Value] = {}
    start: Node | None = None
    for _ in range(_STEPS):
        check_deadline(deadline)
        block = induction.block(start, deadline)
        assignment = _Assignment(random)
        assignment.update(carried)
        cuts = list(block.exits)
        taken = evaluate_all([block.exits[cut].guard for cut in cuts], assignment)
        start = next((cut for cut, holds in zip(cuts, taken, strict=True) if holds), None)
        if start is None:
            return
        state = block.exits[start]
        following = induction.block(start, deadline)
        sources, targets = _correspondence(state, following)
        observed = [
            induction.encoder.evaluate(VariableReference(variable), state, start.context)
            for variable in samples.variables.get(start, ())
        ]
        values = evaluate_all([*sources, *observed], assignment)
        carried = dict(zip(targets, values[: len(sources)], strict=True))
        numbers = tuple(int(value) for value in values[len(sources) :] if isinstance(value, int))
        if len(numbers) == len(observed):
            samples.values.setdefault(start, {})[numbers] = None


def _correspondence(state: SymbolicState, following: Block[Node]) -> tuple[Sequence[Term], Sequence[Term]]:
    """The terms of a state, and the variables of the next block's start that get their values."""
    sources: list[Term] = []
    targets: list[Term] = []
    for instance, variable in following.initial.values.items():
        if instance in state.values:
            sources.append(state.values[instance])
            targets.append(variable)
    for address, content in following.initial.objects.items():
        known = state.objects.get(address)
        for offset, cell in content.cells.items() if known is not None else ():
            assert known is not None
            sources.append(known.read(bv_const(offset, known.pointer_width), cell.width // 8))
            targets.append(cell)
    return sources, targets
