"""Compile a program and what the writer made of it, run both on the same inputs, and compare what they do."""

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gia.cfa.c_types import declaration
from gia.cfa.graph import Program
from gia.cfa.naming import ProgramNames
from gia.cfa.operations import Input
from gia.cfa.types import DataModel, FloatType, IntegerType, PointerType, VoidType

FLAGS = ("-std=gnu17", "-w", "-fwrapv", "-O0", "-ftrivial-auto-var-init=zero", "-fno-builtin", "-fgnu89-inline")
LENIENT = "-Wl,--unresolved-symbols=ignore-all"
"""A run ends at the call of a function that nobody defines."""

MOST_INPUTS = 400

RUNTIME = """
extern int printf(char *, ...); extern void exit(int); extern void abort(void); extern void *stdout;
extern int fflush(void *); extern int atoi(char *); extern char *getenv(char *);
extern int setvbuf(void *, char *, int, unsigned long);
__attribute__((constructor)) static void __unbuffered(void) { setvbuf(stdout, 0, 2, 0); }
void __mark(void) { printf("[mark]"); }
static unsigned long long __state; static int __count;
unsigned long long __next(char *name) {
  if (__count == 0) { char *seed = getenv("SEED"); __state = seed ? atoi(seed) : 0; }
  if (++__count > %d) { fflush(stdout); exit(99); }
  __state = __state * 6364136223846793005ULL + 1442695040888963407ULL;
  unsigned long long wide = __state >> 33, kind = (__state >> 29) & 15;
  unsigned long long value = kind < 9 ? wide %% 3 : kind < 12 ? wide %% 10 : kind < 13 ? -(wide %% 4) : wide;
  printf("[%%s %%llx]", name, value);
  return value;
}
void __VERIFIER_assume(int c) { if (!c) { fflush(stdout); exit(98); } }
void reach_error(void) { printf("error"); fflush(stdout); exit(96); }
void __VERIFIER_error(void) { printf("error"); fflush(stdout); exit(97); }
void __VERIFIER_atomic_begin(void) {}
void __VERIFIER_atomic_end(void) {}
"""


@dataclass(frozen=True)
class Behaviour:
    """What a run did: exit status (negative: the signal; ``None``: it was stopped) and output with all inputs.

    Of a run that was stopped, the output is the beginning of what it would have been.
    """

    status: int | None
    output: bytes


def runtime(program: Program) -> str:
    """C that defines the inputs of a program by a sequence of numbers that depends on the variable SEED."""
    names = ProgramNames(program).at_file_scope()
    types = {e.operation.function: e.operation.type for e in program.edges() if isinstance(e.operation, Input)}
    types |= {f.name: f.type.result for f in program.externals.values() if f.is_input and f.name not in types}
    defined = []
    for name, type_ in sorted(types.items()):
        match type_:
            case IntegerType() | FloatType():
                value = f'({type_})__next("{name}")'
            case PointerType():
                value = f'(void *)(__next("{name}") & 1 ? 0 : 64)'
            case VoidType():
                value = f'(void)__next("{name}")'
            case _:
                raise NotImplementedError(f"an input of type {type_}")
        defined.append(f"__attribute__((weak)) {declaration(type_, f'{name}()', names)} {{ return {value}; }}")
    text = re.sub(r"^void", "__attribute__((weak)) void", RUNTIME % MOST_INPUTS, flags=re.MULTILINE)
    return text + "\n".join(defined) + "\n"


def compiled(directory: Path, name: str, text: str, program: Program, *, preprocessed: bool = False) -> Path:
    """The executable made of C text and the runtime; the compiler's message is in the assertion if it fails."""
    wide = "-m32" if program.types.data_model is DataModel.ILP32 else "-m64"
    source = directory / f"{name}{'.i' if preprocessed else '.c'}"
    support = directory / f"{name}-runtime.c"
    source.write_text(text)
    support.write_text(runtime(program))
    extra = ["-fpreprocessed"] if preprocessed else []
    objects = []
    for file, options in ((source, extra), (support, [])):
        objects.append(file.with_suffix(".o"))
        command = ["gcc", wide, *FLAGS, *options, "-c", "-o", str(objects[-1]), str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:3000]
    command = ["gcc", wide, "-o", str(directory / name), *map(str, objects), LENIENT, "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:3000]
    return directory / name


def behaviours(executable: Path, seeds: Iterable[int], seconds: float = 10.0) -> list[Behaviour]:
    """What the program does for each sequence of inputs."""
    found = []
    for seed in seeds:
        try:
            done = subprocess.run(
                [str(executable)], capture_output=True, timeout=seconds, env={"SEED": str(seed)}, cwd="/", check=False
            )
            found.append(Behaviour(done.returncode, done.stdout[:100_000]))
        except subprocess.TimeoutExpired as stopped:
            found.append(Behaviour(None, (stopped.stdout or b"")[:100_000]))
    return found
