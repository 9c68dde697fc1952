"""Drawn C programs, one statement a line, and all that they do up to a bound: the paths of Definition 6."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.cfa.expressions import Expression, Result, Variable, variables_of, walk
from gia.cfa.graph import Edge, EdgeReference, Program
from gia.cfa.operations import Assign, Call
from gia.cfa.types import INT, DataModel
from gia.errors import InputError
from gia.frontend import LoadedProgram, load
from gia.frontend.exchange_expressions import parse_expression
from tests.cfa.interpreter import Machine, evaluate

INPUTS = (0, 1)
LENGTH = 8
"""How many moments an execution is followed."""

HEAD = "extern int __VERIFIER_nondet_int(void);\nextern void abort(void);\nint g;\n"
MACROS = "#define WHEN(c, s) if (c) { s }\n#define HIDDEN(v) if (v > 0) v = 0; else { v = 1; }\n"


class Source:
    """Lines of C that are being drawn."""

    def __init__(self, draw: st.DrawFn, function: str, callees: tuple[str, ...]) -> None:
        self.draw, self.function, self.callees = draw, function, callees
        self.variables = ["g", "x"] if function == "main" else ["g", "x", "p"]
        self.lines: list[str] = []
        self.labels = 0

    def value(self) -> str:
        variable = self.draw(st.sampled_from(self.variables))
        plain = st.sampled_from(["0", "1", variable, f"{variable} + 1", f"{variable} > 0 ? 1 : 2"])
        if self.callees:
            calls = st.sampled_from([f"{name}({variable})" for name in self.callees])
            plain |= calls | calls.map(lambda call: f"{self.callees[0]}({call})")
        return self.draw(plain)

    def condition(self) -> str:
        variable = self.draw(st.sampled_from(self.variables))
        other = self.draw(st.sampled_from(self.variables))
        texts = [f"{variable} == 0", f"{variable} < {other}", f"!{variable}", f"{variable}++ < 1"]
        texts += [f"{variable} && {other}", "__VERIFIER_nondet_int()", f"({variable} = __VERIFIER_nondet_int()) == 1"]
        texts += [f"{name}({variable}) == 1" for name in self.callees]
        texts += [f"{other} || {name}(1)" for name in self.callees]
        return self.draw(st.sampled_from(texts))

    def recursion(self) -> None:
        """A call of the function itself, so that there are several objects of one name; it ends at some depth."""

        def sample(*texts: str) -> str:
            return self.draw(st.sampled_from(texts))

        step, test = ("p + 1", "p < 1") if self.draw(st.booleans()) else ("p - 1", "p > 0")
        call = sample("", "g = ", "x = ") + f"{self.function}({step})"
        self.lines.append(sample("x = p;", "x = 1;", "x = __VERIFIER_nondet_int();", "g = x;"))
        self.lines += [f"if ({test})", sample("", "x = p, ", "g = p, ", "x = 1, ") + f"{call};"]
        if self.draw(st.booleans()):
            self.lines += ["if (g)", f"return {sample('g = p', 'x = p', 'g = 0, x', 'x = 1')};"]

    def block(self, depth: int) -> None:
        for _ in range(self.draw(st.integers(1, 3))):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        if depth and self.draw(st.booleans()):
            self.compound(depth)
        else:
            self.simple()

    def simple(self) -> None:
        kind = self.draw(
            st.sampled_from(["assign", "both", "input", "input", "call", "bare", "declare", "return", "abort"])
        )
        variable = self.draw(st.sampled_from(self.variables))
        match kind:
            case "assign":
                self.lines.append(f"{variable} = {self.value()};")
            case "both":
                other = self.draw(st.sampled_from(self.variables))
                self.lines.append(f"{variable} = {self.value()}, {other} = {self.draw(st.integers(0, 1))};")
            case "input":
                self.lines.append(f"{variable} = __VERIFIER_nondet_int();")
            case "call" if self.callees:
                self.lines.append(f"{self.draw(st.sampled_from(self.callees))}({variable});")
            case "declare":
                first = self.draw(st.sampled_from(["0", "1", "1", "g", "__VERIFIER_nondet_int()"]))
                self.lines += ["{", f"int x = {first};", f"g = {variable};"]
                self.block(0)
                self.lines += [f"if ({self.condition()})", "g = 0;"]
                self.lines.append("}")
            case "return":
                self.lines += [f"if ({variable} == 1)", f"return {self.value()};"]
            case "abort":
                self.lines += [f"if ({variable} == 2)", "abort();"]
            case _:
                self.lines.append(f"{self.value()};")

    def compound(self, depth: int) -> None:
        kind = self.draw(
            st.sampled_from(["if", "else", "while", "do", "for", "for", "switch", "label", "macro", "macro"])
        )
        variable = self.draw(st.sampled_from(self.variables))
        heads = {"while": f"while ({self.condition()})", "for": f"for (g = 0; {self.condition()}; g++)", "do": "do"}
        match kind:
            case "switch":
                self.lines += [f"switch ({variable}) {{", "case 0:"]
                self.block(depth - 1)
                self.lines += ["break;" if self.draw(st.booleans()) else ";", "case 1 ... 2:"]
                self.block(depth - 1)
                self.lines.append("}")
            case "label":
                self.labels += 1
                name = f"L{self.labels}"
                self.lines += [f"{name}: {variable} = {variable} + 1;", f"if ({self.condition()})", f"goto {name};"]
            case "macro":
                texts = [f"WHEN({variable} > 0, {variable} = 0;)", f"HIDDEN({variable})", f"HIDDEN({variable})"]
                self.lines.append(self.draw(st.sampled_from(texts)))
            case _:
                self.lines.append(heads.get(kind, f"if ({self.condition()})") + " {")
                self.block(depth - 1)
                self.lines.append(f"}} while ({self.condition()});" if kind == "do" else "}")
                if kind == "else":
                    self.lines.append("else {")
                    self.block(depth - 1)
                    self.lines.append("}")


@st.composite
def sources(draw: st.DrawFn) -> str:
    """The text of a program of up to three functions over a few ints, which may call each other and themselves."""
    text = HEAD + MACROS
    callees: tuple[str, ...] = ()
    for name in ("f", "h")[: draw(st.sampled_from([0, 1, 1, 2]))]:
        source = Source(draw, name, callees)
        if draw(st.booleans()):
            source.recursion()
        source.block(1)
        text += "\n".join([f"int {name}(int p) {{", "int x = 0;", *source.lines, "return x;", "}", ""])
        callees = (*callees, name)
    source = Source(draw, "main", callees)
    source.block(2)
    source.block(1)
    return text + "\n".join(["int main(void) {", "int x = 0;", *source.lines, "return 0;", "}", ""])


@st.composite
def recursive_sources(draw: st.DrawFn) -> str:
    """A small program in which every name is that of several objects, with calls inside of statements."""

    def sample(*texts: str) -> str:
        return draw(st.sampled_from(texts))

    store = ("", "", "g = ", "x = ")
    effect = ("x = p", "g = p", "x = 1", "g = 0", "p = 1", "x = g", "x = __VERIFIER_nondet_int()")
    lines = [
        "int f(int p) {",
        sample("int x = p;", "int x = 0;"),
        sample("", *(f"{text};" for text in effect)),
        "if (p < 1)",
        f"{sample(*effect)}, {sample(*store)}f(p + 1);",
        sample("", "if (x) g = 0;", "x = 1;", "g = p;"),
        f"return {sample('x', 'p', *effect)};",
        "}",
        "int main(void) {",
        "int x = 0;",
        "g = __VERIFIER_nondet_int();",
        f"{sample('', 'x = 1, ', 'x = g, ')}{sample(*store)}f({sample('0', 'g', 'x')});",
        sample("", "x = g;", "x = 1, g = 0;"),
        f"{sample('if (g)', 'while (x < 1)')} x = 1;",
        "return 0;",
        "}",
    ]
    return HEAD + "\n".join(lines) + "\n"


def loaded(directory: Path, name: str, text: str) -> LoadedProgram:
    (directory / name).write_text(text)
    return load(directory / name, data_model=DataModel.LP64)


# ---------------------------------------------------------------------- executions
@dataclass(frozen=True)
class Moment:
    """An edge that was executed, and the state after it."""

    edge: EdgeReference
    statics: tuple[tuple[str, int], ...]
    frames: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    returned: int | None


Shown = tuple[object, ...]


@dataclass(frozen=True)
class Execution:
    """An execution: all its moments, and what of it a reduced program must show as well."""

    moments: tuple[Moment, ...]
    shown: Shown


def _is_added(name: str) -> bool:
    return name.startswith("__gia")


def _state(values: dict[Variable, int]) -> tuple[tuple[str, int], ...]:
    named = ((v.name, value) for v, value in values.items() if not v.name.startswith("$") and not _is_added(v.name))
    return tuple(sorted((name, value) for name, value in named if value))


def _moment(edge: Edge, machine: Machine) -> Moment:
    frames = tuple((frame.function.name, _state(frame.locals)) for frame in machine.frames)
    return Moment(edge.reference, _state(machine.statics), frames, machine.returned)


def _shown(edge: Edge, moment: Moment, lines: list[str]) -> object | None:
    """What stays the same when the text is rewritten: conditions, calls and assignments with the state after them."""
    reference, operation = edge.reference, edge.operation
    if isinstance(operation, Call) and _is_added(operation.function):
        return None
    place = (reference.function, reference.line, reference.kind, reference.branch)
    if reference.kind == "input":
        return (*place, moment.returned)
    if isinstance(operation, Assign):
        target = operation.target
        if "nondet" in lines[reference.line - 1] or any(_is_added(v.name) for v in variables_of(target)):
            return None
    if reference.kind in ("skip", "label", "statement", "declare"):
        return None
    return (*place, moment.statics, moment.frames)


def executions(program: Program, text: str, length: int = LENGTH) -> Iterator[Execution]:
    """All executions of up to ``length`` shown moments; every prefix is one. ``text`` are the original's lines."""
    lines = text.split("\n")
    pending = [(Machine.start(program), Execution((), ()), 0)]
    while pending:
        machine, before, steps = pending.pop()
        yield before
        if len(before.shown) >= length or steps > 200:
            continue
        for edge, after in machine.steps(INPUTS):
            if _is_added(machine.frames[-1].function.name):
                pending.append((after, before, steps + 1))
                continue
            now = _moment(edge, after)
            shown = _shown(edge, now, lines)
            following = before.shown if shown is None else (*before.shown, shown)
            pending.append((after, Execution((*before.moments, now), following), steps + 1))


