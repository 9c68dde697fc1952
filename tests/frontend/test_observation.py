"""What probes observe natively is the path of decisions that the CFA takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from gia.cfa.expressions import IntegerConstant
from gia.cfa.graph import Edge, EdgeReference, ExternalFunction, Function, Program
from gia.cfa.operations import Call
from gia.cfa.types import INT, VOID, DataModel, FunctionType
from gia.cfa.writer import write_c
from gia.errors import Position
from gia.frontend import InstrumentableSource
from gia.frontend.probes import CallProbe, ConditionProbe, LengthProbe, NoValueProbe, StatementProbe, SwitchProbe
from tests.frontend.support import PROGRAMS, compile_c, load_program, run

PRELUDE = """
extern void __report(int);
static int __probe(int yes, int no, int taken) { if (taken < 2) __report(taken ? yes : no); return taken; }
"""
REPORT = """
#include <stdio.h>
void __report(int edge) { fprintf(stderr, "%d ", edge); }
"""


def observed(source: InstrumentableSource) -> frozenset[int]:
    """The edges that probes of conditions and switches report."""
    found: set[int] = set()
    for probe in source.probes:
        match probe:
            case ConditionProbe(edges=edges):
                found.update(edges)
            case SwitchProbe(cases=cases, default=default):
                found.update((*(edge for _, edge in cases), default))
    return frozenset(found)


def reporting(program: Program, decisions: frozenset[int]) -> str:
    """C of the program's CFA in which every edge of ``decisions`` reports its number."""
    edges, location = len(program.edge_list), 1 + max(max(e.source, e.target) for e in program.edge_list)
    functions: dict[str, Function] = {}
    for function in program.functions.values():
        found: list[Edge] = []
        for edge in function.edges:
            if edge.number not in decisions:
                found.append(edge)
                continue
            number = IntegerConstant(edge.number, INT)
            reference = EdgeReference(function.name, 0, 0, "call", "", edges)
            call = Call(None, "__report", (number,))
            found += [replace(edge, target=location), Edge(edges, location, edge.target, call, reference, "x.c", "")]
            edges, location = edges + 1, location + 1
        functions[function.name] = replace(function, edges=tuple(found))
    report = ExternalFunction("__report", FunctionType(VOID, (INT,)), False, Position("x.c"))
    return write_c(replace(program, functions=functions, externals={**program.externals, "__report": report}))


def woven(source: InstrumentableSource) -> str:
    """The program's text with code at every probe; conditions and switches report the edge that they take."""
    inserted: list[tuple[int, int, str]] = []
    for probe in source.probes:
        length = probe.end - probe.start
        match probe:
            case ConditionProbe(start=start, edges=(yes, no)) if length == 0:
                inserted.append((start, 0, f"__probe({yes}, {no}, 1)"))
                continue
            case ConditionProbe(edges=(yes, no)):
                rank, before, after = 2, f"__probe({yes}, {no}, !!(", "))"
            case SwitchProbe(cases=cases, default=default):
                labels = "".join(f"case {text}: __report({edge}); break; " for text, edge in cases)
                rank, before = 1, "({ __auto_type __v = ("
                after = f") + 0; switch (__v) {{ {labels} default: __report({default}); }} __v; }})"
            case StatementProbe(is_declaration=True):
                rank, before, after = 0, "__probe(0, 0, 2); ", ""
            case NoValueProbe(start=start) if length == 0:
                inserted.append((start, 0, "__probe(0, 0, 2); "))
                continue
            case StatementProbe() | NoValueProbe():
                rank, before, after = 0, "{ __probe(0, 0, 2); ", " }"
            case LengthProbe():
                rank, before, after = 2, "((", "))"
            case CallProbe():
                rank, before, after = 3, "(__probe(0, 0, 2), ", ")"
        inserted.append((probe.start, -8 * length + rank, before))
        inserted.append((probe.end, -(1 << 40) + 8 * length - rank, after))
    pieces, position = [PRELUDE], 0
    for offset, _, text in sorted(inserted, key=lambda item: item[:2]):
        pieces += [source.text[position:offset], text]
        position = offset
    return "".join([*pieces, source.text[position:]])


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_probes_report_the_path_of_the_graph(path: Path, tmp_path: Path) -> None:
    loaded = load_program(path, DataModel.LP64, atomic=True)
    (tmp_path / "graph.c").write_text(reporting(loaded.program, observed(loaded.source)))
    (tmp_path / "woven.i").write_text(woven(loaded.source))
    (tmp_path / "report.c").write_text(REPORT)
    for name in ("graph.c", "woven.i"):
        compile_c(tmp_path / name, tmp_path / name.partition(".")[0], DataModel.LP64, tmp_path / "report.c")
    for seed in range(3):
        graph, program = (run(tmp_path / name, seed) for name in ("graph", "woven"))
        assert program == graph
