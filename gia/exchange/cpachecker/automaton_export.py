r"""GIAs in CPAchecker's language: as a GIA of its prototype, or as an assumption automaton for conditional model
checking.

The language knows edges by their texts only. A state's transitions on the edges of one text are written if they are
the same for all of them; otherwise only what is common to all is, so that never more is claimed than before.
``\result`` becomes the variable that the input is assigned to. On edges that are in no transition of a state a path
leaves the automaton (``__qTEMP``, ``__FALSE``); on edges that only CPAchecker has, it stays. What cannot be said is
left out and reported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Final, NamedTuple

from gia.automaton.conditions import literal
from gia.automaton.model import ANY, Acceptance, Automaton, Condition
from gia.cfa.c_expressions import expression_to_gia
from gia.cfa.expressions import Cast, Storage, VariableReference
from gia.cfa.graph import Edge, Program
from gia.cfa.naming import local_names
from gia.cfa.operations import Assign, Assume, Input
from gia.exchange.cpachecker.automaton_text import (
    TextAssumption,
    TextAutomaton,
    TextState,
    TextTransition,
    Trigger,
    TriggerKind,
)
from gia.exchange.source.source_text import SourceText
from gia.exchange.source.statement_text import StatementTexts

_ALWAYS: Final = Trigger(TriggerKind.ALWAYS)
_OTHERWISE: Final = Trigger(TriggerKind.OTHERWISE)
_GLOBAL: Final = re.compile(r"(?<![\w$])\$\$(\w+)")
_PREFIXES: Final = {Acceptance.UT: "NON_TARGET", Acceptance.RT: "TARGET", Acceptance.CAND: "UNKNOWN"}


class _Outcome(NamedTuple):
    """Where a transition leads, and what it assumes."""

    target: int
    assumption: TextAssumption | None = None


def export_gia(automaton: Automaton, program: Program) -> tuple[TextAutomaton, tuple[str, ...]]:
    """The automaton in the dialect of CPAchecker's GIA prototype, and what was lost."""
    return _Export(automaton, program, as_gia=True).run()


def export_condition(automaton: Automaton, program: Program) -> tuple[TextAutomaton, tuple[str, ...]]:
    """The ``ut`` paths as an assumption automaton, in which they lead to ``__TRUE``, and what was lost."""
    return _Export(automaton, program, as_gia=False).run()


