"""The models of files against real files: on the same files, a program with models does what the program does."""

import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gia.cfa.types import DataModel
from gia.frontend import load
from gia.frontend.library import FILE_BYTE_INPUT, FILE_INPUT
from gia.frontend.models.files import file_name
from gia.native import compile_instrumented
from tests.automaton.reference import FACTOR
from tests.frontend.support import load_text

HERE = Path(__file__).parent / "models"
OPERATIONS = 40
File = bytes | int
"""What a file has; 0: there is none, 2: it cannot be opened or made."""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The program as it is, and with its models."""
    directory = tmp_path_factory.mktemp("files")
    loaded = load(HERE / "files.c", data_model=DataModel.LP64)
    assert [warning.message for warning in loaded.warnings if "files" in warning.message] == []
    (directory / "modelled.i").write_text(loaded.source.text)
    operations = HERE / "operations.c"
    builds = {"real": [HERE / "files.c", operations]}
    builds["modelled"] = [directory / "modelled.i", HERE / "file_inputs.c", operations]
    for name, sources in builds.items():
        subprocess.run(["gcc", "-std=gnu17", "-w", "-fwrapv", "-O1", "-o", directory / name, *sources], check=True)
    return directory / "real", directory / "modelled"


def put(path: Path, file: File) -> None:
    """Let a file be what a test says."""
    path.unlink(missing_ok=True)
    if file == 2:
        path.symlink_to("nowhere/file")
    elif isinstance(file, bytes):
        path.write_bytes(file)


def shown(file: File) -> str:
    """The same for ``file_inputs.c``."""
    return f"1{file.hex()}" if isinstance(file, bytes) else str(file)


_FILES = st.one_of(
    st.sampled_from([0, 2]),
    st.binary(max_size=12),
    st.lists(st.sampled_from(["12", " ", "\n", "a", "-7", "1.5", "12:f", "xyz "]), max_size=6).map(
        lambda words: "".join(words).encode()
    ),
)
_OPERATIONS = st.lists(
    st.one_of(st.integers(0, OPERATIONS - 1), st.integers(0, 5), st.integers(16, OPERATIONS - 1)),
    min_size=1,
    max_size=25,
)


@settings(max_examples=200 * FACTOR, deadline=None)
@given(_OPERATIONS, _FILES, _FILES)
def test_files_are_used_as_the_library_uses_them(
    programs: tuple[Path, Path], operations: list[int], data: File, other: File
) -> None:
    directory = programs[0].parent / "work"
    directory.mkdir(exist_ok=True)
    put(directory / "data.txt", data)
    put(directory / "other", other)
    environment = {"OPERATIONS": " ".join(map(str, operations)), "DATA": shown(data), "OTHER": shown(other)}
    real, modelled = (
        subprocess.run([program, "other"], cwd=directory, capture_output=True, env=environment, timeout=20, check=False)
        for program in programs
    )
    if modelled.returncode == 1 and b":gia:0: " in modelled.stderr:  # beyond the models, which analyses know
        assert real.stdout.startswith(modelled.stdout)
    else:
        assert (modelled.returncode, modelled.stdout) == (real.returncode, real.stdout)
        assert real.returncode == 0


STDIO = "#include <stdio.h>\n#include <stdlib.h>\n"
OPENED = "FILE *f = fopen(n, m); int c = f ? fgetc(f) : 0; "


@pytest.mark.parametrize(
    ("body", "without"),
    [
        (OPENED, ""),
        (OPENED + 'system("cls");', ""),
        (OPENED + 'fprintf(f, n, 1); fprintf(f, "%*d %s %Lf %p", 1, 2, n, 1.0L, f); fputs(n, stderr);', ""),
        (OPENED + "f = c ? stdin : stdout; fputc(c, f); rewind(f);", ""),
        (OPENED + 'system("rm data");', "system is not modelled together with files"),
        (OPENED + "FILE *g = tmpfile();", "tmpfile is not modelled together with files"),
        (OPENED + "int (*g)(FILE *) = fgetc, (*h)(FILE *, const char *, ...) = &fprintf; c += g(f) + h(f, n);", ""),
        (OPENED + "FILE *(*g)(const char *, const char *) = fopen;", "fopen is not modelled together with files"),
        (OPENED + 'fscanf(f, "%p", &n);', "the format of fscanf has no model: the conversion at '%p' is not modelled"),
        (OPENED + 'fopen("/dev/tty", "r");', "/dev/tty is no ordinary file"),
        ("FILE *f = 0; int c = fgetc(f);", None),
    ],
)
def test_files_have_models_all_or_none(body: str, without: str | None, tmp_path: Path) -> None:
    loaded = load_text(f"{STDIO}int main(int n_, char **v) {{ char *n = v[1], *m = v[2]; {body} return c; }}", tmp_path)
    names = [name for name, external in loaded.program.externals.items() if external.is_input]
    assert any(name.startswith(FILE_BYTE_INPUT) for name in names) == (without == "")
    said = [warning.message for warning in loaded.warnings if "from files" in warning.message]
    assert said == ([f"{without}: nothing that is read from files is an input"] if without else [])
    compile_instrumented(loaded, tmp_path)


def test_a_program_may_define_what_models_call(tmp_path: Path) -> None:
    own = "int strcmp(const char *a, const char *b) { return a != b; }\n"
    loaded = load_text(f'{STDIO}{own}int main(void) {{ return fopen("a", "r") != 0; }}', tmp_path)
    assert [warning.message for warning in loaded.warnings] == [
        "strcmp is defined by the program: nothing that is read from files is an input"
    ]


def test_a_name_that_comes_from_a_variable_is_that_in_the_text(tmp_path: Path) -> None:
    body = 'const char *n = argc > 1 ? v[1] : "own.cfg"; puts("no name"); return fopen(n, "r") != 0;'
    loaded = load_text(f"{STDIO}int main(int argc, char **v) {{ {body} }}", tmp_path)
    names = [name.removeprefix(FILE_INPUT) for name in loaded.program.externals if name.startswith(FILE_INPUT)]
    assert {file_name(name) for name in names} == {b"own.cfg", *range(1, 7), None}


NAMES = st.binary(min_size=1, max_size=12).filter(lambda name: b"\0" not in name)


@settings(max_examples=5)
@given(st.lists(NAMES, min_size=20, max_size=60))
def test_the_names_of_inputs_say_the_names_of_the_files(names: list[bytes]) -> None:
    literals = ["".join(f"\\{byte:03o}" for byte in name) for name in names]
    calls = " ".join(f'n += fopen("{literal}", "r") != 0;' for literal in literals)
    with TemporaryDirectory() as directory:
        loaded = load_text(f"{STDIO}int main(void) {{ int n = 0; {calls} return n; }}", Path(directory))
    read = [name.removeprefix(FILE_INPUT) for name in loaded.program.externals if name.startswith(FILE_INPUT)]
    plain = [re.sub(rb"\A(\./+)+", b"", name) for name in names]
    assert {file_name(name) for name in read} - {None} == {
        name for name in plain if name and not re.search(rb"\./|//|[./]\Z", name)
    }
