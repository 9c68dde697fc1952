"""Watching a run: a live display on a terminal, plain lines when the output is piped."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, TextIO

from msgspec import Struct, field

from gia.orchestrator.description.quantities import seconds_text
from gia.orchestrator.records import events
from gia.orchestrator.records.step import StepRecord, StepState

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live
    from rich.text import Text

MARKS = {
    StepState.DONE: "✓",
    StepState.FAILED: "✗",
    StepState.TIMED_OUT: "⧗",
    StepState.CANCELLED: "-",
}

BAR = 30
"""Characters of the bar of goals; fewer where the terminal is narrow."""


@contextmanager
def observing(*, quiet: bool) -> Iterator[events.Observer]:
    """The observer that suits the standard output."""
    if quiet:
        yield events.nobody
    elif sys.stdout.isatty():
        from rich.console import Console  # noqa: PLC0415 - only a terminal needs it

        display = LiveDisplay(Console())
        try:
            yield display
        finally:
            display.stop()
    else:
        yield PlainLines(sys.stdout)


class RunView(Struct):
    """What a display knows of a run: the latest of everything."""

    started: float = field(default_factory=monotonic)
    seconds: float = 0.0
    goals: events.GoalsDecided = events.GoalsDecided(0, 0, 0)
    running: dict[str, tuple[StepRecord, float, float]] = field(default_factory=dict)

    def update(self, event: events.Event) -> None:
        """Takes note of an event."""
        match event:
            case events.RunStarted(task=task, seconds=seconds):
                self.seconds = seconds
                self.goals = events.GoalsDecided(0, 0, len(task.goals))
            case events.GoalsDecided():
                self.goals = event
            case events.StepStarted(step=step, seconds=seconds):
                self.running[step.place] = step, seconds, monotonic()
            case events.StepEnded(step=step):
                self.running.pop(step.place, None)


def opening(event: events.RunStarted) -> str:
    """One line that says what is being done."""
    task = event.task
    what = f"{len(task.goals)} goal{'' if len(task.goals) == 1 else 's'} ({task.criterion})"
    return f"{task.program.main_file}: {what}, {event.composition}, {seconds_text(event.seconds)}"


def ending(step: StepRecord, repeated: bool) -> str:
    """One line that says what a step has brought."""
    gains = [f"+{step.new_rt} covered" if step.new_rt else "", f"+{step.new_ut} unreachable" if step.new_ut else ""]
    gained = ", ".join(gain for gain in gains if gain) or "nothing new"
    again = " (from the interrupted run)" if repeated else " (from the cache)" if step.cached else ""
    state = "" if step.state is StepState.DONE else f" {step.state.value}:"
    return f"{step.actor:<12} round {step.round:<3} {seconds_text(step.wall):>8} {state} {gained}{again}"


def counts(goals: events.GoalsDecided) -> str:
    """The numbers of goals in words."""
    return f"{goals.covered} covered, {goals.unreachable} unreachable, {goals.open} open"


class PlainLines:
    """One line for each thing that happens."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._counts = ""

    def __call__(self, event: events.Event) -> None:
        """Prints the event, if it is worth a line."""
        match event:
            case events.RunStarted():
                self._line(opening(event))
            case events.StepEnded(step=step, repeated=repeated):
                self._line(f"  {ending(step, repeated)}")
                for remark in step.remarks:
                    self._line(f"    {step.actor}: {remark}")
            case events.GoalsDecided() if counts(event) != self._counts:
                self._counts = counts(event)
                self._line(f"  {self._counts}")
            case events.Remark(text=text):
                self._line(f"  warning: {text}")

    def _line(self, text: str) -> None:
        print(text, file=self._stream, flush=True)


class LiveDisplay:
    """A line of goals and a line for each working actor, redrawn a few times a second; what is over scrolls up."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._view = RunView()
        self._live: Live | None = None

    def __call__(self, event: events.Event) -> None:
        """Brings the display up to date."""
        from rich.live import Live  # noqa: PLC0415 - only a terminal needs it

        self._view.update(event)
        match event:
            case events.RunStarted():
                self._console.print(opening(event), style="bold", highlight=False)
                self._live = Live(
                    console=self._console, get_renderable=self._render, refresh_per_second=8, transient=True
                )
                self._live.start()
            case events.StepEnded(step=step, repeated=repeated):
                style = {StepState.DONE: "green"}.get(step.state, "yellow")
                mark = MARKS.get(step.state, " ")
                self._console.print(f"[{style}]{mark}[/] {ending(step, repeated)}", highlight=False)
                for remark in step.remarks:
                    self._console.print(f"  {step.actor}: {remark}", style="yellow", markup=False, highlight=False)
            case events.Remark(text=text):
                self._console.print(f"warning: {text}", style="yellow", markup=False, highlight=False)
            case events.RunStopped():
                self.stop()

    def stop(self) -> None:
        """Takes the live lines away."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _render(self) -> RenderableType:
        from rich.console import Group  # noqa: PLC0415 - only a terminal needs it
        from rich.text import Text  # noqa: PLC0415

        view = self._view
        now = monotonic()
        left = max(0.0, view.seconds - (now - view.started))
        lines = [goals_line(view.goals, left, self._console.width)]
        for step, seconds, since in view.running.values():
            lines.append(
                Text(f"  {step.actor} (round {step.round}) {seconds_text(now - since)} of {seconds_text(seconds)}")
            )
        return Group(*lines)


def goals_line(goals: events.GoalsDecided, left: float, width: int) -> Text:
    """The numbers of goals and the seconds that are left, behind a bar that fits on the same line."""
    from rich.text import Text  # noqa: PLC0415 - only a terminal needs it

    text = f" {counts(goals)}   {seconds_text(left)} left"
    return Text.assemble(bar(goals, max(0, min(BAR, width - len(text)))), text)


def bar(goals: events.GoalsDecided, width: int) -> Text:
    """A bar of ``width`` characters: covered, unreachable, open."""
    from rich.text import Text  # noqa: PLC0415 - only a terminal needs it

    total = goals.covered + goals.unreachable + goals.open
    covered = width * goals.covered // total if total else 0
    decided = width * (goals.covered + goals.unreachable) // total if total else width
    return Text.assemble(
        ("█" * covered, "green"), ("█" * (decided - covered), "cyan"), ("░" * (width - decided), "dim")
    )
