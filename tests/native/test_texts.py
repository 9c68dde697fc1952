"""Texts that the program compares are observed, which changes nothing, whatever they are and whoever compares them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gia.cfa.types import DataModel
from gia.frontend import load
from gia.native import Execution, InstrumentedProgram, Limits, Outcome, Runner, Tracing, compile_instrumented, layout
from gia.native.texts import PREFIX
from tests.native.handmade import handmade
from tests.native.test_fuzzing import fuzz

OBSERVED = [Tracing.NONE, Tracing.FULL, Tracing.COUNTS, Tracing.COMPARISONS]
HEADERS = """
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
extern int __VERIFIER_nondet_int(void);
"""


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as runner:
        yield runner


def build(text: str, folder: Path, model: DataModel = DataModel.LP64) -> InstrumentedProgram:
    """Compile a program; ``woven.i`` in the folder is what the compiler is given."""
    (folder / "program.c").write_text(text)
    program = compile_instrumented(load(folder / "program.c", data_model=model), folder)
    shutil.copy(folder / "program.i", folder / "woven.i")
    return program


def observers(folder: Path) -> set[str]:
    """The functions that are called in the place of those of the library."""
    words = (folder / "woven.i").read_text().replace("(", " ").split()
    return {word.removeprefix(PREFIX) for word in words if word.startswith(PREFIX)}


def alone(folder: Path, model: DataModel) -> tuple[int, str]:
    """Exit status and output of the program as the compiler makes it."""
    options = ["-m32" if model is DataModel.ILP32 else "-m64", "-w", "-fpermissive", "-fwrapv", "-Og"]
    subprocess.run(["gcc", "-std=gnu17", *options, "program.c", "-o", "alone"], cwd=folder, check=True)
    done = subprocess.run([folder / "alone"], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def same_however_observed(runner: Runner, program: InstrumentedProgram, *inputs: str) -> Execution:
    """What an execution does, which is the same however it is observed."""
    runs = [runner.run(program, inputs, tracing=tracing) for tracing in OBSERVED]
    assert len({(run.outcome, run.exit_code, run.signal, run.output) for run in runs}) == 1
    return runs[-1]


RESULTS = """
#define SAME(a, b) (strcmp(a, b) == 0)
static int sign(int x) { return (x > 0) - (x < 0); }
static long place(const char *found, const char *text) { return found ? found - text : -1; }
static const char *const texts[] = {"", "a", "ab", "b", "aB", "abcabc", "\\377",
                                    "GET /index.html?x=0123456789abcdef0123456789abcdef"};
