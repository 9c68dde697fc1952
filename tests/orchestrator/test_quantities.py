import pytest
from hypothesis import given
from hypothesis import strategies as st

from gia.errors import InputError
from gia.orchestrator.description.quantities import Budget, parse_budget, parse_memory, parse_time, seconds_text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("60s", 60), ("1.5m", 90), ("2h", 7200), ("250ms", 0.25), (" 3 s ", 3), ("1min", 60)],
)
def test_times(text: str, seconds: float) -> None:
    assert parse_time(text) == seconds


@pytest.mark.parametrize("text", ["", "s", "-1s", "0s", "1x", "1e3", "10%", "1s2", "nan", "inf"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(InputError):
        parse_time(text)


@pytest.mark.parametrize(
    ("text", "bytes_"), [("4GB", 4 * 10**9), ("512MB", 512 * 10**6), ("2GiB", 2**31), ("1kB", 1000)]
)
def test_memory(text: str, bytes_: int) -> None:
    assert parse_memory(text) == bytes_


@pytest.mark.parametrize("text", ["4", "4G", "GB", "0GB", "-1GB"])
def test_what_is_no_memory(text: str) -> None:
    with pytest.raises(InputError):
        parse_memory(text)


def test_budgets() -> None:
    assert parse_budget("10s") == Budget(seconds=10)
    assert parse_budget("40%") == Budget(share=0.4)
    for text in ("0%", "101%", "x"):
        with pytest.raises(InputError):
            parse_budget(text)


@given(st.floats(0.001, 1e6), st.floats(0, 1e6))
def test_a_budget_never_allows_more_than_is_left(seconds: float, left: float) -> None:
    assert 0 <= Budget(seconds=seconds).of(left) <= left
    assert 0 <= Budget(share=min(1.0, seconds)).of(left) <= left
    assert Budget().of(left) == left


def test_durations_for_people() -> None:
    assert [seconds_text(s) for s in (0.44, 12.3, 185, 3723)] == ["0.4 s", "12 s", "3:05 min", "1:02:03 h"]