class _Export:
    """One export."""

    def __init__(self, automaton: Automaton, program: Program, *, as_gia: bool) -> None:
        self._automaton = automaton
        self._program = program
        self._as_gia = as_gia
        self._texts = StatementTexts(program, SourceText.of(program.main_file))
        self._outside = "__qTEMP" if as_gia else "__FALSE"
        self._notes: dict[str, None] = {}

    def run(self) -> tuple[TextAutomaton, tuple[str, ...]]:
        """The automaton and the notes."""
        states = [self._state(number) for number in range(len(self._automaton.states)) if not self._is_lost(number)]
        outside = TextTransition((_ALWAYS,), self._outside, (TextAssumption("false"),))
        verified = TextState("__TRUE", (TextTransition((_ALWAYS,), "__TRUE"),))
        fixed = [verified, TextState(self._outside, (outside,))]
        initial = self._name(self._automaton.initial)
        known = {state.name for state in fixed}
        states = fixed + [state for state in states if state.name not in known]
        return TextAutomaton(initial, tuple(states)), tuple(self._notes)

    def _is_lost(self, number: int) -> bool:
        """Whether a state means something that an assumption automaton cannot say."""
        accept = self._automaton.states[number].accept
        if self._as_gia or accept not in (Acceptance.RT, Acceptance.CAND):
            return False
        self._notes[f"a condition has no {accept} states: what the automaton says of these paths is left out"] = None
        return True

    def _name(self, number: int) -> str:
        accept = self._automaton.states[number].accept
        if accept is Acceptance.UT and not self._as_gia:
            return "__TRUE"
        return {Acceptance.UT: "UT", Acceptance.RT: "RT", Acceptance.CAND: "CAND", None: "ARG"}[accept] + str(number)

    def _state(self, number: int) -> TextState:
        state = self._automaton.states[number]
        name = self._name(number)
        accepted = _PREFIXES[state.accept] if state.accept and self._as_gia else ""
        if state.accept in (Acceptance.UT, Acceptance.RT):
            return TextState(name, (TextTransition((_ALWAYS,), name),), accepted)
        always, by_text = self._outcomes(number)
        transitions = []
        for text, outcomes in by_text.items():
            listed = [outcome for outcome in sorted(outcomes, key=str) if outcome not in always]
            transitions += [self._transition(Trigger(TriggerKind.STATEMENT, text), outcome) for outcome in listed]
            if not outcomes and not always:
                transitions.append(TextTransition((Trigger(TriggerKind.STATEMENT, text),), self._outside))
        transitions += [self._transition(_ALWAYS, outcome) for outcome in always]
        if self._as_gia and _Outcome(number) not in always:
            transitions.append(TextTransition((_OTHERWISE,), name))
        return TextState(name, tuple(transitions), accepted, True, self._invariant(number))

    def _transition(self, trigger: Trigger, outcome: _Outcome) -> TextTransition:
        assumptions = () if outcome.assumption is None else (outcome.assumption,)
        return TextTransition((trigger,), self._name(outcome.target), assumptions)

    def _invariant(self, number: int) -> str:
        invariant = self._automaton.states[number].invariant
        if invariant is None:
            return ""
        text = self._plain(invariant) if "\\" not in invariant.text else None  # ghosts are no C
        if text is None or not self._as_gia:
            self._notes[f"the invariant {invariant.text} is left out"] = None
            return ""
        return text

    # ---- transitions by texts

    def _outcomes(self, number: int) -> tuple[list[_Outcome], Mapping[str, frozenset[_Outcome]]]:
        """What happens on every edge, and on the edges of each text; a text on which a state only stays is left out."""
        always: list[_Outcome] = []
        found: dict[int, set[_Outcome]] = {edge.number: set() for edge in self._program.edge_list}
        for transition in self._automaton.leaving[number]:
            if self._is_lost(transition.target):
                continue
            if transition.edges is ANY:
                outcome = self._outcome(transition.target, transition.assumption, None)
                always += [outcome] if outcome is not None else []
                continue
            for reference in sorted(transition.edges):
                edge = self._program.by_reference.get(reference)
                if edge is not None and edge.number not in self._converting:
                    outcome = self._outcome(transition.target, transition.assumption, edge)
                    if outcome is not None:
                        found[self._said_at(edge).number] |= {outcome}
        by_text: dict[str, frozenset[_Outcome]] = {}
        stays = frozenset({_Outcome(number)})
        for text, edges in self._by_text.items():
            outcomes = [frozenset(found[edge.number]) for edge in edges]
            common = frozenset.intersection(*outcomes)
            if any(other != common for other in outcomes):
                self._notes[f"edges with the text {text} cannot be told apart: what differs is left out"] = None
            if common != stays:
                by_text[text] = common
        return list(dict.fromkeys(always)), by_text

    @cached_property
    def _by_text(self) -> Mapping[str, list[Edge]]:
        """The edges that have a text in CPAchecker, by it."""
        found: dict[str, list[Edge]] = {}
        for edge in self._program.edge_list:
            if self._said_at(edge) is edge:
                text = self._texts.text_of(edge)
                if text and not text.startswith("$"):
                    found.setdefault(text, []).append(edge)
        return found

    def _said_at(self, edge: Edge) -> Edge:
        """The edge whose text stands for an edge: for an input with a conversion behind it, that of the conversion."""
        return self._conversions.get(edge.number, edge)

    @cached_property
    def _converting(self) -> frozenset[int]:
        return frozenset(edge.number for edge in self._conversions.values())

    @cached_property
    def _conversions(self) -> Mapping[int, Edge]:
        """By the number of an input's edge: the edge behind it that converts what was read."""
        found = {}
        for edge in self._program.edge_list:
            if isinstance(edge.operation, Input) and _is_temporary(edge):
                for after in self._program.functions[edge.reference.function].leaving[edge.target]:
                    match after.operation:
                        case Assign(value=Cast(operand=VariableReference() as read)) if read == edge.operation.target:
                            found[edge.number] = after
        return found

    # ---- assumptions

    def _outcome(self, target: int, assumption: Condition | None, edge: Edge | None) -> _Outcome | None:
        """The outcome in words of CPAchecker; ``None`` if its assumption cannot be said."""
        if assumption is None or (edge is not None and self._is_own(assumption, edge)):
            return _Outcome(target)
        condition: Condition | None = assumption
        if edge is not None and not self._passes_conversion(target, edge):
            self._notes[f"{edge.position}: what follows {edge.text} cannot be said"] = None
            return None
        if r"\result" in assumption.text:
            condition = self._without_result(assumption, edge)
        text = None if condition is None else self._plain(condition)
        scope = assumption.scope
        own = edge is not None and edge.reference.function == scope
        if text is None or (scope and not own and not self._as_gia):
            self._notes[f"the assumption {assumption.text} cannot be said; what depends on it is left out"] = None
            return None
        return _Outcome(target, TextAssumption(text, scope if self._as_gia else ""))

    def _passes_conversion(self, target: int, edge: Edge) -> bool:
        """Whether a state that an input leads to stays on the edge behind it that converts what was read."""
        after = self._said_at(edge)
        if after is edge or self._automaton.states[target].accept in (Acceptance.UT, Acceptance.RT):
            return True
        return any(
            transition.target == target
            and transition.assumption is None
            and (transition.edges is ANY or after.reference in transition.edges)
            for transition in self._automaton.leaving[target]
        )

    def _is_own(self, assumption: Condition, edge: Edge) -> bool:
        """Whether an assumption is the condition of its edge."""
        if not isinstance(edge.operation, Assume):
            return False
        scope = edge.reference.function
        own = Condition(expression_to_gia(edge.operation.condition, scope, self._program), scope)
        atom, positive = literal(own)
        return literal(assumption) == (atom, positive == edge.operation.outcome)

    def _without_result(self, assumption: Condition, edge: Edge | None) -> Condition | None:
        r"""The assumption about the variable that an input is assigned to."""
        if edge is None:
            return None
        match self._said_at(edge).operation:
            case Input(target=target) | Assign(target=target) if target is not None:
                name = expression_to_gia(target, edge.reference.function, self._program)
                return Condition(re.sub(r"\\result\b", lambda _: name, assumption.text), edge.reference.function)
        return None

    def _plain(self, condition: Condition) -> str | None:
        """A condition without the marks of hidden names; ``None`` if it needs them."""
        hidden = local_names(self._program, condition.scope) if condition.scope else frozenset()
        text = _GLOBAL.sub(lambda found: found[0] if found[1] in hidden else found[1], condition.text)
        return None if "$" in text or "{" in text or "}" in text else text


def _is_temporary(edge: Edge) -> bool:
    match edge.operation:
        case Input(target=VariableReference(variable=variable)):
            return variable.storage is Storage.TEMPORARY
    return False
