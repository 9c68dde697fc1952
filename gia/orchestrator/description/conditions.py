"""What the predicates of a composition mean: a closed list, evaluated on values."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from gia.errors import InternalError
from gia.orchestrator.description.composition import Predicate
from gia.verdict import Verdict


class Progress(Struct, frozen=True):
    """How far a run is: goals that are open, goals decided in this round, complete rounds of the innermost cycle,
    seconds used, seconds of the whole run, the verdict if it ended now, the cores of the run, and the steps that let
    others have their cores for a while."""

    open_goals: int
    new_facts: int
    rounds: int
    used: float
    total: float
    verdict: Verdict
    cores: int
    giving_way: Collection[str] = ()


def holds(predicate: Predicate, progress: Progress) -> bool:
    """Whether the predicate is true of the progress."""
    match predicate:
        case Predicate(decided=True):
            return progress.open_goals == 0
        case Predicate(verdict=str() as verdict):
            return progress.verdict == verdict
        case Predicate(open_at_most=int() as bound):
            return progress.open_goals <= bound
        case Predicate(new_facts_at_most=int() as bound):
            return progress.new_facts <= bound
        case Predicate(rounds_at_least=int() as bound):
            return progress.rounds >= bound
        case Predicate(cores_at_least=int() as bound):
            return progress.cores >= bound
        case Predicate(gives_way=str() as step):
            return step in progress.giving_way
        case Predicate(all_=tuple() as parts):
            return all(holds(part, progress) for part in parts)
        case Predicate(any_=tuple() as parts):
            return any(holds(part, progress) for part in parts)
        case Predicate(not_=Predicate() as part):
            return not holds(part, progress)
    if predicate.time_used is not None:
        return progress.used >= predicate.time_used.of(progress.total)
    raise InternalError(f"the predicate {predicate} has no meaning")
