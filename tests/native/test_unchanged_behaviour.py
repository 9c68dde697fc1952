"""An instrumented program does what it does without probes: same inputs, output and end, for the examples."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from gia.cfa.types import DataModel
from gia.frontend import load
from gia.native import Limits, Outcome, Runner, Tracing, compile_instrumented
from tests.shared import SHARED, needs_shared

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.c"))[:4]


def check(path: Path, folder: Path, atomic: bool) -> None:
    loaded = load(path, data_model=DataModel.ILP32, atomic=atomic)
    everything = range(len(loaded.program.edge_list))
    plain = replace(loaded, source=replace(loaded.source, probes=()))
    (folder / "plain").mkdir()
    observed = compile_instrumented(loaded, folder, watch=everything)
    unobserved = compile_instrumented(plain, folder / "plain")
    with Runner() as runner:
        for seed in range(10):
            tracing = Tracing.COMPARISONS if seed % 2 else Tracing.SEGMENTS
            runs = [runner.run(p, seed=seed, limits=Limits(wall=0.2), tracing=tracing) for p in (observed, unobserved)]
            if all(run.outcome is not Outcome.TIMEOUT for run in runs):
                first, second = ((run.outcome, run.exit_code, run.signal, run.inputs, run.output) for run in runs)
                assert first == second


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples(path: Path, tmp_path: Path) -> None:
    check(path, tmp_path, atomic=True)


@needs_shared
@pytest.mark.parametrize("name", ["locks/test_locks_5.c", "ssh-simplified/s3_clnt_1_true.cil.c"])
def test_benchmarks(name: str, tmp_path: Path) -> None:
    path = SHARED / "benchmarks" / name
    if not path.is_file():
        pytest.skip("another selection of benchmarks")
    check(path, tmp_path, atomic=False)


ROUNDING = """\
#include <fenv.h>
extern float __VERIFIER_nondet_float(void);
int main(void) {
  float one = __VERIFIER_nondet_float(), little = __VERIFIER_nondet_float();
  fesetround(FE_UPWARD);
  float up = one + little;
  fesetround(FE_DOWNWARD);
  float down = one + little;
  return up > down;
}
"""


def test_a_sum_is_computed_again_where_rounding_has_changed(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(ROUNDING)
    program = compile_instrumented(load(tmp_path / "p.c", data_model=DataModel.LP64), tmp_path)
    with Runner() as runner:
        assert runner.run(program, ["1.0", "0x1p-30"]).exit_code == 1


OWN_DEFINITIONS = """\
long long llabs(long long x) { return x + 3; }
double floor(double x) { return 8.0; }
int main(void) { return llabs(-1) + floor(1.5) + __builtin_labs(-20); }
"""


def test_what_the_program_defines_is_called_also_if_the_compiler_knows_it(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(OWN_DEFINITIONS)
    program = compile_instrumented(load(tmp_path / "p.c", data_model=DataModel.LP64), tmp_path)
    with Runner() as runner:
        assert runner.run(program).exit_code == 30


ASSEMBLY = """\
extern int __VERIFIER_nondet_int(void);
int main(void) {
  long x = __VERIFIER_nondet_int();
  int unset;
  if (OPTIMISED ? x == 1000 : unset == 1000) x = 1;
  switch (sizeof(x)) {
  case 1: __asm__ ("movb %1, %0" : "=q" (x) : "q" (x)); return 1;
  case 4: __asm__ ("movl %1, %0" : "=r" (x) : "r" (x)); return 2;
  case 8: __asm__ ("movq %1, %0" : "=r" (x) : "r" (x)); break;
  default: return 3;
  }
  if (sizeof(x) == 4) __asm__ ("movl %1, %0" : "=r" (x) : "r" (x));
  return x;
}
"""


@pytest.mark.parametrize("optimised", [0, 1])
def test_assembly_for_operands_of_another_size_is_left_out(tmp_path: Path, optimised: int) -> None:
    """As the kernel of Linux accesses what may have any size: compilers leave out what a constant does not select."""
    (tmp_path / "p.c").write_text(ASSEMBLY.replace("OPTIMISED", str(optimised)))
    loaded = load(tmp_path / "p.c", data_model=DataModel.LP64)
    with Runner() as runner:
        execution = runner.run(compile_instrumented(loaded, tmp_path), ["20"])
    assert execution.exit_code == 20
    taken = [loaded.program.edge_list[edge].reference.branch for edge in sorted(execution.covered_edges)]
    assert taken[-2:] == ["case 8", "else"]
