"""Variables that a program declares and does not define may have any value when it begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.cfa.types import DataModel
from gia.errors import GiaError
from gia.frontend import load
from gia.frontend.loaded import LoadedProgram
from gia.native import Missing, Outcome, Runner, compile_instrumented


def read(text: str, directory: Path, entry: str = "main") -> LoadedProgram:
    (directory / "of_system.h").write_text("#pragma GCC system_header\nextern int g;\n")
    path = directory / "p.c"
    path.write_text(text)
    return load(path, data_model=DataModel.LP64, entry=entry)


def exit_code(text: str, directory: Path, inputs: list[str]) -> int | None:
    with Runner() as runner:
        execution = runner.run(compile_instrumented(read(text, directory), directory), inputs, missing=Missing.ZERO)
    assert execution.outcome is Outcome.EXITED
    return execution.exit_code


@pytest.mark.parametrize(
    ("declaration", "result", "inputs", "expected"),
    [
        ("extern int g;", "g", ["7"], 7),
        ("extern volatile unsigned char g;", "g", ["200"], 200),
        ("extern double g;", "g > 2.5", ["2.75"], 1),
        ("extern _Bool g;", "g + 1", ["1"], 2),
        ("enum colour { RED, GREEN }; extern enum colour g;", "g == GREEN", ["1"], 1),
        ("extern unsigned char g[3];", "g[1]", ["1", "2", "3"], 2),
        ("extern struct { char a; _Bool b[2]; } g;", "g.a + 2 * g.b[1]", ["5", "255", "255", "0", "1"], 7),
        ("extern int *g; int *other(void) { return g; }", "other() != 0", ["1"], 1),
        ("extern int g; int *where = &g;", "*where", ["9"], 9),
        ("static int f(void) { extern long g; return g == 77; }", "f()", ["77"], 1),
        ("extern int g; extern int g; int h;", "g + h", ["3"], 3),
        ('#include "of_system.h"', "g", ["7"], 7),
    ],
)
def test_they_are_inputs(declaration: str, result: str, inputs: list[str], expected: int, tmp_path: Path) -> None:
    text = f"{declaration}\nint main(void) {{ return {result}; }}\n"
    assert exit_code(text, tmp_path, inputs) == expected
    said = [str(found) for found in read(text, tmp_path).warnings]
    assert any("the variable g has no definition: its value is taken as an input" in one for one in said)


@pytest.mark.parametrize(
    "text",
    [
        "extern int g; int g; int main(void) { return g; }",
        '#include "of_system.h"\nint g; int main(void) { return g; }',
        "extern int g; int main(void) { return g; } int g = 0;",
        "extern int g = 0; int main(void) { return g; }",
        "extern int unused[]; extern const int constant; int main(void) { return 0; }",
        "extern int unused[]; int never(void) { return unused[1]; } int main(void) { return 0; }",
        "#include <stdio.h>\n#include <errno.h>\nint main(void) { return stdout == 0 || errno; }",
        "extern char **environ; extern int optind; int main(void) { return environ == 0 && optind == 5; }",
        "extern struct opaque o; int main(void) { return &o == 0; }",
    ],
)
def test_what_is_defined_or_unused_or_of_the_library_is_no_input(text: str, tmp_path: Path) -> None:
    assert not any(name.startswith("__VERIFIER") for name in read(text, tmp_path).program.externals)
    assert exit_code(text, tmp_path, []) == 0


def test_they_are_read_once(tmp_path: Path) -> None:
    text = "extern int g; int depth;\nint main(void) { if (depth++ < 3) return main() + 1; return g; }\n"
    assert exit_code(text, tmp_path, ["10", "20", "30", "40"]) == 13


@pytest.mark.parametrize("entry", ["main", "unit"])
@pytest.mark.parametrize(
    ("declaration", "what"),
    [
        ("extern const int g;", "g, a constant that is declared only"),
        ("extern const int g[3];", "g, a constant that is declared only"),
        ("extern int *const g;", "g, a constant that is declared only"),
        ("extern int g[];", "g, an array of unknown length that is declared only"),
    ],
)
def test_what_cannot_be_an_input_is_refused_where_it_is_used(
    declaration: str, what: str, entry: str, tmp_path: Path
) -> None:
    text = f"{declaration}\nint unit(void) {{ return g ? 1 : 2; }} int main(void) {{ return unit(); }}\n"
    with pytest.raises(GiaError, match=what) as caught:
        read(text, tmp_path, entry)
    assert caught.value.position is not None and caught.value.position.line == 1
    assert caught.value.exit_status == 1


def test_a_pointer_to_constants_is_no_constant(tmp_path: Path) -> None:
    text = "extern const char *g; int main(void) { return g ? 1 : 0; }"
    assert exit_code(text, tmp_path, ["1"]) == 1
