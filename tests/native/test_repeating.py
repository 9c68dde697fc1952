"""Executions that share a process observe what executions in processes of their own observe."""

from itertools import product
from pathlib import Path

import pytest

from gia.cfa.types import DataModel
from gia.native import (
    Execution,
    FuzzBatch,
    FuzzRequest,
    Limits,
    Missing,
    Outcome,
    Runner,
    Tracing,
    compile_instrumented,
    server,
)
from gia.native.repeating import is_repeatable
from tests.frontend.support import load_text

HEAD = """
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
static int calls, table[4096];
"""
BODIES = {
    "variables": """
        static int last = 5;
        for (int i = 0; i < 6; i++) { int x = __VERIFIER_nondet_uchar(); calls++; table[x] += x == last; last = x; }
        if (calls != 6) return 2;
        return table[7] > 1;""",
    "heap": """
        char *texts[8]; int n = 0, c;
        while (n < 8 && (c = __VERIFIER_nondet_uchar()) != 0) { texts[n] = malloc(c * 5000); memset(texts[n++], c, 9); }
        if (n > 3 && texts[2][4] == 'x') return 3;
        for (c = 0; c < n; c++) if (c % 2) free(texts[c]);
        return n;""",
    "output": """
        int x = getchar(), y; char text[20];
        printf("%d\\n", x); sprintf(text, "%d", x); y = atoi(text);
        if (x != y) return 9;
        if (strcmp(text, "98") == 0) exit(4);
        return scanf("%d", &y) == 1 && y == 77;""",
    "crashes": """
        int x = __VERIFIER_nondet_uchar(), *p = x == 3 ? 0 : &x;
        calls++;
        if (x == 200) abort();
        if (x == 100) return 1 / (x - 100);
        return *p > 250 && calls == 1;""",
    "jumps": """
        static jmp_buf place; volatile int n = 0;
        if (setjmp(place) > 4) return n;
        n++;
        if (__VERIFIER_nondet_uchar() > 50) longjmp(place, n);
        return 1;""",
    "large": """
        static char all[40 << 20]; int x = __VERIFIER_nondet_int();
        if (x < 0 || x >= (int)sizeof all) return 1;
        if (all[x]) return 2;
        all[x] = 1;
        return x == 7;""",
    "too large": """
        static char all[200 << 20]; int x = __VERIFIER_nondet_int();
        if (x < 0 || x >= (int)sizeof all) return 1;
        return all[x]++ ? 2 : x == 7;""",
    "flooding": """
        int x = __VERIFIER_nondet_uchar();
        if (x > 50) for (;;) puts("a menu that is shown again and again where the input ends");
        return x == 7;""",
    "files": """
        int x = __VERIFIER_nondet_uchar(); char text[50]; struct stat of; DIR *folder = opendir("."); FILE *file;
        for (int n = 0; readdir(folder); n++) if (n == 2) return 20;
        if (x > 200) closedir(folder);
        if (open("/dev/null", O_RDONLY) == 3) return 21;
        if (x % 3 == 0) { close(0); return open(".", O_RDONLY); }
        if (x % 3 == 1) { mkdir("sub", 0700); chdir("sub"); mkdir("sub", 0700); }
        mkfifo("pipe", 0777);
        if (stat("pipe", &of) == 0 && !(of.st_mode & 4)) return 22;
        if (x > 100) umask(0777);
        if (x > 250 && stat("/nowhere", &of)) return 23;
        puts("written"); getcwd(text, sizeof text);
        if (x % 2 && (fclose(stdout) || ferror(stdin))) return 24;
        return text[1] == 't';""",
    "users": """
        int x = __VERIFIER_nondet_uchar(); struct passwd *user = getpwnam(x > 100 ? "root" : "nobody-at-all");
        if (x % 3 == 0) return getpwuid(x) != 0;
        if (x % 3 == 1 && getgrgid(0)) return 3;
        return user ? (int)user->pw_uid + 4 : 7;""",
    "handlers": """
        int x = __VERIFIER_nondet_uchar();
        if (x > 200) signal(SIGABRT, SIG_IGN);
        if (x > 100) signal(SIGSEGV, exit);
        if (signal(SIGUSR1, SIG_DFL) != SIG_DFL) return 30;
        if (x % 3 == 0) raise(SIGSEGV);
        if (x % 3 == 1) abort();
        return x == 77;""",
    "hanging": """
        int x = __VERIFIER_nondet_uchar();
        if (x == 17) for (;;) ;
        return x > 90;""",
}
LIMITS = Limits(wall=0.1, inputs=200, events=2_000)


