"""What is said about testers that were run side by side: a table, judgements on pairs of them, and plots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

LIMIT_SHARE = 0.75
"""Who takes this share of the time limit has run into it: tools are told a little less than the limit."""

NAME_WIDTH = 46
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#7f7f7f")


@dataclass(frozen=True)
class Measurement:
    """One run.

    ``decided`` counts goals that are covered or proven unreachable; ``seconds`` is wall time and ``cpu`` CPU time, both
    of everything the run has started; ``solver`` is the wall time in the solver, where it is known; ``series`` has
    pairs of seconds and goals covered by then; ``reached`` are the ids of the goals that are covered.
    """

    goals: int
    covered: int
    decided: int
    tests: int
    seconds: float
    cpu: float
    solver: float | None = None
    series: tuple[tuple[float, int], ...] = ()
    notes: tuple[str, ...] = ()
    reached: tuple[str, ...] = ()

    def covered_by(self, seconds: float) -> int:
        """The goals covered ``seconds`` after the start."""
        return max((covered for when, covered in self.series if when <= seconds), default=0)

    @property
    def unreachable(self) -> int:
        """The goals that are proven unreachable."""
        return self.decided - self.covered

    @property
    def done_after(self) -> float:
        """When every goal was decided; infinite if that never was."""
        return self.seconds if self.decided == self.goals else float("inf")


Results = Mapping[str, Mapping[str, Measurement | None]]
"""By task and tester; ``None``: that run has failed."""


def table(results: Results, testers: Sequence[str]) -> Iterator[str]:
    """A line for each task, then sums: covered goals, tests, time, and on how many tasks each was the best."""
    width = max(19, *(len(tester) + 2 for tester in testers))
    yield f"{'task':{NAME_WIDTH}} {'goals':>6}" + "".join(f"{tester:>{width}}" for tester in testers)
    for name, row in results.items():
        most = max((found.covered for found in row.values() if found), default=0)
        goals = max((found.goals for found in row.values() if found), default=0)
        cells = (_cell(row.get(tester), most) for tester in testers)
        yield f"{name[:NAME_WIDTH]:{NAME_WIDTH}} {goals:6}" + "".join(f"{cell:>{width}}" for cell in cells)
    columns = {tester: [found for row in results.values() if (found := row.get(tester))] for tester in testers}
    sums: tuple[tuple[str, Callable[[list[Measurement]], str]], ...] = (
        ("covered goals", lambda found: f"{sum(one.covered for one in found)}"),
        ("decided goals", lambda found: f"{sum(one.decided for one in found)}"),
        ("tests", lambda found: f"{sum(one.tests for one in found)}"),
        ("seconds", lambda found: f"{sum(one.seconds for one in found):.0f}"),
        ("CPU seconds", lambda found: f"{sum(one.cpu for one in found):.0f}"),
        ("share of the solver in the time", _solver_share),
    )
    for title, summary in sums:
        cells = (summary(columns[tester]) for tester in testers)
        yield f"{title:{NAME_WIDTH + 7}}" + "".join(f"{cell:>{width}}" for cell in cells)
    bests = (sum(_is_best(row, tester) for row in results.values()) for tester in testers)
    yield f"{f'best or as good (of {len(results)})':{NAME_WIDTH + 7}}" + "".join(f"{best:>{width}}" for best in bests)


def _cell(found: Measurement | None, most: int) -> str:
    if found is None:
        return "failed"
    return f"{found.covered}{'*' if found.covered == most else ' '}{found.tests:4}t {found.seconds:5.1f}s"


def _solver_share(found: list[Measurement]) -> str:
    known = [(one.solver, one.seconds) for one in found if one.solver is not None]
    total = sum(seconds for _, seconds in known)
    return f"{100 * sum(solver for solver, _ in known) / total:.0f} %" if total else "-"


def _is_best(row: Mapping[str, Measurement | None], tester: str) -> bool:
    found = row.get(tester)
    return found is not None and found.covered == max(other.covered for other in row.values() if other)


def judgements(results: Results, first: str, second: str, limit: float) -> Iterator[str]:
    """Three lines on how ``first`` does against ``second`` under a time limit: coverage, and time in two cases."""
    both = [(a, b) for row in results.values() if (a := row.get(first)) and (b := row.get(second))]
    if not both:
        yield f"{first} against {second}: no task on which both have run"
        return
    count = len(both)
    least, more = sum(a.covered >= b.covered for a, b in both), sum(a.covered > b.covered for a, b in both)
    most = sum(b.covered == a.goals - a.unreachable for a, b in both)
    yield (
        f"{first} against {second}, coverage: at least as high on {least} of {count} tasks ({least / count:.0%}), "
        f"higher on {more}; on {most}, {second} covers every goal that {first} has not proven unreachable: more is "
        f"impossible there"
    )
    cut = [(a, b) for a, b in both if b.seconds >= LIMIT_SHARE * limit]
    shares = sorted(min(a.done_after / limit, float("inf")) for a, _ in cut)
    yield f"{first} against {second}, where {second} runs into the limit ({len(cut)} tasks): " + (
        f"{first} has decided every goal on {sum(share < float('inf') for share in shares)}; "
        f"median {_share(median(shares))} of the limit"
        if shares
        else "none"
    )
    ended = [(a, b) for a, b in both if b.seconds < LIMIT_SHARE * limit]
    if not ended:
        yield f"{first} against {second}, where {second} ends by itself (0 tasks): none"
        return
    within = sum(a.seconds <= 2 * b.seconds for a, b in ended)
    reached = sum(a.covered_by(2 * b.seconds) >= b.covered for a, b in ended)
    yield (
        f"{first} against {second}, where {second} ends by itself ({len(ended)} tasks): {first} ends within twice its "
        f"time on {within}, median {median(a.seconds / b.seconds for a, b in ended):.2f} times its time "
        f"({median(a.cpu / max(b.cpu, 0.01) for a, b in ended):.2f} times its CPU time); "
        f"has covered as much by then on {reached}"
    )


def _share(value: float) -> str:
    return f"{value:.2f}" if value < float("inf") else "more than 1.00"


def over_time(results: Results, testers: Sequence[str], limit: float) -> Iterator[str]:
    """A table of the mean share of goals covered, over time."""
    times = [limit * 2.0**-power for power in range(6, -1, -1)]
    yield f"{'mean coverage after':{NAME_WIDTH - 8}}" + "".join(f"{f'{time:.1f} s':>9}" for time in times)
    for tester in testers:
        cells = (f"{mean_coverage(results, tester, time):>9.1%}" for time in times)
        yield f"{tester:{NAME_WIDTH - 8}}" + "".join(cells)


def together(results: Results, testers: Sequence[str]) -> Iterator[str]:
    """A table of the goals that two testers cover together, one of them at least: who goes well beside whom."""
    width = max(9, *(len(tester) + 2 for tester in testers))
    yield f"{'covered goals, together with':{NAME_WIDTH - 8}}" + "".join(f"{tester:>{width}}" for tester in testers)
    for first in testers:
        sums = (sum(_covered_together(row, first, second) for row in results.values()) for second in testers)
        yield f"{first:{NAME_WIDTH - 8}}" + "".join(f"{total:>{width}}" for total in sums)


def _covered_together(row: Mapping[str, Measurement | None], first: str, second: str) -> int:
    return len({goal for tester in (first, second) if (found := row.get(tester)) for goal in found.reached})


def mean_coverage(results: Results, tester: str, seconds: float) -> float:
    """The mean over all tasks of the share of goals that a tester has covered after so many seconds."""
    found = [row.get(tester) for row in results.values()]
    shares = [one.covered_by(seconds) / one.goals if one and one.goals else 0.0 for one in found]
    return sum(shares) / len(shares) if shares else 0.0


def plots(results: Results, testers: Sequence[str], limit: float) -> str:
    """SVG: for each tester its shares of covered goals, sorted, over the tasks; and their mean over time."""
    height = 440
    quantiles = {}
    for tester in testers:
        found = [row.get(tester) for row in results.values()]
        shares = sorted(one.covered / one.goals if one and one.goals else 0.0 for one in found)
        last = max(1, len(shares) - 1)
        quantiles[tester] = [(place / last, share) for place, share in enumerate(shares)]
    times = sorted({0.0, limit, *(when for row in results.values() for one in row.values() if one
                                  for when, _ in one.series if when < limit)})  # fmt: skip
    means = {
        tester: _steps([(time / limit, mean_coverage(results, tester, time)) for time in times]) for tester in testers
    }
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="840" height="{2 * height}" font-family="sans-serif">',
            '<rect width="100%" height="100%" fill="white"/>',
            *_chart(quantiles, 0, f"covered goals of each of {len(results)} tasks, sorted", ("0", str(len(results)))),
            *_chart(means, height, "covered goals over time, mean of all tasks", ("0 s", f"{limit:g} s")),
            "</svg>",
            "",
        ]
    )


def _steps(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """A curve that keeps each value until the next point."""
    corners = [corner for left, right in pairwise(points) for corner in (left, (right[0], left[1]))]
    return [*corners, *points[-1:]]


def _chart(
    curves: Mapping[str, Sequence[tuple[float, float]]], offset: int, title: str, ends: tuple[str, str]
) -> Iterator[str]:
    """One chart whose curves go from 0 to 1 in both directions; ``ends`` are the labels of the horizontal axis."""
    width, height, left, top = 560, 340, 60, offset + 40
    yield f'<text x="{left}" y="{top - 14}" font-size="14">{title}</text>'
    yield f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#888"/>'
    for percent in (0, 25, 50, 75, 100):
        y = top + height * (1 - percent / 100)
        yield f'<line x1="{left}" x2="{left + width}" y1="{y:.0f}" y2="{y:.0f}" stroke="#ddd"/>'
        yield f'<text x="{left - 6}" y="{y + 4:.0f}" text-anchor="end" font-size="11">{percent} %</text>'
    for x, anchor, text in ((left, "start", ends[0]), (left + width, "end", ends[1])):
        yield f'<text x="{x}" y="{top + height + 18}" text-anchor="{anchor}" font-size="11">{text}</text>'
    for number, (name, points) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        line = " ".join(f"{left + width * x:.1f},{top + height * (1 - y):.1f}" for x, y in points)
        yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'
        yield f'<text x="{left + width + 12}" y="{top + 16 + 18 * number}" font-size="12" fill="{colour}">{name}</text>'
