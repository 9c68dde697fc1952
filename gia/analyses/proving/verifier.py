"""The built-in provers that look for inductive invariants at cut points; direction OA.

``verifier`` tries all sources of candidates from cheap to expensive; ``interval`` and ``chc`` are the cheapest and the
strongest of them alone; ``kinduction`` looks at several blocks at once; ``invariants`` gives what it finds to others,
whether it decides a goal or not.
"""

from __future__ import annotations

from gia.analyses.proving import stages
from gia.analyses.proving.known import known_invariants
from gia.analyses.proving.proof import NOTHING, begin, prove
from gia.analyses.request import ActorRequest
from gia.automaton.model import Automaton

_CHEAP = (("no invariants", stages.no_candidates), ("known invariants", known_invariants))
_INTERVALS = ("intervals", stages.intervals)
_SAMPLED = (
    ("equations in samples", stages.sampled_equations),
    ("values of functions", stages.function_values),
    ("comparisons of variables", stages.comparisons),
)
_PRODUCTS = ("products in samples", stages.sampled_products)
_HORN_CLAUSES = ("Horn clauses", stages.horn_clauses)


def run(request: ActorRequest) -> Automaton:
    """The actor ``verifier``: every stage in turn, until all goals are proven or the time is used up."""
    unrolling = ("complete unrolling", stages.complete_unrolling)
    return prove(request, (*_CHEAP, _INTERVALS, unrolling, _SAMPLED[0], _PRODUCTS, *_SAMPLED[1:], _HORN_CLAUSES))


def run_bmc(request: ActorRequest) -> Automaton:
    """The actor ``bmc-proofs``: complete unrolling; proofs for programs whose loops all end soon."""
    return prove(request, (_CHEAP[0], ("complete unrolling", stages.complete_unrolling)))


def run_interval(request: ActorRequest) -> Automaton:
    """The actor ``interval``: what bounds of variables can exclude; fast."""
    return prove(request, (*_CHEAP, _INTERVALS))


def run_kinduction(request: ActorRequest) -> Automaton:
    """The actor ``kinduction``: k-induction, with what the GIA of the request says as auxiliary invariants.

    The evidence are invariants that are inductive by themselves, so that nobody has to know the depth.
    """
    deeper = ("k-induction", stages.deeper_induction)
    return prove(request, (*_CHEAP, _INTERVALS, _SAMPLED[0], deeper))


def run_chc(request: ActorRequest) -> Automaton:
    """The actor ``chc``: all open goals in one system of Horn clauses, then each alone."""
    return prove(request, (*_CHEAP, _HORN_CLAUSES))


def run_invariants(request: ActorRequest) -> Automaton:
    """The actor ``invariants``: what holds at the cut points before the open goals; a helper for other actors.

    The result has invariants at its states also where they decide nothing: the open goals are candidates behind them
    (Haltermann & Wehrheim, SoSyM 2024, section 6: cooperation on invariant generation).
    """
    proof = begin(request, contracts=True)
    if proof is None:
        return NOTHING
    proof.search((*_CHEAP, _INTERVALS, _SAMPLED[0], _PRODUCTS, *_SAMPLED[1:], _HORN_CLAUSES))
    return proof.automaton_with_open()
