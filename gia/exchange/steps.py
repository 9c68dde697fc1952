"""Automata of other tools, whose steps do not fit the edges of our CFA one to one, as GIAs.

Another tool's control flow has steps that ours has not (declarations of functions, jumps, the entry of ``main``) and
has several steps where ours has one edge (``x++``, a call with its assignment). So a :class:`Step` may be silent, and
one edge may take several steps in a row that are all for this edge; both readings are kept, since the automaton may
be nondeterministic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, Metadata, State, Transition
from gia.automaton.trimming import trim
from gia.cfa.graph import EdgeReference

SILENT: Final[frozenset[EdgeReference]] = frozenset()
"""The edges of a step that needs none."""
_LONGEST_CHAIN: Final = 8
"""How many steps one edge may take."""
_CONDITIONS: Final = frozenset({"assume", "atomic"})
_CALLS: Final = frozenset({"call", "input", "return"})


class Step(NamedTuple):
    """``source -(edges, assumption)-> target``; ``edges`` may be :data:`SILENT` or :data:`~gia.automaton.model.ANY`."""

    source: int
    target: int
    edges: frozenset[EdgeReference] | None
    assumption: Condition | None = None


def automaton_of(
    states: Sequence[State], steps: Iterable[Step], initial: int, metadata: Metadata, *, is_split: bool = True
) -> Automaton:
    """The GIA whose runs are those of the steps. Accepting states get the loop that well-formed automata have.

    ``is_split`` says whether the other tool may take several steps for one outcome of a condition of ours (the atoms of
    ``a && b``), and several with the same text for anything. If not, steps for a condition are rounds of a loop, and so
    are equal ones for anything but a call (of which it may tell the call from the assignment of what it returns). An
    invariant of the initial state is left out, and so are steps that leave ``ut`` and ``rt`` states.
    """
    closure = _Closure(steps, is_split)
    initials = closure.silently(initial)
    found: dict[Transition, None] = {}
    for state, described in enumerate(states):
        if described.accept in (Acceptance.UT, Acceptance.RT):
            continue
        sources = initials if state == initial else (state,)
        for source in sources:
            for transition in closure.transitions(source):
                found[transition._replace(source=state)] = None
    for state, described in enumerate(states):
        if described.accept is not None:
            found[Transition(state, state, ANY)] = None
    accepted = [states[state].accept for state in initials if states[state].accept is not None]
    kept = list(states)
    kept[initial] = State(None, accepted[0] if accepted else None)
    if accepted:
        found[Transition(initial, initial, ANY)] = None
    return trim(Automaton(tuple(kept), tuple(found), initial, metadata))


class _Closure:
    """The steps, indexed by their sources."""

    def __init__(self, steps: Iterable[Step], is_split: bool) -> None:
        self._is_split = is_split
        self._loud: dict[int, list[Step]] = {}
        self._silent: dict[int, list[int]] = {}
        for step in steps:
            if step.edges is not ANY and not step.edges:
                self._silent.setdefault(step.source, []).append(step.target)
            else:
                self._loud.setdefault(step.source, []).append(step)

    def silently(self, state: int) -> tuple[int, ...]:
        """The states that can be reached by silent steps, ``state`` first."""
        found = {state: None}
        pending = [state]
        while pending:
            for target in self._silent.get(pending.pop(), ()):
                if target not in found:
                    found[target] = None
                    pending.append(target)
        return tuple(found)

    def transitions(self, source: int) -> Iterator[Transition]:
        """What one edge may do: one step or several in a row, and the silent ones behind each."""
        for step in self._loud.get(source, ()):
            first = Transition(source, step.target, step.edges, step.assumption)
            yield from self._behind(first)
            if step.edges is ANY or step.source == step.target:
                continue
            yield from self._chains(first)

    def _behind(self, transition: Transition) -> Iterator[Transition]:
        for target in self.silently(transition.target):
            yield transition._replace(target=target)

    def _chains(self, first: Transition) -> Iterator[Transition]:
        """The same edge takes further steps."""
        pending = [(first, frozenset({first.source}), 1)]
        while pending:
            transition, visited, length = pending.pop()
            if length >= _LONGEST_CHAIN:
                continue
            for middle in self.silently(transition.target):
                for step in self._loud.get(middle, ()):
                    if step.edges is ANY or step.target == middle or step.target in visited:
                        continue
                    edges = self._within_one(transition.edges or frozenset(), step.edges)
                    both = conjunction(transition.assumption, step.assumption)
                    if not edges or both is False:
                        continue
                    longer = Transition(first.source, step.target, edges, both)
                    yield from self._behind(longer)
                    pending.append((longer, visited | {transition.target, middle}, length + 1))

    def _within_one(
        self, before: frozenset[EdgeReference], after: frozenset[EdgeReference]
    ) -> frozenset[EdgeReference]:
        """The edges that may take a step for ``before`` and one for ``after`` in a row."""
        edges = before & after
        if self._is_split:
            return edges
        equal = before == after
        return frozenset(e for e in edges if e.kind not in _CONDITIONS and (not equal or e.kind in _CALLS))


def conjunction(first: Condition | None, second: Condition | None) -> Condition | Literal[False] | None:
    """Both conditions as one, ``None`` if both are true; ``False`` if they belong to different scopes."""
    if first is None or second is None or first == second:
        return first or second
    if first.scope != second.scope and first.scope and second.scope:
        return False
    return Condition(f"({first.text}) && ({second.text})", first.scope or second.scope)
