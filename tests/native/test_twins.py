"""Goals that are reached only with a certain content of uninitialised memory are not reached."""

from pathlib import Path

import pytest

from gia.cfa.types import DataModel
from gia.frontend import load
from gia.native import Runner
from gia.native.twins import compile_twins


@pytest.mark.parametrize(
    ("body", "programs", "builds"),
    [
        ("int x = 1; return x;", 1, 1),
        ("int x; x = 1; return x;", 1, 1),
        ("static int x; return x;", 1, 1),
        ("int x; return x;", 2, 2),
        ("int *p = malloc(4); return *p;", 2, 1),
        ("int x, *p = malloc(4); return *p + x;", 2, 2),
        ("char *p = alloca(4); return *p;", 2, 2),
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
