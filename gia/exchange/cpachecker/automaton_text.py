r"""The automaton language of CPAchecker as far as it carries knowledge about programs: its text and its values.

Two dialects are used for exchange. *Assumption automata* (conditional model checking: Beyer, Henzinger, Keremoglu &
Wendler, *Conditional model checking*, FSE 2012) say which paths were verified: those that come to the state
``__TRUE``. *GIAs* (Haltermann & Wehrheim, SoSyM 2024) put ``TARGET``, ``NON_TARGET`` or ``UNKNOWN`` before accepting
states, and may end a state with an invariant.

    automaton  ::= (OBSERVER | CONTROL) AUTOMATON name  LOCAL…;*  INITIAL STATE name;  state*  END AUTOMATON
    state      ::= [TARGET | NON_TARGET | UNKNOWN] STATE [USEALL | USEFIRST] name : transition* [INVARIANT {c};]
    transition ::= trigger -> action* (ASSUME [SCOPE f] {c; …})* (GOTO name | ERROR [("…")] | STOP | BREAK) ;
    trigger    ::= TRUE | MATCH "statement" | MATCH OTHERWISE | MATCH FUNCTIONCALL "f" | MATCH FUNCTIONEXIT "f" | …

Everything else that the language has (variables, queries of other analyses, patterns) is a trigger that is not
understood.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import Enum
from typing import Final, NamedTuple

from msgspec import Struct

from gia.errors import DocumentError, Position

MAXIMAL_BYTES: Final = 64 << 20


class TriggerKind(Enum):
    """What makes a transition fire."""

    ALWAYS = "TRUE"
    STATEMENT = "MATCH"
    """An edge whose statement has this text."""
    CALL = "MATCH FUNCTIONCALL"
    EXIT = "MATCH FUNCTIONEXIT"
    OTHERWISE = "MATCH OTHERWISE"
    """Any edge on which no other transition of the state fires."""
    UNKNOWN = "?"
    """Something that is not understood; the text is what stands there."""


class Trigger(NamedTuple):
    """A kind, and the statement or the function that it is about."""

    kind: TriggerKind
    text: str = ""


class TextAssumption(NamedTuple):
    """A C expression, and the function whose variables it means (empty: that of the edge)."""

    text: str
    scope: str = ""


class TextTransition(Struct, frozen=True):
    """``trigger -> ASSUME {…} GOTO target``; the target is a state, or ``ERROR``, ``STOP`` or ``BREAK``."""

    triggers: tuple[Trigger, ...]
    target: str
    assumptions: tuple[TextAssumption, ...] = ()
    line: int = 0


class TextState(Struct, frozen=True):
    """A state; ``acceptance`` is ``TARGET``, ``NON_TARGET``, ``UNKNOWN`` or empty. With ``all_match`` every
    transition that matches is taken, without only the first."""

    name: str
    transitions: tuple[TextTransition, ...]
    acceptance: str = ""
    all_match: bool = False
    invariant: str = ""
    line: int = 0


class TextAutomaton(Struct, frozen=True):
    """An automaton; ``states`` in the order of the file, ``initial`` is the name of one of them."""

    initial: str
    states: tuple[TextState, ...]
    name: str = "AssumptionAutomaton"


# ---- writing


def automaton_text(automaton: TextAutomaton) -> str:
    """The automaton as text."""
    lines = [f"OBSERVER AUTOMATON {automaton.name}", "", f"INITIAL STATE {automaton.initial};", ""]
    for state in automaton.states:
        prefix = f"{state.acceptance} " if state.acceptance else ""
        lines.append(f"{prefix}STATE {'USEALL' if state.all_match else 'USEFIRST'} {state.name} :")
        lines += [f"    {_transition_text(transition)};" for transition in state.transitions]
        if state.invariant:
            lines.append(f"    INVARIANT {{{state.invariant}}};")
        lines.append("")
    return "\n".join([*lines, "END AUTOMATON", ""])


def _transition_text(transition: TextTransition) -> str:
    triggers = " || ".join(_trigger_text(trigger) for trigger in transition.triggers)
    assumed = ""
    for assumption in transition.assumptions:
        scope = f"SCOPE {assumption.scope}" if assumption.scope else ""
        assumed += f"ASSUME {scope}{{{assumption.text}}} "
    target = transition.target if transition.target in _ENDS else f"GOTO {transition.target}"
    return f"{triggers} -> {assumed}{target}"


def _trigger_text(trigger: Trigger) -> str:
    match trigger.kind:
        case TriggerKind.ALWAYS | TriggerKind.OTHERWISE:
            return str(trigger.kind.value)
        case TriggerKind.UNKNOWN:
            return trigger.text
    escaped = _SPECIAL.sub(lambda found: _ESCAPES[found[0]], trigger.text).replace("`", "")
    return f'{trigger.kind.value} "{escaped}"'


_ESCAPES: Final = {"\r": "\\r", "\n": "\\n", '"': '\\"', "\\": "\\\\"}
_SPECIAL: Final = re.compile(r'[\r\n"\\]')
_UNESCAPED: Final = {escaped[1]: plain for plain, escaped in _ESCAPES.items()}
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_ENDS: Final = ("ERROR", "STOP", "BREAK")


# ---- reading


class _Token(NamedTuple):
    kind: str
    """``word``, ``string``, ``braces``, ``brackets``, ``sign`` or ``end``."""
    text: str
    offset: int


_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/|\#[^\n]*)
      | (?P<string>"(?:\\.|[^"\\])*")
      | (?P<sign>->|\|\||&&|==|!=|[:;(){}\[\],!=<>+*/$?.'-])
      | (?P<word>\w+)""",
    re.VERBOSE | re.DOTALL,
)


