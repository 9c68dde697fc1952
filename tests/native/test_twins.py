"""Goals that are reached only with a certain content of uninitialised memory are not reached."""

from pathlib import Path

import pytest

from gia.cfa.types import DataModel
from gia.frontend import load
from gia.native import Runner
from gia.native.twins import compile_twins, has_uninitialised_memory


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int x = 1; return x;", False),
        ("static int x; return x;", False),
        ("int x; return x;", True),
        ("int *p = malloc(4); return *p;", True),
    ],
)
def test_one_program_for_each_content(tmp_path: Path, body: str, expected: bool) -> None:
    path = tmp_path / "p.c"
    path.write_text(f"#include <stdlib.h>\nint main(void) {{ {body} }}")
    loaded = load(path, data_model=DataModel.LP64)
    assert has_uninitialised_memory(loaded.program) == expected
    assert len(compile_twins(loaded, tmp_path)) == 1 + expected


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
