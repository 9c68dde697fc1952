"""Symbolic replay against native execution: on every path the formulas say of each decision what the machine did."""

from pathlib import Path
from random import Random

import pytest

from gia.analyses.testing import replay
from gia.analyses.testing.replay import MOST_WITHOUT_INPUT, Replayer
from gia.analyses.testing.symbolic_path import SymbolicPath
from gia.cfa.types import DataModel
from gia.frontend import LoadedProgram, load
from gia.native import (
    BranchEvent,
    Execution,
    InputValue,
    Limits,
    Outcome,
    Runner,
    Tracing,
    compile_instrumented,
)
from gia.smt.terms import Term, Value, evaluate_all
from tests.analyses.test_tester import HEADER
from tests.smt.random_programs import FLOATS, INTEGERS, RandomProgram

STRUCTURES = """
struct node { int value; struct node *next; };
extern void *malloc(unsigned long); extern unsigned long strlen(const char *); extern int abs(int);
static int depth(int n) { return n <= 0 ? 0 : 1 + depth(n - 2); }
static int twice(int x) { return 2 * x; }
static int square(int x) { return x * x; }
int main(void) {
  struct node *list = 0; int sum = 0; char text[8] = "abc"; int (*f)(int) = twice;
  for (int i = 0; i < 3; i++) {
    struct node *fresh = malloc(sizeof *fresh);
    fresh->value = __VERIFIER_nondet_int(); fresh->next = list; list = fresh;
  }
  for (struct node *n = list; n; n = n->next) { if (n->value > 10) sum += n->value; else sum--; }
  text[__VERIFIER_nondet_uchar() & 3] = 'x';
  if (text[1] == 'x' && strlen(text) == 3) sum++;
  if (depth(sum & 7) > 2) sum += abs(sum);
  switch (sum & 3) { case 0: return 1; case 1 ... 2: f = square; }
  if (f(sum) == 16) return 3;
  double d = sum; if (d / 3 > 1.5) return 4;
  return 0;
}"""


def replayed(loaded: LoadedProgram, execution: Execution, like: tuple[SymbolicPath, int] | None = None) -> SymbolicPath:
    """The path of an execution, each of whose decisions is what its formula says."""
    path = Replayer(loaded.program, execution.observed).replay(execution, like)
    assert path.diverged is None
    values: dict[Term, Value] = {
        variable: value.bits for variable, value in zip(path.variables, execution.inputs, strict=False)
    }
    conditions = [decision.condition for decision in path.decisions]
    assert all(evaluate_all(conditions, values))
    others = [other.condition for decision in path.decisions for other in decision.others]
    assert not any(evaluate_all(others, values))
    return path


def shown(path: SymbolicPath) -> list[tuple[int, Term]]:
    return [(decision.taken, decision.condition) for decision in path.decisions]


@pytest.mark.parametrize("model", list(DataModel))
@pytest.mark.parametrize("seed", range(4))
def test_random_programs_take_the_path_of_their_formulas(seed: int, model: DataModel, tmp_path: Path) -> None:
    declared = "".join(f"extern {c} __VERIFIER_nondet_{kind}(void);\n" for kind, c in (INTEGERS | FLOATS).items())
    file = tmp_path / "random.c"
    file.write_text(declared + RandomProgram(seed, 30).text)
    loaded = load(file, data_model=model)
    built = compile_instrumented(loaded, tmp_path)
    with Runner() as runner:
        for run in range(6):
            execution = runner.run(built, seed=100 * seed + run, tracing=Tracing.FULL)
            path = replayed(loaded, execution)
            assert len(path.variables) == len(execution.inputs)


def test_heap_pointers_recursion_and_strings(tmp_path: Path) -> None:
    file = tmp_path / "structures.c"
    file.write_text(HEADER + STRUCTURES)
    loaded = load(file, data_model=DataModel.LP64)
    built = compile_instrumented(loaded, tmp_path)
    random = Random(1)
    met: set[int] = set()
    with Runner() as runner:
        first = runner.run(built, ["1", "2", "3", "4"], tracing=Tracing.FULL)
        for _ in range(25):
            inputs = [InputValue(value.function, value.type, random.randrange(40) & 0xFF) for value in first.inputs]
            execution = runner.run(built, inputs, tracing=Tracing.FULL)
            path = replayed(loaded, execution)
            assert path.edges > len([event for event in execution.events if isinstance(event, BranchEvent)])
            met.update(decision.taken for decision in path.decisions)
    assert len(met) >= 12


