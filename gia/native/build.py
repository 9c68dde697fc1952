"""Compiles programs for execution: instrumented, with the functions that they leave undefined."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from gia.cache import FolderCache, identity, key_of
from gia.cfa.graph import Program
from gia.cfa.types import CType, DataModel
from gia.errors import InputError, InternalError
from gia.native import layout
from gia.native.execution import BranchEvent, Uninitialised
from gia.native.instrument import InstrumentedText, instrument
from gia.native.stubs import define_inputs, define_undefined, input_functions, input_type
from gia.toolchain import Compiler, Completed, data_model_options, find_compiler, require_data_model, run_tool

if TYPE_CHECKING:  # what it needs to parse C is not needed here
    from gia.frontend import LoadedProgram

COMPILE_SECONDS = 300.0

SEMANTICS = ("-std=gnu17", "-fwrapv", "-fno-strict-aliasing", "-fno-delete-null-pointer-checks", "-frounding-math",
             "-ffp-contract=off")  # fmt: skip
"""The semantics of C that proofs and executions share (DESIGN §9), beyond what the standard fixes."""

OPTIMISATION = ("-Og",)
"""Compiles in half the time that ``-O1`` needs, and what it makes is as fast (measured: 518 to 1,200 probes)."""

UNDEFINED = ("-fsanitize=bounds,vla-bound", "-fsanitize-undefined-trap-on-error")
"""An access outside of an array ends the run (``SIGILL``): what happens afterwards is no behaviour of the program."""

COMPARISONS = ("-fsanitize-coverage=trace-cmp",)
"""The fuzzer looks at what is compared (``runtime/comparisons.c``)."""

STATIC = ("-static-pie",)
"""Processes of static executables are forked and ended faster (measured: a third more executions per second)."""

LINKING = (*(f"-Wl,--wrap={name}" for name in ("malloc", "calloc", "realloc")), "-lm")
"""What the linker is told; the runtime looks at allocations."""

OLD_PROGRAMS = ("-w", "-Wno-implicit-function-declaration", "-Wno-implicit-int", "-Wno-int-conversion",
                "-Wno-incompatible-pointer-types")  # fmt: skip
"""Later compilers take as errors what old programs do; for them these are warnings, which are switched off."""

_RUNTIME = ("system", "shared", "probes", "comparisons", "inputs", "undefined", "isolation", "server", "mutation",
            "fuzz", "commands")  # fmt: skip
_UNDEFINED = re.compile(r"undefined reference to [`']([A-Za-z_]\w*)'")


@dataclass(frozen=True)
class InstrumentedProgram:
    """An executable that a :class:`~gia.native.runner.Runner` can run, and what its reports mean.

    ``outcomes[i]`` is the event of outcome ``i`` of the probes, ``sites[i]`` the CFA edge of the i-th call
    of an input, ``inputs[i]`` name and type of the i-th function that reads inputs. ``observed`` are the
    numbers of the CFA edges whose execution is noticed.
    """

    binary: Path
    program: Program = field(repr=False)
    outcomes: tuple[BranchEvent, ...] = field(repr=False)
    sites: tuple[int, ...] = field(repr=False)
    inputs: tuple[tuple[str, CType], ...]

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
    cache: FolderCache | None = None,
) -> InstrumentedProgram:
    """Compile a program for observation into ``directory``, which exists.

    Observed are all decisions, calls of inputs and of error functions, and the calls and statements
    on the CFA edges ``watch``. ``data_model`` is that of the program if not given. ``uninitialised`` needs gcc 12
    or later; before, automatic variables hold whatever was there. ``cache`` is where executables are kept.
    :class:`~gia.errors.ToolError` if there is no compiler, :class:`InputError` if it refuses the program.
    """
    program = loaded.program
    functions = input_functions(program)
    woven = instrument(loaded.source, program, {function.name for function in functions}, watch)
    compiler = find_compiler()
    model = data_model or program.types.data_model
    require_data_model(compiler, model)
    build = _Build(compiler, _options(compiler, model, uninitialised), directory)
    build.write(woven, f"#define GIA_ZERO_HEAP {int(uninitialised is Uninitialised.ZERO)}\n", define_inputs(functions))
    binary = build.remembered(cache, program, loaded.source.text)
    inputs = tuple((function.name, input_type(function)) for function in functions)
    return InstrumentedProgram(binary, program, woven.outcomes, woven.sites, inputs)


def _options(compiler: Compiler, model: DataModel, uninitialised: Uninitialised) -> tuple[str, ...]:
    """What every call of the compiler is told."""
    options = (*data_model_options(model), *SEMANTICS, *OLD_PROGRAMS)
    filling = f"-ftrivial-auto-var-init={uninitialised.value}"
    return (*options, filling) if _understands(compiler, filling) else options


@lru_cache(maxsize=8)
def _understands(compiler: Compiler, option: str) -> bool:
    """Whether the compiler knows an option (filling variables: gcc 12 and later)."""
    command = [compiler.path, option, "-fsyntax-only", "-x", "c", os.devnull]
    return run_tool(command, timeout=COMPILE_SECONDS).returncode == 0


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


def runtime_text() -> str:
    """The C text of the runtime."""
    folder = files("gia.native") / "runtime"
    return "\n".join((folder / f"{name}.c").read_text("utf-8") for name in _RUNTIME)


class _Build:
    """The files of one build in its directory: ``program.i`` and ``runtime.c``, their objects, and ``program``."""

    def __init__(self, compiler: Compiler, options: tuple[str, ...], directory: Path) -> None:
        self._compiler = compiler
        self._options = options
        self._directory = directory
        self._binary = directory / "program"
        self._runtime = ""

    def write(self, woven: InstrumentedText, definitions: str, inputs: str) -> None:
        """Write the sources: the instrumented program, and the runtime between ``definitions`` and ``inputs``."""
        (self._directory / "program.i").write_text(woven.text, encoding="utf-8", errors="surrogateescape")
        definitions += layout.definitions(max(1, len(woven.outcomes)), len(woven.sites))
        self._runtime = definitions + runtime_text() + inputs

    def remembered(self, cache: FolderCache | None, program: Program, original: str) -> Path:
        """The executable, from a cache if there is one and it has it."""
        if cache is None:
            return self.link(program, original)
        key = self._key(program)
        found = cache.fetch_files(key)
        if found is None or self._binary.name not in found:
            self.link(program, original)
            cache.store_files(key, self._directory, [self._binary])
        else:
            self._binary.write_bytes(found[self._binary.name])
            self._binary.chmod(0o755)
        return self._binary

    def _key(self, program: Program) -> str:
        """What stands for all that the executable depends on: texts, options, the compiler and the C library."""
        source = (self._directory / "program.i").read_text(encoding="utf-8", errors="surrogateescape")
        library = os.confstr("CS_GNU_LIBC_VERSION") or ""
        compiler = (self._compiler.version, identity(Path(self._compiler.path)), library)
        options = (*self._options, *OPTIMISATION, *UNDEFINED, *COMPARISONS, *STATIC, *LINKING)
        names = sorted({*program.functions, *program.externals})
        return key_of(source, self._runtime, *compiler, *options, "", *names)

    def link(self, program: Program, original: str) -> Path:
        """The executable. Functions that exist nowhere get a definition that ends the run."""
        failed = self._compile_both((), ())
        if failed is not None:
            self._explain(failed, program, original)
        static = STATIC if not _defines_library_names(program) else ()
        done = self._link(static)
        if undefined := _undefined(done):
            inlined = any(name in program.functions for name in undefined)
            missing = [name for name in undefined if name not in program.functions]
            self._compile_both(("-fgnu89-inline",) if inlined else None, missing)
            done = self._link(static)
        if done.returncode and static:  # perhaps there is no static C library
            done = self._link(())
        if done.returncode:
            self._explain(done, program, original)
        return self._binary

    def _compile_both(self, options: tuple[str, ...] | None, undefined: Collection[str]) -> Completed | None:
        """Compile the runtime, and the program unless ``options`` is ``None``; what failed."""
        (self._directory / "runtime.c").write_text(self._runtime + define_undefined(undefined), "utf-8")
        commands = [["-fno-builtin", "-c", "runtime.c"]]
        if options is not None:
            commands.append([*UNDEFINED, *COMPARISONS, *options, "-c", "-x", "cpp-output", "program.i"])
        with ThreadPoolExecutor(len(commands)) as pool:
            done = list(pool.map(lambda command: self._compile(["-fPIE", *OPTIMISATION, *command]), commands))
        return next((one for one in reversed(done) if one.returncode), None)

    def _link(self, options: tuple[str, ...]) -> Completed:
        return self._compile([*options, "program.o", "runtime.o", "-o", self._binary.name, *LINKING])

    def _compile(self, arguments: list[str]) -> Completed:
        command = [self._compiler.path, *self._options, *arguments]
        return run_tool(command, timeout=COMPILE_SECONDS, cwd=self._directory)

    def _explain(self, failed: Completed, program: Program, original: str) -> None:
        """Raise the error of a failed build: whose fault is it?"""
        (self._directory / "original.i").write_text(original, encoding="utf-8", errors="surrogateescape")
        plain = self._compile(["-fsyntax-only", "-x", "cpp-output", "original.i"])
        if plain.returncode:
            raise InputError(f"the compiler refuses {program.main_file}:\n{plain.messages.strip()}")
        raise InternalError(
            f"the instrumented form of {program.main_file} does not compile:\n{failed.messages.strip()}"
        )