# ---------------------------------------------------------------------- covering
class Covering:
    """The definition of covering, literally (DESIGN, Definition 3 of the article)."""

    def __init__(self, program: Program, automaton: Automaton) -> None:
        self._program, self._automaton = program, automaton
        self._parsed: dict[Condition, Expression | None] = {}

    def holds(self, condition: Condition | None, now: Moment) -> bool:
        if condition is None:
            return True
        expression = self._expression(condition)
        if expression is None:
            return False
        if now.returned is None and any(isinstance(part, Result) for part in walk(expression)):
            return False
        functions = [name for name, _ in now.frames]
        if any(not v.is_static and v.function not in functions for v in variables_of(expression)):
            return False

        def read(variable: Variable) -> int:
            if variable.is_static:
                return dict(now.statics).get(variable.name, 0)
            values = next(values for name, values in reversed(now.frames) if name == variable.function)
            return dict(values).get(variable.name, 0)

        return bool(evaluate(expression, read, now.returned))

    def _expression(self, condition: Condition) -> Expression | None:
        if condition not in self._parsed:
            try:
                found = parse_expression(condition.text, condition.scope, self._program, result=INT)
            except InputError:
                found = None
            self._parsed[condition] = found
        return self._parsed[condition]

    def covers(self, kind: Acceptance, moments: tuple[Moment, ...]) -> bool:
        automaton = self._automaton
        current, final = {automaton.initial}, automaton.accepting(kind)
        for now in moments:
            if current & final:
                return True
            current = {
                t.target
                for q in current
                for t in automaton.leaving[q]
                if (t.edges is ANY or now.edge in t.edges)
                and self.holds(t.assumption, now)
                and self.holds(automaton.states[t.target].invariant, now)
            }
        return bool(current & final)

    def is_needed(self, kind: Acceptance, moments: tuple[Moment, ...]) -> bool:
        has_candidates = bool(self._automaton.accepting(Acceptance.CAND))
        if has_candidates and not self.covers(Acceptance.CAND, moments):
            return False
        return not self.covers(kind, moments)