def batches(program: object, repeats: bool, monkeypatch: pytest.MonkeyPatch) -> list[FuzzBatch]:
    """Three batches in a row."""
    monkeypatch.setattr(server, "is_repeatable", lambda _: repeats)
    with Runner() as runner:
        requests = (FuzzRequest(200, 60.0, LIMITS, fresh=first, seed=3) for first in (True, False, False))
        return [runner.fuzz(program, request) for request in requests]  # type: ignore[arg-type]


@pytest.mark.parametrize("model", list(DataModel))
@pytest.mark.parametrize("name", BODIES)
def test_shared_processes_observe_the_same(
    name: str, model: DataModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = load_text(f"{HEAD}int main(void) {{{BODIES[name]}}}", tmp_path, model=model)
    assert is_repeatable(loaded.program)
    program = compile_instrumented(loaded, tmp_path)
    alone, shared = (batches(program, repeats, monkeypatch) for repeats in (False, True))
    assert shared == alone
    assert alone[0].corpus > 1


def shown(ran: Execution) -> tuple[object, ...]:
    """What an execution shows, whatever process it had."""
    return ran.outcome, ran.signal, ran.inputs, ran.covered_edges, ran.events, ran.truncated, ran.output


@pytest.mark.parametrize("model", list(DataModel))
@pytest.mark.parametrize("name", BODIES)
def test_what_one_execution_shows_is_the_same(name: str, model: DataModel, tmp_path: Path) -> None:
    loaded = load_text(f"{HEAD}int main(void) {{{BODIES[name]}}}", tmp_path, model=model)
    program = compile_instrumented(loaded, tmp_path)
    ways = [(Missing.STOP, Tracing.NONE), (Missing.ZERO, Tracing.SEGMENTS), (Missing.ZERO, Tracing.FULL)]
    given: list[list[str]] = [[], ["100"], ["3", "9"], ["200"], ["17"], ["7", "7"], ["60", "51", "0"], ["57", "56"]]
    outcomes = set()
    with Runner() as runner:
        for inputs, (missing, tracing) in product(given, ways):
            first, alone, second = (
                runner.run(program, inputs, limits=LIMITS, missing=missing, tracing=tracing, shared=shared)
                for shared in (True, False, True)
            )
            assert shown(first) == shown(alone) == shown(second)
            outcomes.add((alone.outcome, alone.signal))
    assert len(outcomes) > 1


def test_limits_are_those_of_each_execution(tmp_path: Path) -> None:
    body = 'int n = 3000; for (int i = 0; i < n; i++) puts("0123456789"); return __VERIFIER_nondet_int() == 1;'
    program = compile_instrumented(load_text(f"{HEAD}int main(void) {{ {body} }}", tmp_path), tmp_path)
    with Runner() as runner:
        outcomes = [
            runner.run(program, ["1"], limits=Limits(output=output), shared=True).outcome
            for output in (100_000, 10_000, 10_000, 100_000)
        ]
    assert outcomes == [Outcome.EXITED, Outcome.OUTPUT_LIMIT, Outcome.OUTPUT_LIMIT, Outcome.EXITED]


@pytest.mark.parametrize(
    ("body", "repeatable"),
    [
        ("return strlen(v[0]) > 3 ? abs(n) : puts(v[0]);", True),
        ('return fopen(v[1], "r") != 0;', True),  # it has a model
        ("return signal(n, 0) != 0;", True),
        ("return open(v[1], n);", True),
        ("return fclose(stdout) || ferror(stdin);", True),
        ("return alarm(n);", False),
        ("return mmap(0, n, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != 0;", False),
    ],
)
def test_what_changes_lasting_things_has_processes_of_its_own(body: str, repeatable: bool, tmp_path: Path) -> None:
    loaded = load_text(f"{HEAD}int main(int n, char **v) {{ {body} }}", tmp_path)
    assert is_repeatable(loaded.program) == repeatable
