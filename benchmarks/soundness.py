#!/usr/bin/env python3
"""Let provers look at random C programs that gcc's code executes: a branch that is taken must not be excluded.

The programs use most of C, have no undefined behaviour (sanitizers watch), and ask at many places for the values that
were observed there. A line begins with ``WRONG`` if a prover excludes what is taken, and the exit status is 1 then;
``--keep`` says where such programs are kept.

    python benchmarks/soundness.py --first 1 --count 100 --keep wrong bmc-proofs verifier predicate
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from gia.cfa.types import DataModel
from tests.analyses.excluded_branches import judge


def main() -> int:
    """Run the seeds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("provers", nargs="+", help="names of actors")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=20, help="how many programs")
    parser.add_argument("--time", type=float, default=2.0, help="seconds of each prover")
    parser.add_argument("--keep", type=Path, help="folder for the programs on which something is wrong")
    arguments = parser.parse_args()
    bad = undefined = 0
    for seed in range(arguments.first, arguments.first + arguments.count):
        model = DataModel.ILP32 if seed % 3 == 0 else DataModel.LP64
        with tempfile.TemporaryDirectory(prefix="gia-soundness-") as name:
            folder = Path(name)
            try:
                found = judge(seed, model, arguments.provers, arguments.time, folder)
                wrong = found.wrong if found else ()
            except Exception as error:
                traceback.print_exc()
                found, wrong = None, (f"{type(error).__name__}: {error}",)
            undefined += found is None and not wrong
            bad += bool(wrong)
            excluded = ", ".join(f"{prover} {number}" for prover, number in found.excluded.items()) if found else "-"
            label = "WRONG" if wrong else "ok"
            taken = found.taken if found else 0
            print(
                f"{label:6}{seed:6} {model.value:6} taken {taken:4}  excluded {excluded}  {'; '.join(wrong)}",
                flush=True,
            )
            if wrong and arguments.keep:
                arguments.keep.mkdir(parents=True, exist_ok=True)
                for path in folder.glob("*.c"):
                    shutil.copy(path, arguments.keep / f"{seed}-{path.name}")
    print(f"{bad} of {arguments.count} programs with something wrong; {undefined} without a defined execution")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
