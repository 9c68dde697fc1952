#!/usr/bin/env python3
"""Judge a run of gia by gcov alone: nothing of gia is used, only the files that the run left.

The program is compiled unmodified with ``gcc --coverage`` and a small harness; every test of the suite is
executed; then gcov's counts are held against ``result.json``. gcov counts branches of machine code, several for one
outcome of ``a && b``, so that only necessary conditions can be compared:

* a goal that is claimed covered stands on a line that was executed, and one of the line's branches was taken;
* if both outcomes of a decision that is alone on its line are claimed, at least two of the line's branches were taken;
* a line of which gcov says that it was executed, more often than executions were stopped by a signal or their time,
  and that one of its branches was taken, holds no decision all of whose outcomes are called unreachable.

    python benchmarks/gcov_judge.py PROGRAM.c gia-out/PROGRAM [--data-model ILP32]

Prints one line per contradiction; the exit status is 1 if there is any. A program that reads its arguments, standard
input, files or the environment is not judged: its tests are inputs of models, which gcc knows nothing of.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

HARNESS = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern void __gcov_dump(void);
extern void _exit(int);
extern unsigned alarm(unsigned);
static void stop(int status) { __gcov_dump(); _exit(status); }
__attribute__((constructor)) static void prepare(void) {
  static char room[1 << 16]; /* no stack is left where recursion does not end */
  sigaltstack(&(stack_t){.ss_sp = room, .ss_size = sizeof room}, 0);
  int signals[] = {SIGALRM, SIGSEGV, SIGFPE, SIGBUS, SIGILL};
  for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction(signals[i], &(struct sigaction){.sa_handler = stop, .sa_flags = SA_ONSTACK}, 0);
  alarm(20); /* neither optimised nor without counters, a long execution is much longer */
}
void abort(void) { stop(134); for (;;); }
__attribute__((weak)) void __assert_fail(const char *a, const char *b, unsigned c, const char *d) { abort(); }
__attribute__((weak)) void reach_error(void) { stop(134); }
__attribute__((weak)) void __VERIFIER_error(void) { stop(134); }
__attribute__((weak)) void __VERIFIER_assume(int holds) { if (!holds) stop(0); }
const char *next(void) {
  static char line[4096];
  if (!fgets(line, sizeof line, stdin)) stop(0);
  return line;
}
#define SIGNED(name, type) \
  __attribute__((weak)) type __VERIFIER_nondet_##name(void) { return (type)strtoll(next(), 0, 0); }
#define UNSIGNED(name, type) \
  __attribute__((weak)) type __VERIFIER_nondet_##name(void) { \
    const char *s = next(); \
    return (type)(strchr(s, '-') ? (unsigned long long)strtoll(s, 0, 0) : strtoull(s, 0, 0)); }
SIGNED(char, char) SIGNED(short, short) SIGNED(int, int) SIGNED(long, long) SIGNED(longlong, long long)
SIGNED(loff_t, long long)
UNSIGNED(bool, _Bool) UNSIGNED(uchar, unsigned char) UNSIGNED(ushort, unsigned short) UNSIGNED(uint, unsigned)
UNSIGNED(ulong, unsigned long) UNSIGNED(ulonglong, unsigned long long) UNSIGNED(size_t, size_t)
UNSIGNED(sector_t, unsigned long) UNSIGNED(unsigned, unsigned) UNSIGNED(u32, unsigned)
__attribute__((weak)) float __VERIFIER_nondet_float(void) { return strtof(next(), 0); }
__attribute__((weak)) double __VERIFIER_nondet_double(void) { return strtod(next(), 0); }
__attribute__((weak)) void *__VERIFIER_nondet_pointer(void) { return (void *)(size_t)strtoull(next(), 0, 0); }
__attribute__((weak)) char *__VERIFIER_nondet_pchar(void) { return (char *)(size_t)strtoull(next(), 0, 0); }
"""

READERS = """
const char *next(void);
long long strtoll(const char *, char **, int);
float strtof(const char *, char **);
double strtod(const char *, char **);
"""


STOPPED = {int(number) for number in (signal.SIGALRM, signal.SIGSEGV, signal.SIGFPE, signal.SIGBUS, signal.SIGILL)}
"""The exit statuses of the harness for signals."""

LONGEST = 60.0
"""The seconds after which an execution is killed, should the harness's own end not stop it."""

OF_MODELS = re.compile(
    r"\b__VERIFIER_nondet_(?:stdin|argc|character|memory_byte|getenv_|extern_|file_|byte_of_file_"
    r"|(?:time|microseconds|nanoseconds|clock|[dlm]rand48)\b)"
)
"""Inputs that models of the library read, as they are called in ``gia.xml``."""

READING = re.compile(r'kind="input">[^<=]*= (?!__VERIFIER_)(\w+)\(')
"""Calls of functions without a body that are inputs for gia, some of the library among them, in ``gia.xml``."""


def read_inputs(suite: Path) -> list[list[str]]:
    """The inputs of each test case, in the order of the files' numbers."""
    files = sorted(suite.glob("testcase-*.xml"), key=lambda path: int(re.sub(r"\D", "", path.stem) or 0))
    return [[(node.text or "").strip() for node in ElementTree.parse(f).getroot().iter("input")] for f in files]