def test_a_decision_about_several_inputs_is_several_about_one(tmp_path: Path) -> None:
    text = """extern int memcmp(const void *, const void *, unsigned long);
    int main(void) { char key[3];
      for (int i = 0; i < 3; i++) key[i] = __VERIFIER_nondet_uchar();
      if (memcmp(key, "abc", 3) == 0) return 1;
      return 0; }"""
    file = tmp_path / "key.c"
    file.write_text(HEADER + text)
    loaded = load(file, data_model=DataModel.LP64)
    built = compile_instrumented(loaded, tmp_path)
    with Runner() as runner:
        same = replayed(loaded, runner.run(built, ["97", "98", "99"], tracing=Tracing.FULL))
        other = replayed(loaded, runner.run(built, ["97", "98", "100"], tracing=Tracing.FULL))
    assert [(len(decision.variables), len(decision.others)) for decision in same.decisions] == [(1, 1), (1, 0), (1, 0)]
    assert [len(decision.others) for decision in other.decisions] == [1]


def test_a_replay_goes_on_from_the_path_that_it_shares(tmp_path: Path) -> None:
    text = """int main(void) { int sum = 0;
      for (int i = 0; i < 40; i++) { int x = __VERIFIER_nondet_int(); if (x > sum) sum += x & 15; else sum--; }
      return sum; }"""
    file = tmp_path / "loop.c"
    file.write_text(HEADER + text)
    loaded = load(file, data_model=DataModel.LP64)
    built = compile_instrumented(loaded, tmp_path)
    with Runner() as runner:
        values = [str(7 * n % 31) for n in range(40)]
        first = replayed(loaded, runner.run(built, values, tracing=Tracing.FULL))
        for changed in (0, 20, 39):
            execution = runner.run(built, [*values[:changed], "-9", *values[changed + 1 :]], tracing=Tracing.FULL)
            replayer = Replayer(loaded.program, execution.observed)
            resumed = replayer.replay(execution, (first, changed))
            assert shown(resumed) == shown(replayed(loaded, execution))
            assert replayer.edges <= resumed.edges * (41 - changed) / 40 + 5


def test_a_loop_without_end_is_followed_for_a_while_behind_the_last_input(tmp_path: Path) -> None:
    text = "int main(void) { unsigned n = 0; for (int i = 0; i < 3; i++) n += __VERIFIER_nondet_int();"
    file = tmp_path / "endless.c"
    file.write_text(f"{HEADER}{text} while (n) {{ n += 2; if (n == 1001) n += 2; }} return 0; }}")
    loaded = load(file, data_model=DataModel.LP64)
    built = compile_instrumented(loaded, tmp_path)
    with Runner() as runner:
        endless = runner.run(built, ["1", "4", "2"], limits=Limits(wall=0.2), tracing=Tracing.BOUNDED)
        ending = runner.run(built, ["1", "4", "-3205"], tracing=Tracing.FULL)
    assert endless.outcome is Outcome.TIMEOUT and ending.outcome is Outcome.EXITED
    path = replayed(loaded, endless)
    assert len(path.variables) == 3
    assert MOST_WITHOUT_INPUT <= path.edges < MOST_WITHOUT_INPUT + 100
    assert replayed(loaded, ending).edges > MOST_WITHOUT_INPUT + 100  # what has an end is followed there


def test_a_replay_is_broken_off_when_it_takes_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known of it by then is kept; one edge may take long if an unknown function changes all of the memory."""
    file = tmp_path / "slow.c"
    file.write_text(f"{HEADER}int main(void) {{ int n = 0; while (__VERIFIER_nondet_int() > 5) n++; return n; }}")
    loaded = load(file, data_model=DataModel.LP64)
    built = compile_instrumented(loaded, tmp_path)
    with Runner() as runner:
        execution = runner.run(built, ["7"] * 20 + ["0"], tracing=Tracing.FULL)
    whole = Replayer(loaded.program, execution.observed).replay(execution)
    assert whole.is_whole
    seconds = iter(range(1000))
    monkeypatch.setattr(replay, "monotonic", lambda: next(seconds))
    for most, deadline in ((30, float("inf")), (1000, 31)):
        monkeypatch.setattr(replay, "MOST_SECONDS", most)
        path = Replayer(loaded.program, execution.observed).replay(execution, deadline=deadline)
        assert not path.is_whole
        assert 20 < path.edges < whole.edges
        assert path.decisions == whole.decisions[: len(path.decisions)]
        seconds = iter(range(1000))
