"""Counterexamples for people: an execution that takes what a claim excludes, by its inputs and its decisions."""

from __future__ import annotations

from collections.abc import Collection
from time import monotonic

from msgspec.structs import replace

from gia.automaton.model import ANY, Acceptance, Automaton, State, Transition
from gia.cfa.graph import Program
from gia.checker.meeting import Meeting, UndecidedError, find_meeting
from gia.native.literals import write_literal

SECONDS = 5.0
"""How long the search for one counterexample may take."""

_SHOWN = 12


def concrete_counterexample(program: Program, automaton: Automaton, edges: Collection[int], deadline: float) -> str:
    """An execution that the automaton excludes when it takes one of ``edges``; empty if none is found in time.

    The invariants are not looked at: what they say is a claim as well.
    """
    references = frozenset(program.edge_list[number].reference for number in edges)
    over = (State(), State(None, Acceptance.RT))
    reached = Automaton(over, (Transition(0, 0, ANY), Transition(0, 1, references)))
    bare = replace(automaton, states=tuple(state._replace(invariant=None) for state in automaton.states))
    try:
        found = find_meeting(program, bare, reached, deadline=min(deadline, monotonic() + SECONDS))
    except UndecidedError:
        return ""
    return execution_text(found) if found is not None and found.certain else ""


def execution_text(meeting: Meeting) -> str:
    """The inputs of an execution and the decisions that it takes, with their places."""
    inputs = _some([write_literal(bits.type, bits.bits) for bits in meeting.inputs])
    branches = [edge for edge in meeting.edges if edge.reference.branch and edge.reference.kind == "assume"]
    path = _some([f"{e.file}:{e.reference.line}:{e.reference.column} {e.reference.branch}" for e in branches])
    begin = f"an execution with the inputs {inputs}" if inputs else "an execution without inputs"
    return f"{begin} takes {path}" if path else f"{begin} does it"


def _some(parts: list[str]) -> str:
    if len(parts) > _SHOWN:
        half = _SHOWN // 2
        parts = [*parts[:half], f"… {len(parts) - 2 * half} more", *parts[-half:]]
    return ", ".join(parts)
