"""The part of an exchange automaton that a drawing shows, and how its parts are called."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from itertools import chain, zip_longest

from msgspec import Struct

from gia.automaton.labelled import edge_key
from gia.automaton.model import Acceptance, Automaton, Condition, Transition
from gia.cfa.graph import EdgeReference

LIMIT = 60
"""States of an automaton that are drawn without folding; of larger ones half as many are."""

TRANSITIONS_PER_STATE = 6
"""Transitions that are drawn, on average, for each state."""

SUCCESSORS = 4
"""States that are drawn as the next ones on shortest runs through one state, in a folded drawing."""

COLOURS = {
    Acceptance.UT: ("#c3e6bd", "#2e7d32"),
    Acceptance.RT: ("#bcd9f7", "#1565c0"),
    Acceptance.CAND: ("#fff0a8", "#b28900"),
    None: ("#ffffff", "#555555"),
}
"""Fill and outline of the states of each accepting set."""

MEANING = {
    Acceptance.UT: "infeasible, or reaches no target",
    Acceptance.RT: "feasible, reaches a target",
    Acceptance.CAND: "candidate, to be decided",
}


class Fold(Struct, frozen=True):
    """A part of a run that is not shown: ``states`` states between two that are."""

    source: int
    target: int
    states: int

    @property
    def label(self) -> str:
        """What stands in the place of the states."""
        return f"… {counted(self.states, 'state')} …"


class Excerpt(Struct, frozen=True):
    """The states (by number) and transitions that are shown, and the automaton that they are from."""

    automaton: Automaton
    states: tuple[int, ...]
    transitions: tuple[Transition, ...]
    folds: tuple[Fold, ...] = ()

    @property
    def left_out(self) -> str:
        """A sentence on what is not shown, empty if everything is."""
        states = len(self.automaton.states) - len(self.states)
        transitions = len(self.automaton.transitions) - len(self.transitions)
        if not states and not transitions:
            return ""
        return (
            f"folded: {counted(states, 'state')} and {counted(transitions, 'transition')} "
            f"of {len(self.automaton.states)} and {len(self.automaton.transitions)} are not shown"
        )

    @property
    def title(self) -> str:
        """The program and the size of the automaton."""
        automaton = self.automaton
        kinds = Counter(state.accept for state in automaton.states)
        accepting = ", ".join(f"{kinds[kind]} {kind.value}" for kind in Acceptance if kinds[kind])
        sizes = f"{counted(len(automaton.states), 'state')}{f' ({accepting})' if accepting else ''}"
        program = automaton.metadata.program or "unnamed program"
        return f"GIA of {program}: {sizes}, {counted(len(automaton.transitions), 'transition')}"

    @property
    def actors(self) -> str:
        """Who contributed, in order."""
        named = (f"{actor.name} {actor.version}".strip() for actor in self.automaton.metadata.actors)
        return ", ".join(dict.fromkeys(named))


def excerpt_of(automaton: Automaton, limit: int) -> Excerpt:
    """Everything, or else shortest runs to accepting states, of half as many states as ``limit``.

    First a run to the nearest state of each accepting set, in the middle of which states are left out if it is
    long; then in turn for each set the next ways to enter it; then other states, nearest first. Of states with many
    successors only some are followed.
    """
    if len(automaton.states) <= limit:
        selection = _Selection(set(range(len(automaton.states))), [])
    else:
        selection = _nearest(automaton, limit // 2)
    shown = selection.kept
    between = [t for t in automaton.transitions if t.source in shown and t.target in shown]
    states = tuple(sorted(shown))
    transitions = tuple(between[: TRANSITIONS_PER_STATE * max(limit, 10)])
    return Excerpt(automaton, states, transitions, tuple(selection.folds))


class _Selection(Struct):
    """The states that are shown, and the parts of runs between them that are not."""

    kept: set[int]
    folds: list[Fold]


def _nearest(automaton: Automaton, limit: int) -> _Selection:
    entered = _breadth_first(automaton)
    found = _Selection({automaton.initial}, [])
    followed: Counter[int] = Counter()

    def run_to(state: int) -> list[int]:
        """The states from the last shown one (which is the first of the result) to this one."""
        run = [state]
        while run[-1] not in found.kept:
            before = entered[run[-1]]
            assert before is not None, "the initial state is shown"
            run.append(before)
        return run[::-1]

    def show(run: list[int]) -> None:
        found.kept.update(run)
        if len(run) > 1:
            followed[run[0]] += 1
            followed.update(run[1:-1])

    ways = _ways_in(automaton, entered)
    for first in [next(iter(kind), None) for kind in ways]:
        if first is not None:
            run, part = run_to(first[1]), max(2, limit // 6)
            if len(run) > 2 * part + 1:
                found.folds.append(Fold(run[part - 1], run[-part], len(run) - 2 * part))
                show(run[:part])
                show(run[-part:])
            else:
                show(run)
    in_turn = chain.from_iterable(way for way in chain.from_iterable(zip_longest(*ways)) if way is not None)
    for state in chain(in_turn, entered):
        run = run_to(state)
        many = followed[run[0]] >= SUCCESSORS
        if len(run) > 1 and not many and len(found.kept) + len(run) - 1 <= limit:
            show(run)
    return found


def _breadth_first(automaton: Automaton) -> dict[int, int | None]:
    """The states that can be reached, nearest first, each with the one before it on a shortest run."""
    entered: dict[int, int | None] = {automaton.initial: None}
    pending = deque([automaton.initial])
    while pending:
        state = pending.popleft()
        for transition in automaton.leaving[state]:
            if transition.target not in entered:
                entered[transition.target] = state
                pending.append(transition.target)
    return entered


def _ways_in(automaton: Automaton, entered: dict[int, int | None]) -> list[list[tuple[int, int]]]:
    """For each accepting set that can be reached, the last two states of runs that come to it, nearest first."""

    def ways(kind: Acceptance) -> Iterator[tuple[int, int]]:
        for state in entered:
            for transition in automaton.leaving[state]:
                target = automaton.states[transition.target]
                if target.accept is kind and automaton.states[state].accept is not kind:
                    yield state, transition.target

    found = [list(dict.fromkeys(ways(kind))) for kind in Acceptance]
    return [pairs for pairs in found if pairs]


def counted(number: int, noun: str) -> str:
    """``1 state``, ``2 states``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def condition_text(condition: Condition | None) -> str:
    """A condition with its scope, empty for true."""
    if condition is None:
        return ""
    return f"{condition.text} @ {condition.scope}" if condition.scope else condition.text


