"""Reduced programs against the original ones on the same inputs: ``benchmarks/reducers.py`` does it with all tasks."""

import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gia.automaton.initial import initial_gia
from gia.automaton.model import ANY, Acceptance, Automaton, State, Transition
from gia.cfa.goals import Criterion, Goal, goals_of
from gia.cfa.graph import Program
from gia.cfa.types import DataModel
from gia.cfa.writer import write_c
from gia.frontend import LoadedProgram, load
from gia.reducer import Strategy, reduce_to_c
from tests.cfa.native import Behaviour, behaviours, compiled

RUNS = 3
SECONDS = 0.3
"""How many sequences of inputs are tried, and how long the original runs before it counts as endless."""


@dataclass(frozen=True)
class Reduced:
    """A task with an automaton: the edges that are open (``candidates``), and claimed as decided (``decided``)."""

    automaton: Automaton
    wrt: Acceptance
    candidates: frozenset[int]
    decided: frozenset[int]


def initial(program: Program, goals: Sequence[Goal]) -> Reduced:
    """Nothing is known."""
    edges = frozenset(number for goal in goals for number in goal.edges)
    return Reduced(initial_gia(program, goals), Acceptance.UT, edges, frozenset())


def with_facts(program: Program, goals: Sequence[Goal], wrt: Acceptance) -> Reduced:
    """Every third goal is open; all paths through every fifth of the others are decided."""
    opened = goals[1::3]
    others = [goal for index, goal in enumerate(goals) if index % 3 != 1][::5]
    candidates = frozenset(number for goal in opened for number in goal.edges)
    decided = frozenset(number for goal in others for number in goal.edges)
    automaton = initial_gia(program, opened)
    states = (*automaton.states, State(None, wrt))
    references = frozenset(program.edge_list[number].reference for number in decided)
    added = (Transition(0, len(states) - 1, references),) if references else ()
    return Reduced(Automaton(states, (*automaton.transitions, *added, *_loop(states))), wrt, candidates, decided)


def _loop(states: Sequence[State]) -> tuple[Transition, ...]:
    return (Transition(len(states) - 1, len(states) - 1, ANY),)


def loaded(path: Path, data_model: str) -> tuple[LoadedProgram, tuple[Goal, ...]]:
    program = load(path, data_model=DataModel(data_model))
    return program, goals_of(program.program, Criterion.BRANCHES)


class Original:
    """A program, compiled, and what it does on some sequences of inputs."""

    def __init__(self, program: LoadedProgram, goals: Sequence[Goal], folder: Path) -> None:
        assert program.source.editable is not None
        self._program, self._goals, self._folder = program, goals, folder
        self._runs = self._behaviours("original", program.source.editable.text)

    def differences(self, task: Reduced, strategies: Iterable[Strategy]) -> list[str]:
        """What is wrong with the reduced programs.

        A run is needed if it comes to a candidate and to nothing decided: it must stay as it is. Every other may end
        early. Of a run that does not end, what it does until it is stopped is compared.
        """
        program = self._program.program
        marks = dict.fromkeys(task.candidates, _said_once("open")) | dict.fromkeys(task.decided, _said_once("done"))
        marked = self._behaviours("marked", write_c(program, marks=marks))
        wrong = []
        for strategy in strategies:
            text = reduce_to_c(strategy, self._program, self._goals, task.automaton, task.wrt).text
            left = self._behaviours(strategy.value, text)
            for seed, (original, marks_seen, found) in enumerate(zip(self._runs, marked, left, strict=True)):
                if not _agree(original, marks_seen, found):
                    wrong.append(f"{strategy.value}, inputs {seed}: {original} became {found}")
        return wrong

    def _behaviours(self, name: str, text: str) -> list[Behaviour]:
        binary = compiled(self._folder, name, text, self._program.program)
        if name == "original":
            return behaviours(binary, range(RUNS), SECONDS)
        return [
            behaviours(binary, [seed], SECONDS if run.status is None else 10 * SECONDS + 1)[0]
            for seed, run in enumerate(self._runs)
        ]


def _said_once(word: str) -> str:
    return f'{{ static int said; if (!said) {{ said = 1; __builtin_printf("[{word}]"); }} }}'


def _agree(original: Behaviour, marked: Behaviour, left: Behaviour) -> bool:
    if original.status is None:
        may_end_early = left.status in (None, 0) and original.output.startswith(left.output)
        return may_end_early or left.output.startswith(original.output)
    if left == original:
        return True
    needed = b"[open]" in marked.output and b"[done]" not in marked.output
    return not needed and left.status == 0 and original.output.startswith(left.output)


def warnings_of(compiler: str, text: str, data_model: DataModel, folder: Path) -> set[str]:
    """The warnings of a compiler with its usual and with all common checks, without their places."""
    source = folder / "checked.c"
    source.write_text(text)
    wide = "-m32" if data_model is DataModel.ILP32 else "-m64"
    command = [compiler, wide, "-Wall", "-fsyntax-only", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    return {line.split("warning: ")[1] for line in done.stderr.splitlines() if "warning: " in line}
