"""The models of library functions against the real ones: both ways.

A test is a text that the real functions read as the models read their inputs. And whatever text the real functions
read, there are inputs with which the models do the same: else a proof about the models would be none about the program.
"""

import re
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from gia.cfa.goals import Criterion, goals_of
from gia.cfa.operations import Input
from gia.cfa.types import (
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LONG_LONG,
    UNSIGNED_CHAR,
    UNSIGNED_INT,
    UNSIGNED_LONG_LONG,
    UNSIGNED_SHORT,
    CType,
    DataModel,
    IntegerType,
    long_type,
)
from gia.exchange.suites.real_inputs import real_inputs
from gia.frontend import load
from gia.frontend.library import ARGUMENTS_INPUT, CHARACTER_INPUT
from gia.frontend.preprocessed import ADDED
from gia.native import InputValue, compile_instrumented
from gia.toolchain import data_model_options
from tests.automaton.reference import FACTOR
from tests.frontend.support import load_text, outputs, with_and_without_models

HERE = Path(__file__).parent / "models"
OPERATIONS = 33
MOST_TRIES = 400

TYPES: dict[str, CType] = {
    "": INT,
    "_schar": CHAR,
    "_short": IntegerType("short", 16, True),
    "_int": INT,
    "_long": long_type(DataModel.LP64),
    "_longlong": LONG_LONG,
    "_uchar": UNSIGNED_CHAR,
    "_ushort": UNSIGNED_SHORT,
    "_uint": UNSIGNED_INT,
    "_ulong": long_type(DataModel.LP64, signed=False),
    "_ulonglong": UNSIGNED_LONG_LONG,
    "_float": FLOAT,
    "_double": DOUBLE,
}


@dataclass(frozen=True)
class Programs:
    """The program as it is; with models that are given inputs; with models that are given a text."""

    directory: Path
    real: Path
    given: Path
    parsed: Path

    def run(self, program: Path, operations: list[int], text: bytes = b"", **environment: str) -> tuple[int, str, str]:
        """Exit status, output and messages of a run."""
        shown = {"OPERATIONS": " ".join(map(str, operations)), **environment}
        done = subprocess.run([program], input=text, capture_output=True, env=shown, timeout=20, check=False)
        return done.returncode, done.stdout.decode("latin-1"), done.stderr.decode()


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    directory = tmp_path_factory.mktemp("models")
    loaded = load(HERE / "reads.c", data_model=DataModel.LP64)
    assert [warning.message for warning in loaded.warnings if "input" in warning.message] == [
        "the function next_operation has no body: its value is taken as an input"
    ]
    numbers = (HERE / "numbers.h").read_text()
    includes = "#include <stdio.h>\n#include <stdlib.h>\n"
    (directory / "modelled.i").write_text(loaded.source.text)
    (directory / "given.c").write_text(includes + (HERE / "given.c").read_text() + numbers)
    (directory / "parsed.c").write_text(loaded.source.text + (HERE / "parsed.c").read_text() + numbers)
    operations = HERE / "operations.c"
    builds = {
        "real": [HERE / "reads.c", operations],
        "given": [directory / "modelled.i", directory / "given.c", operations],
        "parsed": [directory / "parsed.c", operations],
    }
    for name, sources in builds.items():
        command = ["gcc", "-std=gnu11", "-w", "-fwrapv", "-O1", "-o", directory / name, *sources]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return Programs(directory, *(directory / name for name in builds))


@pytest.mark.parametrize("name", ["options", "printed", "reads", "sorted", "texts"])
def test_models_can_be_instrumented(name: str, tmp_path: Path) -> None:
    """What they define is not what the instrumented form of a program defines."""
    loaded = load(HERE / f"{name}.c", data_model=DataModel.LP64)
    assert ADDED in loaded.source.text
    compile_instrumented(loaded, tmp_path)


