"""Automata in CPAchecker's language as GIAs.

A transition fires on the edges of our CFA that have its text. CPAchecker has edges that ours has not (declarations,
jumps): a transition on one of these is silent. A state is left only by what matches; on every other edge the
automaton stays, as CPAchecker's automata do. ``TRUE`` behind other transitions (``USEFIRST``) and ``MATCH OTHERWISE``
stand for the edges that leave the same location as those that the state names, the only other ones that control can
take there.

What is accepted: ``NON_TARGET`` as ``ut``, ``TARGET`` and ``UNKNOWN`` as ``cand`` (nothing is ``rt`` before it was
executed), in assumption automata ``__TRUE`` as ``ut``. An automaton without any of these describes paths, and its
goals become candidates. What cannot be found in the program is passed silently if nothing is claimed unreachable;
otherwise the transition is left out, so that no more is claimed than the file says.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from gia.automaton.initial import metadata_of
from gia.automaton.model import ANY, Acceptance, Condition, State
from gia.cfa.goals import Goal
from gia.cfa.graph import Edge, EdgeReference, Program
from gia.errors import DocumentError, InputError, Position
from gia.exchange.cpachecker.automaton_text import TextAutomaton, TextState, TextTransition, Trigger, TriggerKind
from gia.exchange.imported import Imported, goal_edges
from gia.exchange.source.source_text import SourceText
from gia.exchange.source.statement_text import StatementTexts, is_declaration, references
from gia.exchange.steps import SILENT, Step, automaton_of
from gia.exchange.suites.input_values import InputGuess, reads_input
from gia.exchange.suites.testcase import TestCase
from gia.frontend.exchange_expressions import parse_expression

MAXIMAL_LOOPS: Final = 5_000_000
"""States times edges: beyond it, an automaton that claims something unreachable is refused."""
MAXIMAL_NOTES: Final = 100

_ACCEPTED: Final = {"NON_TARGET": Acceptance.UT, "TARGET": Acceptance.RT, "UNKNOWN": Acceptance.CAND}
_VERIFIED: Final = "__TRUE"


def import_automaton(text: TextAutomaton, program: Program, goals: Sequence[Goal], name: str) -> Imported:
    """What an automaton says about a program; ``name`` is what errors call the file."""
    return _Import(text, program, goals, name).run()


def acceptance_of(text: TextAutomaton) -> dict[str, Acceptance]:
    """The accepting states by name, as the file means them: ``TARGET`` is ``rt``."""
    found = {state.name: _ACCEPTED[state.acceptance] for state in text.states if state.acceptance in _ACCEPTED}
    is_gia = found or any(state.name.startswith("__q") or state.invariant for state in text.states)
    if not is_gia and any(state.name == _VERIFIED for state in text.states):
        found[_VERIFIED] = Acceptance.UT
    return found


class _Import:
    """One import."""

    def __init__(self, text: TextAutomaton, program: Program, goals: Sequence[Goal], name: str) -> None:
        self._text = text
        self._program = program
        self._goals = goals
        self._name = name
        self._statements = StatementTexts(program, SourceText.of(program.main_file))
        self._numbers = {state.name: number for number, state in enumerate(text.states)}
        self._accepted = acceptance_of(text)
        self._claims = Acceptance.UT in self._accepted.values()
        self._all = references(program.edge_list)
        self._is_large = len(text.states) * len(self._all) > MAXIMAL_LOOPS
        self._notes: dict[str, None] = {}
        self._found: dict[TextTransition, list[Edge]] = {}

    def run(self) -> Imported:
        """The automaton, the test of its values, and what was lost."""
        if self._claims and self._is_large:
            raise DocumentError(f"{len(self._text.states)} states are too many", Position(self._name))
        steps: list[Step] = []
        for state in self._text.states:
            if state.name not in self._accepted:
                steps += self._state(state)
        states = [State(self._invariant(state), self._acceptance(state)) for state in self._text.states]
        if not self._accepted:
            self._note(0, "no state is accepting: its paths are taken as candidates")
            edges = goal_edges(self._program, self._goals)
            steps += [Step(number, len(states), edges) for number in range(len(states)) if edges]
            states.append(State(None, Acceptance.CAND))
        initial = self._numbers[self._text.initial]
        if states[initial].invariant is not None:
            self._note(self._text.states[initial].line, "the invariant of the initial state is left out")
        automaton = automaton_of(states, steps, initial, metadata_of(self._program), is_split=False)
        return Imported(automaton, self._tests(), tuple(self._notes)[:MAXIMAL_NOTES])

    def _note(self, line: int, text: str) -> None:
        self._notes[f"{Position(self._name, line)}: {text}"] = None

    def _acceptance(self, state: TextState) -> Acceptance | None:
        found = self._accepted.get(state.name)
        return Acceptance.CAND if found is Acceptance.RT else found

    def _invariant(self, state: TextState) -> Condition | None:
        """The invariant of a state in the scope of the edges that leave it."""
        if not state.invariant:
            return None
        scopes = {edge.reference.function for transition in state.transitions for edge in self._edges(transition)}
        for scope in [*sorted(scopes), ""]:
            condition = Condition(state.invariant, scope)
            try:
                parse_expression(condition.text, condition.scope, self._program)
            except InputError as error:
                problem = error.message
            else:
                return condition
        self._note(state.line, f"the invariant of {state.name} is left out: {problem}")
        return None

    # ---- the transitions of a state

    def _state(self, state: TextState) -> list[Step]:
        number = self._numbers[state.name]
        steps: list[Step] = []
        matched: set[EdgeReference] = set()
        named: list[Edge] = []
        stays = True
        for transition in state.transitions:
            edges = self._edges(transition)
            kinds = {trigger.kind for trigger in transition.triggers}
            if TriggerKind.UNKNOWN in kinds:
                self._note(transition.line, f"{transition.triggers[0].text} is not understood and left out")
            elif kinds & {TriggerKind.ALWAYS, TriggerKind.OTHERWISE}:
                exclusive = not state.all_match or TriggerKind.OTHERWISE in kinds
                steps += self._rest(transition, number, matched, named, exclusive)
            elif not edges:
                steps += self._absent(transition, number)
            else:
                fresh = [edge for edge in edges if state.all_match or edge.reference not in matched]
                steps += self._matching(transition, number, fresh)
            matched |= references(edges)
            named += edges
            stays = stays and not any(step.source == step.target and step.edges is ANY for step in steps)
        if not stays:
            return steps
        if self._is_large:
            return [*steps, Step(number, number, ANY)]
        others = self._all - matched - self._taken(steps)
        return [*steps, Step(number, number, others)] if others else steps

    def _taken(self, steps: Iterable[Step]) -> frozenset[EdgeReference]:
        return frozenset().union(*(step.edges for step in steps if step.edges is not ANY))

    def _edges(self, transition: TextTransition) -> list[Edge]:
        """The edges on which a transition with a text fires."""
        if transition not in self._found:
            self._found[transition] = [edge for trigger in transition.triggers for edge in self._edges_of(trigger)]
        return self._found[transition]

    def _edges_of(self, trigger: Trigger) -> list[Edge]:
        match trigger.kind:
            case TriggerKind.STATEMENT:
                return self._statements.edges(trigger.text)
            case TriggerKind.CALL:
                return self._statements.calls(trigger.text)
            case TriggerKind.EXIT:
                return self._statements.exits(trigger.text)
        return []

    def _target(self, transition: TextTransition) -> int | None:
        """The state that a transition leads to; ``None`` if the path is not described any further."""
        target = transition.target
        if target not in self._numbers:
            if target not in ("STOP", "BREAK", "ERROR"):
                raise DocumentError(f"there is no state {target}", Position(self._name, transition.line))
            self._note(transition.line, f"{target} is left out: it is no state")
            return None
        return self._numbers[target]

    def _rest(
        self, transition: TextTransition, number: int, matched: set[EdgeReference], named: list[Edge], exclusive: bool
    ) -> list[Step]:
        """``TRUE`` and ``OTHERWISE``."""
        target = self._target(transition)
        if target is None or any(assumed.text == "false" for assumed in transition.assumptions):
            return []
        if target == number:
            return [Step(number, number, frozenset(self._all - matched) if exclusive and matched else ANY)]
        if not exclusive or (not matched and not named and not self._has_silent(number)):
            return self._with_assumptions(transition, number, target, None)
        sources = {edge.source for edge in named}
        siblings = [e for e in self._program.edge_list if e.source in sources and e.reference not in matched]
        return self._with_assumptions(transition, number, target, siblings) if siblings else []

    def _has_silent(self, number: int) -> bool:
        """Whether the state names edges that our CFA does not have."""
        transitions = self._text.states[number].transitions
        return any(t.triggers[0].kind not in (TriggerKind.ALWAYS, TriggerKind.OTHERWISE) for t in transitions)

    def _absent(self, transition: TextTransition, number: int) -> list[Step]:
        """A transition on something that our CFA does not have."""
        target = self._target(transition)
        if target is None:
            return []
        trigger = transition.triggers[0]
        harmless = not trigger.text.strip() or is_declaration(trigger.text) or trigger.kind is not TriggerKind.STATEMENT
        if not harmless:
            how = "left out" if self._claims else "passed over"
            self._note(transition.line, f"no edge of the program has the text {trigger.text}; it is {how}")
        return [Step(number, target, SILENT)] if harmless or not self._claims else []

    def _matching(self, transition: TextTransition, number: int, edges: list[Edge]) -> list[Step]:
        target = self._target(transition)
        return [] if target is None or not edges else self._with_assumptions(transition, number, target, edges)

    def _with_assumptions(
        self, transition: TextTransition, source: int, target: int, edges: list[Edge] | None
    ) -> list[Step]:
        """The steps of a transition: one for each function whose variables its assumptions may mean."""
        texts = [assumed for assumed in transition.assumptions if assumed.text not in ("true", "1")]
        if any(assumed.text in ("false", "0") for assumed in texts):
            return []
        if not texts:
            return [Step(source, target, ANY if edges is None else references(edges))]
        functions: dict[str, list[Edge]] = {}
        for edge in edges if edges is not None else self._program.edge_list:
            functions.setdefault(edge.reference.function, []).append(edge)
        steps = []
        for function, group in sorted(functions.items()):
            scope = next((assumed.scope for assumed in texts if assumed.scope), function)
            text = texts[0].text if len(texts) == 1 else " && ".join(f"({assumed.text})" for assumed in texts)
            condition = self._condition(transition, Condition(text, scope))
            if condition is not None or not self._claims:
                steps.append(Step(source, target, references(group), condition))
        return steps

    def _condition(self, transition: TextTransition, condition: Condition) -> Condition | None:
        try:
            parse_expression(condition.text, condition.scope, self._program)
        except InputError as problem:
            what = "its transition is left out" if self._claims else "it is left out"
            self._note(transition.line, f"the assumption {condition.text} has no meaning: {problem.message}; {what}")
            return None
        return condition

    # ---- the test that the automaton describes

    def _tests(self) -> tuple[TestCase, ...]:
        """The values of the inputs along the shortest way to a target, or to where a test ends."""
        path = self._path_to(lambda name: self._accepted.get(name) is Acceptance.RT or name == "__qNEWTEST")
        if path is None:
            return ()
        guess = InputGuess(self._program)
        for position, transition in enumerate(path):
            reading = [edge for edge in self._edges(transition) if reads_input(self._program, edge)]
            if not reading:
                continue
            texts = " && ".join(f"({assumed.text})" for assumed in transition.assumptions)
            following = path[position + 1] if position + 1 < len(path) else None
            if texts:
                guess.learn(reading[0], Condition(texts, reading[0].reference.function))
            elif following is None or following.triggers != transition.triggers:
                guess.read(reading[0], None)
        return (guess.test(),)

    def _path_to(self, wanted: Callable[[str], bool]) -> list[TextTransition] | None:
        """The transitions of a shortest way from the initial state; breadth first."""
        states = {state.name: state for state in self._text.states}
        before: dict[str, tuple[str, TextTransition] | None] = {self._text.initial: None}
        pending = deque([self._text.initial])
        while pending:
            name = pending.popleft()
            if wanted(name):
                path = []
                step = before[name]
                while step is not None:
                    path.append(step[1])
                    step = before[step[0]]
                return path[::-1]
            for transition in states[name].transitions:
                if transition.target in states and transition.target not in before:
                    before[transition.target] = (name, transition)
                    pending.append(transition.target)
        return None