# ---------------------------------------------------------------------- automata
@st.composite
def automata(draw: st.DrawFn, program: Program, runs: list[Execution], wrt: Acceptance) -> Automaton:
    """A well-formed automaton: some executions, spelled out or with loops, that end in accepting states; candidates."""
    states: list[State] = [State()]
    transitions: list[Transition] = []
    references = [edge.reference for edge in program.edges()]
    conditions = _conditions(program)
    covering = Covering(program, Automaton(tuple(states), ()))
    for _ in range(draw(st.integers(1, 3))):
        followed = draw(st.sampled_from(runs)).moments
        followed = followed[: draw(st.integers(1, len(followed)))] if followed else followed
        kind = draw(st.sampled_from([wrt, wrt, wrt, Acceptance.UT, Acceptance.RT]))
        at = 0
        if draw(st.booleans()):
            transitions.append(Transition(0, 0, ANY))
        for number, now in enumerate(followed):
            ends = number == len(followed) - 1
            after = now if ends else followed[number + 1]
            soon = [condition for condition in conditions if covering.holds(condition, after)]
            true_here = [condition for condition in conditions if covering.holds(condition, now)]
            past = followed[number - 1] if number else None
            stale = [c for c in conditions if past and c not in true_here and covering.holds(c, past)]
            usual = st.sampled_from(true_here) if true_here else st.none()
            later = st.sampled_from(soon) if soon else st.none()
            no_more = st.sampled_from(stale) if stale else st.sampled_from(conditions)
            ways = [usual, usual, usual, later, later, no_more, st.sampled_from(conditions)]
            some = st.sampled_from(ways).flatmap(lambda chosen: chosen)
            states.append(State(draw(st.none() | st.none() | some), kind if ends else None))
            edges = {now.edge, *draw(st.lists(st.sampled_from(references), max_size=1))}
            assumption = draw(st.none() | st.none() | some)
            if now.returned is not None and draw(st.booleans()):
                assumption = Condition(rf"\result == {now.returned}", now.edge.function)
                edges = {now.edge}
            transitions.append(Transition(at, len(states) - 1, frozenset(edges), assumption))
            at = len(states) - 1
            if not ends and draw(st.integers(0, 3)) == 0:
                transitions.append(Transition(at, at, draw(st.just(ANY) | st.just(frozenset(edges)))))
    if draw(st.booleans()):
        edges = draw(st.lists(st.sampled_from(references), min_size=1, max_size=3))
        states.append(State(None, Acceptance.CAND))
        target = len(states) - 1
        transitions += [Transition(0, 0, ANY), Transition(0, target, frozenset(edges)), Transition(target, target, ANY)]
    return Automaton(tuple(states), tuple(transitions))


