"""Harnesses: C files that give a tool the inputs of a program in the form that the tool knows.

A harness defines the functions that read inputs (``__VERIFIER_nondet_int``, …) and, for fuzzers, the functions that end
a path, so that the process of the tool goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Final

from msgspec import Struct

from gia.cfa.graph import ExternalFunction, Program
from gia.cfa.types import CType, FloatType, IntegerType, PointerType, VoidType, declared
from gia.frontend.library import BEYOND, FUZZ_INITIALISE, FUZZ_TARGET
from gia.native.stubs import ending_functions, input_functions


class HarnessKind(StrEnum):
    """Where a harness takes the inputs from."""

    STDIN = "stdin"
    """The bytes of standard input, in the order in which the inputs are read, each in its width: AFL++ and the like."""
    LIBFUZZER = "libfuzzer"
    """The bytes that libFuzzer gives; the program runs again and again in one process, its variables are reset."""
    KLEE = "klee"
    """A symbolic object for each input, with the name of the function that reads it."""
    CREST = "crest"
    """A symbolic variable of CREST for each input."""
    CBMC = "cbmc"
    """Arbitrary values, which a trace names."""
    FRAMA_C = "frama-c"
    """Functions of which nothing is known but the type of their result, which for ``_Bool`` is not enough."""


class Harness(Struct, frozen=True):
    """The files of a harness: those that are to be compiled, and the one to be given to a tool that reads C."""

    sources: tuple[Path, ...]

    @property
    def main(self) -> Path:
        """The file that holds, or includes, everything."""
        return self.sources[0]


PATH_ENDS: Final = ("abort", "exit", "_exit", "_Exit", "quick_exit", "__assert_fail", "__VERIFIER_assume", BEYOND)
"""Functions that end a path, which a fuzzer's harness replaces unless the program defines them."""

ANY_BYTE: Final = "gia_any_byte"
"""A function without a body that may return any byte."""

_BYTES: Final = {HarnessKind.STDIN: "stdin.c", HarnessKind.LIBFUZZER: "libfuzzer.c"}


def write_harness(kind: HarnessKind, program: Program, text: Path, folder: Path) -> Harness:
    """Writes the harness for the ``program``, whose C text is in the file ``text``, into ``folder``."""
    main = folder / "harness.c"
    if kind in _BYTES:
        target = folder / "target.c"
        target.write_text(_target(kind, program, text), encoding="utf-8")
        runtime = "".join((files("gia.tools") / "runtime" / name).read_text("utf-8") for name in _runtime(kind))
        main.write_text(runtime + "".join(_definitions(kind, program)), encoding="utf-8")
        return Harness((target, main))
    main.write_text(
        f'#include "{text.name}"\n{_HEADS[kind]}' + "".join(_definitions(kind, program)),
        encoding="utf-8",
    )
    return Harness((main,))


def _runtime(kind: HarnessKind) -> tuple[str, ...]:
    return "bytes.c", _BYTES[kind]


def _target(kind: HarnessKind, program: Program, text: Path) -> str:
    """The program with its entry, and the ends of its paths, under names of the harness."""
    lines = [f"#define {program.entry} gia_entry"]
    lines += [f"#define {name} gia_end_{name}" for name in PATH_ENDS if name not in program.functions]
    if kind is HarnessKind.LIBFUZZER:
        lines += [f"#define {name} gia_own_{name}" for name in (FUZZ_TARGET, FUZZ_INITIALISE)]
        lines.append('#pragma clang section bss="gia_bss" data="gia_data"')
    return "\n".join([*lines, f'#include "{text.name}"', ""])


_HEADS: Final = {
    HarnessKind.KLEE: "extern void klee_make_symbolic(void *, __SIZE_TYPE__, const char *);\n"
    "extern void klee_assume(__UINTPTR_TYPE__);\nextern void klee_silent_exit(int) __attribute__((noreturn));\n",
    HarnessKind.CREST: (files("gia.tools") / "runtime" / "crest.c").read_text("utf-8"),
    HarnessKind.CBMC: "",
    HarnessKind.FRAMA_C: f"extern unsigned char {ANY_BYTE}(void);\n",
}
_SUPPORTED_BY_CREST: Final = {
    name: f"CREST_{name.replace(' ', '_')}"
    for name in ("char", "short", "int", "unsigned char", "unsigned short", "unsigned int")
}


