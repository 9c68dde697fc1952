"""What fuzzers are given: marks stand where the goals are, and bytes mean the same to a harness and to gia."""

import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gia.exchange.suites.testcase import TestCase
from gia.native import InstrumentedProgram, Runner, compile_instrumented
from gia.native.stubs import input_functions
from gia.orchestrator.facts.task import Task
from gia.tools.harness import HarnessKind, type_name, write_harness
from gia.tools.input_bytes import ByteReader, encode
from gia.tools.marking import Mark, MarkedProgram
from tests.tools.support import EXAMPLES, build, marked, reached, task_of

MIXED = """\
#include <stdlib.h>
extern void abort(void);
extern char __VERIFIER_nondet_char(void);
extern short __VERIFIER_nondet_short(void);
extern long __VERIFIER_nondet_long(void);
extern double __VERIFIER_nondet_double(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_nondet_memory(void *start, unsigned long size);
static int calls;
static int next(void) { calls++; return calls > 3 ? 1 : 0; }
int main(void) {
  char kind = __VERIFIER_nondet_char();
  long sum = 0;
  while (__VERIFIER_nondet_bool()) {
    if (kind < 0) sum += __VERIFIER_nondet_short();
    else if (kind < 64) sum -= __VERIFIER_nondet_long();
    else if (__VERIFIER_nondet_double() < 0.5) abort();
    if (next() || rand() < 1000000000) break;
    kind = (char)(kind * 5 + 1);
  }
  unsigned char bytes[3] = {0};
  __VERIFIER_nondet_memory(bytes, 3);
  if (bytes[0] > bytes[1] && bytes[1] > bytes[2]) return 1;
  switch (sum & 3) { case 0: return 2; case 1: return 3; default: return sum > 100; }
}
"""


@dataclass(frozen=True)
class Built:
    """One program as a fuzzer runs it and as gia does."""

    def __repr__(self) -> str:
        return "Built()"

    task: Task
    binary: Path
    text: MarkedProgram
    instrumented: InstrumentedProgram
    runner: Runner


@pytest.fixture(scope="module")
def built() -> Iterator[Built]:
    with tempfile.TemporaryDirectory() as scratch, Runner() as runner:
        folder = Path(scratch)
        (folder / "mixed.c").write_text(MIXED)
        task = task_of(folder / "mixed.c")
        (folder / "native").mkdir()
        goals = frozenset(number for goal in task.goals for number in goal.edges)
        instrumented = compile_instrumented(task.loaded, folder / "native", watch=goals)
        binary, text = build(task, folder)
        yield Built(task, binary, text, instrumented, runner)


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=60))
def test_bytes_mean_the_same_to_the_harness_and_to_gia(built: Built, data: bytes) -> None:
    """The marks that a run of the harness passes are the goals that gia's own run of the same bytes reaches."""
    execution = ByteReader(built.runner, built.instrumented).read(data)
    covered = {goal.id for goal in built.task.goals if goal.edges & execution.covered_edges}
    assert covered == reached(built.binary, built.text, data)


@settings(max_examples=30, deadline=None)
@given(data=st.binary(max_size=60))
def test_inputs_become_the_bytes_that_they_were_read_from(built: Built, data: bytes) -> None:
    execution = ByteReader(built.runner, built.instrumented).read(data)
    types = {type_name(f.type.result): f.type.result for f in input_functions(built.task.program)}
    encoded = encode(TestCase.of(execution.inputs).inputs, types)
    again = ByteReader(built.runner, built.instrumented).read(encoded)
    assert again.inputs == execution.inputs


def test_a_reader_learns_the_types_of_the_inputs(built: Built) -> None:
    reader = ByteReader(built.runner, built.instrumented)
    data = b"\xff\x01" + (1000).to_bytes(2, "little") + b"\xff\xff\xff\xff\x00\x05\x04\x03"
    inputs = reader.read(data).inputs
    assert [value.literal for value in inputs] == ["-1", "1", "1000", "2147483647", "0", "5", "4", "3"]


@pytest.mark.parametrize("mark", Mark)
def test_every_goal_has_its_mark(mark: Mark) -> None:
    task = task_of(EXAMPLES / "turnstile.c")
    text = marked(task, mark)
    assert text.goals == tuple(goal.id for goal in task.goals)
    sign = {Mark.REACH_ERROR: r"reach_error\(\);", Mark.ACSL_CHECK: r"check gia_goal_(\d+): \\false"}
    sign[Mark.ESBMC_ASSERT] = r'__ESBMC_assert\(0, "gia_goal_(\d+)"\);'
    sign[Mark.STATEMENT] = r"gia_goal_reached = (\d+);"
    found = re.findall(sign.get(mark, r"gia_goal_(\d+)\b"), text.text)
    assert len(found) >= len(task.goals)  # a reducer may have made copies of edges
    if mark is not Mark.REACH_ERROR:
        assert {int(number) for number in found} == set(range(len(task.goals)))


def test_the_error_function_of_a_program_is_not_taken_for_a_goal(tmp_path: Path) -> None:
    program = "void reach_error(void) {}\nextern int __VERIFIER_nondet_int(void);\n"
    program += "int main(void) { if (__VERIFIER_nondet_int()) reach_error(); return 0; }\n"
    (tmp_path / "p.c").write_text(program)
    text = marked(task_of(tmp_path / "p.c"), Mark.REACH_ERROR).text
    assert "gia_own_reach_error();" in text
    assert text.count("reach_error();") == 3  # two marks, and the program's own under another name


@pytest.mark.parametrize("kind", HarnessKind)
def test_every_harness_defines_every_input(built: Built, kind: HarnessKind, tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(built.text.text)
    harness = write_harness(kind, built.task.program, tmp_path / "program.c", tmp_path)
    text = "".join(source.read_text() for source in harness.sources)
    names = [function.name for function in input_functions(built.task.program)]
    for name in names if kind is not HarnessKind.FRAMA_C else ["__VERIFIER_nondet_bool"]:
        assert name in text


@pytest.mark.parametrize("kind", HarnessKind)
def test_where_the_models_end_a_path_ends_and_not_the_tool(kind: HarnessKind, tmp_path: Path) -> None:
    """But a tool that proves goes on there."""
    (tmp_path / "p.c").write_text("int main(int count, char **values) { return count > 2 && values[2][0] == 'x'; }")
    task = task_of(tmp_path / "p.c")
    (tmp_path / "program.c").write_text(marked(task, Mark.STATEMENT).text)
    harness = write_harness(kind, task.program, tmp_path / "program.c", tmp_path)
    main = harness.main.read_text() + "".join(source.read_text() for source in harness.sources)
    told = re.search(
        r"#define error_at_line gia_end_|\nvoid error_at_line\(int argument_0,.*(exit|klee_silent_exit)\(0\)", main
    )
    assert bool(told) == (kind not in (HarnessKind.CBMC, HarnessKind.FRAMA_C))
    if kind is not HarnessKind.CREST:  # its header is its own
        for source in harness.sources:
            subprocess.run(["gcc", "-w", "-fsyntax-only", source], check=True)
    if kind is HarnessKind.STDIN:
        subprocess.run(["gcc", "-w", "-o", tmp_path / "p", *harness.sources], check=True)
        assert subprocess.run([tmp_path / "p"], input=bytes(4), check=False).returncode == 0