enum { COUNT = sizeof texts / sizeof *texts };
int main(void)
{
    int (*by_address)(const char *, const char *) = strcmp;
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            const char *a = texts[i], *b = texts[j];
            printf("%d %d %d ", sign(strcmp(a, b)), sign(strcasecmp(a, b)), SAME(a, b));
            printf("%d %d %d ", sign(by_address(a, b)), sign((strcmp)(a, b)), sign(__builtin_strcmp(a, b)));
            for (unsigned n = 0; n < 4; n++)
                printf("%d %d ", sign(strncmp(a, b, n)), sign(strncasecmp(a, b, n)));
            printf("%d %d %d ", sign(memcmp(a, b, 0)), sign(memcmp(a, b, 1)), sign(bcmp(a, b, 1)) != 0);
            printf("%ld %ld %ld ", place(strstr(a, b), a), place(strchr(a, *b), a), place(strrchr(a, *b), a));
            printf("%ld %ld ", place(strchr(a, 0), a), place(index(a, *b), a));
            printf("%ld\\n", place(__builtin_rindex(a, 'a'), a));
        }
    strcmp("unused", "result");
    if (__VERIFIER_nondet_int()) return strcmp("a", "a") ? 1 : 2;
    return strcmp(__VERIFIER_nondet_int() ? "x" : "y", strchr("xy", 'y')) == 0 ? 3 : 4;
}
"""


@pytest.mark.parametrize("model", list(DataModel))
def test_results_are_those_of_the_library(runner: Runner, tmp_path: Path, model: DataModel) -> None:
    program = build(HEADERS + RESULTS, tmp_path, model)
    ended = same_however_observed(runner, program, "0", "0")
    assert ended.exit_code == 3
    own = "int __VERIFIER_nondet_int(void) { return 0; }"
    (tmp_path / "program.c").write_text(HEADERS + RESULTS + own)
    assert alone(tmp_path, model) == (3, ended.output.decode())
    plain = ["strcmp", "strcasecmp", "strncmp", "strncasecmp", "memcmp", "bcmp", "strstr", "strchr", "strrchr", "index"]
    assert observers(tmp_path) == {*plain, "__builtin_strcmp", "__builtin_rindex"}


def test_positions_may_stand_in_a_call(tmp_path: Path) -> None:
    """As in linked programs."""
    marked = 'int main(int c, char **v) { return strcmp\n# 3 "a.c"\n(v[0],\n# 3 "a.c"\n"x") == 0; }'
    build(HEADERS + marked, tmp_path)
    assert observers(tmp_path) == {"strcmp"}


BORDER = """
int main(void)
{
    int bad = 0;
    char *pages = mmap(0, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *end = pages + 4096;
    mprotect(end, 4096, PROT_NONE);
    memcpy(end - 6, "abcde", 6);
    bad += strcmp(end - 6, "abcdx") >= 0 || strcmp("abcdx", end - 6) <= 0 || strcasecmp(end - 6, "ABCDE") != 0;
    bad += strstr(end - 6, "x") != 0 || strstr(end - 6, "de") == 0 || strstr("x", end - 1) == 0;
    bad += strchr(end - 6, 'x') != 0 || strrchr(end - 6, 'a') == 0;
    end[-1] = 'f'; /* not a text any more */
    bad += strncmp(end - 6, "abcdeg", 6) >= 0 || strncmp(end - 6, "abcx", 100) >= 0 || strncmp(end, "a", 0) != 0;
    bad += memcmp(end - 6, "abcdeg", 6) >= 0 || memcmp(end - 6, "abcdefg", 6) != 0 || memcmp(end, end + 9, 0) != 0;
    bad += strcmp(end - 6, "abx") >= 0 || strchr(end - 6, 'a') == 0;
    return bad;
}
"""


@pytest.mark.parametrize("model", list(DataModel))
def test_nothing_is_read_behind_the_end_of_the_memory(runner: Runner, tmp_path: Path, model: DataModel) -> None:
    ended = same_however_observed(runner, build(HEADERS + BORDER, tmp_path, model))
    assert (ended.outcome, ended.exit_code) == (Outcome.EXITED, 0)


CRASHING = [
    'strcmp(p, "a")',
    'strcmp("a", p)',
    'strncmp(p, "a", 3)',
    'memcmp("a", p, 1)',
    'strstr(p, "a")',
    "strchr(p, 97)",
]


@pytest.mark.parametrize("comparison", CRASHING)
def test_what_crashes_crashes_still(runner: Runner, tmp_path: Path, comparison: str) -> None:
    text = f'int main(void) {{ char *p = __VERIFIER_nondet_int() ? "a" : 0; if ({comparison}) return 1; return 2; }}'
    program = build(HEADERS + text, tmp_path)
    crashed = same_however_observed(runner, program, "0")
    assert (crashed.outcome, crashed.signal) == (Outcome.SIGNALLED, 11)
    assert same_however_observed(runner, program, "1").outcome is Outcome.EXITED


OWN = {
    "defined": "int strcmp(const char *a, const char *b) { return 42; } int main(void) { return strcmp(x, y); }",
    "defined later": """int strcmp(); int main(void) { return strcmp(x, y); }
                        int strcmp(const char *a, const char *b) { return 42; }""",
    "static": "static int strcmp(const char *a, const char *b) { return 42; } int main(void) { return strcmp(x, y); }",
    "of numbers": """static int memcmp(int a, int b, int c) { return a + b + c; }
                     int main(void) { return memcmp(1, 2, 39); }""",
    "a parameter": """static int mine(const char *a, const char *b) { return 42; }
                      static int call(int (*strcmp)(const char *, const char *)) { return strcmp(x, y); }
                      int main(void) { return call(mine); }""",
    "a macro": "#define strcmp(a, b) 42\nint main(void) { return strcmp(x, y); }",
    "another result": """extern long memcmp(const void *, const void *, unsigned long);
                         int main(void) { return memcmp(x, y, 1) + 42; }""",
}


@pytest.mark.parametrize("text", OWN.values(), ids=OWN)
def test_functions_of_the_same_name_are_left_alone(runner: Runner, tmp_path: Path, text: str) -> None:
    text = f'char x[] = "a", y[] = "a";\n{text}'
    assert same_however_observed(runner, build(text, tmp_path)).exit_code == 42
    assert not observers(tmp_path)
    assert alone(tmp_path, DataModel.LP64) == (42, "")


OLD = {
    "not declared": 'int main(void) { return strcmp("b", "a") > 0 ? 42 : 0; }',
    "declared without parameters": 'int strcmp(); int main(void) { return strcmp("b", "a") > 0 ? 42 : 0; }',
    "other characters": """int strcmp(const unsigned char *, const unsigned char *);
                           int main(void) { unsigned char b[] = "b"; return strcmp(b, (void *)"a") > 0 ? 42 : 0; }""",
    "in a size": '#include <string.h>\nint main(void) { return sizeof(strcmp("a", "b")) == 4 ? 42 : 0; }',
}


@pytest.mark.parametrize("text", OLD.values(), ids=OLD)
def test_programs_of_all_times_compile(runner: Runner, tmp_path: Path, text: str) -> None:
    assert same_however_observed(runner, build(text, tmp_path)).exit_code == 42
    assert alone(tmp_path, DataModel.LP64) == (42, "")


SCRIBBLER = f"""
extern int open(const char *, int, ...); extern long read(int, void *, unsigned long);
extern unsigned long strtoul(const char *, char **, int);
extern char *strchr(const char *, int); extern int strncmp(const char *, const char *, unsigned long);
static unsigned state, overwritten;
static unsigned any(void)
{{
    state = state * 1664525u + 1013904223u;
    return state >> 16 & 1 ? state : state >> 8 & 63;
}}
/* Anything instead of what was observed. */
static void scribble(void)
{{
    static char maps[1 << 16];
    long length = 0, more;
    int fd = open("/proc/self/maps", 0);
    while ((more = read(fd, maps + length, sizeof maps - 1 - length)) > 0) length += more;
    for (char *line = maps, *rest; line; line = strchr(line, '\\n'), line = line ? line + 1 : line) {{
        unsigned long start = strtoul(line, &rest, 16), end = strtoul(rest + 1, &rest, 16);
        unsigned *at = (void *)(start + {layout.TRACE_OFFSET + layout.EVENTS * 4}ul);
        while (strncmp(rest, " rw-s", 5) == 0 && (unsigned long)at < end) *at++ = any(), overwritten++;
    }}
}}
int main(void)
{{
    int x;
    state = __VERIFIER_nondet_uint();
    scribble();
    for (x = 0; /*?*/ x < 3 /*.*/; x++)
        if (/*?*/ __VERIFIER_nondet_uchar() == "key"[x] /*.*/) scribble();
    return overwritten > 10000;
}}
"""


def test_observations_that_the_program_has_overwritten_do_no_harm(runner: Runner, tmp_path: Path) -> None:
    program = compile_instrumented(handmade(SCRIBBLER), tmp_path)  # type: ignore[arg-type]
    limits = Limits(wall=0.5, inputs=100, events=1000)
    batches = [fuzz(runner, program, 500, fresh=number == 0, limits=limits) for number in range(3)]
    assert [batch.executions for batch in batches] == [500] * 3
    for batch in batches:
        for inputs in batch.reaching:
            assert runner.run(program, inputs, tracing=Tracing.NONE).exit_code == 1
