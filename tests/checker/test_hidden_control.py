"""Code that runs at times which no graph of calls shows: nothing is proven about such programs."""

from pathlib import Path
from time import monotonic

import pytest

from gia.analyses.registry import ACTORS
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.automaton.status import goal_status
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.hiding import hidden
from gia.cfa.types import DataModel
from gia.checker import Outcome, certify
from gia.frontend import load
from gia.verdict import GoalStatus

HANDLER = """
{declaration}
static int flag;
static void handler({parameter}) {{ if (flag) flag = 2; }}
int main(void) {{
  {call};
  if (flag == 1) return 1;
  return 0;
}}
"""


@pytest.mark.parametrize(
    ("declaration", "parameter", "call"),
    [
        ("#include <signal.h>", "int number", "signal(SIGINT, handler)"),
        ("#include <stdlib.h>", "void", "atexit(handler)"),
        ("extern int atexit(void (*)(void));", "void", "atexit(handler)"),
        ("typedef void (*handled)(int);\nextern handled signal(int, handled);", "int number", "signal(2, handler)"),
        (
            "extern int pthread_create(unsigned long *, void *, void *(*)(void *), void *);\nunsigned long thread;",
            "void",
            "pthread_create(&thread, 0, (void *(*)(void *)) handler, 0)",
        ),
    ],
)
def test_nothing_is_proven(tmp_path: Path, declaration: str, parameter: str, call: str) -> None:
    path = tmp_path / "p.c"
    path.write_text(HANDLER.format(declaration=declaration, parameter=parameter, call=call))
    loaded = load(path, data_model=DataModel.LP64)
    assert any(call.partition("(")[0] in warning.message for warning in loaded.warnings)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    automaton = initial_gia(loaded.program, goals)
    assert set(goal_status(loaded.program, automaton, goals).values()) == {GoalStatus.OPEN}
    report = certify(loaded.program, automaton, goals, deadline=monotonic() + 10)
    assert {result.outcome for result in report.results} == {Outcome.NOT_CHECKABLE}


@pytest.mark.parametrize("use", ["", "{call}", "void (*later)(void) = {call};", "void (*kept[])(void) = {{{call}}};"])
def test_what_no_execution_comes_to_hides_nothing(tmp_path: Path, use: str) -> None:
    """A function is tested alone that does not call the one with the handler, or does, or mentions it."""
    path = tmp_path / "p.c"
    called = use.format(call="install()" if use == "{call}" else "install") + ";"
    outside, inside = (called, "") if "[]" in use else ("", called)
    path.write_text(
        "#include <stdlib.h>\nstatic int flag;\nstatic void handler(void) { if (flag) flag = 2; }\n"
        "static void install(void) { atexit(handler); }\n"
        f"{outside}\nint tested(int x) {{ {inside} if (x > 5 && x < 3) return 1; return 0; }}\n"
        "int main(void) { install(); return tested(4); }\n"
    )
    loaded = load(path, data_model=DataModel.LP64, entry="tested")
    assert (hidden(loaded.program) is None) == (not use)
    assert any("nothing is proven" in warning.message for warning in loaded.warnings) == bool(use)


KEEPING = """
#include <stdio.h>
#include <stdlib.h>
static char text[BUFSIZ];
static size_t size;
static char *place;
int main(void) {{
  {call};
  printf("x");
  if (text[0] == 'x') return 1;
  return 0;
}}
"""


@pytest.mark.parametrize(
    ("call", "hides"),
    [
        ("setbuf(stdout, text)", True),
        ("setvbuf(stdout, text, _IOFBF, sizeof text)", True),
        ('FILE *out = fmemopen(text, sizeof text, "w"); fputs("x", out)', True),
        ('FILE *out = open_memstream(&place, &size); fputs("x", out)', True),
        ("initstate(1, text, 64)", True),
        ("setbuf(stdout, NULL)", False),
        ("setvbuf(stdout, (char *) 0, _IONBF, 0)", False),
    ],
)
def test_nothing_is_proven_where_the_library_keeps_a_pointer(tmp_path: Path, call: str, hides: bool) -> None:
    path = tmp_path / "p.c"
    path.write_text(KEEPING.format(call=call))
    loaded = load(path, data_model=DataModel.LP64)
    assert (hidden(loaded.program) is not None) == hides
    assert any("memory may change" in warning.message for warning in loaded.warnings) == hides


@pytest.mark.parametrize("declaration", ["#include <fenv.h>", "#define FE_UPWARD 0x800\nextern int fesetround(int);"])
def test_nothing_is_proven_where_rounding_changes(tmp_path: Path, declaration: str) -> None:
    path = tmp_path / "p.c"
    path.write_text(
        f"{declaration}\n"
        "int main(void) {\n  volatile double one = 1, three = 3;\n  double near = one / three;\n"
        "  fesetround(FE_UPWARD);\n  if (one / three != near) return 1;\n  return 0;\n}\n"
    )
    loaded = load(path, data_model=DataModel.LP64)
    assert any("round" in warning.message for warning in loaded.warnings)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    found = ACTORS["verifier"].load()(
        ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + 5, tmp_path)
    )
    assert set(goal_status(loaded.program, found, goals).values()) == {GoalStatus.OPEN}
    report = certify(loaded.program, found, goals, deadline=monotonic() + 10)
    assert not report.certified


def test_a_program_that_forks_is_read(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text("#include <unistd.h>\nint main(void) { if (fork() == 0) return 1; return 0; }\n")
    program = load(path, data_model=DataModel.LP64).program
    assert hidden(program) is None
    goals = goals_of(program, Criterion.BRANCHES)
    assert set(goal_status(program, initial_gia(program, goals), goals).values()) == {GoalStatus.OPEN}
