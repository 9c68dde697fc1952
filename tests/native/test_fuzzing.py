"""The fuzzer's loop in the server: it finds what is easy, depends on its seed only, and survives what programs do."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gia.cfa.types import INT, DataModel
from gia.native import (
    BatchEnd,
    FuzzBatch,
    FuzzRequest,
    InputValue,
    InstrumentedProgram,
    Limits,
    Outcome,
    Runner,
    Tracing,
    compile_instrumented,
    server,
)
from tests.native.handmade import handmade

LIMITS = Limits(wall=0.5, inputs=200, events=20_000)

STEPS = r"""
int main(void)
{
    int state = 0, n; double d;
    for (n = 0; /*?*/ n < 3 /*.*/; n++) {
        unsigned char c = __VERIFIER_nondet_uchar();
        if (/*?*/ c == 'a' + state /*.*/) state++;
        else if (/*?*/ c == 200 /*.*/) abort();
        else if (/*?*/ c == 220 /*.*/) while (/*?*/ n >= 0 /*.*/) n |= 1;
    }
    if (/*?*/ state == 3 /*.*/) return 1;
    d = __VERIFIER_nondet_double();
    if (/*?*/ d > 1e6 /*.*/) return 2;
    return 0;
}
"""


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as runner:
        yield runner


@pytest.fixture(scope="module", params=list(DataModel))
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> InstrumentedProgram:
    return compile_instrumented(handmade(STEPS, request.param), tmp_path_factory.mktemp("steps"))  # type: ignore[arg-type]


def fuzz(runner: Runner, program: InstrumentedProgram, executions: int, **options) -> FuzzBatch:
    limits = options.pop("limits", Limits(wall=0.1, inputs=200, events=20_000))
    return runner.fuzz(program, FuzzRequest(executions, 60.0, limits, **options))


def reached(runner: Runner, program: InstrumentedProgram, batches: list[FuzzBatch]) -> set[int]:
    """The edges that the inputs found reach when they are executed."""
    return {
        edge
        for batch in batches
        for inputs in batch.reaching
        for edge in runner.run(program, inputs, limits=LIMITS, tracing=Tracing.COUNTS).covered_edges
    }


def test_it_climbs_step_by_step_past_crashes_and_endless_loops(runner: Runner, program: InstrumentedProgram) -> None:
    batches = [fuzz(runner, program, 500, fresh=number == 0) for number in range(6)]
    assert all(batch.executions == 500 and batch.end is BatchEnd.EXECUTIONS for batch in batches)
    assert batches[-1].corpus > len(batches[0].reaching) > 0
    assert reached(runner, program, batches) >= {*range(8), 10, 11, 12, 13}


def test_it_depends_on_its_seed_only(runner: Runner, program: InstrumentedProgram) -> None:
    first = [fuzz(runner, program, 400, seed=3, fresh=fresh) for fresh in (True, False)]
    again = [fuzz(runner, program, 400, seed=3, fresh=fresh) for fresh in (True, False)]
    other = fuzz(runner, program, 400, seed=4)
    assert first == again
    assert other != first[0]


def test_seeds_come_first_and_are_repeated_exactly(runner: Runner, program: InstrumentedProgram) -> None:
    word = tuple(InputValue("__VERIFIER_nondet_uchar", INT, ord(letter)) for letter in "abcdef")
    batch = fuzz(runner, program, 1, seeds=[word, word[:2]])
    assert batch.executions == 2
    assert [value.bits for value in batch.reaching[0]] == list(b"abc")


def test_values_stay_with_the_functions_that_read_them(runner: Runner, tmp_path: Path) -> None:
    text = r"""
    int main(void)
    {
        unsigned char c = __VERIFIER_nondet_uchar();
        int x = __VERIFIER_nondet_int();
        return /*?*/ c != 17 && x == 123456789 /*.*/;
    }
    """
    program = compile_instrumented(handmade(text), tmp_path)  # type: ignore[arg-type]
    numbers = (InputValue("__VERIFIER_nondet_int", INT, 123456789), InputValue("__VERIFIER_nondet_int", INT, 5))
    batch = fuzz(runner, program, 1, seeds=[numbers])
    assert [value.bits for value in batch.reaching[0]][1:] == [123456789]
    assert reached(runner, program, [batch]) == {0}


@pytest.mark.parametrize("repeats", [True, False])
def test_runs_may_write_as_much_as_one_alone_may(
    repeats: bool, runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "is_repeatable", lambda _: repeats)
    text = """
    extern int putchar(int), fflush(void *);
    int main(void)
    {
        for (int n = 0; n < 50000; n++) putchar('x');
        fflush(0);
        return /*?*/ __VERIFIER_nondet_int() == 7 /*.*/;
    }
    """
    program = compile_instrumented(handmade(text), tmp_path)  # type: ignore[arg-type]
    one, seven = ((InputValue("__VERIFIER_nondet_int", INT, number),) for number in (1, 7))
    assert len(fuzz(runner, program, 1, seeds=[*[one] * 60, seven]).reaching) == 2


def test_what_is_wanted_still_is_told_again(runner: Runner, tmp_path: Path) -> None:
    text = "int main(void) { return /*?*/ __VERIFIER_nondet_int() > 3 /*.*/; }"
    program = compile_instrumented(handmade(text), tmp_path)  # type: ignore[arg-type]
    assert reached(runner, program, [fuzz(runner, program, 100)]) == {0, 1}
    assert fuzz(runner, program, 100, fresh=False).reaching == ()
    again = fuzz(runner, program, 100, fresh=False, wanted=(0,))
    assert len(again.reaching) == 1
    assert reached(runner, program, [again]) == {0}
    assert fuzz(runner, program, 100, fresh=False).corpus == again.corpus


CLIMB = r"""
int main(void)
{
    static const signed char step[8] = {-3, -2, -9, -4, 1, -9, -1, -2};
    int level = 0; int n;
    for (n = 0; /*?*/ n < 20 /*.*/; n++) {
        level += step[(__VERIFIER_nondet_uchar() + 5 * n) % 8];
        level = level * (1 - ((unsigned)level >> 31));
        if (/*?*/ level == 8 /*.*/) return 1;
    }
    return 0;
}
"""
"""Eight inputs in a row have to be the right ones, and no condition tells how many are."""


def test_what_comes_nearer_to_an_open_outcome_is_kept(runner: Runner, tmp_path: Path) -> None:
    program = compile_instrumented(handmade(CLIMB), tmp_path)  # type: ignore[arg-type]
    for seed in range(2):
        batches = [fuzz(runner, program, 500, seed=seed, fresh=number == 0) for number in range(12)]
        assert reached(runner, program, batches) == {0, 1, 2, 3}


def test_floating_sides_come_nearer_as_well(runner: Runner, tmp_path: Path) -> None:
    text = CLIMB.replace("int level", "double level").replace("level == 8", "level / 4 > 1.9")
    text = text.replace("((unsigned)level >> 31)", "!!__builtin_signbit(level)")
    program = compile_instrumented(handmade(text), tmp_path)  # type: ignore[arg-type]
    batches = [fuzz(runner, program, 500, fresh=number == 0) for number in range(12)]
    assert reached(runner, program, batches) == {0, 1, 2, 3}


def test_an_execution_ends_after_so_many_outcomes(runner: Runner, program: InstrumentedProgram) -> None:
    execution = runner.run(program, ["220"], limits=Limits(wall=5.0, events=1000), tracing=Tracing.COUNTS)
    assert execution.outcome is Outcome.TIMEOUT
    assert execution.wall < 4.0


def test_files_and_scribbling_end_a_batch_but_not_the_server(
    runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "is_repeatable", lambda _: False)  # which a program made by hand does not say
    text = r"""
    extern void *fopen(const char *, const char *); extern int fputs(const char *, void *);
    extern int mkdir(const char *, int); extern int chdir(const char *);
    int main(void)
    {
        int x = __VERIFIER_nondet_int();
        if (/*?*/ x == 7 /*.*/) fputs("x", fopen("left", "w"));
        if (/*?*/ x == 8 /*.*/) mkdir("folder", 0);
        if (/*?*/ x == 9 /*.*/) for (int n = 0; n < 10; n++) { mkdir("folder", 0700); chdir("folder"); }
        return x;
    }
    """
    program = compile_instrumented(handmade(text), tmp_path)  # type: ignore[arg-type]
    seven, eight, nine = ((InputValue("__VERIFIER_nondet_int", INT, bits),) for bits in (7, 8, 9))
    batch = fuzz(runner, program, 100, seeds=[seven, eight, seven, nine, seven])
    assert (batch.executions, batch.end) == (4, BatchEnd.FILES)
    more = fuzz(runner, program, 1000, fresh=False)
    assert more.executions >= 1
    assert runner.run(program, ["7"]).exit_code == 7


def test_a_batch_ends_in_time(runner: Runner, program: InstrumentedProgram) -> None:
    batch = runner.fuzz(program, FuzzRequest(10**9, 0.2, Limits(wall=0.1, inputs=10, events=1000)))
    assert batch.end is BatchEnd.TIME
    assert batch.executions < 10**5


def test_a_program_without_inputs_has_no_corpus(runner: Runner, tmp_path: Path) -> None:
    program = compile_instrumented(handmade("int main(void) { return /*?*/ 1 > 2 /*.*/; }"), tmp_path)  # type: ignore[arg-type]
    batch = fuzz(runner, program, 20)
    assert batch.corpus == 0
    assert batch.reaching == ((),)
