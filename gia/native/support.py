"""What every program needs and no program changes: the runtime's object files, and what the compiler understands.

They depend on the compiler and its options only. They are made once for each and kept in a cache, if there is one.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from gia.cache import FolderCache, identity, key_of
from gia.native import layout
from gia.toolchain import Compiler, Completed, run_tool

COMPILE_SECONDS = 300.0

RUNTIME_OBJECT = "runtime.o"

STATIC_RUNTIME_OBJECT = "static-runtime.o"
"""The runtime with all that it needs of the static C library: half the time of the linker is the search for that."""

WRAPPING = tuple(f"-Wl,--wrap={name}" for name in ("malloc", "calloc", "realloc"))
"""What the linker is told; the runtime looks at allocations."""

_START = "-Wl,-u,__libc_start_main"
"""What the code that starts a program needs."""

_STATIC_LIBRARIES = ("-Wl,--start-group", "-lgcc", "-lgcc_eh", "-lc", "-Wl,--end-group")

_OPTIONS = ("-fPIE", "-Og", "-fno-builtin")
_RUNTIME = ("system", "shared", "probes", "comparisons", "texts", "inputs", "undefined", "stack", "isolation",
            "processors", "server", "repeat", "corpus", "nearness", "sequences", "mutation", "pairs", "digits",
            "suggestions", "fuzz", "commands")  # fmt: skip
_ANSWER = "understood"


def compiler_identity(compiler: Compiler) -> tuple[str, ...]:
    """What stands for a compiler and the C library in a key."""
    library = os.confstr("CS_GNU_LIBC_VERSION") or ""
    return (compiler.version, identity(Path(compiler.path)), library)


@lru_cache(maxsize=1)
def runtime_text() -> str:
    """The C text of the runtime."""
    folder = Path(__file__).with_name("runtime")
    return layout.definitions() + "\n".join((folder / f"{name}.c").read_text("utf-8") for name in _RUNTIME)


class _RefusedError(Exception):
    """The compiler does not accept the runtime."""

    def __init__(self, done: Completed) -> None:
        super().__init__(done.messages)
        self.done = done


def make_runtime(
    compiler: Compiler, options: tuple[str, ...], directory: Path, cache: FolderCache | None
) -> Completed | None:
    """Write the object file :data:`RUNTIME_OBJECT` into ``directory``; what failed, if it is refused."""
    target = directory / RUNTIME_OBJECT
    key = key_of("runtime", runtime_text(), *compiler_identity(compiler), *options, *_OPTIONS)
    kept = cache.fetch_files(key) if cache is not None else None
    if kept is not None and target.name in kept:
        target.write_bytes(kept[target.name])
        return None
    try:
        target.write_bytes(_runtime_object(compiler, options))
    except _RefusedError as refused:
        return refused.done
    if cache is not None:
        cache.store_files(key, directory, [target])
    return None


@lru_cache(maxsize=4)
def _runtime_object(compiler: Compiler, options: tuple[str, ...]) -> bytes:
    """The object file of the runtime: compiled once in a process that has no cache."""
    with TemporaryDirectory(prefix="gia-") as folder:
        directory = Path(folder)
        (directory / "runtime.c").write_text(runtime_text(), "utf-8")
        command = [compiler.path, *options, *_OPTIONS, "-c", "runtime.c"]
        done = run_tool(command, timeout=COMPILE_SECONDS, cwd=directory)
        if done.returncode:
            raise _RefusedError(done)
        return (directory / RUNTIME_OBJECT).read_bytes()


def make_static_runtime(compiler: Compiler, options: tuple[str, ...], directory: Path, cache: FolderCache) -> bool:
    """Write :data:`STATIC_RUNTIME_OBJECT` into ``directory``, where the runtime is; whether that was possible.

    It is not where there is no static C library.
    """
    target = directory / STATIC_RUNTIME_OBJECT
    link = (*WRAPPING, _START, RUNTIME_OBJECT, *_STATIC_LIBRARIES)
    key = key_of("static runtime", runtime_text(), *compiler_identity(compiler), *options, *_OPTIONS, *link)
    kept = cache.fetch_files(key)
    if kept is not None and target.name in kept:
        target.write_bytes(kept[target.name])
        return True
    command = [compiler.path, *options, "-r", "-nostdlib", *link, "-o", target.name]
    if run_tool(command, timeout=COMPILE_SECONDS, cwd=directory).returncode:
        return False
    cache.store_files(key, directory, [target])
    return True


@lru_cache(maxsize=8)
def understands(compiler: Compiler, option: str, cache: FolderCache | None) -> bool:
    """Whether the compiler knows an option."""
    key = key_of("understands", option, *compiler_identity(compiler))
    kept = cache.fetch_files(key) if cache is not None else None
    if kept is not None and _ANSWER in kept:
        return kept[_ANSWER] == b"yes"
    command = [compiler.path, option, "-fsyntax-only", "-x", "c", os.devnull]
    known = run_tool(command, timeout=COMPILE_SECONDS).returncode == 0
    if cache is not None:
        cache.store_contents(key, {_ANSWER: b"yes" if known else b"no"})
    return known
