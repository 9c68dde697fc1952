"""Where candidate invariants come from, from cheap to expensive: each stage is a generator of candidates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from time import monotonic

from gia.analyses.proving.backward import Backward
from gia.analyses.proving.candidates.array_facts import elements_at
from gia.analyses.proving.candidates.comparisons import compare_with_constant, integer_type
from gia.analyses.proving.candidates.congruences import congruences, strides
from gia.analyses.proving.candidates.differences import difference_bounds
from gia.analyses.proving.candidates.equations import equations, equations_with_products, orders
from gia.analyses.proving.candidates.finite import constants_compared, finite_cells, settings_of
from gia.analyses.proving.candidates.floating import constants_met, floating_candidates
from gia.analyses.proving.candidates.houdini import Vocabulary, candidates_at, conditions_of, one_step_later
from gia.analyses.proving.candidates.intervals import interval_candidates
from gia.analyses.proving.candidates.known import conditions_at
from gia.analyses.proving.candidates.nearness import distances
from gia.analyses.proving.candidates.nulls import null_candidates, tested_for_null
from gia.analyses.proving.candidates.tables import tabulated
from gia.analyses.proving.cells import Cell, Numbers, ScalarKind, cell_of
from gia.analyses.proving.proof import Candidates, Proof
from gia.analyses.proving.samples import Samples, consistent
from gia.analyses.proving.sampling import draw_samples, integers_in_memory
from gia.analyses.proving.together import prove_together
from gia.analyses.proving.unrolling import COMPLETE, SHORT, SINGLE, Limits, Unrolling, unroll
from gia.cfa.expressions import Binary, Expression, VariableReference, variables_of
from gia.cfa.operations import Assume
from gia.cfa.supergraph import Node
from gia.cfa.types import INT, FloatType, IntegerType, PointerType
from gia.smt.encoding.encoder import Encoder, Mode
from gia.smt.invariants.control_graph import OutOfTimeError
from gia.smt.solvers import make_solver

_LIKELY = (30, 150)
"""How many candidates a cut point gets in the first Houdini stage, one time after the other."""
_CANDIDATES = 1_500
"""How many it gets in the second one."""
_DIFFERENCES = 120
"""How many bounds of differences and sums it gets."""
_IN_MODES = 60
"""How many comparisons are tried in each mode,"""
_MODES = 3
"""of so many variables that hold modes,"""
_MOST_MODES = 12
"""and so many of their values."""
_FEWER_FLOATS = 5
"""So many times fewer are about floating-point numbers."""
_SAMPLES = 60
"""How many samples are drawn for each cut point."""
MOST_DEPTH = 5
"""How many blocks before each one k-induction looks at."""
_MOST_TESTS = 40
"""So many tests are executed for them."""
_PRODUCT_SAMPLES = 150
"""How many for equations with products."""
_SAMPLING = 0.5
"""The share of a stage's time that drawing them may take."""


def no_candidates(_: Proof) -> Iterator[Candidates]:
    """Nothing: what the blocks alone exclude."""
    yield {}


def intervals(proof: Proof) -> Iterator[Candidates]:
    """The bounds of integer variables, and the strides in which they go on."""
    bounded = interval_candidates(proof.program, proof.supergraph, proof.shape, proof.deadline)
    striding = list(strides(proof.program))
    visible = {cut: frozenset(proof.variables(cut)) for cut in proof.cuts}
    found = {
        cut: (*bounded.get(cut, ()), *(condition for variable, condition in striding if variable in seen))
        for cut, seen in visible.items()
    }
    prove_together(proof, found)
    yield found


def short_unrolling(proof: Proof) -> Iterator[Candidates]:
    """As :func:`complete_unrolling`, if the program ends so soon that each goal is decided in this stage's time."""
    try:
        found = _unrolled(proof, _open_edges(proof), SHORT)
    except OutOfTimeError:
        return  # a second time would not be shorter
    if found is not None and found.feasible == found.reached:
        _learn(proof, found)
        yield {}


def single_execution(proof: Proof) -> Iterator[Candidates]:
    """As :func:`complete_unrolling`, for programs without inputs: they have one execution, and it may be long."""
    found = _unrolled(proof, _open_edges(proof), SINGLE)
    if found is not None:
        _learn(proof, found)
    yield {}


def complete_unrolling(proof: Proof) -> Iterator[Candidates]:
    """No candidates: the program is executed to its end, if it has one, and the proof keeps what that shows.

    What leads to no open goal is left out: loops without end, maybe. So it is worth a second time when fewer are open.
    """
    goals = _open_edges(proof)
    if proof.unfinished.get(complete_unrolling) == goals:
        return
    found = _unrolled(proof, goals, COMPLETE)
    if found is not None:
        _learn(proof, found)
    if found is None or found.feasible == found.reached:  # more time would change nothing
        proof.unfinished[complete_unrolling] = goals
    yield {}


