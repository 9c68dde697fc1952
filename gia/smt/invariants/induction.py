"""The strongest inductive subset of candidate invariants, and the watched arcs that it excludes.

Source: C. Flanagan & K. R. M. Leino, *Houdini, an annotation assistant for ESC/Java*, FME 2001: the greatest set of
candidates such that each follows at its cut point from those at the previous ones. Deviations: a cut point that no
execution reaches has the invariant false; the claimed arcs of a block that were proven infeasible under what is known
at its start are lemmas about its exits; candidates are dropped by models of a whole block, not one by one.

With a ``depth`` greater than 0 this is k-induction: the states at the start of a block are those that so many earlier
blocks lead to, in which the invariants hold and no claimed arc is taken (:mod:`gia.smt.invariants.histories`). That
is sound by induction on the length of an execution: before its first claimed arc it is an execution of the restricted
blocks.

Only ``unsat`` counts: what the solver does not decide is dropped. Equations with products of variables
are beyond bit-level solvers; they are proven as polynomials (:mod:`gia.smt.invariants.product_equations`), and so are
linear ones (:mod:`gia.smt.invariants.linear_equations`). What follows only with the help of the former gets a short
time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from time import monotonic
from typing import Generic

from gia.cfa.expressions import Expression, Variable, VariableReference
from gia.cfa.quantified import is_quantified
from gia.cfa.types import IntegerType
from gia.smt.encoding.encoder import Encoder
from gia.smt.invariants.block_solver import BlockSolver
from gia.smt.invariants.blocks import Block, Skeleton
from gia.smt.invariants.constants import Constants
from gia.smt.invariants.control_graph import ArcKey, N, OutOfTimeError, check_deadline
from gia.smt.invariants.elements import failing_elements
from gia.smt.invariants.fixpoint import Counterexample, Fixpoint
from gia.smt.invariants.histories import Histories
from gia.smt.invariants.linear_equations import LinearEquations
from gia.smt.invariants.monomials import Monomials
from gia.smt.invariants.polynomials import Polynomials, parts_of
from gia.smt.invariants.product_equations import ProductEquations
from gia.smt.invariants.screening import Screening
from gia.smt.solvers.solver import Result, Solver
from gia.smt.terms import Term, disjunction, implication, negation, signed

CLAIMS_SHARE = 0.3
"""The share of the time left that the claims about one block may take, so that its invariants can still be proven; when
these are known, what was too hard is asked for again."""

PRODUCT_SECONDS = 1.0
"""So long equations with products are used at an exit of a block, for what does not follow without them."""


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
        self.monomials = Monomials()
        polynomials = Polynomials()
        self.linear = LinearEquations(polynomials)
        self.products: ProductEquations[N] = ProductEquations(polynomials, self.monomials)
        self.certain: dict[ArcKey[N], Counterexample[N]] = {}
        self._solvers: dict[N | None, BlockSolver[N]] = {}
        self._engines: dict[N | None, Solver] = {}
        self.users: dict[N, list[N | None]] = {}
        """The starts of the blocks, as far as they were made, that use the contract at a cut point."""

    def with_solvers(self, make_solver: Callable[[], Solver]) -> Induction[N]:
        """The same, without a depth, with other solvers; it shares the blocks."""
        variables, seconds = self.variables, self._query_seconds
        found = Induction(self.shape, self.encoder, make_solver, variables=variables, query_seconds=seconds)
        found._histories = self._histories
        return found

    def at_depth(self, depth: int) -> Induction[N]:
        """The same with so many blocks before each one; it shares the blocks, and the solvers with what they learnt."""
        found = self.with_solvers(self._make_solver)
        found.depth = depth
        found._engines = self._engines
        found.linear = self.linear
        found.products = self.products
        found.monomials = self.monomials
        found.certain = self.certain
        return found

    def block(self, start: N | None, deadline: float = float("inf")) -> Block[N]:
        """The block from a cut point, or from the program's start (``None``)."""
        return self.solver_of(start, deadline).block

    def fixpoint(
        self,
        candidates: Mapping[N, Sequence[Expression]],
        claims: Iterable[ArcKey[N]],
        deadline: float,
        given: Fixpoint[N] | None = None,
    ) -> Fixpoint[N]:
        """The greatest inductive subset of ``candidates`` under which the ``claims`` that hold are infeasible.

        What this induction has proven before is ``given``: it belongs to the result and is not proven again (without
        ``depth``). Raises :class:`~gia.smt.invariants.control_graph.OutOfTimeError`; nothing new is proven then.
        """
        return _Run(self, candidates, claims, deadline, given or Fixpoint.nothing()).result()

    def fixpoint_of_all(
        self, invariants: Mapping[N, Sequence[Expression]], claims: Collection[ArcKey[N]], deadline: float
    ) -> Fixpoint[N] | None:
        """The fixpoint if ``invariants`` are inductive as they are and exclude all claims; else ``None``, and sooner.

        Raises :class:`~gia.smt.invariants.control_graph.OutOfTimeError`.
        """
        return _Run(self, invariants, claims, deadline, Fixpoint.nothing()).result_if_nothing_is_lost()

    def solver_of(self, start: N | None, deadline: float) -> BlockSolver[N]:
        """The block from a cut point with its solver, which is to end by the deadline."""
        found = self._solvers.get(start)
        if found is None:
            history = self._histories.of(start, self.depth, deadline)
            if start not in self._engines:
                self._engines[start] = self._make_solver()
            found = BlockSolver(self.shape, self.encoder, history, self._engines[start], self._query_seconds)
            self._solvers[start] = found
            for contract in dict.fromkeys(use.contract for use in history.block.uses):
                self.users.setdefault(contract, []).append(start)
        found.deadline = deadline
        return found


