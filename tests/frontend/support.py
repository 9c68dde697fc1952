"""What the tests of the front end share: loading text, and running programs natively."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from gia.cfa.graph import Edge
from gia.cfa.types import DataModel
from gia.frontend import LoadedProgram, load
from gia.toolchain import data_model_options

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.c"))
MODELS = (DataModel.LP64, DataModel.ILP32)

INPUTS = """
#include <stdlib.h>
static unsigned long long state;
static unsigned next(void)
{
    if (!state) state = strtoull(getenv("SEED"), 0, 10) + 1;
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    unsigned bits = state >> 33;
    return bits & 1 ? (bits >> 1) % 20 : bits & 2 ? bits << 3 : bits >> 20;
}
int __VERIFIER_nondet_int(void) { return (int)next(); }
double __VERIFIER_nondet_double(void) { return (int)next() / 8.0; }
float __VERIFIER_nondet_float(void) { return (int)next() / 4.0f; }
"""
"""Inputs from a pseudo-random generator that the environment seeds."""


def load_text(
    text: str, directory: Path, *, name: str = "program.c", model: DataModel = DataModel.LP64, **options: object
) -> LoadedProgram:
    """Load a program that is given as text."""
    path = directory / name
    path.write_text(text)
    return load(path, data_model=model, **options)  # type: ignore[arg-type]


@lru_cache(maxsize=64)
def load_program(path: Path, model: DataModel, atomic: bool = False) -> LoadedProgram:
    """Load one of the programs, once."""
    return load(path, data_model=model, atomic=atomic)


def compile_c(source: Path, output: Path, model: DataModel, *more: Path) -> None:
    """Compile a program together with the inputs."""
    inputs = output.with_name("inputs.c")
    inputs.write_text(INPUTS)
    options = [*data_model_options(model), "-w", "-std=gnu17", "-fwrapv", "-msse2", "-mfpmath=sse"]
    command = ["gcc", *options, "-o", str(output), str(source), str(inputs), *map(str, more), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[:3000]


def run(program: Path, seed: int) -> tuple[int, bytes, bytes]:
    """The exit status and the outputs of a compiled program."""
    done = subprocess.run(
        [str(program)], capture_output=True, timeout=20, check=False, env={**os.environ, "SEED": str(seed)}
    )
    return done.returncode, done.stdout, done.stderr


def shown(edge: Edge) -> str:
    """An edge in one line: its position, kind, branch and ordinal."""
    reference = edge.reference
    ordinal = "" if reference.ordinal == 1 else f"#{reference.ordinal}"
    branch = f":{reference.branch}" if reference.branch else ""
    return f"{reference.line}:{reference.column}:{reference.kind}{branch}{ordinal}"


def decisions(loaded: LoadedProgram) -> list[str]:
    """The decision edges of a program."""
    return [shown(e) for e in loaded.program.edge_list if e.reference.branch]


def outputs(programs: Sequence[Path], operations: str) -> list[bytes]:
    """What each of the programs prints when it is given the operations."""
    shown = {"OPERATIONS": operations}
    return [
        subprocess.run([program], capture_output=True, env=shown, timeout=20, check=True).stdout for program in programs
    ]


def with_and_without_models(source: Path, directory: Path, *more: Path) -> tuple[str, list[Path]]:
    """The text of a program with its models, and both programs compiled together with ``more``: the real one first."""
    loaded = load(source, data_model=DataModel.LP64)
    (directory / "modelled.i").write_text(loaded.source.text)
    programs = [directory / "real", directory / "modelled"]
    for program, text in zip(programs, (source, directory / "modelled.i"), strict=True):
        subprocess.run(["gcc", "-std=gnu17", "-w", "-fwrapv", "-O1", "-o", program, text, *more], check=True)
    return loaded.source.text, programs