_BYTES = st.one_of(
    st.sampled_from([ord(letter) for letter in " \n\t0123456789+-.,eEiInNxXabfc%("]),
    st.integers(0, 255),
    st.just(-1),
)
_NUMBERS = st.one_of(
    st.integers(-20, 20), st.integers(-(2**63), 2**63 - 1), st.sampled_from([2**31 - 1, -(2**31), 2**32])
)
_REALS = st.one_of(st.floats(), st.floats(width=32), st.integers(-1000, 1000).map(lambda number: number / 8))


@settings(max_examples=150 * FACTOR, deadline=None)
@given(
    st.lists(st.integers(0, OPERATIONS - 1), min_size=1, max_size=8),
    st.lists(st.tuples(_BYTES, _NUMBERS, _REALS), max_size=30),
)
def test_the_text_of_a_test_is_read_as_its_inputs(
    programs: Programs, operations: list[int], inputs: list[tuple[int, int, float]]
) -> None:
    files = {"INPUTS": programs.directory / "inputs", "READ": programs.directory / "read"}
    lines = (f"{byte} {number % 2**64} {float.hex(real)}\n" for byte, number, real in inputs)
    files["INPUTS"].write_text("".join(lines))
    files["READ"].write_text("")
    environment = {name: str(path) for name, path in files.items()}
    status, modelled, _ = programs.run(programs.given, operations, **environment)
    read = [value(*line.split()) for line in files["READ"].read_text().splitlines()]
    text = real_inputs(read).stdin or b""
    _, real, _ = programs.run(programs.real, operations, bytes(text))
    if status == 0:
        assert modelled == real, text
    else:
        assert status in (1, 9)
        assert real.startswith(modelled.partition("[")[0]), text


def value(name: str, literal: str) -> InputValue:
    """An input as ``given.c`` has written it."""
    type_ = TYPES[name.removeprefix("__VERIFIER_nondet_stdin")]
    if isinstance(type_, IntegerType):
        return InputValue(name, type_, int(literal) % (1 << type_.width))
    real = float("-nan" if literal == "-nan" else literal) if "nan" in literal else float.fromhex(literal)
    return InputValue(name, type_, int.from_bytes(struct.pack("<f" if type_ == FLOAT else "<d", real), "little"))


_WORDS = (
    "12 -7 +3 0x1f 08 1.5 -2.25e3 1e 1e+ .5 . - + inf -Infinity nan in5 na a12b 99999999999999999999 4294967296 "
    "0 word , %5 a-c^ 7,8.5z \0 \x80"
)
_TOKENS = st.sampled_from(_WORDS.split(" "))
_TEXTS = st.lists(st.one_of(_TOKENS, st.sampled_from([" ", "\n", "\t ", "", "5"])), max_size=8).map("".join)


@settings(max_examples=60 * FACTOR, deadline=None)
@example([26, 8], "1212")  # a number that is as long as it may be ends before the next byte is looked at
@given(st.lists(st.integers(0, OPERATIONS - 1), min_size=1, max_size=4), _TEXTS)
def test_whatever_is_read_from_a_text_the_models_can_read(programs: Programs, operations: list[int], text: str) -> None:
    assume(not re.search("infi(?!nity)", text, re.IGNORECASE))
    file = programs.directory / "text"
    file.write_bytes(text.encode("latin-1"))
    status, real, _ = programs.run(programs.real, operations, text.encode("latin-1"))
    assert status == 0
    waiting, tried = [""], []
    while waiting:
        choices = waiting.pop()
        status, modelled, messages = programs.run(programs.parsed, operations, TEXT=str(file), CHOICES=choices)
        if status == 0 and modelled == real:
            return
        if status == 1:  # beyond the models, which analyses know
            return
        tried.append((choices, status, modelled))
        made = int(messages.split()[-1])
        waiting += [f"{choices}{'1' * more}0" for more in range(made - len(choices))]
        assert len(tried) < MOST_TRIES
    raise AssertionError(f"{real} is not among {tried}")