class _Run(Generic[N]):
    """One computation of a fixpoint."""

    def __init__(
        self,
        induction: Induction[N],
        candidates: Mapping[N, Sequence[Expression]],
        claims: Iterable[ArcKey[N]],
        deadline: float,
        given: Fixpoint[N],
    ) -> None:
        self.induction = induction
        self.given = given
        self._given = {cut: frozenset(kept) for cut, kept in given.invariants.items()}
        self.deadline = deadline
        self.candidates = candidates
        self.invariants: dict[N, list[Expression]] = {}
        beyond = induction.shape.beyond
        self._wanted = [*given.proven, *claims]
        self._settled = given.proven
        self._interrupted: set[ArcKey[N]] = set()
        self.refuted = {claim: induction.certain[claim] for claim in self._wanted if claim in induction.certain}
        self.undecided: set[ArcKey[N]] = {claim for claim in self._wanted if claim.edge in beyond}
        failed = self.undecided | self.refuted.keys()
        self.assumed = {claim: None for claim in self._wanted if claim not in failed}
        self._drop_hopeless()

    def result(self) -> Fixpoint[N]:
        """Process blocks until nothing is dropped any more, and ask again for what took too long."""
        for _ in self._steps():
            pass
        if self._interrupted and not self.induction.depth:
            self._ask_again()
        return self._found()

    def result_if_nothing_is_lost(self) -> Fixpoint[N] | None:
        """The result; ``None`` as soon as a candidate or a claim is dropped."""
        return self._found() if all(self._has_all() for _ in self._steps()) else None

    def _has_all(self) -> bool:
        """Whether no claim was dropped so far, and no candidate of the cut points that are reached."""
        kept = ((self.candidates.get(cut, ()), found) for cut, found in self.invariants.items())
        return self.assumed.keys() == set(self._wanted) and all(set(all_) == set(found) for all_, found in kept)

    def _found(self) -> Fixpoint[N]:
        return Fixpoint(
            {cut: tuple(kept) for cut, kept in self.invariants.items()},
            frozenset(self.assumed),
            self.refuted,
            frozenset(self.undecided),
            bool(self._interrupted),
        )

    def _steps(self) -> Iterator[None]:
        """Process blocks until nothing is dropped any more; those first that come first in the program."""
        order: dict[N | None, int] = {cut: place for place, cut in enumerate(self.induction.shape.cuts, 1)}
        pending: list[N | None] = [None]
        while pending:
            start = min(pending, key=lambda cut: order.get(cut, 0))
            pending.remove(start)
            check_deadline(self.deadline)
            dropped = len(self.assumed)
            changed = self._process(start)
            if self.induction.depth and (changed or len(self.assumed) < dropped):
                changed = [None, *self.invariants]  # what was excluded from earlier blocks no longer is
            users = [user for cut in changed if cut is not None for user in self.induction.users.get(cut, ())]
            changed = [*changed, *(user for user in users if user is None or user in self.invariants)]
            pending.extend(cut for cut in dict.fromkeys(changed) if cut not in pending)
            yield

    def _ask_again(self) -> None:
        """Ask for the claims that took too long, now that the invariants are known without them."""
        self.undecided -= self._interrupted
        self._interrupted.clear()
        failed = {claim.edge for claim in (*self.refuted, *self.undecided)}
        self._settled = frozenset(self.assumed)
        self.assumed.update(dict.fromkeys(claim for claim in self._wanted if claim.edge not in failed))
        for start in (None, *self.invariants):
            solver = self.induction.solver_of(start, self.deadline)
            self._check_claims(solver, self._holding(solver), 1.0)

    def _process(self, start: N | None) -> list[N | None]:
        """Check the claims and the exits of one block; the cut points whose invariants became weaker."""
        solver = self.induction.solver_of(start, self.deadline)
        block = solver.block
        holding = self._holding(solver)
        self._check_claims(solver, holding, CLAIMS_SHARE)
        if solver.past:
            holding = self._holding(solver)
        excluded = [negation(block.guards[claim]) for claim in self.assumed if claim in block.guards]
        return [cut for cut in block.exits if self._check_exit(solver, cut, [*holding, *excluded])]

    def _holding(self, solver: BlockSolver[N]) -> list[Term]:
        """What is known where the block starts, and of the blocks before it."""
        holding = [*solver.premises(self.invariants)]
        holding += [negation(guard) for claim, guard in solver.block.guards.items() if claim in self.given.proven]
        for chosen, earlier in ((past.chosen, past.block) for past in solver.past):
            if earlier.start is not None and earlier.start not in self.invariants:
                holding.append(negation(chosen))
                continue
            known = [] if earlier.start is None else self.invariants[earlier.start]
            holding += [implication(chosen, solver.condition_before(earlier, known_)) for known_ in known]
            guards = [guard for claim, guard in earlier.guards.items() if claim in self.assumed]
            if guards:
                holding.append(implication(chosen, negation(disjunction(*guards))))
        return holding

    def _check_claims(self, solver: BlockSolver[N], holding: list[Term], share: float) -> None:
        """Drop the claims that an execution of the block violates, in that share of the time left."""
        asked = self.assumed.keys() - self._settled
        guards = {claim: guard for claim, guard in solver.block.guards.items() if claim in asked}
        if any(map(self.induction.monomials.has_products, guards.values())):
            constants = Constants(holding)
            holding = constants.known(holding)
            guards = constants.in_values(guards)
        guards = {c: guard for c, guard in guards.items() if not self._contradict(solver, guard, holding)}
        if not guards or self._is_excluded_by_monomials(solver, [*holding, disjunction(*guards.values())]):
            return
        screening = Screening(solver, holding, guards, lambda met: self._refute(solver, met), self._give_up)
        now = monotonic()
        solver.deadline = now + share * (self.deadline - now)
        try:
            screening.run()
        except OutOfTimeError:
            self._interrupted.update(screening.left)
            self._give_up(list(screening.left))
        finally:
            solver.deadline = self.deadline

    def _contradict(self, solver: BlockSolver[N], guard: Term, holding: Sequence[Term]) -> bool:
        """Whether a guard and what holds deny an equation that follows from them."""
        induction = self.induction
        return induction.linear.contradict(guard, holding) or induction.products.contradict(solver, [*holding, guard])

    def _refute(self, solver: BlockSolver[N], claims: Sequence[ArcKey[N]]) -> list[ArcKey[N]]:
        """Note that the solver's model violates claims; the claims that are lost."""
        values = self._values(solver)
        summarised = bool(solver.block.uses)
        for claim in claims:
            self.refuted[claim] = Counterexample(solver.block.start, claim, values, summarised)
            if solver.block.start is None and not summarised:
                self.induction.certain[claim] = self.refuted[claim]
        return self._drop_hopeless()

    def _give_up(self, claims: Sequence[ArcKey[N]]) -> list[ArcKey[N]]:
        """Note that claims stay undecided; the claims that are lost."""
        self.undecided.update(claims)
        return self._drop_hopeless()

    def _is_excluded_by_monomials(self, solver: BlockSolver[N], formulas: Sequence[Term]) -> bool:
        """Whether formulas with products have no model, whatever the products are."""
        monomials = self.induction.monomials
        if not any(monomials.has_products(formula) for formula in formulas):
            return False
        return solver.ask([monomials.without_products(formula) for formula in formulas]) is Result.UNSAT

    def _drop_hopeless(self) -> list[ArcKey[N]]:
        """Assume no longer what does not hold, and the other claims about such edges of goals; all that are lost."""
        goals = self.induction.shape.goals
        failed = {*self.refuted, *self.undecided}
        edges = {claim.edge for claim in failed if claim.edge in goals}
        lost = [claim for claim in self.assumed if claim in failed or claim.edge in edges]
        for claim in lost:
            del self.assumed[claim]
        return lost

    def _check_exit(self, solver: BlockSolver[N], cut: N, assumptions: list[Term]) -> bool:
        """Drop the invariants of ``cut`` that do not hold where the block reaches it; whether anything changed."""
        state = solver.block.exits[cut]
        assumptions = [*assumptions, state.guard]
        new = cut not in self.invariants
        if new:
            answer = solver.ask(assumptions)
            if answer is Result.UNSAT:
                return False
            allowed = self._allowed(cut)
            self.invariants[cut] = list(dict.fromkeys([*self.given.invariants.get(cut, ()), *allowed]))
        changed = new
        products = self.induction.products
        terms = {e: solver.condition(cut, e) for e in self._unproven(cut)}
        constants = Constants(assumptions if self._with_products(terms) else ())
        assumptions = constants.known(assumptions)
        terms = constants.in_values(terms)
        lost = products.lost(solver, terms, assumptions)
        changed |= self._lose(cut, lost)
        wanted = [e for e in self._with_products(terms) if e in self.invariants[cut]]
        cases = {e: constants.in_cases(solver.cases(cut, e)) for e in wanted}
        changed |= self._lose(cut, failing_elements(solver, self.induction.monomials, assumptions, cases))
        others = {e for e in terms if products.is_nonlinear(terms[e])}.union(self._with_products(terms))
        following = self.induction.linear.following(terms.values(), assumptions)
        left = [e for e in self._unproven(cut) if e not in others and terms[e] not in following]
        failing = {e: negation(terms[e]) for e in left}
        return self._lose(cut, self._failing(solver, list(parts_of(assumptions)), failing)) or changed

    def _failing(
        self, solver: BlockSolver[N], assumptions: Sequence[Term], negations: Mapping[Expression, Term]
    ) -> list[Expression]:
        """The invariants whose negations may have a model: equations with products are used where it needs them."""
        simple = [term for term in assumptions if not self.induction.products.is_nonlinear(term)]
        screening = Screening(solver, simple, negations)
        screening.run()
        if not screening.failed or len(simple) == len(assumptions):
            return screening.failed
        again = Screening(solver, assumptions, {e: negations[e] for e in screening.failed})
        solver.deadline = min(self.deadline, monotonic() + PRODUCT_SECONDS)
        try:
            again.run()
        except OutOfTimeError:
            check_deadline(self.deadline)
        finally:
            solver.deadline = self.deadline
        return [*again.failed, *again.left]

    def _unproven(self, cut: N) -> list[Expression]:
        """The invariants of a cut point that were not given."""
        given = self._given.get(cut, frozenset())
        return [e for e in self.invariants[cut] if e not in given]

    def _lose(self, cut: N, lost: Collection[Expression]) -> bool:
        """Drop invariants of a cut point; whether there are any to drop."""
        without = frozenset(lost)
        self.invariants[cut] = [e for e in self.invariants[cut] if e not in without]
        return bool(lost)

    def _with_products(self, terms: Mapping[Expression, Term]) -> list[Expression]:
        """The invariants about all elements of arrays with products of variables."""
        return [e for e, term in terms.items() if self.induction.monomials.has_products(term) and is_quantified(e)]

    def _allowed(self, cut: N) -> Sequence[Expression]:
        """The candidates that may be invariants of a cut point."""
        shape = self.induction.shape
        if cut in shape.unknown:
            return ()
        found = self.candidates.get(cut, ())
        if cut not in shape.borders:
            return found
        contracts, place = self.induction.encoder.world.contracts, shape.graph.place(cut)
        return [e for e in found if contracts.speaks_for_all_calls(place.context, place.location, e)]

    def _values(self, solver: BlockSolver[N]) -> tuple[tuple[str, str], ...]:
        """The values of the integer variables at the start of the block, in the solver's model."""
        start = solver.block.start
        if start is None:
            return ()
        found = []
        for variable in self.induction.variables(start):
            if isinstance(variable.type, IntegerType):
                term = solver.start_value(VariableReference(variable))
                value = solver.value(term)
                found.append((variable.name, str(signed(value, term.width) if variable.type.signed else value)))
        return tuple(found)
