import pytest

from gia.errors import InternalError
from gia.orchestrator.records.step import LIFE, StepEvent, StepState, advance


def test_every_step_ends() -> None:
    """From each state, either nothing happens any more or a final state can be reached."""
    final = {state for state in StepState if all(start is not state for start, _ in LIFE)}
    assert final == {StepState.DONE, StepState.FAILED, StepState.TIMED_OUT, StepState.CANCELLED}
    for start in set(StepState) - final:
        reached = {start}
        while True:
            more = {target for (source, _), target in LIFE.items() if source in reached} - reached
            if not more:
                break
            reached |= more
        assert final & reached


def test_what_cannot_happen_is_a_bug() -> None:
    with pytest.raises(InternalError):
        advance(StepState.DONE, StepEvent.START)
    with pytest.raises(InternalError):
        advance(StepState.PENDING, StepEvent.ENDED)
