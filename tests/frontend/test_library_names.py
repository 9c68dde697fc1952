"""The names of the C library: each of them is a function of the library that is installed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gia.cfa.expressions import Storage, Variable
from gia.cfa.operations import Call
from gia.cfa.types import INT, DataModel
from gia.frontend import load
from gia.frontend.library import INPUTS_OF_LIBRARY, limits_of
from gia.frontend.library_names import LIBRARY, NEWER
from gia.frontend.library_variables import VARIABLES

NO_SYMBOLS = frozenset({"alloca"})
"""What the compiler replaces wherever it is called."""


def test_each_name_is_one_of_the_library(tmp_path: Path) -> None:
    names = sorted(LIBRARY - NO_SYMBOLS)
    source = tmp_path / "names.c"
    declarations = "".join(f"extern void {name}();\n" for name in names)
    source.write_text(f"{declarations}void *all[] = {{{', '.join(names)}}};\nint main(void) {{ return 0; }}\n")
    command = ["gcc", "-fno-builtin", str(source), "-o", str(tmp_path / "names"), "-lm"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stderr
    missing = {
        line.rpartition("undefined reference to ")[2].strip("`'") for line in said.splitlines() if "undef" in line
    }
    assert missing <= NEWER


def test_each_variable_is_one_of_the_library(tmp_path: Path) -> None:
    source = tmp_path / "variables.c"
    setters = sorted(frozenset().union(*VARIABLES.values()))
    declarations = "".join(f"extern char {name}[];\n" for name in VARIABLES)
    declarations += "".join(f"extern void {name}();\n" for name in setters)
    all_names = ", ".join([*VARIABLES, *setters])
    source.write_text(f"{declarations}void *all[] = {{{all_names}}};\nint main(void) {{ return 0; }}\n")
    command = ["gcc", "-fno-builtin", str(source), "-o", str(tmp_path / "variables"), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "name",
    [
        "fegetround",
        "atexit",
        "towlower",
        "cbrtl",
        "pthread_join",
        "strtoimax",
        "stat",
        "waitpid",
        "__xstat",
        "__isnanl",
        "__fgets_chk",
    ],
)
def test_they_are_no_inputs_without_a_header(tmp_path: Path, name: str) -> None:
    path = tmp_path / "p.c"
    path.write_text(f"extern long {name}();\nextern long own();\nint main(void) {{ return {name}() == own(); }}\n")
    externals = load(path, data_model=DataModel.LP64).program.externals
    assert externals["own"].is_input
    assert not externals[name].is_input


def test_random_numbers_are_inputs() -> None:
    assert INPUTS_OF_LIBRARY < LIBRARY


def test_they_are_read_under_the_names_that_headers_give_them(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(
        "extern int __isoc99_scanf(const char *, ...);\nextern long __isoc23_strtol(const char *, char **, int);\n"
        "extern int _IO_getc(void *);\nextern void *stdin;\n"
        "int main(void) {\n  int x = 0;\n"
        '  return __isoc99_scanf("%d", &x) + (__isoc23_strtol("12a", 0, 10) == 12) + _IO_getc(stdin);\n}\n'
    )
    loaded = load(path, data_model=DataModel.LP64)
    called = {edge.operation.function for edge in loaded.program.edge_list if isinstance(edge.operation, Call)}
    assert not called & {"__isoc99_scanf", "__isoc23_strtol", "_IO_getc"}


def test_which_parameters_of_models_are_limited_by_others() -> None:
    names = ("text", "size", "p", "n", "p1", "n1", "p2", "px", "nx")
    found = {name: Variable(name, INT, Storage.PARAMETER, "f") for name in names}
    limits = {found["text"]: found["size"], found["p1"]: found["n1"]}
    assert limits_of("__gia_f", list(found.values())) == limits
    assert limits_of("f", list(found.values())) == {}