def link(program: Path, flags: Sequence[str], reading: frozenset[str], work: Path) -> bool:
    """Compile the program with the harness; functions that it leaves undefined, or are ``reading``, return inputs."""
    command = ["gcc", *flags, "--coverage", "-o", "program", str(program), "harness.o", "-lm"]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, errors="replace", check=False)
    undefined = sorted(reading.union(re.findall(r"undefined reference to [`']([A-Za-z_]\w*)'", done.stderr)))
    if not undefined:
        return done.returncode == 0
    preprocessor = ["gcc", *flags, "-E", "-P", "-x", "c", str(program)]  # also of what is preprocessed
    text = subprocess.run(preprocessor, cwd=work, capture_output=True, text=True, errors="replace", check=False).stdout
    (work / "undefined.c").write_text(READERS + "".join(definition(name, text) for name in undefined))
    subprocess.run(["gcc", *flags, "-c", "undefined.c"], cwd=work, check=True)
    # A function that is only `inline` has no definition in C99: the weak one gives way to that of the program.
    again = [*command, "undefined.o", "-fgnu89-inline"]
    return subprocess.run(again, cwd=work, stderr=subprocess.DEVNULL, check=False).returncode == 0


def definition(name: str, text: str) -> str:
    """A function that does nothing or returns an input, as the declaration in the program's text wants."""
    found = re.search(rf"\b(void|float|double)\s+{name}\s*\(", text)
    kind, read = {
        "void": ("void", ""),
        "float": ("float", "return strtof(next(), 0);"),
        "double": ("double", "return strtod(next(), 0);"),
    }.get(found[1] if found else "", ("long long", "return strtoll(next(), 0, 0);"))
    return f"__attribute__((weak)) {kind} {name}() {{ {read} }}\n"


Lines = dict[int, tuple[int, list[int]]]
"""Per line of the program: how often it was executed, and the counts of its branches."""


def gcov_lines(program: Path, suite: Path, model: str, reading: frozenset[str], work: Path) -> tuple[Lines, int]:
    """What gcov counts, and how many executions were stopped by a signal or by their time.

    It counts some edges and computes the others, so that what comes after the place of a stop may be counted, too.
    """
    (work / "harness.c").write_text(HARNESS)
    bits = ["-m32", "-msse2", "-mfpmath=sse"] if model == "ILP32" else ["-m64"]
    flags = [*bits, "-w", "-O0", "-fwrapv"]
    subprocess.run(["gcc", *flags, "-c", "harness.c"], cwd=work, check=True)
    if not link(program.resolve(), flags, reading, work):
        print(f"note: {program} cannot be linked with the inputs that this harness knows", file=sys.stderr)
        return {}, 0
    stopped = 0
    for inputs in read_inputs(suite):
        text = "".join(f"{value}\n" for value in inputs).encode()
        null = subprocess.DEVNULL
        try:
            done = subprocess.run(
                ["./program"], cwd=work, input=text, stdout=null, stderr=null, timeout=LONGEST, check=False
            )
        except subprocess.TimeoutExpired:
            print(f"note: {program} does not end when it is asked to, so that gcov knows nothing", file=sys.stderr)
            return {}, 0
        stopped += done.returncode in STOPPED
    data = next(work.glob("*.gcda"), None)
    if data is None:
        return {}, 0
    subprocess.run(
        ["gcov", "--json-format", "--branch-counts", data.name], cwd=work, check=True, stdout=subprocess.DEVNULL
    )
    lines: Lines = {}
    for report in work.glob("*.gcov.json.gz"):
        for file in json.loads(gzip.decompress(report.read_bytes()))["files"]:
            if Path(file["file"]).name == program.name:
                for line in file["lines"]:
                    lines[line["line_number"]] = (line["count"], [branch["count"] for branch in line["branches"]])
    return lines, stopped


def judge(program: Path, out: Path, model: str) -> list[str]:
    """The contradictions of one run, for a program of the data model ``model``."""
    result = json.loads((out / "result.json").read_text())
    automaton = (out / "gia.xml").read_text()
    if OF_MODELS.search(automaton):
        print(f"note: {program} reads more than inputs of its own", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory() as work:
        reading = frozenset(READING.findall(automaton))
        lines, stopped = gcov_lines(program, out / "test-suite", model, reading, Path(work))
    return contradictions(result, lines, stopped, program.name)


def contradictions(result: dict[str, Any], lines: Lines, stopped: int, program: str) -> list[str]:
    """Where gcov's counts contradict what the result claims."""
    decisions: dict[tuple[int, str], list[dict[str, Any]]] = defaultdict(list)
    for goal in result["goals"]:
        if Path(goal["file"]).name == program:
            decisions[goal["line"], goal["id"].rsplit(":", 1)[0]].append(goal)
    per_line: dict[int, int] = defaultdict(int)
    for line, _ in decisions:
        per_line[line] += 1
    found = []
    for (line, name), goals in sorted(decisions.items()):
        if line not in lines:  # nothing to execute there, such as `while (1)`
            continue
        count, branches = lines[line]
        taken = sum(1 for branch in branches if branch)
        covered = [goal for goal in goals if goal["status"] == "covered"]
        if covered and not count:
            found.append(f"{program}:{line}: {name} is claimed covered, gcov says that the line was not executed")
        elif branches and per_line[line] == 1 and len(goals) == 2 and taken < len(covered):
            found.append(f"{program}:{line}: {name}: {len(covered)} outcomes are claimed, gcov counts {taken}")
        was_decided = taken and count > stopped and per_line[line] == 1  # not in an operand that is never evaluated
        if was_decided and all(goal["status"] == "unreachable" for goal in goals):
            found.append(f"{program}:{line}: {name} is claimed unreachable, gcov says that the line was executed")
    return found


def main() -> int:
    """Judge one run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("out", type=Path, help="the folder that the run left")
    parser.add_argument("--data-model", choices=["ILP32", "LP64"], default="LP64")
    arguments = parser.parse_args()
    found = judge(arguments.program, arguments.out, arguments.data_model)
    print("\n".join(found) or "no contradiction")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