def _open_edges(proof: Proof) -> frozenset[int]:
    return frozenset(number for goal in proof.open_goals for number in goal.edges)


def _unrolled(proof: Proof, goals: frozenset[int], limits: Limits) -> Unrolling | None:
    encoder = Encoder(proof.program, Mode.OVER)
    proof.encoders.append(encoder)
    return unroll(proof.program, goals, encoder, make_solver(), proof.deadline, limits=limits)


def _learn(proof: Proof, found: Unrolling) -> None:
    proof.unrolling = found
    proof.reached |= {claim for claim in proof.shape.claims if claim.edge in found.reached}


def sampled_equations(proof: Proof) -> Iterator[Candidates]:
    """Linear equations and congruences that hold in executions."""
    proof.samples = _samples(proof, proof.request.seed, _SAMPLES)
    proof.linear = _linear(proof.samples)
    yield proof.linear


def _samples(proof: Proof, seed: int, most: int) -> Samples:
    """So many samples of each cut point, if the share of the stage's time suffices."""
    started = monotonic()
    deadline = started + _SAMPLING * max(0.0, proof.deadline - started)
    tests = proof.tests[:_MOST_TESTS]
    return draw_samples(proof.induction, _integers(proof), seed=seed, most=most, deadline=deadline, tests=tests)


def _linear(samples: Samples) -> Candidates:
    """The equations and congruences that hold in the samples."""
    places = samples.places
    return {
        cut: (*equations(places[cut], list(found)), *congruences(places[cut], list(found)))
        for cut, found in samples.values.items()
    }


def _integers(proof: Proof) -> dict[Node, tuple[Expression, ...]]:
    """What is observed at each cut point: variables, and places in arrays and structures."""
    visible = {cut: proof.variables(cut) for cut in proof.cuts}
    inside = integers_in_memory(proof.induction, visible, proof.deadline)
    return {cut: (*proof.integers(cut), *found) for cut, found in inside.items()}


def sampled_products(proof: Proof) -> Iterator[Candidates]:
    """Equations of degree 2 that hold in executions, of longer ones than those for linear equations.

    With them come comparisons that are one step behind those of the program: they relate a counter to its bound at the
    end of a loop. And signs: a sum that is known by an equation stays positive.
    """
    samples = _samples(proof, proof.request.seed + 1, _PRODUCT_SAMPLES)
    late = tuple(one_step_later(proof.shape.edges))
    found = {}
    for cut, seen in samples.values.items():
        places = samples.places[cut]
        numbers = frozenset(place.variable for place in places if isinstance(place, VariableReference))
        signs = (compare_with_constant(">=", place, 0) for place in places if integer_type(place).signed)
        meant = [*(e for e in late if variables_of(e) <= numbers), *signs]
        kept = consistent(proof.induction, samples, cut, meant, proof.deadline)
        found[cut] = (*kept, *equations_with_products(places, list(seen)[:_PRODUCT_SAMPLES]))
    yield found


def function_values(proof: Proof) -> Iterator[Candidates]:
    """The values of recursive functions that were seen in random executions."""
    borders = [cut for cut in proof.samples.values if cut in proof.shape.borders]
    yield {cut: tuple(tabulated(proof.samples.places[cut], list(proof.samples.values[cut]))) for cut in borders}


def likely_comparisons(proof: Proof) -> Iterator[Candidates]:
    """Those of :func:`comparisons` that are near to the open goals."""
    return _comparisons(proof, *_LIKELY)


def comparisons(proof: Proof) -> Iterator[Candidates]:
    """Conditions of the program, their opposites, and comparisons of numbers, as far as they hold in the samples."""
    return _comparisons(proof, _CANDIDATES)


