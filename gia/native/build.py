"""Compiles programs for execution: instrumented, with the functions that they leave undefined."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from msgspec import Struct

from gia.cache import FolderCache, key_of
from gia.cfa.graph import Program
from gia.cfa.hiding import ROUNDING
from gia.cfa.types import CType, DataModel
from gia.errors import InputError, InternalError
from gia.native import layout
from gia.native.execution import BranchEvent, Uninitialised
from gia.native.instrument import instrument
from gia.native.repeating import possible_change
from gia.native.stubs import define_inputs, define_numbers, define_undefined, ending_functions, input_functions
from gia.native.support import (
    COMPILE_SECONDS,
    RUNTIME_OBJECT,
    STATIC_RUNTIME_OBJECT,
    WRAPPING,
    compiler_identity,
    make_runtime,
    make_static_runtime,
    runtime_text,
    understands,
)
from gia.native.unwritten import may_use_uninitialised
from gia.native.wrappers import define_wrappers, wrapped_functions
from gia.toolchain import Compiler, Completed, data_model_options, find_compiler, require_data_model, run_tool

if TYPE_CHECKING:  # what it needs to parse C is not needed here
    from gia.frontend import LoadedProgram

SEMANTICS = ("-std=gnu17", "-fwrapv", "-fno-strict-aliasing", "-fno-delete-null-pointer-checks", "-frounding-math",
             "-ffp-contract=off")  # fmt: skip
"""The semantics of C that proofs and executions share (DESIGN §9), beyond what the standard fixes."""

OPTIMISATION = ("-Og",)
"""Compiles in half the time that ``-O1`` needs, and what it makes is as fast (measured: 518 to 1,200 probes)."""

UNOPTIMISED = ("-O0",)
"""For programs that change how arithmetic rounds: else gcc takes what it has computed before (bug 29186). And for those
that may read variables that they have not written: where paths meet, gcc takes these to have the value that others have
there, also if they are to begin as zero."""

UNDEFINED = ("-fsanitize=bounds", "-fsanitize-undefined-trap-on-error")
"""An access outside of an array ends the run (``SIGILL``): what happens afterwards is no behaviour of the program."""

OVERFLOW = ("-fno-wrapv", "-fsanitize=signed-integer-overflow")
"""Signed arithmetic that overflows ends the run (``SIGILL``) instead of wrapping."""

COMPARISONS = ("-fsanitize-coverage=trace-cmp",)
"""The fuzzer looks at what is compared (``runtime/comparisons.c``). Short loops take several times longer."""

STATIC = ("-static-pie",)
"""Processes of static executables are forked and ended faster (measured: a third more executions per second)."""

LINKING = (*WRAPPING, "-Wl,--wrap=main", "-lm")
"""What the linker is told; the runtime looks at allocations, and may put the stack elsewhere."""

LEAST_SECONDS = 0.05
"""Wall time that each call of the compiler gets in any case."""

OLD_PROGRAMS = ("-w", "-Wno-implicit-function-declaration", "-Wno-implicit-int", "-Wno-int-conversion",
                "-Wno-incompatible-pointer-types")  # fmt: skip
"""Later compilers take as errors what old programs do; for them these are warnings, which are switched off."""

_UNDEFINED = re.compile(r"undefined reference to [`']([A-Za-z_]\w*)'")


class InstrumentedProgram(Struct, frozen=True, dict=True):
    """An executable that a :class:`~gia.native.runner.Runner` can run, and what its reports mean.

    ``outcomes[i]`` is the event of outcome ``i`` of the probes, ``sites[i]`` the CFA edge of the i-th call
    of an input, ``inputs[i]`` name and type of the i-th function that reads inputs, ``results[i]`` the CFA edge of the
    i-th call of the library whose result is observed. ``observed`` are the numbers of the CFA edges whose execution is
    noticed. ``uninitialised`` is what memory begins with: fresh memory of the heap when it is run, variables as it was
    compiled.
    """

    binary: Path
    program: Program
    outcomes: tuple[BranchEvent, ...]
    sites: tuple[int, ...]
    inputs: tuple[tuple[str, CType], ...]
    results: tuple[int, ...] = ()
    uninitialised: Uninitialised = Uninitialised.ZERO

    @property
    def shared_bytes(self) -> int:
        """The size of the memory that it shares with gia."""
        return layout.shared_bytes(self.observable)

    @property
    def observable(self) -> int:
        """The number of outcomes and call sites that it can report."""
        return max(1, len(self.outcomes)) + len(self.sites)

    @cached_property
    def observed(self) -> frozenset[int]:
        """The CFA edges whose execution is noticed."""
        return frozenset(event.edge for event in self.outcomes) | frozenset(self.sites)


def compile_instrumented(
    loaded: LoadedProgram,
    directory: Path,
    *,
    data_model: DataModel | None = None,
    watch: Collection[int] = frozenset(),
    uninitialised: Uninitialised = Uninitialised.ZERO,
    overflow_ends: bool = False,
    cache: FolderCache | None = None,
    seconds: float = COMPILE_SECONDS,
) -> InstrumentedProgram:
    """Compile a program for observation into ``directory``, which exists.

    Observed are all decisions, calls of inputs and of error functions, and the calls and statements
    on the CFA edges ``watch``. ``data_model`` is that of the program if not given. ``uninitialised`` needs gcc 12
    or later; before, automatic variables hold whatever was there. With ``overflow_ends``, signed overflow is a crash
    (see :mod:`gia.native.overflow`). ``cache`` is where executables are kept.
    :class:`~gia.errors.ToolError` if there is no compiler, or it takes longer than ``seconds``;
    :class:`InputError` if it refuses the program.
    """
    program = loaded.program
    functions = input_functions(program)
    woven = instrument(loaded.source, program, {function.name for function in functions}, watch)
    measures = layout.measures(max(1, len(woven.outcomes)), len(woven.sites))
    measures["lasting"] = possible_change(program)
    numbers = define_numbers(measures, [place - event.outcome for place, event in enumerate(woven.outcomes)])
    compiler = find_compiler()
    model = data_model or program.types.data_model
    own = (*_optimisation(loaded), *_filling(compiler, uninitialised, cache))
    if overflow_ends:
        own = (*own, *OVERFLOW)
    elif functions and uninitialised is Uninitialised.ZERO:  # this one is what is fuzzed
        own = (*own, *COMPARISONS)
    build = _Build(program, loaded.source.text, directory, compiler, model, own, cache, monotonic() + seconds)
    definitions = define_inputs(functions, ending_functions(program)) + define_wrappers(
        program.derived(wrapped_functions)
    )
    binary = build.remembered(woven.text, numbers + definitions)
    inputs = tuple((function.name, function.type.result) for function in functions)
    return InstrumentedProgram(binary, program, woven.outcomes, woven.sites, inputs, woven.results, uninitialised)


def _optimisation(loaded: LoadedProgram) -> tuple[str, ...]:
    changes_rounding = not ROUNDING.isdisjoint(loaded.program.externals)
    return UNOPTIMISED if changes_rounding or may_use_uninitialised(loaded) else OPTIMISATION


def _filling(compiler: Compiler, uninitialised: Uninitialised, cache: FolderCache | None) -> tuple[str, ...]:
    """The option that gives variables their first content, where the compiler has it."""
    begins = {content: f"-ftrivial-auto-var-init={content.value}" for content in Uninitialised}
    return (begins[uninitialised],) if understands(compiler, begins[Uninitialised.ZERO], cache) else ()


def _undefined(linked: Completed) -> list[str]:
    """The functions that the linker has missed."""
    return sorted(set(_UNDEFINED.findall(linked.messages))) if linked.returncode else []


def _defines_library_names(program: Program) -> bool:
    """Whether a definition of the program, or an input, has the name of something in the C library.

    A static library would then use that definition itself.
    """
    names = {static.variable.name for static in program.statics if static.variable.function is None}
    names.update(program.functions, (function.name for function in input_functions(program)))
    library = ctypes.CDLL("libc.so.6")
    return any(hasattr(library, name) for name in names if name != "main")


class _Build(Struct, frozen=True):
    """The files of one build in its directory: ``program.i`` with the inputs behind it, its object, and ``program``.

    One file takes the compiler a quarter less time than two. ``undefined.i`` is made where it turns out to be needed.

    ``own`` are options for the program only: how it is optimised, how its variables begin, what is observed.
    """

    program: Program
    original: str
    directory: Path
    compiler: Compiler
    model: DataModel
    own: tuple[str, ...]
    cache: FolderCache | None
    deadline: float

    @property
    def _binary(self) -> Path:
        return self.directory / "program"

    @property
    def _options(self) -> tuple[str, ...]:
        return (*data_model_options(self.model), *SEMANTICS, *OLD_PROGRAMS)

    def remembered(self, text: str, inputs: str) -> Path:
        """The executable of an instrumented program and its ``inputs``, from the cache if it has it."""
        if self.cache is None:
            return self._make(text, inputs)
        key = self._key(text, inputs)
        found = self.cache.fetch_files(key)
        if found is None or self._binary.name not in found:
            self._make(text, inputs)
            self.cache.store_files(key, self.directory, [self._binary])
        else:
            self._binary.write_bytes(found[self._binary.name])
            self._binary.chmod(0o755)
        return self._binary

    def _key(self, text: str, inputs: str) -> str:
        """What stands for all that the executable depends on: texts, options, the compiler and the C library."""
        compiler = compiler_identity(self.compiler)
        options = (*self._options, *self.own, *UNDEFINED, *STATIC, *LINKING)
        names = sorted({*self.program.functions, *self.program.externals})
        return key_of(text, inputs, runtime_text(), *compiler, *options, "", *names)

    def _make(self, text: str, inputs: str) -> Path:
        """The executable. Functions that exist nowhere get a definition that ends the run."""
        self._write("program.i", f"{text}\n{inputs}")
        with ThreadPoolExecutor(1) as pool:
            runtime = pool.submit(make_runtime, self.compiler, self._options, self.directory, self.cache)
            done = self._compile_program("program.i")
            failed = done if done.returncode else runtime.result()
        if failed is not None:
            self._explain(failed)
        static = not _defines_library_names(self.program)
        done = self._link(static)
        objects: tuple[str, ...] = ()
        if undefined := _undefined(done):
            if any(name in self.program.functions for name in undefined):
                self._compile_program("-fgnu89-inline", "program.i")
            self._write("undefined.i", define_undefined(n for n in undefined if n not in self.program.functions))
            self._compile_program("undefined.i")
            objects = ("undefined.o",)
            done = self._link(static, *objects)
        if done.returncode and static:  # perhaps there is no static C library
            done = self._link(False, *objects)
        if done.returncode:
            self._explain(done)
        return self._binary

    def _write(self, name: str, text: str) -> None:
        (self.directory / name).write_text(text, encoding="utf-8", errors="surrogateescape")

    def _compile_program(self, *arguments: str) -> Completed:
        options = (*self.own, "-fPIE", *UNDEFINED, *self._own_definitions)
        return self._compile(*options, "-c", "-x", "cpp-output", *arguments)

    @property
    def _own_definitions(self) -> list[str]:
        """Where the program defines what the compiler knows from the library (``llabs``), its own definition counts."""
        return [f"-fno-builtin-{name}" for name in sorted(self.program.functions.keys() - {"main"})]

    def _link(self, static: bool, *objects: str) -> Completed:
        options, runtime = (STATIC, self._static_runtime()) if static else ((), RUNTIME_OBJECT)
        wraps = [f"-Wl,--wrap={name}" for name in self.program.derived(wrapped_functions)]
        return self._compile(*options, "program.o", *objects, runtime, "-o", self._binary.name, *LINKING, *wraps)

    def _static_runtime(self) -> str:
        """The object file of the runtime for a static executable; to prepare it for one alone is not worth it."""
        if self.cache is None or not make_static_runtime(self.compiler, self._options, self.directory, self.cache):
            return RUNTIME_OBJECT
        return STATIC_RUNTIME_OBJECT

    def _compile(self, *arguments: str) -> Completed:
        command = [self.compiler.path, *self._options, *arguments]
        return run_tool(command, timeout=max(LEAST_SECONDS, self.deadline - monotonic()), cwd=self.directory)

    def _explain(self, failed: Completed) -> None:
        """Raise the error of a failed build: whose fault is it?

        What the compiler takes may still be refused by the assembler, such as the assembly of another processor.
        """
        require_data_model(self.compiler, self.model)
        self._write("original.i", self.original)
        plain = self._compile("-c", "-x", "cpp-output", "original.i")
        file = self.program.main_file
        if plain.returncode:
            raise InputError(f"the compiler refuses {file}:\n{plain.messages.strip()}")
        raise InternalError(f"the instrumented form of {file} does not compile:\n{failed.messages.strip()}")
