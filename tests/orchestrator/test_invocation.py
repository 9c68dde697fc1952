"""What an actor is told when it is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.orchestrator.description.actor import load_actor
from gia.orchestrator.handover.invocation import Call, time_left


@pytest.mark.parametrize(
    ("actor", "seconds", "used", "left"),
    [
        ("tester", 10.0, 0.01, 10.0),
        ("tester", 10.0, 3.1, 7.0),
        ("tester", 10.0, 60.0, 1.0),
        ("tester", 0.4, 0.0, 0.4),
        ("klee", 10.0, 0.01, 9.5),
        ("klee", 10.0, 3.1, 6.5),
        ("klee", 0.4, 0.0, 1.0),
    ],
)
def test_the_time_of_an_actor_when_its_call_is_prepared(
    actor: str, seconds: float, used: float, left: float, tmp_path: Path
) -> None:
    call = Call(load_actor(actor), tmp_path, seconds, None, {})
    assert time_left(call, used) == pytest.approx(left)
