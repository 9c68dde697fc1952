"""Goals that are reached only with a certain content of uninitialised memory are not reached."""

from pathlib import Path

import pytest

from gia.cfa.types import DataModel
from gia.frontend import load
from gia.native import InstrumentedProgram, Outcome, Runner
from gia.native.twins import compile_twins


@pytest.mark.parametrize(
    ("body", "programs", "builds"),
    [
        ("int x = 1; return x;", 1, 1),
        ("int x; x = 1; return x;", 1, 1),
        ("static int x; return x;", 1, 1),
        ("int x; return x;", 3, 3),
        ("int *p = malloc(4); return *p;", 2, 1),
        ("int x, *p = malloc(4); return *p + x;", 3, 3),
        ("char *p = alloca(4); return *p;", 3, 3),
    ],
)
def test_one_program_for_each_content(tmp_path: Path, body: str, programs: int, builds: int) -> None:
    path = tmp_path / "p.c"
    path.write_text(f"#include <alloca.h>\n#include <stdlib.h>\nint main(void) {{ {body} }}")
    twins = compile_twins(load(path, data_model=DataModel.LP64), tmp_path)
    assert len(twins) == programs
    assert len({twin.binary for twin in twins}) == builds


@pytest.mark.parametrize(
    ("body", "agree"),
    [
        ("int x; return x == 0;", False),
        ("int *p = malloc(sizeof *p); return *p == 0;", True),
        ("char *p = malloc(64); memset(p, 1, 64); free(p); p = malloc(64); return p[40] == 1;", False),
    ],
)
def test_fresh_memory_may_be_relied_on_but_not_variables_nor_memory_used_again(
    tmp_path: Path, body: str, agree: bool
) -> None:
    path = tmp_path / "p.c"
    path.write_text(f"#include <stdlib.h>\n#include <string.h>\nint main(void) {{ {body} }}")
    loaded = load(path, data_model=DataModel.LP64)
    with Runner() as runner:
        statuses = {runner.run(twin, ()).exit_code for twin in compile_twins(loaded, tmp_path)}
    assert (len(statuses) == 1) == agree


SIGNS = "return {0} == 0 ? 1 : {0} < 0 ? 2 : 3;"
JOINED = "int n = __VERIFIER_nondet_int(), x; if (n == 1) x = 3;"


@pytest.mark.parametrize("model", DataModel)
@pytest.mark.parametrize(
    ("body", "ends"),
    [
        ("int x; " + SIGNS.format("x"), [1, 2, 3]),
        ("long long x[9]; " + SIGNS.format("x[4]"), [1, 2, 3]),
        ("double x; " + SIGNS.format("x"), [1, 2, 3]),
        ("int n = __VERIFIER_nondet_int() + 5000, x[n]; " + SIGNS.format("x[2]"), [1, 2, 3]),
        ("signed char *x = alloca(__VERIFIER_nondet_int() + 65); " + SIGNS.format("x[9]"), [1, 2, 3]),
        ("int n = 1; short *x = alloca(n++ * 200); return n * 10 + (x[0] == 0 && x[99] == 0) + (x < (short *)&n);",
         [22, 21, 21]),
        (JOINED + "return x == 3 ? 4 : x == 0;", [1, 0, 0]),
        (JOINED + "if (n == 1) return 9; if (x == 0) return 1; if (x < 0) return 2; return 3 + (x == 3);", [1, 2, 3]),
        ("int x[60000], swapped = 0; for (int i = 1; i < 60000; i++) swapped |= x[i - 1] > x[i]; return swapped;",
         [0, 0, 1]),
        ("int x[60000]; for (int i = 0; i < 60000; i++) if (x[i] < 0) return 1; return 2;", [2, 1, 2]),
    ],
)  # fmt: skip
def test_what_is_not_written_is_zero_negative_or_large_and_out_of_order(
    body: str, ends: list[int], model: DataModel, tmp_path: Path
) -> None:
    twins = twins_of(
        f"#include <alloca.h>\nint __VERIFIER_nondet_int(void);\nint main(void) {{ {body} }}", model, tmp_path
    )
    with Runner() as runner:
        assert [runner.run(twin, ["0"] * 3).exit_code for twin in twins] == ends


