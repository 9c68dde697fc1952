"""C definitions that depend on the program: of inputs, which it calls but does not define, and of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gia.cfa.graph import ExternalFunction, Program
from gia.cfa.types import FloatType, IntegerType, PointerType, VoidType
from gia.frontend import library
from gia.native import layout


def input_functions(program: Program) -> tuple[ExternalFunction, ...]:
    """The functions whose calls read inputs, in a fixed order (their numbers)."""
    return tuple(external for name, external in sorted(program.externals.items()) if external.is_input)


def ending_functions(program: Program) -> tuple[ExternalFunction, ...]:
    """The functions without a body that never return: a run ends when it calls one."""
    return tuple(external for _, external in sorted(program.externals.items()) if external.never_returns)


_RUNTIME = """\
extern void __gia_input(unsigned function, unsigned kind, unsigned size, void *value);
extern void __gia_undefined(void);
"""
"""What ``runtime/inputs.c`` and ``runtime/undefined.c`` define."""


def define_numbers(numbers: Mapping[str, int], probes: Sequence[int]) -> str:
    """Definitions of what the runtime has to know of a program, see :func:`gia.native.layout.measures`.

    ``probes`` has for each outcome the first one of the same probe.
    """
    constants = "".join(f"const unsigned __gia_{name} = {value}u;\n" for name, value in numbers.items())
    table = ", ".join(map(str, probes)) or "0"
    outcomes = numbers["outcomes"]
    return f"""{constants}const unsigned __gia_probes[] = {{{table}}};
char *__gia_last[{outcomes}];
unsigned short __gia_nearest[{outcomes}];
unsigned __gia_leaders[{outcomes}];
"""


def define_inputs(functions: Sequence[ExternalFunction], ending: Iterable[ExternalFunction] = ()) -> str:
    """Definitions of these functions, and of those that end the run.

    Each has a C name of our own and the program's name for the linker, so that no declaration in a
    header can clash. Parameters are not looked at: they are in no one's way under the System V ABI.
    """
    types = ", ".join(_kind_and_bytes(function) for function in functions)
    table = (
        f"const unsigned char __gia_types[][2] = {{{types or '{0, 4}'}}};\n"
        f"const unsigned __gia_type_count = {len(functions)};\n"
        f"const unsigned __gia_numbers = {int(any(map(_reads_number, functions)))};\n"
    )
    ends = "".join(define_ending(f"__gia_ending_{number}", function.name) for number, function in enumerate(ending))
    return _RUNTIME + table + "".join(_define(number, function) for number, function in enumerate(functions)) + ends


def define_undefined(names: Iterable[str]) -> str:
    """Definitions of functions about which nothing is known: calling one ends the run."""
    return _RUNTIME + "".join(define_ending(f"__gia_undefined_{i}", name) for i, name in enumerate(names))


def define_ending(name: str, label: str) -> str:
    """A function that ends the run; ``label`` is what the linker calls it. Definitions of inputs stand before it."""
    return f'void {name}(void) __asm__("{label}");\nvoid {name}(void) {{ __gia_undefined(); }}\n'


def _kind_and_bytes(function: ExternalFunction) -> str:
    """How the fuzzer is told what values a function reads; nothing has to be exact, for what it reads is recorded."""
    match function.type.result:
        case IntegerType(is_bool=True):
            size = "1"
        case IntegerType(width=width) | FloatType(width=width):
            size = str(width // 8)
        case _:
            size = "sizeof(void *)"
    return f"{{{_kind(function)}, {size}}}"


def _reads_number(function: ExternalFunction) -> bool:
    """Whether it reads a number of standard input."""
    return function.name.startswith(f"{library.STDIN_INPUT}_")


def _kind(function: ExternalFunction) -> int:
    match function.type.result:
        case IntegerType(is_bool=True):
            return layout.KIND_BOOL
        case IntegerType() if library.reads_text(function.name):
            return layout.KIND_TEXT
        case IntegerType():
            return layout.KIND_INTEGER if function.most is None else layout.KIND_RANDOM
        case FloatType():
            return layout.KIND_FLOAT
    return layout.KIND_POINTER


def _define(number: int, function: ExternalFunction) -> str:
    name = f"__gia_input_{number}"
    label = f'__asm__("{function.name}")'
    match function.type.result:
        case VoidType():
            return f"void {name}(void) {label};\nvoid {name}(void) {{ }}\n"
        case IntegerType(is_bool=True):
            spelling, size = "_Bool", 1
        case IntegerType(width=width, signed=signed):
            sign = "signed" if signed else "unsigned"
            spelling, size = f"{sign} {_INTEGERS[width]}", width // 8
        case FloatType(width=width):
            spelling, size = _FLOATS[width], width // 8
        case PointerType():
            spelling, size = "void *", 0
        case _:  # a struct: nothing that the CFA treats as an input
            return define_ending(name, function.name)
    bytes_ = str(size) if size else "sizeof value"
    return (
        f"{spelling} {name}(void) {label};\n"
        f"{spelling} {name}(void) {{ {spelling} value = 0; "
        f"__gia_input({number}u, {_kind(function)}u, {bytes_}, &value); return value; }}\n"
    )


_INTEGERS = {8: "char", 16: "short", 32: "int", 64: "long long", 128: "__int128"}
_FLOATS = {32: "float", 64: "double", 80: "long double"}
