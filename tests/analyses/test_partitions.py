"""State machines: what holds in each of their modes, against an enumeration of all their states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from time import monotonic

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gia.analyses.proving import stages
from gia.analyses.proving.candidates import partitions
from gia.analyses.proving.candidates.finite import (
    choices,
    constants_compared,
    constants_of,
    counters,
    feeding_cells,
    finite_cells,
    settings_of,
)
from gia.analyses.proving.candidates.partitions import cases_of_modes, counters_in_modes, facts_in_cases
from gia.analyses.proving.cells import Cell, Field
from gia.analyses.proving.proof import Candidates, Proof, Stage, begin, prove
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.automaton.status import goal_status
from gia.cfa.expressions import Storage, Variable, VariableReference
from gia.cfa.supergraph import Node
from gia.cfa.types import INT
from gia.cfa.writer import expression_to_gia
from gia.checker import check_claims
from gia.frontend import LoadedProgram
from gia.smt.invariants.block_solver import BlockSolver
from gia.smt.invariants.control_graph import OutOfTimeError
from gia.smt.solvers.solver import Result
from gia.smt.terms import Term
from gia.verdict import GoalStatus
from tests.analyses.machines import LATER
from tests.checker.programs import HEADER, branches, load_text

Source = Callable[[Proof], Iterator[Candidates]]

STATES = (8464, 3, -7, 100)
"""The values of the state variable of random machines, in which they begin in the first one."""
FLAGS = (0, 1, 5)


def excluded(loaded: LoadedProgram, *sources: Source) -> frozenset[str]:
    """The goals that are proven unreachable with these sources of invariants; all of it is certified."""
    goals = branches(loaded)
    request = ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + 60, Path())
    found = prove(request, [Stage("blocks", stages.no_candidates), *(Stage("tried", source) for source in sources)])
    status = goal_status(loaded.program, found, goals)
    names = frozenset(name for name, known in status.items() if known is GoalStatus.UNREACHABLE)
    assert check_claims(loaded.program, found, goals, deadline=monotonic() + 60).certified >= names
    return names


@dataclass(frozen=True)
class Move:
    """What a machine does in a state with a flag: each variable gets a constant, or the value of another one."""

    state: int | str
    flag: int | str
    next: int | str


@dataclass(frozen=True)
class Machine:
    """Two moves for each state, between which the input decides; ``queries`` ask for a state and a flag."""

    moves: tuple[tuple[Move, Move], ...]

    @property
    def text(self) -> str:
        """The machine in C. In the third and each third line that follows it asks for a state and a flag."""
        asked = [f"    if (s == {state})\n      if (f == {flag})\n        t = s;" for state in STATES for flag in FLAGS]
        moves = [
            f"    {'else ' if number else ''}if (s == {STATES[number]})"
            f" {{ if (__VERIFIER_nondet_int()) {{ {_code(one)} }} else {{ {_code(other)} }} }}"
            for number, (one, other) in enumerate(self.moves)
        ]
        lines = [
            "int main(void) {",
            f"  int s = {STATES[0]}, f = 0, next = {STATES[0]}, t;",
            "  while (__VERIFIER_nondet_int()) {",
            *asked,
            *moves,
            "  }",
            "  return 0;",
            "}",
        ]
        return "\n".join(lines) + "\n"

    def reached(self) -> set[tuple[int, int]]:
        """The states and flags that there are: by enumeration."""
        seen = {(STATES[0], 0, STATES[0])}
        pending = list(seen)
        while pending:
            now = pending.pop()
            values = dict(zip(("s", "f", "next"), now, strict=True))
            for move in self.moves[STATES.index(now[0])]:
                after = tuple(values[v] if isinstance(v, str) else v for v in (move.state, move.flag, move.next))
                if after not in seen:
                    seen.add(after)
                    pending.append(after)
        return {(state, flag) for state, flag, _ in seen}


def _code(move: Move) -> str:
    return f"t = {move.state}; f = {move.flag}; next = {move.next}; s = t;"


MOVES = st.builds(
    Move,
    st.sampled_from([*STATES, "next", "s"]),
    st.sampled_from([*FLAGS, "f"]),
    st.sampled_from([*STATES, "next"]),
)
MACHINES = st.builds(Machine, st.tuples(*[st.tuples(MOVES, MOVES)] * len(STATES)))


@settings(max_examples=10, deadline=None)
@given(machine=MACHINES)
def test_cases_are_exactly_the_states_of_a_machine(machine: Machine, tmp_path_factory: pytest.TempPathFactory):
    loaded = load_text(tmp_path_factory.mktemp("machine"), machine.text)
    found = excluded(loaded, cases_of_modes)
    pairs = [(state, flag) for state in STATES for flag in FLAGS]
    lines = {int(name.split(":")[1]) for name in found if name.endswith("then")}
    first = HEADER.count("\n") + 5
    assert {pair for number, pair in enumerate(pairs) if first + 3 * number not in lines} == machine.reached()


QUEUE = """int main(void) {
  int full = 0;
  unsigned sent = __VERIFIER_nondet_uint(), got = sent, last = 0, cell = 0;
  while (__VERIFIER_nondet_int()) {
    if (full == 0) {
      cell = __VERIFIER_nondet_uint();
      last = cell;
      sent = sent + 1;
      full = 1;
    } else {
      full = 0;
      got = got + 1;
      if (cell != last)
        return 1;
      if (got != sent)
        return 2;
    }
  }
  return 0;
}
"""
"""Counters that differ by as much as the mode says."""

RESUMED = """int main(void) {
  int s = 3, hit = __VERIFIER_nondet_int(), again = 0;
  while (1) {
    if (s == 3) { if (hit) s = 8; else s = 5; }
    else if (s == 5) { if (hit) again = 1; else s = 9; }
    else if (s == 8) { if (!hit) again = 2; s = 9; }
    else return again;
    if (again == 1)
      return 1;
  }
}
"""
"""What a state machine did before depends on an input that does not change."""

RESUMED_ON_HEAP = """void *malloc(unsigned long);
struct machine { int s, hit; void *peer; };
int run(struct machine *m) {
  int again = 0;
  m->s = 3; m->hit = __VERIFIER_nondet_int();
  while (1) {
    if (m->s == 3) { if (m->hit) m->s = 8; else m->s = 5; }
    else if (m->s == 5) { if (m->hit) again = 1; else m->s = 9; }
    else if (m->s == 8) { if (!m->hit) again = 2; m->s = 9; }
    else return again;
    if (again == 1)
      return 1;
  }
}
int main(void) {
  struct machine *m = malloc(sizeof(struct machine));
  m->peer = (void *)(unsigned long)__VERIFIER_nondet_uint();
  if ((unsigned long)m->peer == (unsigned long)((void *)0)) return 2;
  return run(m);
}
"""
"""The same in a block of memory that also holds a pointer made of a number."""

SWITCHES = """int main(void) {
  _Bool a = 0, b = 0, c = 0, d = 0, e = 0, g = 0, h = 0;
  int s = 1;
  while (__VERIFIER_nondet_int()) {
    if (a) a = 0; else a = __VERIFIER_nondet_int() > 0;
    if (b) b = 0; else b = __VERIFIER_nondet_int() > 0;
    if (c) c = 0; else c = __VERIFIER_nondet_int() > 0;
    if (d) d = 0; else d = __VERIFIER_nondet_int() > 0;
    if (e) e = 0; else e = __VERIFIER_nondet_int() > 0;
    if (g) g = 0; else g = __VERIFIER_nondet_int() > 0;
    if (h) h = 0; else h = __VERIFIER_nondet_int() > 0;
    if (s == 1) s = 9;
    else if (s == 9) s = 12;
    else if (s == 12) s = 1;
    else return 1;
  }
  return 0;
}
"""
"""More combinations of flags than are told apart."""


@pytest.mark.parametrize(
    ("text", "sources", "proven"),
    [
        (LATER, (cases_of_modes,), {"main:5:3:else", "main:9:10:else"}),
        (QUEUE, (cases_of_modes,), set()),
        (QUEUE, (cases_of_modes, counters_in_modes), {"main:15:7:then", "main:17:7:then"}),
        (RESUMED, (cases_of_modes,), {"main:5:3:else", "main:7:24:then", "main:8:24:then", "main:10:5:then"}),
        (RESUMED_ON_HEAP, (cases_of_modes,), {"run:8:3:else", "run:10:27:then", "run:11:27:then", "run:13:5:then"}),
        (SWITCHES, (cases_of_modes,), {"main:16:10:else"}),
    ],
)
def test_what_holds_in_a_mode_is_found(text: str, sources: tuple[Source, ...], proven: set[str], tmp_path: Path):
    assert excluded(load_text(tmp_path, text), *sources) == proven


FIELDS = """struct machine { int state, next, count; };
static struct machine other;
static void step(struct machine *m) {
  if (m->state == 1) { m->next = __VERIFIER_nondet_int() ? 5 : 7; m->state = 2; }
  else if (m->state == 2) m->state = m->next;
  else if (m->state == 5 || m->state == 7) { m->state = 1; other.state = 6; }
  else m->count++;
}
int main(void) {
  struct machine first;
  first.state = 1;
  while (__VERIFIER_nondet_int()) {
    step(&first);
    if (other.state == 9)
      return 2;
  }
  return 0;
}
"""
"""Modes that are fields, of an object that a pointer shows and of one that has a name."""


def test_fields_are_modes(tmp_path: Path):
    found = excluded(load_text(tmp_path, FIELDS), cases_of_modes)
    assert found == {"step:8:8:else", "main:16:5:then"}


def test_a_search_that_was_interrupted_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """After each question the time is used up."""
    loaded = load_text(tmp_path, LATER)
    goals = branches(loaded)
    proof = begin(ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + 60, tmp_path))
    assert proof is not None
    ask = BlockSolver.ask
    asked: list[Result] = []

    def once(solver: BlockSolver[Node], assumptions: Sequence[Term], seconds: float = 60) -> Result:
        if len(asked) > interruptions:
            raise OutOfTimeError
        asked.append(ask(solver, assumptions, seconds))
        return asked[-1]

    interruptions = 0
    with monkeypatch.context() as patched:
        patched.setattr(BlockSolver, "ask", once)
        while True:
            try:
                found = facts_in_cases(proof, monotonic() + 60, with_counters=False)
            except OutOfTimeError:
                interruptions += 1
            else:
                break
    assert 5 < interruptions < 60
    other = begin(proof.request)
    assert other is not None
    expected = facts_in_cases(other, monotonic() + 60, with_counters=False)
    assert {cut: set(facts) for cut, facts in found.items()} == {cut: set(facts) for cut, facts in expected.items()}


VARIABLES = """static int global = 3;
static struct { int kind, size; } object;
static int twice(int given) { return given > 1 ? 2 : given; }
int main(void) {
  int state = 1, copied, counted = 0, shown = 1, read, told = twice(4), other = twice(7);
  _Bool choice = __VERIFIER_nondet_int() != 0;
  int *pointer = &shown, *inner = &object.size;
  read = __VERIFIER_nondet_int();
  while (read) {
    copied = state;
    if (state == 1 && counted < 9) { state = choice ? 2 : -5; global = !read; }
    counted = counted + 1;
    *pointer = *inner = counted;
    if (copied) other = told;
    if (5 == other || !choice) return object.kind = 4;
    if (object.kind != 8) object.size = 3;
  }
  return 0;
}
"""


def test_which_variables_and_fields_hold_constants(tmp_path: Path):
    program = load_text(tmp_path, VARIABLES).program
    settings = settings_of(program)
    finite = finite_cells(program, settings)
    (kind,) = (cell for cell in finite if isinstance(cell, Field))
    assert kind.name == "kind"
    named = {cell.name: cell for cell in finite}
    assert _names(finite) == {"global", "given", "state", "copied", "told", "other", "choice", "kind"}
    compared = {cell.name: values for cell, values in constants_compared(program.edge_list).items()}
    assert compared["state"] == {1}
    assert compared["other"] == {5}
    assert compared["kind"] == {8}
    assert compared["copied"] == compared["choice"] == {0}
    assert _names(feeding_cells(settings, finite, [named["copied"]])) == {"copied", "state"}
    assert _names(counters(settings, program.edge_list, finite)) == {"counted", "read"}
    assert constants_of(settings, frozenset({kind, named["given"]})) == {4, 7}


def test_choices_are_conditions_on_what_does_not_change(tmp_path: Path):
    program = load_text(tmp_path, RESUMED.replace("if (s == 3)", "if (s == 3 && again < hit)")).program
    settings = settings_of(program)
    decided = frozenset(cell for cell in finite_cells(program, settings) if cell.name in ("s", "again"))
    assert [expression_to_gia(choice, "main") for choice in choices(program, settings, decided)] == ["hit != 0"]
    again = RESUMED.replace("again = 1;", "{ again = 1; hit = 7; }")
    program = load_text(tmp_path, again).program
    settings = settings_of(program)
    assert not choices(program, settings, frozenset(cell for cell, _ in settings if cell.name in ("s", "again")))


def _names(cells: Iterable[Cell]) -> set[str]:
    return {cell.name for cell in cells if isinstance(cell, Field) or cell.storage is not Storage.TEMPORARY}


def test_a_case_that_is_not_told_apart_any_more_keeps_what_it_has_in_common(tmp_path: Path):
    """Joining is the union, and any value beyond the limit; forgetting a mode makes it one of the others."""
    x, y, z = (VariableReference(Variable(name, INT, Storage.LOCAL, "main")) for name in "xyz")
    tracked = [partitions.Tracked(e, 2, frozenset({0, 1, 2, 3})) for e in (x, y)]
    cases = partitions.Cases(list(tracked), [partitions.Tracked(z, 2)])
    cases.add((1, 2), [frozenset({7})])
    cases.add((1, 3), [frozenset({8})])
    assert cases.found == {(1, 2): (frozenset({7}),), (1, 3): (frozenset({8}),)}
    cases.add((1, 4), [frozenset({7})])  # 4 is no constant with which y is compared
    assert cases.modes == tracked[:1]
    assert cases.found == {(1,): (frozenset({7, 8}), None)}
    cases.add((1,), [frozenset({9}), None])
    assert cases.found == {(1,): (None, None)}


def test_what_is_said_of_cases_does_not_depend_on_which_model_came_first():
    x, z = (VariableReference(Variable(name, INT, Storage.LOCAL, "main")) for name in "xz")
    states = [(1, 7), (3, 8), (2, 7), (1, 9), (2, 8)]
    said = set()
    for order in permutations(states):
        cases = partitions.Cases([partitions.Tracked(x, 3)], [partitions.Tracked(z, 2)])
        for mode, value in order:
            cases.add((mode,), [frozenset({value})])
        said.add(tuple(partitions._as_facts(cases)))
    assert len(said) == 1
