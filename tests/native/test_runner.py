"""Inputs, outcomes and what is recorded of a run."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gia.cfa.operations import Call
from gia.cfa.types import DOUBLE, INT, DataModel
from gia.errors import InputError, ToolError
from gia.frontend import load
from gia.native import (
    BranchEvent,
    InputEvent,
    InputValue,
    InstrumentedProgram,
    Limits,
    Missing,
    Outcome,
    ResultEvent,
    Runner,
    Tracing,
    Uninitialised,
    compile_instrumented,
)
from tests.native.handmade import handmade

MANY_THINGS = r"""
struct big { char bytes[16]; };
int deep(int n) { volatile char space[1000]; space[0] = n; return n ? deep(n - 1) + space[0] : 0; }
int table[4];
int main(void)
{
    int what = __VERIFIER_nondet_int(), n = 0;
    switch (/*s 1|2|3|4|5*/ what /*.*/) {
    case 1: abort();
    case 2: exit(3);
    case 3: *(volatile int *)8 = 1;
    case 4: __VERIFIER_assume(what == 5); return 9;
    case 5: for (;;) { n++; if (/*?*/ n == 1000000 /*.*/) break; } return 5;
    case 6: /*c*/ reach_error() /*.*/; return 0;
    case 7: return malloc(1UL << 30) == 0;
    case 8: for (;;) ;
    case 9: return deep(50000) & 1;
    case 10: return table[what];
    case 11: for (n = 0; n < 20; n++) printf("%d ", __VERIFIER_nondet_int()); return n;
    case 13: for (n = 0; n < 1000; n++) if (/*?*/ __VERIFIER_nondet_bool() /*.*/) n++; return 0;
    }
    return what;
}
"""


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as runner:
        yield runner


@pytest.fixture(scope="module", params=list(DataModel))
def many(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> InstrumentedProgram:
    return compile_instrumented(handmade(MANY_THINGS, request.param), tmp_path_factory.mktemp("many"))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> InstrumentedProgram:
    text = r"""
    int main(void)
    {
        int i = __VERIFIER_nondet_int(); unsigned char c = __VERIFIER_nondet_uchar();
        short s = __VERIFIER_nondet_short();
        _Bool b = __VERIFIER_nondet_bool(); float f = __VERIFIER_nondet_float(); double d = __VERIFIER_nondet_double();
        long double l = __VERIFIER_nondet_longdouble(); void *p = __VERIFIER_nondet_pointer();
        long long w = __VERIFIER_nondet_longlong();
        printf("%d %d %d %d %a %a %La %p %lld", i, c, s, b, f, d, l, p, w);
        return 0;
    }
    """
    return compile_instrumented(handmade(text, DataModel.ILP32), tmp_path_factory.mktemp("typed"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        (0, (Outcome.EXITED, 0, None)),
        (1, (Outcome.SIGNALLED, None, 6)),
        (2, (Outcome.EXITED, 3, None)),
        (3, (Outcome.SIGNALLED, None, 11)),
        (4, (Outcome.ASSUMPTION_FAILED, 0, None)),
        (5, (Outcome.EXITED, 5, None)),
        (6, (Outcome.ERROR_CALLED, 0, None)),
        (7, (Outcome.OUT_OF_MEMORY, 0, None)),
        (8, (Outcome.TIMEOUT, None, 9)),
        (9, (Outcome.SIGNALLED, None, 11)),
        (10, (Outcome.SIGNALLED, None, 4)),
        (11, (Outcome.OUT_OF_INPUTS, 0, None)),
    ],
)
def test_every_way_to_end(runner: Runner, many: InstrumentedProgram, what: int, expected: object) -> None:
    limits = Limits(wall=0.5, memory=1 << 29, stack=1 << 20)
    execution = runner.run(many, [str(what)], limits=limits)
    assert (execution.outcome, execution.exit_code, execution.signal) == expected
    assert execution.inputs == (InputValue("__VERIFIER_nondet_int", INT, what),)
    assert (what - 1 if 1 <= what <= 5 else 5) in execution.covered_edges
    assert execution.confined_calls and execution.wall < 2


def test_literals_take_the_type_that_reads_them(runner: Runner, typed: InstrumentedProgram) -> None:
    execution = runner.run(typed, ["-1", "'A'", "40000", "2", "0.1", "0.1", "0.1", "4096", "0x7fffffffffffffff"])
    assert execution.output.decode() == (
        "-1 65 -25536 1 0x1.99999ap-4 0x1.999999999999ap-4 0xc.ccccccccccccccdp-7 0x1000 9223372036854775807"
    )
    assert [value.literal for value in execution.inputs[:4]] == ["-1", "65", "-25536", "1"]


def test_a_run_is_repeated_from_its_inputs_and_from_their_literals(runner: Runner, typed: InstrumentedProgram) -> None:
    for seed in range(60):
        first = runner.run(typed, seed=seed, dictionary=[77, 2.5, float("nan"), -(2**63), 2**2000])
        assert first.outcome is Outcome.EXITED and len(first.inputs) == 9
        assert runner.run(typed, first.inputs).output == first.output
        again = runner.run(typed, [value.literal for value in first.inputs])
        assert (again.output, again.inputs) == (first.output, first.inputs)


def test_a_seed_decides_everything_and_seeds_differ(runner: Runner, typed: InstrumentedProgram) -> None:
    outputs = [runner.run(typed, seed=seed).output for seed in range(20)]
    assert outputs == [runner.run(typed, seed=seed).output for seed in range(20)]
    assert len(set(outputs)) == 20


def test_the_dictionary_is_used(runner: Runner, typed: InstrumentedProgram) -> None:
    values = {runner.run(typed, seed=seed, dictionary=[123456]).inputs[0].bits for seed in range(200)}
    assert {123455, 123456, 123457} & values


def test_missing_inputs(runner: Runner, many: InstrumentedProgram) -> None:
    stopped = runner.run(many, ["11", "1", "2"])
    assert (stopped.outcome, len(stopped.inputs)) == (Outcome.OUT_OF_INPUTS, 3)
    zero = runner.run(many, ["11", "1", "2"], missing=Missing.ZERO)
    assert (zero.outcome, zero.exit_code) == (Outcome.EXITED, 20)
    assert [value.bits for value in zero.inputs] == [11, 1, 2, *[0] * 18]
    limited = runner.run(many, ["11"], seed=1, limits=Limits(inputs=7))
    assert (limited.outcome, len(limited.inputs)) == (Outcome.INPUT_LIMIT, 7)


def test_what_is_traced(runner: Runner, many: InstrumentedProgram) -> None:
    full = runner.run(many, ["5"], tracing=Tracing.FULL, limits=Limits(events=100))
    assert full.truncated and len(full.events) == 100
    assert full.covered_edges == {4, 6, 7}  # also what happened later
    segments = runner.run(many, ["5"])
    assert not segments.truncated
    assert segments.events == (
        InputEvent(None, segments.inputs[0]),
        BranchEvent(0, 4, 4),
        BranchEvent(1, 0, 7),
        BranchEvent(1, 1, 6),
    )
    nothing = runner.run(many, ["5"], tracing=Tracing.NONE)
    assert nothing.events == () and nothing.covered_edges == full.covered_edges


def test_segments_hold_each_outcome_once(runner: Runner, many: InstrumentedProgram) -> None:
    full = runner.run(many, ["13"], seed=3, tracing=Tracing.FULL)
    short = runner.run(many, full.inputs)
    assert full.inputs == short.inputs

    def segments(events: Any) -> list[list[int]]:
        found: list[list[int]] = [[]]
        for event in events:
            if isinstance(event, InputEvent):
                found.append([])
            elif event.edge not in found[-1]:
                found[-1].append(event.edge)
        return found

    assert segments(full.events) == segments(short.events)


@pytest.mark.parametrize("model", list(DataModel))
def test_what_the_library_gave_is_traced_where_it_is_used(runner: Runner, tmp_path: Path, model: DataModel) -> None:
    text = """extern double sqrt(double); extern float fabsf(float); extern int abs(int), puts(const char *);
      extern long long llabs(long long); extern char *strchr(const char *, int);
      extern unsigned long strlen(const char *);
      static int own(void) { return 1; }
      int main(void) {
        double d = sqrt(abs(-49)); puts("not used"); int n = own();
        long long wide = llabs(-81985529216486896LL); float f = fabsf(-1.5f);
        return d == 7 && f > 1 && wide > 0 && strchr("abc", 'x') == 0 && strlen("four") == 4 && n ? 42 : 0; }"""
    file = tmp_path / "p.c"
    file.write_text(text)
    loaded = load(file, data_model=model)
    program = compile_instrumented(loaded, tmp_path)
    execution = runner.run(program, tracing=Tracing.FULL)
    assert execution.exit_code == 42
    given = {}
    for event in execution.events:
        if isinstance(event, ResultEvent):
            operation = loaded.program.edge_list[event.edge].operation
            assert isinstance(operation, Call)
            given[operation.function] = event.bits
    wanted = {"abs": 49, "sqrt": bits_of("d", 7.0), "llabs": 81985529216486896, "strlen": 4}
    assert given == wanted | {"fabsf": bits_of("f", 1.5), "strchr": 0}
    assert not [e for e in runner.run(program).events if isinstance(e, ResultEvent)]
    cut = runner.run(program, tracing=Tracing.FULL, limits=Limits(events=5))  # in the middle of the second one
    assert cut.truncated and [e.bits for e in cut.events if isinstance(e, ResultEvent)] == [49]


def test_calls_that_return_twice_or_are_not_declared_work_as_before(runner: Runner, tmp_path: Path) -> None:
    text = """#include <setjmp.h>
      #include <math.h>
      static jmp_buf place; static int tries;
      int main(void) {
        int r = setjmp(place); tries++;
        if (r < 3) longjmp(place, r + 1);
        long double wide = sqrtl(49.0L); int n = strlen("abc"); int m = toupper('a');
        return tries == 4 && r == 3 && wide == 7 && n == 3 && m == 'A' ? 42 : 0; }"""
    (tmp_path / "p.c").write_text(text)
    program = compile_instrumented(load(tmp_path / "p.c", data_model=DataModel.LP64), tmp_path)
    assert runner.run(program, tracing=Tracing.FULL).exit_code == 42


def bits_of(format_: str, value: float) -> int:
    return int.from_bytes(struct.pack(f"<{format_}", value), "little")


def test_statements_are_observed_when_asked_for(runner: Runner, tmp_path: Path) -> None:
    text = """
    int main(void) { int x = 0; /*!*/ x = 1; /*.*/ /*!*/ { x++; } /*.*/ if (x > 5) { /*!*/ x = 2; /*.*/ } return x; }
    """
    program = compile_instrumented(handmade(text), tmp_path, watch={0, 2})  # type: ignore[arg-type]
    assert program.observed == {0, 2}
    execution = runner.run(program)
    assert (execution.exit_code, execution.covered_edges, execution.observed) == (2, {0}, {0, 2})


def test_undefined_functions_are_inputs_of_their_type(runner: Runner, tmp_path: Path) -> None:
    text = "extern double sensor(int channel, ...); int main(void) { return sensor(1, 2.0) > 1.0 ? 7 : 8; }"
    program = compile_instrumented(handmade(text, inputs={"sensor": DOUBLE}), tmp_path)  # type: ignore[arg-type]
    assert runner.run(program, ["1.5"]).exit_code == 7


@pytest.mark.parametrize(("uninitialised", "code"), [(Uninitialised.ZERO, 0), (Uninitialised.PATTERN, 1)])
def test_what_is_not_initialised_is_known(
    runner: Runner, tmp_path: Path, uninitialised: Uninitialised, code: int
) -> None:
    text = r"""
    int dirty(int x) { volatile int space[64]; for (int i = 0; i < 64; i++) space[i] = x; return space[x]; }
    int read(void) { int space[64]; return space[__VERIFIER_nondet_int()] != 0; }
    int main(void) { dirty(7); int *p = malloc(40); return read() + 2 * (p[__VERIFIER_nondet_int()] != 0); }
    """
    program = compile_instrumented(handmade(text), tmp_path, uninitialised=uninitialised)  # type: ignore[arg-type]
    assert runner.run(program, ["5", "6"]).exit_code == code


def test_a_program_may_define_functions_of_any_name(runner: Runner, tmp_path: Path) -> None:
    text = r"""
    int read(int a, char *b, int c) { return 5; } int write(int a) { return 6; } void *memcpy(int a) { return 0; }
    int syscall(void) { return 1; } int fork(void) { return 2; } int random_bits(int x) { return x; }
    void reach_error(void) { exit(__VERIFIER_nondet_int()); } void __VERIFIER_assume(int x) { }
    int main(void) { __VERIFIER_assume(0); reach_error(); return 0; }
    """
    program = compile_instrumented(handmade(text), tmp_path)  # type: ignore[arg-type]
    assert runner.run(program, ["44"]).exit_code == 44


def test_wide_integers(runner: Runner, tmp_path: Path) -> None:
    text = (
        "extern __int128 __VERIFIER_nondet_int128(void); int main(void) { return __VERIFIER_nondet_int128() >> 100; }"
    )
    program = compile_instrumented(handmade(text), tmp_path)  # type: ignore[arg-type]
    assert runner.run(program, [str(42 << 100)]).exit_code == 42


def test_the_working_directory_is_fresh(runner: Runner, tmp_path: Path) -> None:
    text = r"""
    extern void *fopen(const char *, const char *); extern int mkdir(const char *, int); extern int chdir(const char *);
    extern int umask(int);
    int main(void)
    {
        if (fopen("file", "r")) return 1;
        umask(0777); mkdir("closed", 0777);
        return fopen("file", "w") ? 0 : 2;
    }
    """
    program = compile_instrumented(handmade(text), tmp_path)  # type: ignore[arg-type]
    assert [runner.run(program).exit_code for _ in range(3)] == [0, 0, 0]


def test_what_is_no_literal(runner: Runner, many: InstrumentedProgram) -> None:
    with pytest.raises(InputError, match="literal"):
        runner.run(many, ["one"])


def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    binary = tmp_path / "program"
    binary.write_text("no program")
    binary.chmod(0o755)
    program = InstrumentedProgram(binary, handmade("").program, (), (), ())
    with Runner() as runner, pytest.raises(ToolError):
        runner.run(program)


def test_a_closed_runner_can_be_used_again(many: InstrumentedProgram) -> None:
    runner = Runner()
    assert runner.run(many, ["0"]).exit_code == 0
    runner.close()
    assert runner.run(many, ["0"]).exit_code == 0
    runner.close()