def edge_name(automaton: Automaton, edge: EdgeReference) -> str:
    """Place, branch and text of one edge: ``main:12:7 then: x < 5``."""
    ordinal = f" #{edge.ordinal}" if edge.ordinal != 1 else ""
    what = edge.branch or edge.kind
    text = automaton.edge_texts.get(edge, "")
    return f"{edge.function}:{edge.line}:{edge.column} {what}{ordinal}{': ' + text if text else ''}"


def edge_names(automaton: Automaton, transition: Transition) -> list[str]:
    """The names of the edges of a transition in their order; ``*`` for all."""
    if transition.edges is None:
        return ["*"]
    return [edge_name(automaton, edge) for edge in sorted(transition.edges, key=edge_key)]


def short_label(automaton: Automaton, transition: Transition, width: int = 30) -> list[str]:
    """The label in at most two lines of ``width`` characters: the edge or the number of edges, the assumption.

    An assumption that repeats the text of the only edge is left out.
    """
    edges = transition.edges
    names = edge_names(automaton, transition)
    lines = [shortened(names[0], width) if len(names) == 1 else f"{len(names)} edges"]
    text = automaton.edge_texts.get(next(iter(edges)), "") if edges is not None and len(edges) == 1 else ""
    if transition.assumption and transition.assumption.text != text:
        lines.append(shortened(f"[{transition.assumption.text}]", width))
    return lines


def shortened(text: str, width: int) -> str:
    """The text on one line, cut to ``width`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"
