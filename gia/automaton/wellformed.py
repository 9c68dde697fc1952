"""What a well-formed exchange automaton is; the numbers are those of ``docs/gia-format.md``.

Source: Haltermann & Wehrheim, SoSyM 2024, Definition 2 and the three requirements after it (W2 to W5
here). The other rules say what a file must be able to express.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from gia.automaton.labelled import Label
from gia.automaton.model import ANY, Acceptance, Automaton, Condition, Transition
from gia.cfa.graph import EdgeReference

EDGE_KIND = re.compile("[a-z][a-z-]{0,30}")
"""What the kind of an :class:`~gia.cfa.graph.EdgeReference` looks like: ``assume``, ``assign``, ``input``, …"""

READING_KINDS = frozenset({"input", "call", "unmodelled"})
"""The kinds of edges that may return an input, so that ``\\result`` means something on them."""

LARGEST = 999_999_999
"""The largest line, column and ordinal: numbers in a file have at most nine digits."""

RESULT = re.compile(r"\\result\b")
OF_INVARIANTS = re.compile(r"\\(any\b|(blocks|count)_)")
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

RULES = {
    "W1": "the initial state and both ends of every transition are states of the automaton",
    "W2": "the initial state has no invariant",
    "W3": "no transition leaves the ut states",
    "W4": "no transition leaves the rt states",
    "W5": "every cand state has a `*` loop without assumption",
    "W6": "every transition carries at least one edge",
    "W7": "every edge has a function, a kind, a line and a column from 0, an ordinal from 1, of at most nine digits",
    "W8": "every condition has a text, of characters that XML can carry",
    "W9": "`\\result` stands only on edges that read an input, and in invariants behind `return` edges",
    "W10": "`\\any`, `\\blocks_…` and `\\count_…` stand only in invariants",
}
"""Each rule in one sentence."""


class Violation(Struct, frozen=True, order=True):
    """A rule that does not hold, and where: ``subject`` is ``state 3`` or ``transition 3 -> 4``."""

    rule: str
    subject: str
    detail: str = ""

    def __str__(self) -> str:
        detail = f" ({self.detail})" if self.detail else ""
        return f"{self.rule}: {self.subject}: {RULES[self.rule]}{detail}"


def violations(automaton: Automaton) -> tuple[Violation, ...]:
    """Every way in which the automaton is not well-formed, sorted by rule; empty if it is."""
    return tuple(sorted(set(_state_violations(automaton)) | set(_transition_violations(automaton))))


def is_xml_text(text: str) -> bool:
    """Whether XML 1.0 can carry every character of the text."""
    return not _ILLEGAL.search(text)


def _state_violations(automaton: Automaton) -> Iterator[Violation]:
    count = len(automaton.states)
    if not 0 <= automaton.initial < count:
        yield Violation("W1", f"initial state {automaton.initial}", f"there are {count} states")
    elif automaton.states[automaton.initial].invariant is not None:
        yield Violation("W2", f"state {automaton.initial}")
    looping = {
        t.source for t in automaton.transitions if t.edges is ANY and t.assumption is None and t.source == t.target
    }
    behind_returns = _behind_returns(automaton)
    for number, state in enumerate(automaton.states):
        if state.accept is Acceptance.CAND and number not in looping:
            yield Violation("W5", f"state {number}")
        if state.invariant is not None:
            for rule, detail in _condition_violations(state.invariant):
                yield Violation(rule, f"state {number}", detail)
            if RESULT.search(state.invariant.text) and number not in behind_returns:
                yield Violation("W9", f"state {number}", state.invariant.text)


def _behind_returns(automaton: Automaton) -> frozenset[int]:
    """The states that nothing but the ends of calls leads to."""
    others = {t.target for t in automaton.transitions if t.edges is ANY or any(e.kind != "return" for e in t.edges)}
    return frozenset(t.target for t in automaton.transitions) - others


def _transition_violations(automaton: Automaton) -> Iterator[Violation]:
    count = len(automaton.states)
    known: dict[Label, tuple[tuple[str, str], ...]] = {}
    for transition in automaton.transitions:
        source, target, edges, assumption = transition
        if not (0 <= source < count and 0 <= target < count):
            yield Violation("W1", _name(transition), f"there are {count} states")
        else:
            left = automaton.states[source].accept
            if left in _FINAL and automaton.states[target].accept is not left:
                yield Violation(_FINAL[left], _name(transition))
        label = (edges, assumption)
        if label not in known:
            known[label] = tuple(_label_violations(label))
        for rule, detail in known[label]:
            yield Violation(rule, _name(transition), detail)


_FINAL = {Acceptance.UT: "W3", Acceptance.RT: "W4"}


def _label_violations(label: Label) -> Iterator[tuple[str, str]]:
    """The rules that the edges and the assumption of a transition break, with details."""
    edges, assumption = label
    if edges is not ANY:
        if not edges:
            yield "W6", ""
        for edge in edges:
            if not _is_edge(edge):
                yield "W7", str(edge)
    if assumption is not None:
        yield from _condition_violations(assumption)
        reading = edges is not ANY and all(edge.kind in READING_KINDS for edge in edges)
        if RESULT.search(assumption.text) and not reading:
            yield "W9", assumption.text
        if OF_INVARIANTS.search(assumption.text):
            yield "W10", assumption.text


def _is_edge(edge: EdgeReference) -> bool:
    numbers = 0 <= edge.line <= LARGEST and 0 <= edge.column <= LARGEST and 1 <= edge.ordinal <= LARGEST
    return bool(
        numbers and EDGE_KIND.fullmatch(edge.kind) and edge.function and is_xml_text(edge.function + edge.branch)
    )


def _condition_violations(condition: Condition) -> Iterator[tuple[str, str]]:
    if not condition.text.strip() or not is_xml_text(condition.text + condition.scope):
        yield "W8", repr(condition.text)


def _name(transition: Transition) -> str:
    return f"transition {transition.source} -> {transition.target}"
