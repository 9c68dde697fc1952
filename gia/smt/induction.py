"""The strongest inductive subset of candidate invariants, and the watched arcs that it excludes.

Source: C. Flanagan & K. R. M. Leino, *Houdini, an annotation assistant for ESC/Java*, FME 2001: the greatest set of
candidates such that each follows at its cut point from those at the previous ones. Deviations: a cut point that no
execution reaches has the invariant false; the arcs that are claimed to be infeasible are excluded from the blocks
while their infeasibility is being proven (sound by induction on the length of an execution: before its first claimed
arc it is an execution of the restricted blocks); candidates are dropped by models of a whole block, not one by one.

With a ``depth`` greater than 0 this is k-induction: the states at the start of a block are those that so many earlier
blocks lead to, in which the invariants hold and no claimed arc is taken (:mod:`gia.smt.histories`).

Only ``unsat`` counts: what the solver does not decide is dropped. Equations with products of variables
are beyond bit-level solvers; they are proven as polynomials (:mod:`gia.smt.polynomials`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from time import monotonic
from typing import Generic

from gia.cfa.expressions import Expression, Variable, VariableReference
from gia.cfa.types import IntegerType
from gia.smt.blocks import Block, Skeleton
from gia.smt.control_graph import ArcKey, N, OutOfTimeError, check_deadline
from gia.smt.encoder import Encoder
from gia.smt.histories import Histories, Past
from gia.smt.polynomials import Polynomials, follows, parts_of
from gia.smt.solver import Result, Solver
from gia.smt.terms import Term, bv_add, bv_const, conjunction, disjunction, equal, implication, negation, signed

_MOST_COMPARED = 8
"""The differences of more variables are not looked for."""
_SMALL = 2
"""Greater differences are not."""


@dataclass(frozen=True)
class Counterexample(Generic[N]):
    """Why a claim does not hold: an execution of the block from ``start`` takes the arc.

    ``start`` is ``None`` for the block from the program's start. ``values`` are the values of integer variables at the
    start of the block, as text, by name. ``summarised``: only a contract is known of some
    calls.
    """

    start: N | None
    arc: ArcKey[N]
    values: tuple[tuple[str, str], ...] = ()
    summarised: bool = False


@dataclass(frozen=True)
class Fixpoint(Generic[N]):
    """The result: what holds at each cut point that may be reached, and what became of each claim.

    ``invariants`` has the reached cut points only. A claim in ``proven`` is infeasible in every execution; one in
    ``refuted`` may be feasible as far as the invariants tell; ``undecided`` ones made the solver give up. Of a goal's
    edge that some claim about it lost, the other claims may be missing.
    """

    invariants: Mapping[N, tuple[Expression, ...]]
    proven: frozenset[ArcKey[N]]
    refuted: Mapping[ArcKey[N], Counterexample[N]]
    undecided: frozenset[ArcKey[N]]


@dataclass
class _Prepared(Generic[N]):
    """A block with its solver and the terms made for it so far."""

    block: Block[N]
    solver: Solver
    past: tuple[Past[N], ...] = ()
    conditions: dict[tuple[N | None, Expression], Term] = field(default_factory=dict)
    past_conditions: dict[tuple[int, Expression], Term] = field(default_factory=dict)


class Induction(Generic[N]):
    """Computes inductive subsets of candidates on one skeleton; blocks and solvers are kept between computations.

    ``depth`` is how many blocks are looked at before each one (0: induction, k: (k+1)-induction). ``variables`` are
    those whose values at a cut point a counterexample shows. ``certain`` are the claims that the block from the
    program's start violates, as far as that is known: no invariant can exclude them.
    """

    def __init__(
        self,
        shape: Skeleton[N],
        encoder: Encoder,
        make_solver: Callable[[], Solver],
        *,
        variables: Callable[[N], Sequence[Variable]] = lambda node: (),
        query_seconds: float = 5.0,
        depth: int = 0,
    ) -> None:
        self.shape = shape
        self.encoder = encoder
        self.depth = depth
        self._histories = Histories(shape, encoder)
        self.variables = variables
        self._make_solver = make_solver
        self._query_seconds = query_seconds
        self.polynomials = Polynomials()
        self.certain: dict[ArcKey[N], Counterexample[N]] = {}
        self._prepared: dict[N | None, _Prepared[N]] = {}
        self.users: dict[N, list[N | None]] = {}
        """The starts of the blocks, as far as they were made, that use the contract at a cut point."""

    def block(self, start: N | None, deadline: float = float("inf")) -> Block[N]:
        """The block from a cut point, or from the program's start (``None``)."""
        return self._prepare(start, deadline).block

    def fixpoint(
        self, candidates: Mapping[N, Sequence[Expression]], claims: Iterable[ArcKey[N]], deadline: float
    ) -> Fixpoint[N]:
        """The greatest inductive subset of ``candidates`` under which the ``claims`` that hold are infeasible.

        Raises :class:`~gia.smt.control_graph.OutOfTimeError`; nothing is proven then.
        """
        run = _Run(self, candidates, claims, deadline)
        return run.result()

    def _prepare(self, start: N | None, deadline: float) -> _Prepared[N]:
        found = self._prepared.get(start)
        if found is None:
            history = self._histories.of(start, self.depth, deadline)
            found = self._prepared[start] = _Prepared(history.block, self._make_solver(), history.past)
            for contract in dict.fromkeys(use.contract for use in history.block.uses):
                self.users.setdefault(contract, []).append(start)
        return found


