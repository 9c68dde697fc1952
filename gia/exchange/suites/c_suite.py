"""A test suite as one C file that needs nothing but a compiler: the program, its inputs, and a ``main`` that runs them.

Each test runs in a process of its own, which is ended if it waits or runs for too long; with a number as its argument
the executable runs that test alone, in a debugger for example. A test that gives the program fewer inputs than it asks
for ends there, as in Test-Comp.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gia.cfa.graph import ExternalFunction, Program
from gia.cfa.quoting import quoted
from gia.cfa.types import DataModel, FloatType, IntegerType, PointerType, VoidType
from gia.exchange.suites.testcase import TestCase
from gia.native.literals import DOUBLE, EXTENDED, SINGLE, parse_literal
from gia.native.stubs import ending_functions, input_functions

_ENDING = {"__VERIFIER_assume": "int holds", "__VERIFIER_error": "void", "reach_error": "void"}
"""Functions that a program may leave undefined, and their parameters."""

_LONGEST = 10
"""Seconds that a test has when all run. It has reached its goals by then; the program may wait for something."""

_BEFORE = """\
/* {title}
 *
 *     gcc -w {options} {name} -lm && ./a.out      runs all tests
 *     ./a.out 2                              runs the second one, in a debugger for example
 */
struct gia_value {{ unsigned long long low, high; }};
{tests}
static const struct {{ const struct gia_value *values; unsigned count; }} gia_tests[] = {{
{table}    {{0, 0}}
}};
static const struct gia_value *gia_next;
static unsigned gia_left;

extern int gia_printf(const char *, ...) __asm__("printf");
extern int gia_flush(void *) __asm__("fflush");
extern int gia_fork(void) __asm__("fork");
extern int gia_wait(int, int *, int) __asm__("waitpid");
extern unsigned gia_alarm(unsigned) __asm__("alarm");
extern int gia_number(const char *) __asm__("atoi");
extern void gia_exit(int) __asm__("exit") __attribute__((noreturn));

__attribute__((unused)) static void gia_end(const char *reason)
{{
    gia_printf("%s\\n", reason);
    gia_exit(0);
}}

__attribute__((unused)) static void gia_read(void *target, unsigned size)
{{
    if (!gia_left--)
        gia_end("the test has no more inputs");
    for (unsigned n = 0; n < size; n++)
        ((unsigned char *)target)[n] = (n < 8 ? gia_next->low >> 8 * n : gia_next->high >> 8 * (n - 8)) & 255;
    gia_next++;
}}

#define main gia_program_main
"""

_AFTER = """
#line {line} {name}

#undef main
{functions}
static int gia_run(unsigned test, char **arguments)
{{
    gia_next = gia_tests[test].values;
    gia_left = gia_tests[test].count;
    (void)arguments;
    {call}
}}

