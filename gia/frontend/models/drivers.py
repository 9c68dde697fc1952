"""Programs that were written for KLEE, CREST or libFuzzer run as they are.

``klee_make_symbolic`` stores inputs of the type that its first argument points to, ``_Generic`` tells which; where that
is no number, it stores bytes. Headers for machines without these tools are in ``gia/frontend/headers``. A program
without ``main`` that defines what libFuzzer calls gets one that gives it standard input.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import ClassVar, Final

from msgspec import Struct
from msgspec.structs import replace

from gia.frontend.edits import Edit
from gia.frontend.library import FUZZ_INITIALISE, FUZZ_TARGET, INPUT_PREFIX, MODEL_PREFIX
from gia.frontend.models.arguments import arguments_of, calls_as_declared, renamed
from gia.frontend.parsing.syntax import Node

LONGEST: Final = 4096
"""So many bytes an input of a fuzz target has at most, as in libFuzzer without a corpus."""
SYMBOLIC: Final = "klee_make_symbolic"
FAILING: Final = "klee_assert_fail"
FAILS: Final = "__assert_fail"
"""A call of the former becomes one of the latter, which is an error that a property may speak of."""
_PLAIN: Final = {
    **dict.fromkeys(("klee_abort", "klee_open_merge", "klee_close_merge", "klee_stack_trace", "klee_is_replay"), 0),
    **dict.fromkeys(("klee_int", "klee_choose", "klee_assume", "klee_silent_exit", "klee_set_forking"), 1),
    **dict.fromkeys(("klee_warning", "klee_warning_once", "klee_mark_global", "klee_is_symbolic"), 1),
    **{f"klee_get_value{kind}": 1 for kind in ("f", "d", "l", "ll", "_i32", "_i64")},
    **dict.fromkeys(("klee_prefer_cex", "klee_print_range", "klee_check_memory_access"), 2),
    "klee_range": 3,
    "klee_report_error": 4,
    **{f"__Crest{kind}": 1 for kind in ("UChar", "UShort", "UInt", "Char", "Short", "Int")},
}
"""Functions with models in ``drivers.c``, by their numbers of arguments."""
_PRINTING: Final = "klee_print_expr"
FUNCTIONS: Final = frozenset({SYMBOLIC, FAILING, _PRINTING, *_PLAIN})

_TYPES: Final = {
    "_Bool": "bool",
    "char": "char",
    "unsigned char": "uchar",
    "short": "short",
    "unsigned short": "ushort",
    "int": "int",
    "unsigned": "uint",
    "long": "long",
    "unsigned long": "ulong",
    "long long": "longlong",
    "unsigned long long": "ulonglong",
    "float": "float",
    "double": "double",
}
"""The types of which inputs are read, with the ends of the names of the functions that read them."""


def calls_with_models(calls: Iterable[Node], known: Collection[str]) -> list[Node]:
    """Those of the calls that get the models in ``drivers.c``; ``known``: the names that may."""
    plain = calls_as_declared(calls, _PLAIN, known)
    return plain + [call for call in calls if call.name.name == _PRINTING and arguments_of(call) and _PRINTING in known]


class Reader(Struct, frozen=True):
    """A function that stores inputs of a type in a block of memory."""

    type_: str
    kind: str
    needs = frozenset({"fill_memory"})

    @property
    def signature(self) -> str:
        """The declaration of the function, without a semicolon."""
        return f"static void {MODEL_PREFIX}symbolic_{self.kind}(void *start, __gia_size size, const char *name)"

    @property
    def inputs(self) -> frozenset[tuple[str, str]]:
        """The functions that it reads inputs with, and their types."""
        return frozenset({(self.type_, f"{INPUT_PREFIX}{self.kind}")} if self.type_ else ())

    @property
    def text(self) -> str:
        """The definition; a block with the size of the type is one number, for its loops need no thought then."""
        whole = f"""    if (size == sizeof({self.type_})) {{
        *({self.type_} *)start = {INPUT_PREFIX}{self.kind}();
        return;
    }}
    while (n + sizeof({self.type_}) <= size) {{
        *({self.type_} *)((char *)start + n) = {INPUT_PREFIX}{self.kind}();
        n += sizeof({self.type_});
    }}
"""
        return f"""{self.signature}
{{
    __gia_size n = 0;
{whole if self.type_ else ""}    {MODEL_PREFIX}fill_memory((char *)start + n, size - n);
}}
"""


READERS: Final = (*(Reader(type_, kind) for type_, kind in _TYPES.items()), Reader("", "bytes"))
"""Those of all types, and the one of bytes."""


class Target(Struct, frozen=True):
    """A ``main`` that gives a fuzz target what is read from standard input, in a block of that size."""

    initialises: bool
    """Whether the program wants to be told once that it begins."""
    signature = "int main(int argc, char **argv)"
    needs = frozenset({"stdin_byte"})
    inputs: ClassVar[frozenset[tuple[str, str]]] = frozenset()

    @property
    def text(self) -> str:
        """The definition."""
        return f"""static unsigned char {MODEL_PREFIX}all[{LONGEST}];
{self.signature}
{{
    __gia_size size = 0;
    unsigned char *data;
    int c = {MODEL_PREFIX}stdin_byte();
{f"    {FUZZ_INITIALISE}(&argc, &argv);" if self.initialises else ""}
    while ((unsigned)c <= 255u && size < {LONGEST}) {{
        {MODEL_PREFIX}all[size] = c;
        size++;
        c = {MODEL_PREFIX}stdin_byte();
    }}
    data = __builtin_malloc(size);
    __builtin_memcpy(data, {MODEL_PREFIX}all, size);
    if ((unsigned)c <= 255u) {{
        error_at_line(1, 0, "gia", 0, "a longer input of {FUZZ_TARGET} than is modelled");
        data = (unsigned char *)getenv("");
        size = strcoll("", "");
    }}
    {FUZZ_TARGET}(data, size);
    return 0;
}}
"""


class Planned(Struct, frozen=True):
    """Edits of calls, the functions that these call, and which of them are of the library."""

    edits: Sequence[Edit] = ()
    added: Sequence[Reader | Target] = ()
    outside: frozenset[str] = frozenset()

    def with_main(self, defined: Collection[str]) -> Planned:
        """With a ``main`` for a program that defines these names, if it is a fuzz target."""
        if FUZZ_TARGET not in defined or "main" in defined:
            return self
        return replace(self, added=[*self.added, Target(FUZZ_INITIALISE in defined)])


def planned(calls: Sequence[Node], known: Collection[str], text_of: Callable[[Node], str]) -> Planned:
    """What becomes of the calls that are not only renamed to their model; ``text_of`` is the text of an expression."""
    symbolic = calls_as_declared(calls, {SYMBOLIC: 3}, known)
    failing = calls_as_declared(calls, {FAILING: 4}, known)
    return Planned(
        [*(_by_type(call, text_of(arguments_of(call)[0])) for call in symbolic), *(renamed(c, FAILS) for c in failing)],
        READERS if symbolic else (),
        frozenset({FAILS} if failing else ()),
    )


def _by_type(call: Node, start: str) -> Edit:
    """What lets a call store inputs of the type that its first argument, with this text, points to."""
    types = {**_TYPES, "signed char": _TYPES["char"]}
    cases = [f"{type_}: {MODEL_PREFIX}symbolic_{kind}" for type_, kind in types.items()]
    return renamed(call, f"_Generic(*({start}), {', '.join(cases)}, default: {MODEL_PREFIX}symbolic_bytes)")