@pytest.fixture(scope="module")
def text_programs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The program that reads strings, with the functions of the library and with models."""
    text, programs = with_and_without_models(HERE / "texts.c", tmp_path_factory.mktemp("texts"), HERE / "operations.c")
    assert not re.search(r"= (atof|strtod|strtof)\(", text) and "sscanf(text" not in text
    return programs


@settings(max_examples=150 * FACTOR, deadline=None)
@given(_TEXTS)
def test_strings_are_read_as_the_library_reads_them(text_programs: list[Path], text: str) -> None:
    shown = " ".join(str(ord(letter)) for letter in text if letter != "\0")
    runs = [
        subprocess.run([program], capture_output=True, env={"OPERATIONS": shown}, timeout=20, check=False)
        for program in text_programs
    ]
    real, modelled = (run.stdout for run in runs)
    assert runs[0].returncode == 0
    if runs[1].returncode == 1:  # beyond the models: infinities, NaN, hexadecimal floating point
        assert re.search("in|na|0x", text, re.IGNORECASE) and real.startswith(modelled)
    else:
        assert modelled == real


@pytest.fixture(scope="module")
def option_programs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The program as it is, and with its models."""
    text, programs = with_and_without_models(
        HERE / "options.c", tmp_path_factory.mktemp("options"), HERE / "operations.c"
    )
    own = text[: text.index("static int __gia_options_begun")]
    assert not re.search(r"= (getopt|getopt_long|strtok|strtok_r|strsep)\(", own)
    return programs


_ARGUMENTS = st.lists(
    st.one_of(
        st.sampled_from(["--", "-", "-a", "-b", "-c", "-ab", "-bx", "-cx", "-ac", "-a:", "-;", "x", "", "y=1", "-ba"]),
        st.sampled_from(["--v", "--ver", "--verb", "--version", "--file", "--file=x", "--le", "--level=2", "--lever"]),
        st.sampled_from(["--f", "--quiet", "--q=", "--verbose=1", "--nothing", "---", "-=", "a=-b"]),
        st.text("-abcv=: ", max_size=5),
    ),
    max_size=8,
)


@settings(max_examples=200 * FACTOR, deadline=None)
@given(st.integers(0, 11), _ARGUMENTS)
def test_options_and_words_are_told_as_the_library_does(
    option_programs: list[Path], kind: int, arguments: list[str]
) -> None:
    text = "".join(f"{argument}\0" for argument in arguments)
    shown = " ".join(str(number) for number in (kind, *(ord(letter) for letter in text)))
    real, modelled = (
        subprocess.run([program], capture_output=True, env={"OPERATIONS": shown}, timeout=20, check=False)
        for program in option_programs
    )
    assert (real.returncode, real.stdout) == (modelled.returncode, modelled.stdout)


