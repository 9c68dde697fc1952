"""The part of an exchange automaton that a drawing shows, and how its parts are called."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass

from gia.automaton.labelled import edge_key
from gia.automaton.model import Acceptance, Automaton, Condition, Transition
from gia.cfa.graph import EdgeReference

LIMIT = 60
"""States of an automaton that are drawn without folding."""

TRANSITIONS_PER_STATE = 6
"""Transitions that are drawn, on average, for each state."""

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


@dataclass(frozen=True)
class Excerpt:
    """The states (by number) and transitions that are shown, and the automaton that they are from."""

    automaton: Automaton
    states: tuple[int, ...]
    transitions: tuple[Transition, ...]

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
    """Everything, or else the shortest runs to accepting states, of at most ``limit`` states.

    First the nearest state of each accepting set, then the others, nearest first.
    """
    kept = range(len(automaton.states)) if len(automaton.states) <= limit else _nearest(automaton, limit)
    shown = set(kept)
    between = [t for t in automaton.transitions if t.source in shown and t.target in shown]
    states = tuple(sorted(shown))
    return Excerpt(automaton, states, tuple(between[: TRANSITIONS_PER_STATE * max(limit, 10)]))


def _nearest(automaton: Automaton, limit: int) -> set[int]:
    entered: dict[int, int | None] = {automaton.initial: None}
    pending = deque([automaton.initial])
    while pending:
        state = pending.popleft()
        for transition in automaton.leaving[state]:
            if transition.target not in entered:
                entered[transition.target] = state
                pending.append(transition.target)
    kept = {automaton.initial}
    accepting = [state for state in entered if automaton.states[state].accept]  # breadth first: nearest first
    nearest = {automaton.states[state].accept: state for state in reversed(accepting)}
    first = [nearest[kind] for kind in Acceptance if kind in nearest]
    for state in [*first, *accepting, *entered]:
        run: list[int] = []
        current: int | None = state
        while current is not None and current not in kept:
            run.append(current)
            current = entered[current]
        if len(kept) + len(run) > limit:
            break
        kept.update(run)
    return kept


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
