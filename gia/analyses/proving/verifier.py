"""The built-in provers that look for inductive invariants at cut points; direction OA.

``verifier`` tries all sources of candidates from cheap to expensive; ``interval`` and ``chc`` are the cheapest and the
strongest of them alone; ``kinduction`` looks at several blocks at once; ``invariants`` gives what it finds to others,
whether it decides a goal or not.
"""

from __future__ import annotations

from gia.analyses.proving import stages
from gia.analyses.proving.candidates.array_facts import array_facts
from gia.analyses.proving.candidates.heap_fields import heap_fields
from gia.analyses.proving.candidates.known import known_invariants
from gia.analyses.proving.candidates.partitions import cases_of_modes, counters_in_modes
from gia.analyses.proving.candidates.phases import phases
from gia.analyses.proving.proof import NOTHING, Stage, begin, prove
from gia.analyses.request import ActorRequest
from gia.automaton.model import Automaton

_BLOCKS = Stage("no invariants", stages.no_candidates, 9)
"""Has more time than others because it encodes the blocks, which all stages need."""
_KNOWN = Stage("known invariants", known_invariants)
_CHEAP = (_BLOCKS, _KNOWN)
_SHORT = Stage("short unrolling", stages.short_unrolling, 41)
"""Most programs that are not short need nearly nothing of it."""
_SINGLE = Stage("single execution", stages.single_execution, 400)
"""To follow it is nearly all there is to do."""
_UNROLLING = Stage("complete unrolling", stages.complete_unrolling, 3)
_INTERVALS = Stage("intervals", stages.intervals, 58)
"""So much that large blocks can be looked at with them: they show most for little."""
_MODES = Stage("cases of modes", cases_of_modes, 32)
_COUNTERS = Stage("counters in modes", counters_in_modes, 7)
_EQUATIONS = Stage("equations in samples", stages.sampled_equations, 6)
_PRODUCTS = Stage("products in samples", stages.sampled_products, 6)
_FUNCTION_VALUES = Stage("values of functions", stages.function_values)
_LIKELY = Stage("likely comparisons", stages.likely_comparisons, 14)
_IN_MODES = Stage("comparisons in modes", stages.comparisons_in_modes, 10)
_DIFFERENCES = Stage("differences", stages.differences, 2)
_PHASES = Stage("phases", phases, 3)
_COMPARISONS = Stage("comparisons", stages.comparisons, 6)
_HEAP = Stage("fields of blocks", heap_fields, 60)
"""Programs without blocks that are allocated many times need nothing of it, others rarely anything else."""
_ARRAYS = Stage("elements of arrays", array_facts, 8)
_K_INDUCTION = Stage("k-induction", stages.deeper_induction, 4)
_HORN_CLAUSES = Stage("Horn clauses", stages.horn_clauses, 4)
_SAMPLED = (_EQUATIONS, _LIKELY, _IN_MODES, _DIFFERENCES, _COMPARISONS, _PRODUCTS, _FUNCTION_VALUES, _ARRAYS)


def run(request: ActorRequest) -> Automaton:
    """The actor ``verifier``: every stage in turn, until all goals are proven or the time is used up.

    What the blocks exclude without invariants is found together with what intervals do: large blocks are asked once.
    Before them comes what decides short programs at once, and those without inputs. Elements of arrays are tried before
    long loops are unrolled, which makes large formulas of them, and once more when other invariants are known. So is
    the unrolling, for by then tests may have reached the other goals.
    """
    soon = _SHORT if request.loaded.program.reads_inputs else _SINGLE
    cheap = (soon, _INTERVALS, _KNOWN, _HEAP, _MODES, _COUNTERS)
    likely = (_EQUATIONS, _LIKELY, _DIFFERENCES, _IN_MODES, _ARRAYS, _UNROLLING)
    more = (_PHASES, _COMPARISONS, _PRODUCTS, _FUNCTION_VALUES, _ARRAYS, _UNROLLING, _HORN_CLAUSES)
    return prove(request, (*cheap, *likely, *more))


def run_bmc(request: ActorRequest) -> Automaton:
    """The actor ``bmc-proofs``: complete unrolling; proofs for programs whose loops and recursion end soon."""
    return prove(request, (_BLOCKS, _UNROLLING))


def run_interval(request: ActorRequest) -> Automaton:
    """The actor ``interval``: what bounds of variables can exclude; fast."""
    return prove(request, (*_CHEAP, _INTERVALS))


def run_kinduction(request: ActorRequest) -> Automaton:
    """The actor ``kinduction``: k-induction, with what the GIA of the request says as auxiliary invariants.

    The evidence are invariants that are inductive by themselves, so that nobody has to know the depth.
    """
    return prove(request, (*_CHEAP, _INTERVALS, _EQUATIONS, _K_INDUCTION))


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
    proof.search((*_CHEAP, _INTERVALS, *_SAMPLED, _HORN_CLAUSES))
    return proof.automaton_with_open()