@pytest.fixture(scope="module")
def sorting_programs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The program that sorts, as it is, and with its models."""
    text, programs = with_and_without_models(
        HERE / "sorted.c", tmp_path_factory.mktemp("sorted"), HERE / "operations.c"
    )
    assert text.count("__gia_qsort(all") == text.count("__gia_bsearch(&wanted") == 1
    return programs


@settings(max_examples=60 * FACTOR, deadline=None)
@given(
    st.integers(0, 3),
    st.integers(0, 127),
    st.one_of(st.lists(st.integers(0, 127), max_size=40), st.lists(st.integers(0, 9), max_size=99)),
)
def test_sorting_compares_as_the_library_does(
    sorting_programs: list[Path], kind: int, wanted: int, numbers: list[int]
) -> None:
    shown = " ".join(map(str, (kind, wanted, *numbers)))
    real, modelled = outputs(sorting_programs, shown)
    assert real == modelled


@pytest.mark.parametrize(
    ("text", "modelled"),
    [
        ("int main(void) { int a[2]; qsort(a, 2, 4, f); return a[0]; }", True),
        ("int main(void) { int a[2]; return bsearch(a, a, 2, 4, f) != 0; }", True),
        ("int main(void) { void (*g)() = qsort; int a[2]; g(a, 2, 4, f); return a[0]; }", False),
        ("int main(void) { int a[2]; void (*qsort)(void *, long, long, int (*)()) = 0; qsort(a, 2, 4, f); }", False),
        ("void *memcpy(void *a, const void *b, size_t n) { return a; } int main(void) { qsort(0, 0, 1, f); }", False),
    ],
)
def test_sorting_has_models_where_it_is_the_library_s(text: str, modelled: bool, tmp_path: Path) -> None:
    loaded = load_text(f"#include <stdlib.h>\nint f(const void *a, const void *b) {{ return 0; }}\n{text}", tmp_path)
    assert ("__gia_" in loaded.source.text) == modelled
    assert all(goal.function in ("main", "memcpy", "f") for goal in goals_of(loaded.program, Criterion.STATEMENTS))


@pytest.fixture(scope="module")
def printing_programs(tmp_path_factory: pytest.TempPathFactory) -> dict[DataModel, list[Path]]:
    """The program that writes formats, as it is, and with its models."""
    found = {}
    for model in DataModel:
        directory = tmp_path_factory.mktemp("printed")
        loaded = load(HERE / "printed.c", data_model=model)
        assert not re.search(r"show\(s?n?printf\(", loaded.source.text)
        (directory / "modelled.i").write_text(loaded.source.text)
        found[model] = [directory / "real", directory / "modelled"]
        for program, source in zip(found[model], (HERE / "printed.c", directory / "modelled.i"), strict=True):
            command = ["gcc", *data_model_options(model), "-w", "-fwrapv", "-o", program, source, HERE / "operations.c"]
            subprocess.run(command, check=True)
    return found


_EDGES = st.sampled_from([0, 1, -1, 7, 8, 9, 10, 99, 100, 127, 128, 255, 256, -128, 65535, 2**31 - 1, -(2**31), 4096])


@settings(max_examples=60 * FACTOR, deadline=None)
@given(
    st.sampled_from(list(DataModel)),
    st.integers(0, 20),
    st.tuples(*[st.one_of(_EDGES, st.integers(-(2**31), 2**31 - 1))] * 2),
    st.text("abc %", max_size=12),
)
def test_formats_are_written_as_the_library_writes_them(
    printing_programs: dict[DataModel, list[Path]], model: DataModel, size: int, numbers: tuple[int, int], text: str
) -> None:
    shown = " ".join(map(str, (size, *numbers, *map(ord, text))))
    real, modelled = (
        subprocess.run([program], capture_output=True, env={"OPERATIONS": shown}, timeout=20, check=False)
        for program in printing_programs[model]
    )
    assert (real.returncode, real.stdout) == (modelled.returncode, modelled.stdout)


@pytest.mark.parametrize(
    ("statements", "modelled"),
    [
        ('char a[9]; sprintf(a, "%d", x); return a[0];', True),
        ('char a[9]; return sprintf(a, "%d", x);', True),
        ('char a[9]; sprintf(a, "%d", x); puts(a);', False),  # it decides nothing
        ('char a[9]; if (x) sprintf(a, "%d", x); else snprintf(a, sizeof a, "%d", 1); printf("%s", a);', False),
        ('char *a = malloc(9); sprintf(a, "%d", x); puts(a);', True),
        ('char a[9]; sprintf(a, "%f", 1.0); return a[0];', False),
        ('char a[9]; sprintf(a, "%d %d", x); return a[0];', False),
        ('char a[9]; sprintf(a, "%n", &x); return a[0];', False),
        ('char a[9]; char *f = "%d"; sprintf(a, f, x); return a[0];', False),
    ],
)
def test_formats_have_models_where_it_matters(statements: str, modelled: bool, tmp_path: Path) -> None:
    text = f"#include <stdio.h>\n#include <stdlib.h>\nint main(void) {{ int x = 1; {statements} }}"
    assert ("__gia_" in load_text(text, tmp_path).source.text) == modelled


@pytest.mark.parametrize(
    ("text", "modelled"),
    [
        ("extern int getchar(void);\nint main(void) { return getchar(); }", True),
        ("int main() { return getchar(); }", True),
        ("int getchar(void) { return 1; }\nint main(void) { return getchar(); }", False),
        ("#include <stdio.h>\nint main(void) { int (*getchar)(void) = 0; return getchar(); }", False),
        ("#include <stdio.h>\nint f(int getchar) { return getchar; }\nint main(void) { return f(getchar()); }", True),
        ("#include <stdio.h>\nint f(int read) { return read; }\nint main(void) { return f(getchar()); }", True),
        ("#include <time.h>\nlong f(long time) { return time; }\nint main(void) { return f(time(0)) > 9; }", True),
        ("#include <stdio.h>\nint main(void) { int (*f)(void) = getchar; return getchar() + f(); }", True),
        ('#include <stdio.h>\nint main(void) { int x, (*f)() = scanf; f("%d", &x); return getchar(); }', False),
        ("#include <stdio.h>\nstruct s { int (*getchar)(void); } s;\nint main(void) { return s.getchar(); }", False),
        ("#include <stdio.h>\nint main(void) { FILE *f = stdin; return getchar() + getc(f); }", True),
        ("#include <stdio.h>\nint main(void) { FILE *f = stdin; rewind(f); return getchar() + getc(f); }", False),
        ('#include <stdio.h>\nint main(void) { char *f = "%d"; int x; return scanf(f, &x) + getchar(); }', False),
        ('#include <stdio.h>\nint main(void) { int x; return scanf("%d", &x, &x); }', False),
        ('#include <stdio.h>\nint main(void) { freopen("x", "r", stdin); return getchar(); }', False),
        ("#include <unistd.h>\nint main(void) { char c; return read(0, &c, 1); }", True),
        (
            "#include <unistd.h>\nint f(int in) { char c; return read(in, &c, 1); }\nint main(void) { return f(0); }",
            True,
        ),
        ("#include <unistd.h>\nint main(void) { char c; int f = dup2(0, 0); return read(f, &c, 1); }", False),
        ("#include <unistd.h>\nint main(void) { char c; int f = 0; lseek(0, 1, 1); return read(f, &c, 1); }", False),
        (
            "#include <unistd.h>\n#include <stdio.h>\nint main(void) { char c = getchar(); return read(0, &c, 1); }",
            False,
        ),
        ('#include <stdlib.h>\nint main(void) { setenv("A", "", 1); return getenv("A") != 0; }', False),
        ('#include <stdlib.h>\nint main(void) { return getenv("A") != 0; }', True),
        ("int main(int n, char **v) { return n > 1 ? main(n - 1, v) : 0; }", False),
        ("int main(int n, char **v) { return n; }", True),
    ],
)
def test_calls_get_models_all_or_none(text: str, modelled: bool, tmp_path: Path) -> None:
    loaded = load_text(text, tmp_path)
    inputs = {name for name, external in loaded.program.externals.items() if external.is_input}
    assert bool(inputs) == modelled
    assert all(goal.function in ("f", "main") for goal in goals_of(loaded.program, Criterion.STATEMENTS) if modelled)
    places = {edge.position for edge in loaded.program.functions["main"].edges if edge.file != ADDED}
    lines = text.splitlines()
    assert all(1 <= place.line <= len(lines) and place.column <= len(lines[place.line - 1]) for place in places)


@pytest.mark.parametrize(
    "head",
    [
        "int main(int argc, char **argv)",
        "int main(const int argc, char *argv[])",
        "int main(int argc, const char *const argv[])",
        "int main(const int argc, char *const *const argv, char **environment)",
        "int main(int argc __attribute__((unused)), char **argv)",
        "int main(argc, argv) int argc; char **argv;",
    ],
)
def test_arguments_of_main_are_inputs_however_it_is_declared(head: str, tmp_path: Path) -> None:
    loaded = load_text(head + "\n{ return argc > 1 && argv[1][0] == 'x'; }", tmp_path)
    inputs = {e.operation.function for e in loaded.program.edge_list if isinstance(e.operation, Input)}
    assert inputs == {ARGUMENTS_INPUT, CHARACTER_INPUT} and loaded.warnings == ()
    compile_instrumented(loaded, tmp_path)


def test_parameters_of_old_that_are_constant_are_no_inputs(tmp_path: Path) -> None:
    loaded = load_text("int main(argc, argv) const int argc; char **argv; { return argc > 1; }", tmp_path)
    assert [warning.message for warning in loaded.warnings] == [
        "the arguments of main are no inputs: tests run without any"
    ]


@pytest.mark.parametrize(
    ("text", "modelled"),
    [
        ("#include <string.h>\nint main(void) { char a[9]; return strtok(a, a) != 0; }", True),
        ("#include <string.h>\nint main(void) { char a[9]; void *f = strtok; return strtok(a, a) != f; }", False),
        ("char *strtok(char *a, char *b) { return a; }\nint main(void) { return strtok(0, 0) != 0; }", False),
        ("#include <unistd.h>\nint main(void) { return getopt(0, 0, 0); }", True),
        ("#include <unistd.h>\nint optind = 1;\nint main(void) { return getopt(0, 0, 0); }", False),
        ("#include <unistd.h>\nint main(void) { int (*f)() = getopt; return getopt(0, 0, 0) + f(0, 0, 0); }", False),
    ],
)
def test_functions_that_remember_get_models_all_or_none(text: str, modelled: bool, tmp_path: Path) -> None:
    loaded = load_text(text, tmp_path)
    assert ("__gia_" in loaded.source.text) == modelled


@pytest.mark.parametrize(
    "conversion", ["hhd", "hd", "d", "ld", "lld", "i", "u", "lx", "o", "c", "s", "[a-z]", "f", "lf"]
)
@pytest.mark.parametrize("function", ["scanf(", 'sscanf("1", '])
def test_each_conversion_brings_what_it_needs(function: str, conversion: str, tmp_path: Path) -> None:
    text = "#include <stdio.h>\nint main(void) { union { long long n; double d; char s[9]; } x; void *p = &x; "
    assert "__gia_" in load_text(f'{text}return {function}"%{conversion}", p); }}\n', tmp_path).source.text


def test_models_leave_positions_in_preprocessed_files(tmp_path: Path) -> None:
    text = "int getchar(void);\nint main(void) { int c = getchar(), d = getchar() + (c ? 1 : 2);\n"
    text += "if (d + getchar()) return 1; return 0; }\n"
    written, preprocessed = (load_text(text, tmp_path, name=name) for name in ("p.c", "p.i"))
    assert [g.id for g in goals_of(written.program, Criterion.BRANCHES)] == [
        g.id for g in goals_of(preprocessed.program, Criterion.BRANCHES)
    ]
    assert written.program.functions["main"].edges[0].text == preprocessed.program.functions["main"].edges[0].text


def test_the_state_of_models_is_no_input_of_a_unit(tmp_path: Path) -> None:
    text = '#include <stdio.h>\nint total;\nint add(void) { int x; return scanf("%d", &x) == 1 ? total += x : 0; }\n'
    program = load_text(text, tmp_path, entry="add").program
    read = [edge.operation.function for edge in program.functions["main"].edges if isinstance(edge.operation, Input)]
    assert read == ["__VERIFIER_nondet_int"]