def _comparisons(proof: Proof, *limits: int) -> Iterator[Candidates]:
    """So many of them for each cut point, each time; with equations, which may hold only together with them."""
    vocabulary = Vocabulary.of(proof.program, proof.shape.edges)
    known = dict.fromkeys((*conditions_of(proof.shape.edges), *_conditions_of_goals(proof)))
    conditions = {cut: conditions_at(proof.supergraph, cut, known) for cut in proof.cuts}
    floating = constants_met(proof.program, proof.shape.edges)
    tested, pointers = tested_for_null(proof.program, proof.shape.edges), _numbers(proof, PointerType)
    nearest, floats, linear = _nearest(proof, vocabulary), _numbers(proof, FloatType), proof.linear
    for limit in limits:
        found = {
            cut: (
                *kept,
                *null_candidates(tested, pointers[cut]),
                *candidates_at(vocabulary, nearest[cut], limit),
                *islice((order for equation in linear.get(cut, ()) for order in orders(equation)), limit),
                *floating_candidates(floating, floats[cut], limit // _FEWER_FLOATS),
            )
            for cut, kept in conditions.items()
        }
        yield {cut: (*linear.get(cut, ()), *kept) for cut, kept in _as_sampled(proof, found).items()}


def _conditions_of_goals(proof: Proof) -> Iterator[Expression]:
    """The conditions under which open goals are reached, as a whole: the opposite may hold all the time."""
    for number in sorted(_open_edges(proof)):
        operation = proof.program.edge_list[number].operation
        if isinstance(operation, Assume):
            yield operation.condition


def differences(proof: Proof) -> Iterator[Candidates]:
    """Bounds of differences and sums of two numbers."""
    vocabulary = Vocabulary.of(proof.program, proof.shape.edges)
    found = {}
    for cut, seen in proof.samples.values.items():
        bounds = difference_bounds(vocabulary, proof.samples.places[cut], list(seen))
        found[cut] = tuple(islice(bounds, _DIFFERENCES))
    yield found


def comparisons_in_modes(proof: Proof) -> Iterator[Candidates]:
    """Likely comparisons that hold while a variable or field has one of its few values."""
    vocabulary = Vocabulary.of(proof.program, proof.shape.edges)
    finite = finite_cells(proof.program, settings_of(proof.program))
    values = {cell: known for cell, known in constants_compared(proof.shape.edges).items() if cell in finite}
    found: dict[Node, list[Expression]] = {}
    for cut, places in _nearest(proof, vocabulary).items():
        known = frozenset(proof.invariants.get(cut, ()))
        facts = [fact for fact in candidates_at(vocabulary, places, _IN_MODES) if fact not in known]
        modes = [(place, values[cell]) for place in places if (cell := cell_of(place)) in values]
        others = islice(_outside(modes[:_MODES]), _MOST_MODES)
        found[cut] = [Binary("||", other, fact, INT) for other in others for fact in facts]
    yield _as_sampled(proof, found)


def _outside(modes: Iterable[tuple[Expression, Iterable[int]]]) -> Iterator[Expression]:
    """That a place does not have one of its values, for each of them that it may have by its type."""
    for mode, values in modes:
        low, high = integer_type(mode).bounds
        yield from (compare_with_constant("!=", mode, value) for value in sorted(values) if low <= value <= high)


def _as_sampled(proof: Proof, candidates: Candidates) -> Candidates:
    """The candidates that hold in all samples, without what is known."""
    known = {cut: frozenset(kept) for cut, kept in proof.invariants.items()}
    new = {cut: [e for e in found if e not in known.get(cut, ())] for cut, found in candidates.items()}
    return {cut: consistent(proof.induction, proof.samples, cut, found, proof.deadline) for cut, found in new.items()}


def _nearest(proof: Proof, vocabulary: Vocabulary) -> dict[Node, list[Expression]]:
    """The variables and fields that hold integers, for each cut point, those near to open goals first."""
    far = distances(proof.program, vocabulary, _open_edges(proof))
    return {cut: sorted(found, key=lambda e: _distance(e, far)) for cut, found in _numbers(proof, IntegerType).items()}


def _distance(place: Expression, far: Mapping[Cell, int]) -> int:
    """How far a variable or field is from what matters, if that is known; else farther than all others."""
    cell = cell_of(place)
    return len(far) if cell is None else far.get(cell, len(far))


def _numbers(proof: Proof, kind: ScalarKind) -> dict[Node, list[Expression]]:
    """The variables and fields that hold numbers or pointers of a kind, for each cut point."""
    numbers = Numbers.of(proof.shape.edges, kind)
    return {cut: numbers.at(proof.variables(cut)) for cut in proof.cuts}


def deeper_induction(proof: Proof) -> Iterator[Candidates]:
    """k-induction for k = 2, 3, …: what it proves, turned into invariants for which plain induction is enough.

    A claim that needs ``depth`` earlier blocks follows from its preconditions over so many blocks, which are
    inductive together.
    """
    backward = Backward(proof.induction, proof.supergraph, proof.deadline)
    for depth in range(1, MOST_DEPTH + 1):
        deep = proof.induction.at_depth(depth)
        claims = [claim for goal in proof.open_goals for claim in proof.claims_of(goal)]
        known = {cut: list(kept) for cut, kept in proof.invariants.items()}
        found = deep.fixpoint(known, dict.fromkeys([*proof.excluded, *claims]), proof.deadline)
        new = [claim for claim in claims if claim in found.proven]
        if new:
            yield backward.strengthened({}, new, depth)


def horn_clauses(proof: Proof) -> Iterator[Candidates]:
    """Solutions of the program's Horn clauses."""
    from gia.analyses.proving.chc import HornSystem, horn_candidates  # noqa: PLC0415 - Z3 takes time to load

    known, elements = {cut: proof.invariants.get(cut, ()) for cut in proof.cuts}, elements_at(proof)
    system = HornSystem(proof.induction, proof.supergraph, known, proof.excluded, proof.deadline, elements=elements)
    claims_of = {goal: proof.claims_of(goal) for goal in proof.open_goals}
    yield from horn_candidates(system, claims_of, proof.deadline)