def read_automaton_text(data: bytes, name: str) -> TextAutomaton:
    """The automaton in a text file; ``name`` is what errors call it. Raises :class:`DocumentError`."""
    if len(data) > MAXIMAL_BYTES:
        raise DocumentError(f"a file of {len(data)} bytes is too large", Position(name))
    return _Parser(data.decode("utf-8", "replace").lstrip("\ufeff"), name).automaton()


class _Parser:
    """Recursive descent without recursion: the language does not nest."""

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self._offset = 0
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self._token = self._next()

    def automaton(self) -> TextAutomaton:
        """The one automaton of the file."""
        if self._token.text not in ("OBSERVER", "CONTROL"):
            raise self._error("OBSERVER AUTOMATON or CONTROL AUTOMATON")
        self._advance()
        self._expect("AUTOMATON")
        name = self._word("the name of the automaton")
        while self._token.text == "LOCAL":
            self._skip_to(";")
            self._advance()
        self._expect("INITIAL")
        self._expect("STATE")
        initial = self._word("the name of the initial state")
        self._expect(";")
        states: dict[str, TextState] = {}
        while self._token.text not in ("END", ""):
            state = self._state()
            if state.name in states:
                raise self._error(f"another name than {state.name}, which an earlier state has")
            states[state.name] = state
        if initial not in states:
            raise DocumentError(f"there is no state {initial}, which is to be initial", Position(self._name))
        return TextAutomaton(initial, tuple(states.values()), name)

    def _state(self) -> TextState:
        line = self._line()
        acceptance = ""
        if self._token.text in ("TARGET", "NON_TARGET", "UNKNOWN", "ANY"):
            acceptance = self._take().text
        self._expect("STATE")
        name = self._word("the name of a state")
        all_match = name == "USEALL"
        if name in ("USEALL", "USEFIRST") and self._token.text != ":":
            name = self._word("the name of a state")
        self._expect(":")
        transitions = []
        invariant = ""
        while self._token.kind != "end" and self._token.text not in _AFTER_STATE:
            if self._token.text == "INVARIANT":
                self._advance()
                invariant = self._braces()
                self._expect(";")
            else:
                transitions.append(self._transition())
        return TextState(name, tuple(transitions), acceptance.replace("ANY", ""), all_match, invariant, line)

    def _transition(self) -> TextTransition:
        line = self._line()
        triggers = self._triggers()
        self._expect("->")
        assumptions: list[TextAssumption] = []
        while self._token.text not in ("GOTO", *_ENDS):
            if self._token.text == "ASSUME":
                self._advance()
                assumptions += self._assumption()
            elif self._token.kind == "end" or self._token.text in (";", *_AFTER_STATE):
                raise self._error("GOTO, ERROR, STOP or BREAK")
            else:
                self._advance()  # an action without meaning for the paths: PRINT, MODIFY, DO, ASSERT
        target = self._take().text
        if target == "GOTO":
            target = self._word("the name of a state")
        self._skip_to(";")
        self._expect(";")
        return TextTransition(tuple(triggers), target, tuple(assumptions), line)

    def _assumption(self) -> list[TextAssumption]:
        scope = ""
        if self._token.text == "SCOPE":
            self._advance()
            scope = self._word("the name of a function")
        return [TextAssumption(part.strip(), scope) for part in self._braces().split(";") if part.strip()]

    def _triggers(self) -> list[Trigger]:
        """The triggers before an arrow; one that is not understood makes the whole not understood."""
        start = self._token.offset
        found = []
        while True:
            trigger = self._trigger()
            if trigger is None or self._token.text not in ("||", "->"):
                self._skip_to("->")
                return [Trigger(TriggerKind.UNKNOWN, self._text[start : self._token.offset].strip())]
            found.append(trigger)
            if self._token.text == "->":
                return found
            self._advance()

    def _trigger(self) -> Trigger | None:
        if self._token.text == "TRUE":
            self._advance()
            return Trigger(TriggerKind.ALWAYS)
        if self._token.text != "MATCH":
            return None
        self._advance()
        kind = TriggerKind.STATEMENT
        if self._token.text == "OTHERWISE":
            self._advance()
            return Trigger(TriggerKind.OTHERWISE)
        if self._token.text in ("FUNCTIONCALL", "FUNCTIONEXIT"):
            kind = TriggerKind(f"MATCH {self._take().text}")
        if self._token.kind != "string":
            return None
        inner = self._take().text[1:-1]
        return Trigger(kind, str(_ESCAPED.sub(lambda found: _UNESCAPED.get(found[1], found[0]), inner)))

    # ---- tokens

    def _next(self) -> _Token:
        while self._offset < len(self._text):
            found = _TOKEN.match(self._text, self._offset)
            if found is None:
                self._token = _Token("sign", self._text[self._offset], self._offset)
                raise self._error("another character")
            start, self._offset = self._offset, found.end()
            if found.lastgroup != "space":
                return _Token(str(found.lastgroup), found[0], start)
        return _Token("end", "", len(self._text))

    def _advance(self) -> None:
        self._token = self._next()

    def _take(self) -> _Token:
        token = self._token
        self._advance()
        return token

    def _expect(self, text: str) -> None:
        if self._token.text != text:
            raise self._error(text)
        self._advance()

    def _word(self, what: str) -> str:
        if self._token.kind != "word":
            raise self._error(what)
        return self._take().text

    def _braces(self) -> str:
        """The text between braces, in which braces may nest."""
        if self._token.text != "{":
            raise self._error("{")
        start, depth = self._offset, 1
        for found in re.compile(r"[{}]").finditer(self._text, start):
            depth += 1 if found[0] == "{" else -1
            if depth == 0:
                self._offset = found.end()
                self._advance()
                return self._text[start : found.start()].strip()
        raise self._error("a closing brace")

    def _skip_to(self, text: str) -> None:
        while self._token.text != text:
            if self._token.kind == "end":
                raise self._error(text)
            self._advance()

    def _line(self) -> int:
        return self._place().line

    def _place(self) -> Position:
        line = bisect_right(self._starts, self._token.offset)
        return Position(self._name, line, self._token.offset - self._starts[line - 1] + 1)

    def _error(self, expected: str) -> DocumentError:
        shown = self._token.text[:40] or "the end of the file"
        return DocumentError(f"expected {expected}, found {shown}", self._place())


_AFTER_STATE: Final = ("STATE", "TARGET", "NON_TARGET", "UNKNOWN", "ANY", "END")
