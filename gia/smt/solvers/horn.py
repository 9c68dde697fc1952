"""Constrained Horn clauses over bit-vectors, solved by Spacer, exactly or over unbounded integers as a guess.

Source: A. Komuravelli, A. Gurfinkel & S. Chaki, *SMT-based model checking for recursive programs*, CAV 2014 (Spacer).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from threading import Timer
from time import monotonic
from typing import Any, NamedTuple

import z3
from msgspec import Struct

from gia.smt.solvers.horn_integers import IntegerReading
from gia.smt.solvers.z3_reader import NotReadableError, Parameters, read_formula
from gia.smt.solvers.z3_solver import Z3Translator
from gia.smt.terms import Kind, SortKind, Term, conjunction, variables_of


class Arithmetic(StrEnum):
    """What the solver takes the bit-vectors for."""

    BIT_VECTORS = "bit-vectors"
    """What they are."""
    INTEGERS = "integers"
    """Unbounded integers: much faster, but a solution may be none of the clauses and has to be checked."""
    BOUNDED_INTEGERS = "bounded integers"
    """Integers that must not leave the range of their bit-vectors at the head of a clause: solutions often fit both."""


class Predicate(Struct, frozen=True):
    """An unknown relation: ``parameters`` are bit-vector variables, ``signed`` says how each is meant."""

    name: str
    parameters: tuple[Term, ...]
    signed: tuple[bool, ...]


class Clause(Struct, frozen=True):
    """``body(its parameters) ∧ uses ∧ constraint → head(arguments)``, for all values of all variables.

    ``body`` is ``None`` for true; ``head`` is ``None`` for false: the constraint is not to be reached. ``uses`` are
    further relations with arguments. ``constraint`` and arguments consist of Booleans and bit-vectors; arguments fit
    the parameters.
    """

    body: Predicate | None
    constraint: Term
    head: Predicate | None
    arguments: tuple[Term, ...]
    uses: tuple[tuple[Predicate, tuple[Term, ...]], ...] = ()

    @property
    def terms(self) -> tuple[Term, ...]:
        """Everything that the clause is made of, but the parameters of its body."""
        return (self.constraint, *self.arguments, *(term for _, arguments in self.uses for term in arguments))


class _Reading:
    """Bit-vectors as themselves."""

    def __init__(self, context: z3.Context) -> None:
        self.context = context
        self._translator = Z3Translator(context)

    def parameter_sort(self, parameter: Term) -> Any:
        """The sort of a predicate's parameter."""
        return z3.BitVecSort(parameter.width, self.context)

    def formula(self, term: Term) -> Any:
        """The Boolean term."""
        return self._translator.term(term)

    def value(self, term: Term) -> Any:
        """The bit-vector term."""
        return self._translator.term(term)

    def range_of(self, parameter: Term, value: Term) -> list[Any]:
        """Nothing restricts a bit-vector."""
        return []

    def constants(self, terms: Sequence[Term]) -> list[Any]:
        """The constants in the readings of terms."""
        return [self.value(variable) for variable in variables_of(*terms)]


class Strategy(NamedTuple):
    """A way to look for solutions: each solves what the others do not.

    ``guided``: with global guidance (H. Krishnan, Y. Chen, S. Shoham & A. Gurfinkel, CAV 2020). ``inlined``: relations
    are eliminated first where that is easy; theirs may come back with quantifiers, which have no counterpart here.
    """

    arithmetic: Arithmetic
    guided: bool = False
    inlined: bool = True


def solve(clauses: Sequence[Clause], strategy: Strategy, seconds: float) -> Mapping[str, Term] | None:
    """Relations that satisfy all clauses, as Boolean terms over the parameters of each predicate, by its name.

    ``None`` if there are none or the time was not enough. A relation that cannot be expressed as a term is left out.
    """
    context = z3.Context()
    arithmetic = strategy.arithmetic
    used = [(clause.body, clause.head, *(relation for relation, _ in clause.uses)) for clause in clauses]
    predicates = {p.name: p for relations in used for p in relations if p is not None}
    reading = _reading(clauses, arithmetic, predicates, context)
    relations = {
        name: z3.Function(name, *(reading.parameter_sort(p) for p in predicate.parameters), z3.BoolSort(context))
        for name, predicate in predicates.items()
    }
    solver = z3.SolverFor("HORN", ctx=context)
    solver.set("fp.spacer.global", strategy.guided)
    for option in ("fp.xform.inline_linear", "fp.xform.inline_eager"):
        solver.set(option, strategy.inlined)
    started = monotonic()
    for clause in clauses:
        if monotonic() - started > seconds:
            return None
        bounded = arithmetic is Arithmetic.BOUNDED_INTEGERS
        solver.add(_formula(clause, reading, relations, bounded))
        if bounded:
            solver.add(_in_range(clause, reading, relations))
    model = _model(solver, context, max(seconds - (monotonic() - started), 0.001))
    return None if model is None else _solution(model, predicates, relations)


