"""What every program needs and no program changes: the runtime's object file, and what the compiler understands.

Both depend on the compiler and its options only. They are made once for each and kept in a cache, if there is one.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from gia.cache import FolderCache, identity, key_of
from gia.native import layout
from gia.toolchain import Compiler, Completed, run_tool

COMPILE_SECONDS = 300.0

RUNTIME_OBJECT = "runtime.o"

_OPTIONS = ("-fPIE", "-Og", "-fno-builtin")
_RUNTIME = ("system", "shared", "probes", "comparisons", "inputs", "undefined", "isolation", "server", "mutation",
            "fuzz", "commands")  # fmt: skip
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
    (directory / "runtime.c").write_text(runtime_text(), "utf-8")
    command = [compiler.path, *options, *_OPTIONS, "-c", "runtime.c"]
    done = run_tool(command, timeout=COMPILE_SECONDS, cwd=directory)
    if done.returncode:
        return done
    if cache is not None:
        cache.store_files(key, directory, [target])
    return None


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