GIVES_NOTHING = "{} f(int x) {{ if (x == 5) return 0; {} }} int main(void) {{ {} }}"


@pytest.mark.parametrize("model", DataModel)
@pytest.mark.parametrize(
    ("text", "ends"),
    [
        (GIVES_NOTHING.format("int", "", "int x = f(1); " + SIGNS.format("x")), [1, 2, 3]),
        (
            GIVES_NOTHING.format("short", "if (x > 0) return; return 4;", "int x = f(1); " + SIGNS.format("x")),
            [1, 2, 3],
        ),
        (GIVES_NOTHING.format("double", "while (x < 4) x++;", "double x = f(1); " + SIGNS.format("x")), [1, 2, 3]),
        (GIVES_NOTHING.format("char *", "", "return f(1) ? 1 : 0;"), [0, 1, 1]),
        (GIVES_NOTHING.format("int", "", "int (*p)(int) = f; return p(3) < 0;"), [0, 1, 0]),
        (GIVES_NOTHING.format("int", "", "return f(5);"), [0, 0, 0]),
        (GIVES_NOTHING.format("int", "", "f(1); return 7;"), [7]),
        (GIVES_NOTHING.format("void", "", "f(1); return 7;").replace("return 0", "return"), [7]),
        ("struct s { int a; } f(void) { } int main(void) { f(); return 3; }", [3]),
    ],
)
def test_functions_that_return_no_value_give_an_arbitrary_one(
    text: str, ends: list[int], model: DataModel, tmp_path: Path
) -> None:
    with Runner() as runner:
        assert [runner.run(twin, ()).exit_code for twin in twins_of(text, model, tmp_path)] == ends


STACK = """#include <stdint.h>
unsigned __VERIFIER_nondet_uint(void);
int printf(const char *, ...);
%s
int main(void) {
  int here = 0, *p;
  printf("%%u", (unsigned)(uintptr_t)&here - (8u << 20));
  p = (int *)(uintptr_t)__VERIFIER_nondet_uint();
  %s
}
"""


def twins_of(text: str, model: DataModel, directory: Path) -> tuple[InstrumentedProgram, ...]:
    path = directory / "p.c"
    path.write_text(text)
    return compile_twins(load(path, data_model=model), directory)


def test_a_number_that_is_an_address_of_the_stack_is_none_in_the_twin(tmp_path: Path) -> None:
    twins = twins_of(STACK % ("", "if (p) *p = 5; return p && *p == 5;"), DataModel.ILP32, tmp_path)
    with Runner() as runner:
        address = runner.run(twins[0], ["0"]).output.decode()
        first, second = (runner.run(twin, [address]) for twin in twins)
    assert first.exit_code == 1
    assert second.outcome is Outcome.SIGNALLED


@pytest.mark.parametrize(
    ("model", "body", "programs"),
    [
        (DataModel.ILP32, "return here;", 1),
        (DataModel.ILP32, "return p == 0;", 1),
        (DataModel.ILP32, "return *p;", 2),
        (DataModel.LP64, "return *p;", 1),
    ],
)
def test_there_is_a_twin_where_a_number_may_be_an_address(
    model: DataModel, body: str, programs: int, tmp_path: Path
) -> None:
    assert len(twins_of(STACK % ("", body), model, tmp_path)) == programs


@pytest.mark.parametrize("model", DataModel)
def test_a_twin_does_the_same_on_its_stack(model: DataModel, tmp_path: Path) -> None:
    deep = "static int deep(int n) { volatile char room[1024] = {n}; return n ? deep(n - 1) + room[0] - (char)n : 0; }"
    body = "void *q = malloc(4); return deep(*p ? 30000 : 0) + (q != 0) + (here << 4) + 4;"
    text = STACK % (f"void *malloc(__SIZE_TYPE__);\n{deep}", f"p = &here; here = 1; {body}")
    too_deep = text.replace("30000", "100000")
    with Runner() as runner:
        ends = [runner.run(twin, ["0"]).exit_code for twin in twins_of(text, model, tmp_path)]
    with Runner() as runner:
        crashes = [runner.run(twin, ["0"]).outcome for twin in twins_of(too_deep, model, tmp_path)]
    assert ends == [21, 21, 21]
    assert crashes == [Outcome.SIGNALLED] * 3