def _reading(
    clauses: Sequence[Clause], arithmetic: Arithmetic, predicates: Mapping[str, Predicate], context: z3.Context
) -> _Reading | IntegerReading:
    """How the terms are read: parameters as they are meant, and inputs as what receives them."""
    if arithmetic is Arithmetic.BIT_VECTORS:
        return _Reading(context)
    reading = IntegerReading(context)
    known: set[Term] = set()
    for predicate in predicates.values():
        known.update(predicate.parameters)
        for parameter, is_signed in zip(predicate.parameters, predicate.signed, strict=True):
            reading.declare(parameter, is_signed)
    for clause in clauses:
        heads = ((clause.head, clause.arguments),) if clause.head is not None else ()
        for relation, arguments in (*heads, *clause.uses):
            for argument, is_signed in zip(arguments, relation.signed, strict=True):
                if argument.kind is Kind.VARIABLE and argument not in known:
                    reading.declare(argument, is_signed)
    return reading


def _model(solver: Any, context: z3.Context, seconds: float) -> Any | None:
    """A model of what was added, if one is found in time."""
    solver.set("timeout", max(1, int(1000 * seconds)))
    timer = Timer(seconds, context.interrupt)
    timer.daemon = True
    timer.start()
    try:
        return solver.model() if solver.check() == z3.sat else None
    except z3.Z3Exception:  # interrupted outside the search, or global guidance came to a case that Z3 lacks
        return None
    finally:
        timer.cancel()
        timer.join()


def _formula(clause: Clause, reading: _Reading | IntegerReading, relations: Mapping[str, Any], bounded: bool) -> Any:
    """The clause as a quantified formula."""
    conclusion = z3.BoolVal(False, reading.context)
    if clause.head is not None:
        conclusion = relations[clause.head.name](*(reading.value(argument) for argument in clause.arguments))
    return _closed(clause, reading, relations, conclusion, bounded)


def _in_range(clause: Clause, reading: _Reading | IntegerReading, relations: Mapping[str, Any]) -> Any:
    """That the arguments of a clause's head are in the range of its parameters."""
    parameters = clause.head.parameters if clause.head is not None else ()
    pairs = zip(parameters, clause.arguments, strict=True)
    inside = [bound for parameter, argument in pairs for bound in reading.range_of(parameter, argument)]
    return _closed(clause, reading, relations, z3.And(z3.BoolVal(True, reading.context), *inside), True)


def _closed(
    clause: Clause, reading: _Reading | IntegerReading, relations: Mapping[str, Any], conclusion: Any, bounded: bool
) -> Any:
    """That the conclusion follows from body and constraint, whatever the values of the variables are.

    ``bounded``: inputs are in range, not only what a predicate speaks about.
    """
    parameters = clause.body.parameters if clause.body is not None else ()
    premises = [reading.formula(clause.constraint)]
    numbers = variables_of(*clause.terms) if bounded else ()
    numbers = (*parameters, *(number for number in numbers if number.sort.kind is SortKind.BV))
    premises += [bound for number in dict.fromkeys(numbers) for bound in reading.range_of(number, number)]
    if clause.body is not None:
        premises.append(relations[clause.body.name](*(reading.value(parameter) for parameter in parameters)))
    for relation, arguments in clause.uses:
        premises.append(relations[relation.name](*(reading.value(argument) for argument in arguments)))
    formula = z3.Implies(z3.And(*premises), conclusion)
    bound = reading.constants((*clause.terms, *parameters))
    return z3.ForAll(bound, formula) if bound else formula


def _solution(model: Any, predicates: Mapping[str, Predicate], relations: Mapping[str, Any]) -> Mapping[str, Term]:
    """The relations of a model; those that it leaves out, and conjuncts that cannot be read, are left out."""
    solution = {}
    found = {declaration.name() for declaration in model.decls()}
    for name, predicate in predicates.items():
        if relations[name].name() not in found:  # Z3 would fail if it was asked for it
            continue
        interpretation = model[relations[name]]
        formula = interpretation.else_value() if isinstance(interpretation, z3.FuncInterp) else interpretation
        parameters = Parameters(predicate.parameters, predicate.signed)
        parts = []
        for conjunct in formula.children() if z3.is_and(formula) else [formula]:
            try:
                parts.append(read_formula(conjunct, parameters))
            except NotReadableError:
                continue
        solution[name] = conjunction(*parts)
    return solution