_ENDS: Final = {
    HarnessKind.KLEE: "klee_silent_exit(0);",
    HarnessKind.CREST: "extern void exit(int); exit(0);",
    HarnessKind.CBMC: "__CPROVER_assume(0);",
}
"""How a path ends, for tools that need to be told; a fuzzer's harness calls its own function."""
_ENDING_BEYOND: Final = frozenset({HarnessKind.KLEE, HarnessKind.CREST})
"""Tools that test: where the models end (``BEYOND``) a path ends, and not the process of the tool. A tool that proves
has to go on there."""


def _definitions(kind: HarnessKind, program: Program) -> Iterator[str]:
    """The definitions of the functions that read inputs, and of those that never return."""
    for number, function in enumerate(ending_functions(program)):
        if kind in _BYTES:
            name = f"gia_ending_{number}"
            yield f'void {name}(void) __asm__("{function.name}");\nvoid {name}(void) {{ gia_end(); }}\n'
        elif kind in _ENDS:
            yield f"{type_name(function.type.result)} {function.name}(void) {{ {_ENDS[kind]} }}\n"
    beyond = program.externals.get(BEYOND)
    if kind in _ENDING_BEYOND and beyond is not None and beyond.type.variadic:
        named = [declared(type_, f"argument_{number}") for number, type_ in enumerate(beyond.type.parameters)]
        yield f"void {BEYOND}({', '.join(named)}, ...) {{ if (argument_0) {{ {_ENDS[kind]} }} }}\n"
    for number, function in enumerate(input_functions(program)):
        if kind in _BYTES:
            yield _from_bytes(number, function)
        elif kind is HarnessKind.FRAMA_C:
            if isinstance(function.type.result, IntegerType) and function.type.result.is_bool:
                yield f"_Bool {function.name}(void) {{ return {ANY_BYTE}() & 1; }}\n"
        elif isinstance(function.type.result, VoidType):
            yield f"void {function.name}(void) {{ }}\n"
        else:
            yield _symbolic(kind, function)


def type_name(type_: CType) -> str:
    """The C name of a scalar type."""
    return "void *" if isinstance(type_, PointerType) else str(type_)


def _symbolic(kind: HarnessKind, function: ExternalFunction) -> str:
    type_ = type_name(function.type.result)
    match kind:
        case HarnessKind.KLEE:
            read = f'klee_make_symbolic(&value, sizeof value, "{function.name}"); '
            if isinstance(function.type.result, IntegerType) and function.type.result.is_bool:
                return (
                    f"{type_} {function.name}(void) {{ unsigned char value; {read}"
                    f"klee_assume(value <= 1); return value; }}\n"
                )
        case HarnessKind.CREST:
            symbolic = _SUPPORTED_BY_CREST.get(type_)
            read = f"{symbolic}(value); " if symbolic else "value = 0; "
            read += f'gia_log("{type_}", (long long)value); '
        case _:
            read = f'__CPROVER_input("{function.name}", value); '
    return f"{type_} {function.name}(void) {{ {type_} value; {read}return {_returned(function)}; }}\n"


def _returned(function: ExternalFunction) -> str:
    """The value that was read, as :mod:`gia.native.stubs` has it."""
    return "value" if function.most is None else f"value & {function.most}"


def width_in_bytes(type_: CType) -> int:
    """How many bytes of a fuzzer's input a value of that type takes; 8 for a pointer of either data model."""
    return type_.width // 8 if isinstance(type_, IntegerType | FloatType) else 8


def _from_bytes(number: int, function: ExternalFunction) -> str:
    """A definition under the program's name for the linker, so that no declaration can clash with it."""
    name, label = f"gia_input_{number}", f'__asm__("{function.name}")'
    result = function.type.result
    match result:
        case VoidType():
            return f"void {name}(void) {label};\nvoid {name}(void) {{ }}\n"
        case IntegerType(is_bool=True):
            body = "unsigned char value = 0; gia_take(&value, 1); return value & 1;"
        case IntegerType() | FloatType():
            body = f"{type_name(result)} value = 0; gia_take(&value, {width_in_bytes(result)}); "
            body += f"return {_returned(function)};"
        case _:
            body = "unsigned long long value = 0; gia_take(&value, 8); return (void *)(__UINTPTR_TYPE__)value;"
    return f"{type_name(result)} {name}(void) {label};\n{type_name(result)} {name}(void) {{ {body} }}\n"
