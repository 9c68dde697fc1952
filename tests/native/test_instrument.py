"""Probes report what happens, and change nothing else."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gia.cfa.types import INT, DataModel
from gia.errors import InputError, InternalError
from gia.frontend.probes import ConditionProbe, InstrumentableSource
from gia.native import BranchEvent, Execution, InstrumentedProgram, Outcome, Runner, Tracing, compile_instrumented
from gia.native.instrument import PRELUDE, instrument
from tests.native.handmade import handmade

MODELS = list(DataModel)


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as runner:
        yield runner


def build(
    text: str, path: Path, model: DataModel = DataModel.LP64, watch: frozenset[int] = frozenset(), **options: Any
) -> InstrumentedProgram:
    return compile_instrumented(handmade(text, model, **options), path, watch=watch)  # type: ignore[arg-type]


def taken(execution: Execution) -> list[int]:
    """The edges of the branch events in order."""
    return [event.edge for event in execution.events if isinstance(event, BranchEvent)]


@pytest.mark.parametrize("model", MODELS)
def test_conditions_of_every_scalar_type(runner: Runner, tmp_path: Path, model: DataModel) -> None:
    program = build(
        r"""
        struct { unsigned bit : 3; } s;
        int main(void)
        {
            double d = __VERIFIER_nondet_double(); float f = 0.0f; char *p = "", *q = 0;
            long long wide = 1LL << 40; int i = 0; s.bit = 4;
            if (/*?*/ d /*.*/) i++;
            if (/*?*/ f /*.*/) i++;
            if (/*?*/ p /*.*/) i++;
            if (/*?*/ q /*.*/) i++;
            if (/*?*/ wide /*.*/) i++;
            if (/*?*/ s.bit /*.*/) i++;
            while (/*?*/ i-- > 3 /*.*/) ;
            for (;/*?*//*.*/;) { if (/*?*/ i, i < 5 /*.*/) i++; else break; }
            do ; while (/*?*/ i = 0 /*.*/);
            return /*?*/ p /*.*/ ? i + 7 : 0;
        }
        """,
        tmp_path,
        model,
    )
    execution = runner.run(program, ["0.5"], tracing=Tracing.FULL)
    assert execution.exit_code == 7
    loop = [14, 16] * 3 + [14, 17]
    assert taken(execution) == [0, 3, 4, 7, 8, 10, 12, 13, *loop, 19, 20]
    assert execution.covered_edges == frozenset(taken(execution))


@pytest.mark.parametrize("model", MODELS)
def test_switches_of_every_integer_type(runner: Runner, tmp_path: Path, model: DataModel) -> None:
    program = build(
        r"""
        enum colour { RED, GREEN = 5 };
        struct { unsigned bit : 3; } s;
        int calls;
        int next(void) { return ++calls; }
        int main(void)
        {
            int n = 0;
            switch (/*s 0x100000000LL|1 ... 5*/ __VERIFIER_nondet_longlong() /*.*/) {
            case 0x100000000LL: n += 1; break; case 1 ... 5: n += 2; }
            switch (/*s RED|GREEN*/ (enum colour) __VERIFIER_nondet_int() /*.*/) {
            case RED: n += 4; break; case GREEN: n += 8; }
            s.bit = 5;
            switch (/*s 5*/ s.bit /*.*/) { case 5: n += 16; break; default: n += 32; }
            switch (/*s 'a'*/ __VERIFIER_nondet_char() /*.*/) { case 'a': n += 64; }
            switch (/*s 1|2*/ next() /*.*/) { case 1: case 2: n++; }
            return n + calls;
        }
        """,
        tmp_path,
        model,
    )
    first = runner.run(program, ["4294967296", "5", "'a'"])
    assert (first.exit_code, taken(first)) == (1 + 8 + 16 + 64 + 1 + 1, [0, 4, 6, 8, 10])
    second = runner.run(program, ["3", "7", "'b'"])
    assert (second.exit_code, taken(second)) == (2 + 16 + 1 + 1, [1, 5, 6, 9, 10])


def test_nested_probes(runner: Runner, tmp_path: Path) -> None:
    program = build(
        r"""
        int f(int x) { return x; }
        int main(void)
        {
            int x = /*c*/ __VERIFIER_nondet_int() /*.*/, n = 0;
            if (/*?*//*?*/ x > 1 /*.*/ && /*?*/ x < 5 /*.*//*.*/) /*!*/ n = 1; /*.*/
            switch (/*s 1|2*/ (/*?*/ x > 3 /*.*/ ? /*c*/ f(/*?*/ x == 4 /*.*/ ? 2 : 1) /*.*/ : 0) /*.*/) {
            case 1: n += 10; break; case 2: n += 20; }
            if (/*?*//*c*/ f(x) /*.*//*.*/) n += 100;
            return n;
        }
        """,
        tmp_path,
        watch=frozenset({7, 13, 18}),
    )
    execution = runner.run(program, ["4"], tracing=Tracing.FULL)
    assert execution.exit_code == 121
    # the call at 13 has no call among its arguments, so it is observed
    assert taken(execution) == [3, 5, 1, 7, 11, 13, 14, 9, 18, 16]
    assert 0 in execution.covered_edges


def test_calls_with_calls_in_arguments_are_not_observed(runner: Runner, tmp_path: Path) -> None:
    program = build(
        r"""
        int reached;
        void error(int x) { reached = 1; }
        int main(void) { /*c*/ error(/*c*/ __VERIFIER_nondet_int() /*.*/) /*.*/; return reached; }
        """,
        tmp_path,
        watch=frozenset({0}),
    )
    assert 0 not in program.observed
    stopped = runner.run(program)
    assert stopped.outcome is Outcome.OUT_OF_INPUTS and stopped.covered_edges == frozenset()
    assert runner.run(program, ["1"]).covered_edges == {1}


def test_error_functions_are_observed_without_asking(runner: Runner, tmp_path: Path) -> None:
    program = build("int main(void) { /*c*/ reach_error() /*.*/; return 0; }", tmp_path)
    execution = runner.run(program)
    assert execution.outcome is Outcome.ERROR_CALLED
    assert execution.covered_edges == {0}


def test_the_inputs_edge_is_that_of_the_call(runner: Runner, tmp_path: Path) -> None:
    program = build(
        r"""
        extern int sensor(int channel);
        int main(void)
        {
            int (*indirect)(void) = __VERIFIER_nondet_int;
            int a = /*c*/ sensor(/*c*/ __VERIFIER_nondet_int() /*.*/ + /*c*/ __VERIFIER_nondet_char() /*.*/) /*.*/;
            return a + indirect() + /*c*/ sensor(1) /*.*/;
        }
        """,
        tmp_path,
        inputs={"sensor": INT},
    )
    execution = runner.run(program, ["1", "2", "3", "4", "5"])
    edges = {(event.value.function, event.edge) for event in execution.events}  # type: ignore[union-attr]
    assert {("sensor", 0), ("__VERIFIER_nondet_int", 1), ("__VERIFIER_nondet_char", 2), ("sensor", 3)} < edges
    assert ("__VERIFIER_nondet_int", None) in edges


def test_overlapping_probes_are_an_error() -> None:
    source = InstrumentableSource("a + b + c", (ConditionProbe(0, 0, 5, (0, 1)), ConditionProbe(1, 4, 9, (2, 3))))
    with pytest.raises(InternalError):
        instrument(source, handmade("").program, (), ())


def test_text_without_probes_is_unchanged() -> None:
    woven = instrument(InstrumentableSource("int x;\n", ()), handmade("").program, (), ())
    assert woven.text == PRELUDE + "int x;\n"


def test_a_program_that_the_compiler_refuses(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="undeclared"):
        build("int main(void) { return y; }", tmp_path)


def test_a_program_that_only_the_assembler_refuses(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the compiler refuses"):
        build('int main(void) { __asm__ volatile ("no_such_instruction"); return 0; }', tmp_path)


@pytest.mark.parametrize("model", MODELS)
def test_old_programs_compile(runner: Runner, tmp_path: Path, model: DataModel) -> None:
    program = build(
        r"""
        static x; twice(a) { return 2 * a; }
        inline int outside(int a) { return a + 1; }
        main() { int *p = 5; x = __VERIFIER_nondet_int(); nowhere_declared(1, 2); return twice(outside(x)); }
        """,
        tmp_path,
        model,
        declare=False,
    )
    execution = runner.run(program, ["20"])
    assert execution.outcome is Outcome.UNDEFINED_FUNCTION


def test_the_semantics_of_c_that_proofs_assume(runner: Runner, tmp_path: Path) -> None:
    program = build(
        r"""
        int main(void)
        {
            int x = __VERIFIER_nondet_int();
            float a = __VERIFIER_nondet_float(), b = 3.0f;
            return (x + 1 < x) + 2 * ((float) (a / b) * b == a);
        }
        """,
        tmp_path,
        DataModel.ILP32,
    )
    assert runner.run(program, ["2147483647", "1"]).exit_code == 3
