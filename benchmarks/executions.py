#!/usr/bin/env python3
"""Measure how many executions per second the fuzzer makes, and print ratios.

Each program is fuzzed for the same time twice, by turns: with executions that share a process, whose memory is put back
after each (``runtime/repeat.c``), and with a new process for each. The median of ``--repeat`` batches counts.

    python benchmarks/executions.py [--seconds 2] [--repeat 3] [examples/elevator.c …]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median
from unittest.mock import patch

from gia.analyses.testing.fuzzer import LENGTHS
from gia.cfa.types import DataModel
from gia.frontend import load
from gia.native import FuzzRequest, InstrumentedProgram, Runner, compile_instrumented, server
from gia.native.repeating import is_repeatable

EXAMPLES = Path(__file__).parent.parent / "examples"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    ratios = []
    print(f"{'program':32}{'shared':>12}{'new each':>12}{'ratio':>8}   executions per second")
    for path in options.programs or sorted(EXAMPLES.glob("*.c")):
        with tempfile.TemporaryDirectory() as folder:
            program = compile_instrumented(load(path, data_model=DataModel.LP64), Path(folder))
            if not is_repeatable(program.program):
                print(f"{path.name:32}{'-':>12}")
                continue
            rates: dict[bool, list[float]] = {True: [], False: []}
            for number in range(2 * options.repeat):
                rates[number % 2 == 0].append(rate(program, number % 2 == 0, options.seconds, number))
        shared, alone = median(rates[True]), median(rates[False])
        ratios.append(shared / alone)
        print(f"{path.name:32}{shared:12,.0f}{alone:12,.0f}{ratios[-1]:8.1f}")
    if ratios:
        print(f"median ratio {median(ratios):.1f}")


def rate(program: InstrumentedProgram, shares: bool, seconds: float, seed: int) -> float:
    """Executions per second of one batch, which begins with nothing."""
    request = FuzzRequest(10**9, seconds, LENGTHS[0], seed=seed)
    with patch.object(server, "is_repeatable", lambda _: shares), Runner() as runner:
        started = time.monotonic()
        done = runner.fuzz(program, request)
        return done.executions / (time.monotonic() - started)


if __name__ == "__main__":
    main()