int main(int count, char **arguments)
{{
    if (count > 1 && gia_number(arguments[1]) >= 1 && gia_number(arguments[1]) <= {count})
        return gia_run(gia_number(arguments[1]) - 1, arguments);
    for (unsigned test = 0; test < {count}; test++) {{
        int status = 0;
        gia_flush(0);
        int child = gia_fork();
        if (child == 0) {{
            gia_alarm({longest});
            gia_exit(gia_run(test, arguments));
        }}
        gia_wait(child, &status, 0);
        if ((status & 127) == 14)
            gia_printf("test %u: not at its end after {longest} seconds\\n", test + 1);
        else if (status & 127)
            gia_printf("test %u: killed by signal %d\\n", test + 1, status & 127);
        else
            gia_printf("test %u: exit status %d\\n", test + 1, status >> 8 & 255);
    }}
    return 0;
}}
"""


def c_suite(
    program: Program,
    text: str,
    tests: Sequence[TestCase],
    goals: Sequence[Iterable[str]],
    file: str,
    *,
    places: Sequence[str] = (),
) -> str:
    """The C file ``file`` for tests of ``program``, whose preprocessed text is ``text``.

    The inputs of the tests have the types with which the program reads them. ``goals`` are those that each covers.
    ``places`` are what the first inputs of each test are called.
    """
    numbered = enumerate(zip(tests, goals, strict=True), 1)
    arrays = "\n".join(_array(number, test, covered, places) for number, (test, covered) in numbered)
    table = "".join(f"    {{gia_test_{number}, {len(test.inputs)}}},\n" for number, test in enumerate(tests, 1))
    options = "-fwrapv -m32 -msse2 -mfpmath=sse" if program.types.data_model is DataModel.ILP32 else "-fwrapv"
    title = f"{len(tests)} test{'' if len(tests) == 1 else 's'} of {program.main_file}."
    before = _BEFORE.format(title=title.replace("*/", "* /"), options=options, name=file, tests=arrays, table=table)
    functions = "".join(_input(number, function) for number, function in enumerate(input_functions(program)))
    ending = {**_ENDING, **dict.fromkeys((found.name for found in ending_functions(program)), "void")}
    functions += "".join(
        _ending(name, parameters) for name, parameters in ending.items() if name not in program.functions
    )
    above = before + text
    line = above.count("\n") + 3
    after = _AFTER.format(
        line=line, name=quoted(file), functions=functions, call=_call(program), count=len(tests), longest=_LONGEST
    )
    return above + after


def _call(program: Program) -> str:
    """The statements that call the program's ``main`` with the parameters that it has."""
    type_ = program.functions[program.entry].type
    arguments = ("1", "(void *)arguments", "(void *)(arguments + 1)")[: len(type_.parameters)]
    call = f"gia_program_main({', '.join(arguments)});"
    return f"{call}\n    return 0;" if isinstance(type_.result, VoidType) else f"return {call}"


def _array(number: int, test: TestCase, covered: Iterable[str], places: Sequence[str]) -> str:
    known = [f"{place}: " for place in places] + [""] * len(test.inputs)
    named = zip(known, test.inputs, strict=False)
    values = [
        f"    {_value(type_, literal)}, {_comment(f'{place}{type_} {literal}')}" for place, (type_, literal) in named
    ]
    lines = [f"/* {goal} */" for goal in sorted(covered)]
    return "\n".join([*lines, f"static const struct gia_value gia_test_{number}[] = {{", *values, "    {0, 0}", "};"])


def _comment(text: str) -> str:
    return f"/* {text.replace('*/', '* /')} */"


def _value(type_: str, literal: str) -> str:
    """The bits of a literal as a value of the struct."""
    parsed = parse_literal(literal)
    formats = {"float": SINGLE, "double": DOUBLE, "long double": EXTENDED}
    bits = parsed.real(formats[type_]) if type_ in formats else parsed.integer
    return f"{{{bits & ((1 << 64) - 1):#x}ull, {bits >> 64:#x}ull}}"


def _input(number: int, function: ExternalFunction) -> str:
    """The definition of an input function under a name of its own: its declarations in the program cannot clash."""
    name, label = f"gia_input_{number}", f'__asm__("{function.name}")'
    match function.type.result:
        case VoidType():
            return f"void {name}(void) {label};\nvoid {name}(void) {{ }}\n"
        case IntegerType(is_bool=True):
            spelling = "_Bool"
        case IntegerType(width=width, signed=signed):
            spelling = ("signed " if signed else "unsigned ") + _INTEGERS[width]
        case FloatType(width=width):
            spelling = _FLOATS[width]
        case PointerType():
            spelling = "void *"
        case _:
            return ""
    size = "10" if spelling == "long double" else "sizeof value"
    return (
        f"{spelling} {name}(void) {label};\n"
        f"{spelling} {name}(void) {{ {spelling} value = 0; gia_read(&value, {size}); return value; }}\n"
    )


def _ending(function: str, parameters: str) -> str:
    name, condition = f"gia_{function.strip('_')}", "if (!holds) " if "holds" in parameters else ""
    reason = "an assumption does not hold" if condition else f"{function} is called"
    return (
        f'void {name}({parameters}) __asm__("{function}");\n'
        f'void {name}({parameters}) {{ {condition}gia_end("{reason}"); }}\n'
    )


_INTEGERS = {8: "char", 16: "short", 32: "int", 64: "long long", 128: "__int128"}
_FLOATS = {32: "float", 64: "double", 80: "long double"}
