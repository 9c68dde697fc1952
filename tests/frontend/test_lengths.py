"""Arrays of variable length: their lengths are looked at when they are executed, and evaluated once."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.cfa.types import DataModel
from gia.frontend import load
from gia.native import Outcome, Runner, compile_instrumented
from tests.frontend.support import MODELS

PROGRAM = """\
extern int __VERIFIER_nondet_int(void);
static int twice(int x) { char inner[x]; inner[0] = 1; return 2 * x; }
int main(void) {
  int n = __VERIFIER_nondet_int(), calls = 0;
  long long a[n], b[calls++ ? 1 : twice(3)];
  a[0] = 1; b[5] = 2;
  return 10 * calls + sizeof b / sizeof *b;
}
"""


ROWS = """\
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
  int a[n][m];
  a[n - 1][m - 1] = 1;
  return sizeof a;
}
"""


POINTED_TO = """\
extern int __VERIFIER_nondet_int(void);
static unsigned sizes(int *n, int a[*n], int b[static *n + 1], int (*rows)[*n]);
static unsigned sizes(int *n, int a[*n], int b[static *n + 1], int (*rows)[*n]) {
  char one[*n], two[3][*n - 1], three[*(n) * 2];
  one[0] = two[0][0] = three[0] = a[0] + b[0];
  return sizeof one + sizeof two + sizeof three + sizeof rows[0] / sizeof rows[0][0];
}
extern int unsaid(int n, int a[*], int (*rows)[*]);
int main(void) {
  int n = __VERIFIER_nondet_int(), a[9] = {0};
  return sizes(&n, a, a, (int (*)[n])a);
}
"""


@pytest.mark.parametrize("model", MODELS)
def test_an_array_that_is_no_object_ends_the_execution(model: DataModel, tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(PROGRAM)
    loaded = load(tmp_path / "p.c", data_model=model)
    program = compile_instrumented(loaded, tmp_path)
    with Runner() as runner:
        found = {n: runner.run(program, [n]) for n in ("3", "0", "-5")}
        wrapped = runner.run(program, [str(0x20000000)])  # 8 times this is 2^32
    assert (found["3"].outcome, found["3"].exit_code) == (Outcome.EXITED, 16)
    assert {found["0"].outcome, found["-5"].outcome} == {Outcome.OUT_OF_MEMORY}
    assert wrapped.outcome is (Outcome.OUT_OF_MEMORY if model is DataModel.ILP32 else Outcome.SIGNALLED)


@pytest.mark.parametrize("model", MODELS)
def test_all_lengths_of_an_array_of_arrays_are_looked_at(model: DataModel, tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(ROWS)
    loaded = load(tmp_path / "p.c", data_model=model)
    program = compile_instrumented(loaded, tmp_path)
    no_objects = [("-1", "-1"), ("0", "1"), ("1", "0"), ("3", "-3")]
    large = ("65536", "65536")  # 2^32 elements
    with Runner() as runner:
        assert runner.run(program, ["2", "3"]).exit_code == 24
        ends = {runner.run(program, inputs).outcome for inputs in no_objects}
        huge = runner.run(program, large).outcome
    assert ends == {Outcome.OUT_OF_MEMORY}
    assert huge is (Outcome.OUT_OF_MEMORY if model is DataModel.ILP32 else Outcome.SIGNALLED)


@pytest.mark.parametrize("model", MODELS)
def test_a_length_may_be_what_a_pointer_leads_to(model: DataModel, tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(POINTED_TO)
    program = compile_instrumented(load(tmp_path / "p.c", data_model=model), tmp_path)
    with Runner() as runner:
        assert runner.run(program, ["4"]).exit_code == 4 + 3 * 3 + 8 + 4
