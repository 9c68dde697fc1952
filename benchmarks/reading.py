#!/usr/bin/env python3
"""Read generated programs of growing size: processor time and memory for each line should stay what they are.

Each program is read in a process of its own, without a cache: preprocessed, parsed, lowered to control-flow automata.
Then it is pickled, as for the cache. The exit status is 1 if the largest program takes more than ``MOST`` times as
much for each line as the smallest one. At last a small program is read with and without the headers that most
programs have: their share should be small.

    python benchmarks/reading.py --lines 1000 10000 100000
"""

from __future__ import annotations

import argparse
import pickle
import resource
import sys
import tempfile
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from gia.cfa.types import DataModel
from gia.frontend import load

MOST = 1.5

HEAD = ["extern int __VERIFIER_nondet_int(void);", "#define LARGER(a, b) ((a) > (b) ? (a) : (b))", "int a, b;"]


def functions(lines: int) -> list[str]:
    """Many functions that are all called."""
    count = lines // 8
    found = list(HEAD)
    for number in range(count):
        found += [
            f"static int f{number}(int x, unsigned y) {{",
            f"  if (x > {number} && y < {number % 90}u) {{",
            "    a = x * 2;",
            "  } else if (x == 17)",
            "    return b ^ x;",
            "  return LARGER(x, a);",
            "}",
        ]
    calls = [f"  f{number}(x, {number}u);" for number in range(count)]
    return [*found, "int main(void) {", "  int x = __VERIFIER_nondet_int();", *calls, "  return 0;", "}"]


def chain(lines: int) -> list[str]:
    """One function with a long chain of ``else if``, as generated state machines have it."""
    found = [*HEAD, "int main(void) {", "  int x = __VERIFIER_nondet_int();", "  if (x == 0) {"]
    for number in range(1, lines // 3):
        found += [f"    a = {number % 11};", "    b = a;", f"  }} else if (a == {number % 7} && x == {number}) {{"]
    return [*found, "  }", "  return a;", "}"]


def table(lines: int) -> list[str]:
    """One large table."""
    rows = [f'  {{ {number}, "row {number}", {number}.5 }},' for number in range(lines)]
    head = ["struct row { int key; const char *name; double value; } rows[] = {"]
    return [*head, *rows, "};", "int main(int argc, char **argv) { return argc < 5 ? rows[argc].key : 0; }"]


def small(headers: tuple[str, ...]) -> list[str]:
    """A small program, with headers or without."""
    includes = [f"#include <{header}>" for header in headers]
    return [*includes, "int main(int argc, char **argv) { return argc > 3 ? argv[3][0] : 0; }"]


HEADERS = ("assert.h", "ctype.h", "stdio.h", "stdlib.h", "string.h", "unistd.h")
REPETITIONS = 9

SHAPES: tuple[Callable[[int], list[str]], ...] = (functions, chain, table)


def measure(path: Path) -> tuple[float, int, int]:
    """Seconds of processor time, bytes of memory, and bytes of what is kept."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = process_time()
    loaded = load(path, data_model=DataModel.LP64)
    seconds = process_time() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return seconds, memory * 1024, len(pickle.dumps(loaded, pickle.HIGHEST_PROTOCOL))


def seconds_of(path: Path) -> float:
    """The least seconds of processor time in which a program is read, of some attempts in a row."""
    return min(measure(path)[0] for _ in range(REPETITIONS))


def headers_cost() -> float:
    """How many times as long it takes to read a small program with headers."""
    with tempfile.TemporaryDirectory() as folder, get_context("spawn").Pool(1) as pool:
        paths = Path(folder, "plain.c"), Path(folder, "headers.c")
        for path, headers in zip(paths, ((), HEADERS), strict=True):
            path.write_text("\n".join([*small(headers), ""]))
        plain, with_headers = (pool.apply(seconds_of, (path,)) for path in paths)
    print(f"a small program: {plain:.3f} s; with {len(HEADERS)} headers: {with_headers:.3f} s")
    return with_headers / plain


def main() -> int:
    """Measure, print and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, nargs="+", default=[2000, 20000, 100000], help="sizes of the programs")
    arguments = parser.parse_args()
    print(f"{'shape':<12}{'lines':>9}{'s':>8}{'µs/line':>10}{'MB':>8}{'KB/line':>10}{'kept B/line':>13}")
    status = 0
    for shape in SHAPES:
        times = []
        for lines in sorted(arguments.lines):
            with tempfile.TemporaryDirectory() as folder, get_context("spawn").Pool(1) as pool:
                path = Path(folder, "program.c")
                path.write_text("\n".join([*shape(lines), ""]))
                seconds, memory, kept = pool.apply(measure, (path,))
            times.append(seconds / lines)
            numbers = f"{1e6 * times[-1]:>10.0f}{memory / 1e6:>8.0f}{memory / lines / 1e3:>10.1f}{kept / lines:>13.0f}"
            print(f"{shape.__name__:<12}{lines:>9}{seconds:>8.2f}{numbers}", flush=True)
        status |= times[-1] > MOST * times[0]
    print(f"headers: {headers_cost():.1f} times as long")
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