@st.composite
def clashing(draw: st.DrawFn, program: Program, runs: list[Execution], wrt: Acceptance) -> Automaton | None:
    """An execution as ``wrt``, but for one condition that holds a step before or after where it should, and not there.

    So the execution is not covered. ``None`` if there is no such condition.
    """
    covering = Covering(program, Automaton((State(),), ()))
    moments = draw(st.sampled_from(runs)).moments
    found = []
    for number, now in enumerate(moments):
        near = [*moments[max(number - 1, 0) : number], *moments[number + 1 : number + 2]]
        wrong_here = [condition for condition in _conditions(program) if not covering.holds(condition, now)]
        found += [(number, c) for c in wrong_here if any(covering.holds(c, other) for other in near)]
    if not found:
        return None
    place, wrong = draw(st.sampled_from(found))
    end = draw(st.integers(place + 1, len(moments)))
    transitions = tuple(
        Transition(number, number + 1, frozenset({now.edge}), wrong if number == place else None)
        for number, now in enumerate(moments[:end])
    )
    return Automaton((*[State()] * end, State(None, wrt)), transitions)


def _conditions(program: Program) -> list[Condition]:
    found = []
    for function in program.functions.values():
        names = {v.name for v in (*function.parameters, *function.locals) if not v.name.startswith("$")}
        for name in sorted(names | {"g"}):
            found += [Condition(f"{name} {operator}", function.name) for operator in ("== 0", "== 1", "> 0", "< 2")]
    return found
