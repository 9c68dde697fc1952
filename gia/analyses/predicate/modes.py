"""Why a claim cannot be violated, by what holds in each mode of the program.

What holds there is found by :mod:`gia.analyses.proving.candidates.partitions`; that part of it is taken which excludes
the claim and is inductive by itself. As with other loop invariants, no counterexample is needed for each of the rounds.
"""

from __future__ import annotations

from time import monotonic
from typing import Final

from gia.analyses.predicate.loops import MOST_CUTS, Facts, needed_of, segments_between
from gia.analyses.predicate.paths import Explanation, InfeasiblePath
from gia.analyses.proving.candidates.partitions import facts_in_cases
from gia.smt.invariants.control_graph import OutOfTimeError, check_deadline

SHARE: Final = 0.2
"""The share of the time that the search for what holds in the modes may take, each time."""


def mode_invariants(path: InfeasiblePath) -> Explanation | None:
    """What excludes the claim of the path in all modes; ``None`` if there are none, or it is not enough."""
    blocks = path.blocks
    question = ("modes", path.claim)
    if len(blocks.cuts) > MOST_CUTS or question in blocks.unanswered:
        return None
    segments = list(segments_between(path, blocks.cuts))
    for with_counters in (False, True):
        proposed = _facts(path, with_counters=with_counters)
        facts = needed_of(blocks, segments, proposed) if proposed else None
        if facts is not None:
            return Explanation([list(facts[cut]) for cut in path.cuts], facts)
    if len(blocks.in_modes) == 2:  # else it was interrupted
        blocks.unanswered.add(question)
    return None


def _facts(path: InfeasiblePath, *, with_counters: bool) -> Facts:
    """What holds at the cut points; it is looked for until it is known."""
    blocks = path.blocks
    if with_counters not in blocks.in_modes:
        now = monotonic()
        deadline = now + SHARE * max(0.0, blocks.deadline - now)
        try:
            found = facts_in_cases(blocks.proof, deadline, with_counters=with_counters)
        except OutOfTimeError:
            check_deadline(blocks.deadline)
            return {}  # the next question goes on from there
        blocks.in_modes[with_counters] = {cut: list(found[cut]) for cut in blocks.cuts} if found else {}
    return blocks.in_modes[with_counters]
