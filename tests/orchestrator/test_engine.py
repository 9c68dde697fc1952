"""The combinators, with actors and knowledge that are only made up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gia.orchestrator import engine as engines
from gia.orchestrator.beside import Beside
from gia.orchestrator.description.composition import StepDefinition, load_composition
from gia.orchestrator.engine import LAST_SECONDS, LAST_SHARE, Done, Engine, Scope, stretch_of_round
from gia.orchestrator.nearby import OthersNearby
from gia.orchestrator.processes.process import Cancellation
from gia.verdict import StopKind, StopReason


@dataclass(frozen=True)
class Facts:
    """Knowledge with numbers for goals."""

    open_goals: tuple[int, ...]
    done: tuple[int, ...] = ()
    task: Any = field(default_factory=lambda: SimpleNamespace(criterion=SimpleNamespace(is_verification=False)))
    decisions: Any = field(default_factory=dict)

    @property
    def automaton(self) -> tuple[int, ...]:
        return self.done

    def with_decided(self, goals: Iterable[int]) -> Facts:
        new = tuple(goal for goal in goals if goal in self.open_goals)
        left = tuple(goal for goal in self.open_goals if goal not in new)
        return replace(self, open_goals=left, done=self.done + new)

    def joined(self, others: Iterable[Facts]) -> Facts:
        result = self
        for other in others:
            result = result.with_decided(other.done)
        return result


Actor = Callable[[Scope, Facts], tuple[Facts, bool]]


def run(
    tmp_path: Path,
    wiring: str,
    actors: dict[str, Actor],
    *,
    goals: int = 3,
    seconds: float = 5,
    times: str = "",
    cores: int = 2,
    cpu: float | None = None,
    memory: int | None = None,
    preparation: float = 0.0,
    giving_way: Collection[str] = (),
) -> tuple[Done, list[tuple[str, int]], list[float]]:
    lines = [f"  {name}: {{actor: tester{times}}}" for name in actors]
    path = tmp_path / "mine.yml"
    path.write_text("\n".join(["name: mine", "steps:", *lines, "run:", *("  " + line for line in wiring.splitlines())]))
    return run_named(
        str(path),
        actors,
        goals=goals,
        seconds=seconds,
        cores=cores,
        cpu=cpu,
        memory=memory,
        preparation=preparation,
        giving_way=giving_way,
    )


def run_named(
    name: str,
    actors: Mapping[str, Actor],
    parameters: Mapping[str, str] | None = None,
    *,
    goals: int = 3,
    seconds: float = 5,
    cores: int = 2,
    cpu: float | None = None,
    memory: int | None = None,
    preparation: float = 0.0,
    giving_way: Collection[str] = (),
) -> tuple[Done, list[tuple[str, int]], list[float]]:
    """Runs a composition: what came out, the steps that were asked with their rounds, and the seconds each had."""
    asked: list[tuple[str, int]] = []
    given: list[float] = []

    def ask(name: str, definition: StepDefinition, scope: Scope, facts: Any) -> Done:
        asked.append((scope.place, scope.round))
        given.append(scope.left)
        after, limited = actors[name](scope, facts)
        used = scope.cpu if limited and scope.cpu is not None else 0.0
        return Done(after, StopReason(StopKind.EXHAUSTED), limited, used)  # type: ignore[arg-type]

    composition = load_composition(name, parameters).composition
    started = time.monotonic()
    engine = Engine(
        composition.steps,
        ask,
        started=started,
        deadline=started + seconds,
        cores=cores,
        cpu=cpu,
        memory=memory,
        preparation=preparation,
        giving_way=giving_way,
    )
    with Cancellation() as cancellation:
        done = engine.run(composition.run, Facts(tuple(range(goals))), cancellation)  # type: ignore[arg-type]
    return done, asked, given


def nothing(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
    return facts, False


def until_the_end(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
    """An actor that uses all of its time, and might find more with more."""
    time.sleep(scope.left)
    return facts, True


def one(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
    return facts.with_decided(facts.open_goals[:1]), False


def everything(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
    return facts.with_decided(facts.open_goals), False


def test_when_nothing_is_open_nobody_is_asked(tmp_path: Path) -> None:
    done, asked, _ = run(tmp_path, "sequence: [a, a]", {"a": one}, goals=0)
    assert asked == []
    assert done.stop.kind is StopKind.DECIDED


def test_a_sequence_ends_when_all_is_decided(tmp_path: Path) -> None:
    done, asked, _ = run(tmp_path, "sequence: [a, b, a]", {"a": one, "b": everything})
    assert asked == [("run/0/a", 1), ("run/1/b", 1)]
    assert not done.knowledge.open_goals


def test_a_cycle_runs_until_all_is_decided(tmp_path: Path) -> None:
    done, asked, _ = run(tmp_path, "cycle: {body: [a]}", {"a": one})
    assert asked == [("run/1/0/a", 1), ("run/2/0/a", 2), ("run/3/0/a", 3)]
    assert done.stop.kind is StopKind.DECIDED


def test_a_cycle_ends_when_a_round_brings_nothing_new(tmp_path: Path) -> None:
    done, asked, _ = run(tmp_path, "cycle: {body: [a, b]}", {"a": nothing, "b": nothing})
    assert len(asked) == 2
    assert done.stop == StopReason(StopKind.NO_PROGRESS, 1)


def test_a_cycle_goes_on_while_actors_run_out_of_time(tmp_path: Path) -> None:
    def slow(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        return (facts.with_decided(facts.open_goals) if scope.round == 4 else facts), True

    done, asked, given = run(tmp_path, "cycle: {body: [a]}", {"a": slow}, times=", time: 100ms, growth: 2")
    assert len(asked) == 4
    assert given == pytest.approx([0.1, 0.2, 0.4, 0.8], abs=0.05)
    assert done.stop.kind is StopKind.DECIDED


@pytest.mark.parametrize(("seconds", "expected"), [(1.8, [0.2, 0.4, 1.1]), (3.0, [0.2, 0.4, 0.8, 1.4])])
def test_a_round_gets_what_would_not_do_for_another(tmp_path: Path, seconds: float, expected: list[float]) -> None:
    times = ", time: 200ms, growth: 2"
    _, _, given = run(tmp_path, "cycle: {body: [a]}", {"a": until_the_end}, times=times, seconds=seconds)
    assert given == pytest.approx(expected, abs=0.15)


def test_the_last_parts_of_a_round_have_as_much_as_the_first(tmp_path: Path) -> None:
    times = ", time: 300ms, growth: 2"
    _, _, given = run(
        tmp_path, "cycle: {body: [a, b]}", {"a": until_the_end, "b": until_the_end}, times=times, seconds=1.5
    )
    assert given == pytest.approx([0.3, 0.3, 0.4, 0.4], abs=0.1)


def test_a_round_is_stretched_only_if_it_would_nearly_be_the_last() -> None:
    for expected, left, stretch in ((0, 9, 1), (8, 6, 0.75), (8, 8, 1), (8, 10, 1.25), (8, 12, 1), (8, 90, 1)):
        assert stretch_of_round(expected, left) == stretch


@pytest.mark.parametrize(("growth", "expected"), [("2", [0.3, 0.3, 0.4]), ("1", [0.1, 0.1, 0.1])])
def test_a_step_whose_time_grows_has_as_much_as_reading_took(
    tmp_path: Path, growth: str, expected: list[float]
) -> None:
    def slow(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        return (facts.with_decided(facts.open_goals) if scope.round == 3 else facts), True

    times = f", time: 100ms, growth: {growth}"
    _, _, given = run(tmp_path, "cycle: {body: [a]}", {"a": slow}, times=times, preparation=0.3)
    assert given == pytest.approx(expected, abs=0.05)


def test_a_cycle_is_bounded(tmp_path: Path) -> None:
    done, asked, _ = run(tmp_path, "cycle: {body: [a], max-rounds: 2}", {"a": one})
    assert len(asked) == 2
    assert done.stop == StopReason(StopKind.ROUNDS, 2)


def test_a_cycle_of_a_thousand_rounds(tmp_path: Path) -> None:
    done, asked, _ = run(tmp_path, "cycle: {body: [a]}", {"a": one}, goals=1000)
    assert len(asked) == 1000
    assert done.stop.kind is StopKind.DECIDED


@pytest.mark.parametrize(
    ("until", "rounds"),
    [
        ("{open-at-most: 7}", 3),
        ("{rounds-at-least: 2}", 2),
        ("{all: [{rounds-at-least: 2}, {open-at-most: 6}]}", 4),
        ("{any: [{rounds-at-least: 2}, {open-at-most: 6}]}", 2),
        ("{not: {verdict: complete}}", 1),
        ("{new-facts-at-most: 1}", 1),
        ("{time-used: 1ms}", 1),
        ("decided", 10),
    ],
)
def test_conditions(tmp_path: Path, until: str, rounds: int) -> None:
    def slowly(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        time.sleep(0.002)
        return one(scope, facts)

    _, asked, _ = run(tmp_path, f"cycle: {{body: [a], until: {until}}}", {"a": slowly}, goals=10)
    assert len(asked) == rounds


def test_a_choice_takes_the_first_case_that_applies(tmp_path: Path) -> None:
    wiring = "choice:\n  - when: {open-at-most: 2}\n    do: a\n  - when: {open-at-most: 3}\n    do: b\n  - do: c"
    _, asked, _ = run(tmp_path, wiring, {"a": one, "b": one, "c": one})
    assert asked == [("run/1/b", 1)]
    done, asked, _ = run(tmp_path, "choice:\n  - when: decided\n    do: a", {"a": one})
    assert asked == []
    assert done.stop.kind is StopKind.EXHAUSTED


@pytest.mark.parametrize(("cores", "asked_in"), [(1, ["run/1/b"]), (2, ["run/1/b"]), (3, ["run/0/a"])])
def test_a_choice_by_the_cores_of_the_run(tmp_path: Path, cores: int, asked_in: list[str]) -> None:
    wiring = "choice:\n  - when: {cores-at-least: 3}\n    do: a\n  - do: b"
    _, asked, _ = run(tmp_path, wiring, {"a": one, "b": one}, cores=cores)
    assert [place for place, _ in asked] == asked_in


def test_a_choice_by_who_gives_way(tmp_path: Path) -> None:
    wiring = "choice:\n  - when: {gives-way: b}\n    do: a\n  - when: {gives-way: a}\n    do: b\n  - do: a"
    _, asked, _ = run(tmp_path, wiring, {"a": one, "b": one}, giving_way={"a"})
    assert [place for place, _ in asked] == ["run/1/b"]


def test_a_step_waits_with_the_time_that_it_will_have(tmp_path: Path) -> None:
    """So that who gives way to it works for as long before."""
    asked: list[float] = []
    beside = Beside(tmp_path)
    others = OthersNearby(beside)

    def gives_way(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        with scope.cores.lent(scope.occupied, beside):
            while others.waiting() is None:
                time.sleep(0.002)
            asked.append(others.waiting() or 0.0)
            others.give_way(time.monotonic() + 5)
        return facts, False

    wiring = "portfolio:\n  - {step: a, time: 100%}\n  - {step: b, time: 1.5s}"
    _, steps, _ = run(tmp_path, wiring, {"a": gives_way, "b": nothing}, cores=1, giving_way={"a"})
    assert [place for place, _ in steps] == ["run/0/a", "run/1/b"]
    assert asked == pytest.approx([1.5], abs=0.1)


@pytest.mark.parametrize(("giving_way", "part"), [((), 100), ({"a"}, 50)])
def test_who_gives_way_keeps_its_memory(tmp_path: Path, giving_way: set[str], part: int) -> None:
    given: list[int | None] = []

    def ask(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        given.append(scope.memory)
        return facts, False

    wiring = "portfolio: [a, b]"
    run(tmp_path, wiring, {"a": ask, "b": ask}, cores=1, memory=100, giving_way=giving_way)
    assert given == [part, part]


def test_shares_and_what_is_left_over(tmp_path: Path) -> None:
    """40 % and 60 % of what actors may use: the second gets all that the first has not used."""
    wiring = "sequence:\n  - {sequence: [a], time: 40%}\n  - {sequence: [a], time: 60%}"
    _, _, given = run(tmp_path, wiring, {"a": nothing}, seconds=5)
    whole = 5 * (1 - LAST_SHARE)
    assert given == pytest.approx([0.4 * whole, whole], abs=0.2)


def test_there_is_time_left_to_examine_what_was_found(tmp_path: Path) -> None:
    for seconds, kept in ((10, 10 * LAST_SHARE), (1000, LAST_SECONDS)):
        _, _, given = run(tmp_path, "sequence: [a]", {"a": nothing}, seconds=seconds)
        assert given == pytest.approx([seconds - kept], abs=0.2)


def test_time_is_up(tmp_path: Path) -> None:
    done, asked, _ = run(tmp_path, "cycle: {body: [a]}", {"a": until_the_end}, seconds=0.5)
    assert len(asked) == 1
    assert done.stop.kind is StopKind.TIME


def test_parallel_branches_start_from_the_same_facts_and_are_joined_in_order(tmp_path: Path) -> None:
    seen: list[int] = []
    both = threading.Barrier(2, timeout=5)

    def late(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        both.wait()
        seen.append(len(facts.open_goals))
        time.sleep(0.1)
        return facts.with_decided([2]), False

    def early(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        both.wait()
        seen.append(len(facts.open_goals))
        return facts.with_decided([1]), False

    done, _, _ = run(tmp_path, "parallel: [a, b]", {"a": late, "b": early})
    assert seen == [3, 3]
    assert done.knowledge.done == (2, 1)  # type: ignore[attr-defined]
    assert done.knowledge.open_goals == (0,)


def test_the_first_decisive_member_of_a_portfolio_cancels_the_others(tmp_path: Path) -> None:
    def waits(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        for _ in range(500):
            if scope.cancelled:
                return facts, False
            time.sleep(0.01)
        raise AssertionError("nobody has cancelled this")

    done, _, _ = run(tmp_path, "portfolio: [a, b]", {"a": waits, "b": everything})
    assert done.stop.kind is StopKind.DECIDED


@pytest.mark.parametrize(("preparation", "rounds"), [(0.5, 3), (1.6, 2)])
def test_no_round_is_begun_that_ends_before_the_program_is_read(
    tmp_path: Path, preparation: float, rounds: int
) -> None:
    seconds = 3.0 / (1 - LAST_SHARE)
    wiring = "cycle: {body: [{step: a, time: 1.2s}]}"
    done, asked, _ = run(tmp_path, wiring, {"a": until_the_end}, seconds=seconds, preparation=preparation)
    assert len(asked) == rounds
    assert done.stop.kind is StopKind.TIME


@pytest.mark.parametrize(("share", "rounds"), [(0.1, 2), (0.5, 1)])
def test_no_round_is_begun_that_is_much_shorter_than_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float, rounds: int
) -> None:
    monkeypatch.setattr(engines, "SHORT_ROUND", share)
    monkeypatch.setattr(engines, "LAST_ROUND", 0.0)
    wiring = "cycle: {body: [{step: a, time: 1.2s}]}"
    done, asked, _ = run(tmp_path, wiring, {"a": until_the_end}, seconds=1.7 / (1 - LAST_SHARE))
    assert len(asked) == rounds
    assert done.stop.kind is StopKind.TIME


@pytest.mark.parametrize("kind", ["portfolio", "parallel"])
def test_only_a_step_of_a_portfolio_starts_from_what_others_have_found_meanwhile(tmp_path: Path, kind: str) -> None:
    has_found, seen = threading.Event(), []

    def waits(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        has_found.wait(20)
        return facts, False

    def last(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        seen.append(facts.open_goals)
        return nothing(scope, facts)

    def tells(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        has_found.set()
        return nothing(scope, facts)

    wiring = f"{kind}: [{{sequence: [a, last]}}, {{sequence: [b, tells]}}]"
    done, _, _ = run(tmp_path, wiring, {"a": waits, "last": last, "b": one, "tells": tells}, seconds=60)
    assert seen == [(1, 2) if kind == "portfolio" else (0, 1, 2)]
    assert done.knowledge.open_goals == (1, 2)


def test_a_failure_in_one_branch_ends_the_others_and_is_passed_on(tmp_path: Path) -> None:
    def waits(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        while not scope.cancelled:
            time.sleep(0.01)
        return facts, False

    def fails(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        run(tmp_path, "parallel: [a, b]", {"a": waits, "b": fails})


def greedy(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
    """Uses all of its CPU time."""
    return facts, True


def test_cpu_time_is_shared_and_what_is_left_over_goes_to_the_next(tmp_path: Path) -> None:
    given: list[float | None] = []

    def frugal(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        given.append(scope.cpu)
        return facts, False

    def spends(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        given.append(scope.cpu)
        return facts, True

    wiring = "sequence:\n  - {step: a, cpu: 40%}\n  - {step: b, cpu: 20%}\n  - parallel: [a, a]"
    run(tmp_path, wiring, {"a": frugal, "b": spends}, cpu=30)
    assert given == pytest.approx([12.0, 10.0, 10.0, 10.0])  # 20 of the 60 % that are left: a third of 30


def test_the_cpu_time_of_a_run_ends_it(tmp_path: Path) -> None:
    done, asked, _ = run(tmp_path, "cycle: {body: [a]}", {"a": greedy}, times=", cpu: 2s", cpu=5)
    assert len(asked) == 3
    assert done.stop.kind is StopKind.CPU
    assert done.cpu == pytest.approx(5.0)


def test_memory_is_divided_among_those_that_run_at_the_same_time(tmp_path: Path) -> None:
    seen: dict[str, int | None] = {}

    def looks(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        seen[scope.place] = scope.memory
        return facts, False

    run(tmp_path, "sequence: [a, {parallel: [a, a]}]", {"a": looks}, memory=1000, times=", memory: 60%")
    assert sorted(filter(None, seen.values())) == [300, 300, 600]
    run(tmp_path, "a", {"a": looks}, times=", memory: 1GB")
    assert seen["run/a"] == 10**9


@pytest.mark.parametrize(("cores", "each"), [(1, 1200), (2, 600), (3, 400), (8, 400)])
def test_memory_is_not_kept_for_those_that_wait_for_a_core(tmp_path: Path, cores: int, each: int) -> None:
    lock = threading.Lock()
    now: list[int] = []
    most: list[int] = []

    def looks(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        assert scope.memory == each
        with lock:
            now.append(scope.memory)
            most.append(sum(now))
        time.sleep(0.02)
        with lock:
            now.pop()
        return facts, False

    run(tmp_path, "parallel: [a, {sequence: [a, a]}, a]", {"a": looks}, memory=1200, cores=cores)
    assert len(most) == 4
    assert max(most) <= 1200


def test_who_waits_for_a_core_first_gets_it_first(tmp_path: Path) -> None:
    def busy(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        time.sleep(0.05)
        return facts, False

    branch = "{sequence: [a, a]}"
    _, asked, _ = run(tmp_path, f"parallel: [{branch}, {branch}, {branch}]", {"a": busy}, cores=1)
    assert [place for place, _ in asked] == [f"run/{i}/{step}/a" for step in (0, 1) for i in (0, 1, 2)]


def test_a_step_that_waits_for_a_core_loses_no_time(tmp_path: Path) -> None:
    running: list[str] = []
    most: list[int] = []

    def busy(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        running.append(scope.place)
        most.append(len(running))
        time.sleep(0.2)
        running.remove(scope.place)
        return facts, False

    _, asked, given = run(tmp_path, "parallel: [a, a, a]", {"a": busy}, times=", time: 1s", cores=1)
    assert len(asked) == 3
    assert given == pytest.approx([1.0] * 3, abs=0.1)
    assert max(most) == 1
    most.clear()
    run(tmp_path, "parallel: [a, a]", {"a": busy}, times=", cores: 9", cores=2)
    assert max(most) == 1


TURNS = ["prove", "test", "abstract", "induct"]
RACERS = ["prove", "test", "abstract", "solve", "induct"]


@pytest.mark.parametrize(("cores", "racing"), [(1, 1), (2, 2), (3, 3), (8, 5)])
def test_verify_uses_the_cores_that_it_is_given(cores: int, racing: int) -> None:
    together = threading.Barrier(racing, timeout=10)
    lock = threading.Lock()
    begun = count()
    running: list[str] = []
    most: list[int] = []

    def busy(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        with lock:
            running.append(scope.place)
            most.append(len(running))
        if next(begun) < racing:
            together.wait()
        with lock:
            running.remove(scope.place)
        return facts, False

    done, asked, _ = run_named("verify", {"bound": nothing} | dict.fromkeys(RACERS, busy), cores=cores)
    assert done.stop.kind is StopKind.NO_PROGRESS
    assert max(most) == racing
    first, *steps = (place.split("/")[-1] for place, _ in asked)
    assert first == "bound"
    assert steps == TURNS if cores == 1 else sorted(steps) == sorted(RACERS)


@pytest.mark.parametrize("cores", [1, 2, 3])
@pytest.mark.parametrize("winner", ["test", "prove", "abstract", "induct"])
def test_whoever_decides_first_ends_the_race(cores: int, winner: str) -> None:
    def waits(scope: Scope, facts: Facts) -> tuple[Facts, bool]:
        while not scope.cancelled and scope.left:
            time.sleep(0.01)
        return facts, True

    actors: dict[str, Actor] = {"bound": nothing} | dict.fromkeys(RACERS, waits)
    done, asked, _ = run_named("verify", actors | {winner: everything}, {"slice": "300ms"}, seconds=60, cores=cores)
    assert done.stop.kind is StopKind.DECIDED
    assert done.knowledge.open_goals == ()
    assert {number for _, number in asked} == {1}
