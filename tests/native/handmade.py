"""C programs with hand-made probes, so that native execution is tested without the front end.

In the text, ``/*?*/ x > 3 /*.*/`` marks a condition, ``/*s 1|2 ... 5*/ x /*.*/`` what controls a switch with
these labels, ``/*!*/ x = 1; /*.*/`` a statement, and ``/*c*/ f(x) /*.*/`` a call. The edges of the CFA are numbered in
the order in which the marks begin: two for a condition (true, false), one for each label and
``default`` of a switch, one for a statement or a call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from gia.cfa.expressions import Storage, Variable, VariableReference
from gia.cfa.graph import Edge, EdgeReference, ExternalFunction, Function, Program
from gia.cfa.operations import Assume, Call, Input, Operation, Skip
from gia.cfa.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    INT128,
    LONG_DOUBLE,
    LONG_LONG,
    SHORT,
    UNSIGNED_CHAR,
    UNSIGNED_INT,
    VOID,
    CType,
    DataModel,
    FunctionType,
    PointerType,
    TypeTable,
)
from gia.errors import Position
from gia.frontend.probes import CallProbe, ConditionProbe, InstrumentableSource, Probe, StatementProbe, SwitchProbe

TYPES: dict[str, CType] = {
    "int": INT,
    "uint": UNSIGNED_INT,
    "char": CHAR,
    "uchar": UNSIGNED_CHAR,
    "short": SHORT,
    "longlong": LONG_LONG,
    "int128": INT128,
    "bool": BOOL,
    "float": FLOAT,
    "double": DOUBLE,
    "longdouble": LONG_DOUBLE,
    "pointer": PointerType(VOID),
}

DECLARATIONS = """
extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void); extern long long __VERIFIER_nondet_longlong(void);
extern _Bool __VERIFIER_nondet_bool(void); extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void); extern long double __VERIFIER_nondet_longdouble(void);
extern void *__VERIFIER_nondet_pointer(void);
extern int printf(const char *, ...); extern void abort(void); extern void exit(int);
extern void *malloc(unsigned long); extern void __VERIFIER_assume(int); extern void reach_error(void);
"""

_MARK = re.compile(r"/\*([?!c.]|s [^*]*)\*/")
_DEFINITION = re.compile(r"(\w+)\([^()]*\)\s*\{")
_CONDITION = VariableReference(Variable("x", INT, Storage.LOCAL, "main"))


@dataclass(frozen=True)
class Handmade:
    """What :func:`gia.native.compile_instrumented` needs of a loaded program."""

    program: Program
    source: InstrumentableSource


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.probes: list[Probe] = []
        self.edges: list[Edge] = []

    def edge(self, operation: Operation, kind: str, branch: str = "") -> int:
        number = len(self.edges)
        reference = EdgeReference("main", number + 1, 1, kind, branch)
        self.edges.append(Edge(number, number, number + 1, operation, reference, "x.c", ""))
        return number

    def probe(self, kind: str, start: int, end: int) -> Probe:
        number = len(self.probes)
        if kind == "?":
            edges = (
                self.edge(Assume(_CONDITION, True), "assume", "then"),
                self.edge(Assume(_CONDITION, False), "assume", "else"),
            )
            return ConditionProbe(number, start, end, edges)
        if kind == "!":
            return StatementProbe(number, start, end, self.edge(Skip(), "skip"))
        if kind == "c":
            found = re.search(r"\w+", self.text[start:end])
            name = found[0] if found else ""
            kinds = TYPES.get(name.removeprefix("__VERIFIER_nondet_"))
            operation: Operation = Call(None, name, ()) if kinds is None else Input(None, name, kinds)
            return CallProbe(number, start, end, self.edge(operation, "call" if kinds is None else "input"))
        labels = kind[2:].split("|")
        cases = tuple((label, self.edge(Assume(_CONDITION, True), "assume", f"case {label}")) for label in labels)
        return SwitchProbe(number, start, end, cases, self.edge(Assume(_CONDITION, True), "assume", "default"), INT)

    def read(self) -> None:
        opened: list[int] = []
        for mark in _MARK.finditer(self.text):
            if mark[1] != ".":
                opened.append(len(self.probes))
                self.probes.append(self.probe(mark[1], mark.end(), self._end(mark.end())))

    def _end(self, start: int) -> int:
        depth = 1
        for mark in _MARK.finditer(self.text, start):
            depth += -1 if mark[1] == "." else 1
            if depth == 0:
                return mark.start()
        raise AssertionError("a mark is not closed")


def handmade(
    text: str, model: DataModel = DataModel.LP64, inputs: dict[str, CType] | None = None, declare: bool = True
) -> Handmade:
    """The program of a marked text; ``inputs`` are undefined functions besides ``__VERIFIER_nondet_*``."""
    full = (DECLARATIONS if declare else "") + text
    reader = _Reader(full)
    reader.read()
    place = Position("x.c")
    types = {f"__VERIFIER_nondet_{name}": type_ for name, type_ in TYPES.items()} | (inputs or {})
    if model is DataModel.ILP32:
        del types["__VERIFIER_nondet_int128"]
    externals = {name: ExternalFunction(name, FunctionType(type_, ()), True, place) for name, type_ in types.items()}
    main = Function("main", FunctionType(INT, ()), (), (), 0, 10_000, tuple(reader.edges), place)
    others = {name: replace(main, name=name, edges=()) for name in _DEFINITION.findall(text) if name != "main"}
    program = Program("x.c", "", TypeTable(model), {"main": main, **others}, (), externals, "main")
    return Handmade(program, InstrumentableSource(full, tuple(reader.probes)))


def scratch(path: Path, name: str) -> Path:
    """A new folder below ``path``."""
    folder = path / name
    folder.mkdir()
    return folder