class _Run(Generic[N]):
    """One computation of a fixpoint."""

    def __init__(
        self,
        induction: Induction[N],
        candidates: Mapping[N, Sequence[Expression]],
        claims: Iterable[ArcKey[N]],
        deadline: float,
    ) -> None:
        self.induction = induction
        self.deadline = deadline
        self.candidates = candidates
        self.invariants: dict[N, list[Expression]] = {}
        beyond = induction.shape.beyond
        wanted = list(claims)
        self.refuted = {claim: induction.certain[claim] for claim in wanted if claim in induction.certain}
        self.undecided: set[ArcKey[N]] = {claim for claim in wanted if claim.edge in beyond}
        self.assumed = {claim: None for claim in wanted if claim not in self.undecided and claim not in self.refuted}
        self._drop_hopeless()

    def result(self) -> Fixpoint[N]:
        """Process blocks until nothing is dropped any more."""
        pending: list[N | None] = [None]
        while pending:
            start = pending.pop(0)
            check_deadline(self.deadline)
            dropped = len(self.assumed)
            changed = self._process(start)
            if len(self.assumed) < dropped or (changed and self.induction.depth):
                changed = [None, *self.invariants]  # what was excluded from every block no longer is
            users = [user for cut in changed if cut is not None for user in self.induction.users.get(cut, ())]
            changed = [*changed, *(user for user in users if user is None or user in self.invariants)]
            pending.extend(cut for cut in dict.fromkeys(changed) if cut not in pending)
        return Fixpoint(
            {cut: tuple(kept) for cut, kept in self.invariants.items()},
            frozenset(self.assumed),
            self.refuted,
            frozenset(self.undecided),
        )

    def _process(self, start: N | None) -> list[N | None]:
        """Check the claims and the exits of one block; the cut points whose invariants became weaker."""
        prepared = self.induction._prepare(start, self.deadline)
        block = prepared.block
        holding = self._holding(prepared)
        self._check_claims(prepared, holding)
        if prepared.past:
            holding = self._holding(prepared)
        excluded = [negation(block.guards[claim]) for claim in self.assumed if claim in block.guards]
        return [cut for cut in block.exits if self._check_exit(prepared, cut, [*holding, *excluded])]

    def _holding(self, prepared: _Prepared[N]) -> list[Term]:
        """What is known where the block starts, and of the blocks before it."""
        block = prepared.block
        at_start = () if block.start is None else self.invariants[block.start]
        holding = [self._condition(prepared, None, expression) for expression in at_start]
        holding += self._contracts(prepared)
        for chosen, earlier in ((past.chosen, past.block) for past in prepared.past):
            if earlier.start is not None and earlier.start not in self.invariants:
                holding.append(negation(chosen))
                continue
            known = [] if earlier.start is None else self.invariants[earlier.start]
            holding += [implication(chosen, self._past_condition(prepared, earlier, known_)) for known_ in known]
            guards = [guard for claim, guard in earlier.guards.items() if claim in self.assumed]
            if guards:
                holding.append(implication(chosen, negation(disjunction(*guards))))
        return holding

    def _contracts(self, prepared: _Prepared[N]) -> Iterator[Term]:
        """What the contracts of the calls in the block say; a call returns only where its end was reached."""
        for use in prepared.block.uses:
            if use.contract not in self.invariants:
                yield negation(use.returned)
                continue
            context = self.induction.shape.graph.place(use.contract).context
            for expression in self.invariants[use.contract]:
                key = (id(use), expression)
                if key not in prepared.past_conditions:
                    prepared.past_conditions[key] = self.induction.encoder.condition(expression, use.end, context)
                yield implication(use.returned, prepared.past_conditions[key])

    def _past_condition(self, prepared: _Prepared[N], earlier: Block[N], expression: Expression) -> Term:
        """The expression as a term at the start of an earlier block."""
        key = (id(earlier), expression)
        found = prepared.past_conditions.get(key)
        if found is None:
            assert earlier.start is not None
            context = self.induction.shape.graph.place(earlier.start).context
            found = self.induction.encoder.condition(expression, earlier.initial, context)
            prepared.past_conditions[key] = found
        return found

    def _check_claims(self, prepared: _Prepared[N], holding: list[Term]) -> None:
        """Drop the claims that an execution of the block violates."""
        guards = {claim: guard for claim, guard in prepared.block.guards.items() if claim in self.assumed}
        guards = {c: guard for c, guard in guards.items() if not self._denies_an_equation(prepared, [*holding, guard])}
        while guards:
            answer = self._ask(prepared, [*holding, disjunction(*guards.values())])
            if answer is Result.UNSAT:
                return
            if answer is Result.SAT:
                failing = [claim for claim, guard in guards.items() if prepared.solver.value(guard)]
                values = self._values(prepared)
                for claim in failing:
                    summarised = bool(prepared.block.uses)
                    self.refuted[claim] = Counterexample(prepared.block.start, claim, values, summarised)
                    if prepared.block.start is None and not summarised:
                        self.induction.certain[claim] = self.refuted[claim]
            else:
                failing = [
                    c for c, guard in guards.items() if self._ask(prepared, [*holding, guard]) is not Result.UNSAT
                ]
                self.undecided.update(failing)
            if not failing:
                return
            for claim in failing:
                del self.assumed[claim]
            self._drop_hopeless()
            guards = {claim: guard for claim, guard in guards.items() if claim in self.assumed}

    def _drop_hopeless(self) -> None:
        """Assume no longer the other claims about a goal's edge that cannot be excluded everywhere."""
        goals = self.induction.shape.goals
        lost = {claim.edge for claim in (*self.refuted, *self.undecided) if claim.edge in goals}
        for claim in [claim for claim in self.assumed if claim.edge in lost]:
            del self.assumed[claim]

    def _check_exit(self, prepared: _Prepared[N], cut: N, assumptions: list[Term]) -> bool:
        """Drop the invariants of ``cut`` that do not hold where the block reaches it; whether anything changed."""
        state = prepared.block.exits[cut]
        assumptions = [*assumptions, state.guard]
        new = cut not in self.invariants
        if new:
            answer = self._ask(prepared, assumptions)
            if answer is Result.UNSAT:
                return False
            allowed = self._allowed(cut)
            self.invariants[cut] = list(dict.fromkeys(allowed))
        changed = new
        changed |= self._check_products(prepared, cut, assumptions)
        polynomials = self.induction.polynomials
        assumptions = [term for term in parts_of(assumptions) if not polynomials.is_nonlinear(term)]
        proven = [e for e in self.invariants[cut] if polynomials.is_nonlinear(self._condition(prepared, cut, e))]
        while kept := [expression for expression in self.invariants[cut] if expression not in proven]:
            terms = [self._condition(prepared, cut, expression) for expression in kept]
            answer = self._ask(prepared, [*assumptions, negation(conjunction(*terms))])
            if answer is Result.UNSAT:
                break
            if answer is Result.SAT:
                holds = [bool(prepared.solver.value(term)) for term in terms]
            else:
                holds = [self._ask(prepared, [*assumptions, negation(term)]) is Result.UNSAT for term in terms]
            if all(holds):
                break
            dropped = [expression for expression, true in zip(kept, holds, strict=True) if not true]
            self.invariants[cut] = [e for e in self.invariants[cut] if e not in dropped]
            changed = True
        return changed

    def _check_products(self, prepared: _Prepared[N], cut: N, assumptions: list[Term]) -> bool:
        """Drop the equations with products that do not follow as polynomials; whether there are any."""
        polynomials = self.induction.polynomials
        terms = {e: self._condition(prepared, cut, e) for e in self.invariants[cut]}
        wanted = {e: polynomials.equation(term) for e, term in terms.items() if polynomials.is_nonlinear(term)}
        if not wanted:
            return False
        known = polynomials.equations(assumptions)
        lost = [e for e, equation in wanted.items() if equation is not None and not follows(equation, known)]
        lost = [e for e in lost if self._ask(prepared, [*assumptions, negation(terms[e])], 0.3) is not Result.UNSAT]
        self.invariants[cut] = [e for e in self.invariants[cut] if e not in lost]
        return bool(lost)

    def _denies_an_equation(self, prepared: _Prepared[N], formulas: list[Term]) -> bool:
        """Whether formulas contradict each other because they deny an equation that follows from the others."""
        polynomials = self.induction.polynomials
        denied = polynomials.denied(formulas)
        if not denied:
            return False
        known = polynomials.equations(formulas)
        if any(follows(equation, known) for equation in denied):
            return True
        numbers = frozenset().union(*(equation.variables for equation in (*denied, *known)))
        variables = [polynomials.variables[number] for number in sorted(numbers)]
        known += polynomials.equations(self._differences(prepared, list(parts_of(formulas)), variables))
        return any(follows(equation, known) for equation in denied)

    def _differences(self, prepared: _Prepared[N], formulas: list[Term], variables: list[Term]) -> list[Term]:
        """Which variables differ by small constants, given the formulas that have no products."""
        polynomials = self.induction.polynomials
        plain = [f for f in formulas if not polynomials.is_nonlinear(f) and not polynomials.denied([f])]
        if len(variables) > _MOST_COMPARED or self._ask(prepared, plain, 1.0) is not Result.SAT:
            return []
        values = [(variable, prepared.solver.value(variable)) for variable in variables]
        found = []
        for (left, a), (right, b) in combinations(values, 2):
            if left.sort == right.sort and abs(signed(a - b & (1 << left.width) - 1, left.width)) <= _SMALL:
                same = equal(left, bv_add(right, bv_const(a - b, left.width)))
                if self._ask(prepared, [*plain, negation(same)], 1.0) is Result.UNSAT:
                    found.append(same)
        return found

    def _allowed(self, cut: N) -> Sequence[Expression]:
        """The candidates that may be invariants of a cut point."""
        shape = self.induction.shape
        if cut in shape.unknown:
            return ()
        found = self.candidates.get(cut, ())
        if cut not in shape.borders:
            return found
        contracts, (context, location) = self.induction.encoder.world.contracts, shape.graph.place(cut)
        return [e for e in found if contracts.speaks_for_all_calls(context, location, e)]

    def _values(self, prepared: _Prepared[N]) -> tuple[tuple[str, str], ...]:
        """The values of the integer variables at the start of the block, in the solver's model."""
        start = prepared.block.start
        if start is None:
            return ()
        context = self.induction.shape.graph.place(start).context
        found = []
        for variable in self.induction.variables(start):
            if isinstance(variable.type, IntegerType):
                reference = VariableReference(variable)
                term = self.induction.encoder.evaluate(reference, prepared.block.initial, context)
                value = prepared.solver.value(term)
                found.append((variable.name, str(signed(value, term.width) if variable.type.signed else value)))
        return tuple(found)

    def _condition(self, prepared: _Prepared[N], cut: N | None, expression: Expression) -> Term:
        """The expression as a term at an exit of the block, or at its start (``None``)."""
        key = (cut, expression)
        found = prepared.conditions.get(key)
        if found is None:
            block = prepared.block
            state = block.initial if cut is None else block.exits[cut]
            node = block.start if cut is None else cut
            assert node is not None
            context = self.induction.shape.graph.place(node).context
            found = prepared.conditions[key] = self.induction.encoder.condition(expression, state, context)
        return found

    def _ask(self, prepared: _Prepared[N], assumptions: list[Term], seconds: float = float("inf")) -> Result:
        """Ask the block's solver, within the time for one query and the deadline."""
        left = self.deadline - monotonic()
        if left <= 0:
            raise OutOfTimeError
        if any(term.is_false for term in assumptions):
            return Result.UNSAT
        return prepared.solver.check(assumptions, min(left, self.induction._query_seconds, seconds))
