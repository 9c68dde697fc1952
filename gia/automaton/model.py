"""The generalised information exchange automaton (GIA).

Source: Haltermann & Wehrheim, SoSyM 2024, Definition 2:
``A = (Q, Σ, δ, q0, F_ut, F_rt, F_cand)``. Deviations: states are numbers (their names carry no
meaning), and a transition whose edges are :data:`ANY` is the article's ``*``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Final, NamedTuple

from msgspec import Struct, field

from gia.cfa.graph import EdgeReference


class Acceptance(StrEnum):
    """Which of the three accepting sets a state belongs to."""

    UT = "ut"
    """Unreachable target: the path is infeasible or reaches no target."""
    RT = "rt"
    """Reachable target: the path is feasible and reaches a target."""
    CAND = "cand"
    """Candidate: the path may reach a target, still to be decided."""


class Condition(NamedTuple):
    """A C expression over the variables that function ``scope`` sees (``""``: globals only)."""

    text: str
    scope: str = ""


ANY: Final = None
"""The edges of a ``*`` transition: every edge of the program."""


class State(NamedTuple):
    """A state: its invariant ψ (``None`` is true) and the accepting set it is in (``None``: no one)."""

    invariant: Condition | None = None
    accept: Acceptance | None = None


class Transition(NamedTuple):
    """``source -(edges, assumption φ)-> target``; ``edges`` may be :data:`ANY`, ``assumption`` ``None`` is true."""

    source: int
    target: int
    edges: frozenset[EdgeReference] | None
    assumption: Condition | None = None


class ActorRecord(Struct, frozen=True):
    """Who contributed to a GIA: wall and CPU time in seconds."""

    name: str
    version: str
    direction: str
    wall: float = 0.0
    cpu: float = 0.0


class Metadata(Struct, frozen=True):
    """Where a GIA comes from. It is no part of the automaton: two GIAs that differ only here are equal."""

    program: str = ""
    sha256: str = ""
    data_model: str = ""
    specification: str = ""
    created: str = ""
    actors: tuple[ActorRecord, ...] = ()


class Automaton(Struct, frozen=True, eq=False, dict=True):
    """A GIA. ``states[i]`` describes state ``i``; ``edge_texts`` are for people only.

    Two are equal if they are so as automata: metadata and texts do not count.
    """

    states: tuple[State, ...]
    transitions: tuple[Transition, ...]
    initial: int = 0
    metadata: Metadata = field(default_factory=Metadata)
    edge_texts: Mapping[EdgeReference, str] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Automaton) and self._counting == other._counting

    def __hash__(self) -> int:
        return hash(self._counting)

    @property
    def _counting(self) -> tuple[tuple[State, ...], tuple[Transition, ...], int]:
        return self.states, self.transitions, self.initial

    @cached_property
    def leaving(self) -> tuple[tuple[Transition, ...], ...]:
        """``leaving[i]``: the transitions that leave state ``i``."""
        result: list[list[Transition]] = [[] for _ in self.states]
        for transition in self.transitions:
            result[transition[0]].append(transition)
        return tuple(map(tuple, result))

    @cached_property
    def entered_from(self) -> tuple[Sequence[int], ...]:
        """``entered_from[i]``: the sources of the transitions that enter state ``i`` and carry an edge."""
        result: list[list[int]] = [[] for _ in self.states]
        for source, target, edges, _ in self.transitions:
            if edges is ANY or edges:
                result[target].append(source)
        return tuple(result)

    @cached_property
    def _accepting(self) -> Mapping[Acceptance, frozenset[int]]:
        found: dict[Acceptance, list[int]] = {kind: [] for kind in Acceptance}
        for number, (_, accept) in enumerate(self.states):
            if accept is not None:
                found[accept].append(number)
        return {kind: frozenset(numbers) for kind, numbers in found.items()}

    def accepting(self, kind: Acceptance) -> frozenset[int]:
        """The accepting set ``F_kind``."""
        return self._accepting[kind]
