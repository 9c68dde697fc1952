"""The live display of a run."""

import pytest

from gia.orchestrator.records.events import GoalsDecided
from gia.report.progress import BAR, bar, goals_line


@pytest.mark.parametrize("goals", [GoalsDecided(0, 0, 14), GoalsDecided(123, 45, 678)])
def test_the_bar_is_as_long_as_the_line_has_room(goals: GoalsDecided) -> None:
    wide, usual, narrow = (goals_line(goals, 599.0, width) for width in (200, 80, 20))
    assert wide.plain.count("█") + wide.plain.count("░") == BAR
    assert usual.cell_len <= 80
    assert f"{goals.covered} covered" in narrow.plain
    assert "░" not in narrow.plain


def test_the_bar_shows_what_is_decided() -> None:
    assert bar(GoalsDecided(5, 2, 3), 10).plain == "███████░░░"
    assert bar(GoalsDecided(0, 0, 3), 10).plain == "░" * 10
