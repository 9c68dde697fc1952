"""The built-in actors by name: the one place that lists them.

The modules are named and not imported, so that listing the actors loads no solver.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Final, Literal, cast

from msgspec import Struct

from gia.analyses.request import ActorFunction

Direction = Literal["UA", "OA"]


class ActorEntry(Struct, frozen=True):
    """Where a built-in actor is found: ``module`` has an :data:`~gia.analyses.request.ActorFunction` of this name."""

    module: str
    direction: Direction
    summary: str
    function: str = "run"

    def load(self) -> ActorFunction:
        """The actor's function; imports its module, and with it perhaps a solver."""
        return cast(ActorFunction, getattr(import_module(self.module), self.function))


ACTORS: Final[Mapping[str, ActorEntry]] = MappingProxyType(
    {
        "tester": ActorEntry("gia.analyses.testing.tester", "UA", "fuzzing and symbolic execution in turn"),
        "random": ActorEntry("gia.analyses.testing.random_testing", "UA", "random testing and mutation of inputs"),
        "fuzz": ActorEntry("gia.analyses.testing.fuzzer", "UA", "coverage-guided fuzzing"),
        "concolic": ActorEntry(
            "gia.analyses.testing.concolic", "UA", "concolic testing: decisions of executions are negated"
        ),
        "bmc": ActorEntry(
            "gia.analyses.testing.bounded", "UA", "symbolic execution of all paths up to a bound at once"
        ),
        "bmc-proofs": ActorEntry("gia.analyses.proving.verifier", "OA", "proofs by complete unrolling", "run_bmc"),
        "symex": ActorEntry("gia.analyses.testing.symbolic_execution", "UA", "symbolic execution that merges states"),
        "verifier": ActorEntry("gia.analyses.proving.verifier", "OA", "inductive invariants that exclude goals"),
        "interval": ActorEntry(
            "gia.analyses.proving.verifier", "OA", "bounds of variables that exclude goals", "run_interval"
        ),
        "chc": ActorEntry(
            "gia.analyses.proving.verifier", "OA", "constrained Horn clauses solved by Spacer", "run_chc"
        ),
        "kinduction": ActorEntry(
            "gia.analyses.proving.verifier",
            "OA",
            "k-induction with the invariants of the automaton it reads",
            "run_kinduction",
        ),
        "predicate": ActorEntry("gia.analyses.predicate.actor", "OA", "predicate abstraction with refinement"),
        "value": ActorEntry("gia.analyses.predicate.explicit", "OA", "explicit values of the variables that matter"),
        "model-explorer": ActorEntry(
            "gia.analyses.predicate.components", "OA", "counterexamples of the abstraction", "run_explorer"
        ),
        "feasibility-checker": ActorEntry(
            "gia.analyses.predicate.components", "UA", "tests that follow candidate paths", "run_feasibility_checker"
        ),
        "precision-refiner": ActorEntry(
            "gia.analyses.predicate.components", "OA", "predicates that exclude infeasible candidates", "run_refiner"
        ),
        "invariants": ActorEntry(
            "gia.analyses.proving.verifier", "OA", "what holds at the loops before candidates", "run_invariants"
        ),
    }
)
