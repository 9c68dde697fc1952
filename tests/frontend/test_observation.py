"""What probes observe natively is the path of decisions that the CFA takes."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from gia.cfa.expressions import IntegerConstant
from gia.cfa.graph import Edge, EdgeReference, ExternalFunction, Function, Program
from gia.cfa.operations import Call
from gia.cfa.types import INT, VOID, DataModel, FunctionType
from gia.cfa.writer import write_c
from gia.errors import Position
from gia.frontend import InstrumentableSource, load
from gia.frontend.probes import ConditionProbe, SwitchProbe
from tests.frontend.support import INPUTS, PROGRAMS

REPORT = """
#include <stdio.h>
#include <unistd.h>
void __report(int edge) { char text[16]; write(2, text, sprintf(text, "%d ", edge)); }
"""


def reporting(program: Program) -> str:
    """C of the program's CFA in which every decision edge reports its number."""
    edges, location = len(program.edge_list), 1 + max(max(e.source, e.target) for e in program.edge_list)
    functions: dict[str, Function] = {}
    for function in program.functions.values():
        found: list[Edge] = []
        for edge in function.edges:
            if edge.reference.branch == "":
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
    """The program's text in which every condition and switch reports the edge that it takes."""
    inserted: list[tuple[int, int, str]] = []
    for probe in source.probes:
        match probe:
            case ConditionProbe(start=start, end=end, edges=(yes, no)):
                if start == end:
                    inserted.append((start, 0, f"__probe({yes}, {no}, 1)"))
                    continue
                before, after = f"__probe({yes}, {no}, !!(", "))"
            case SwitchProbe(cases=cases, default=default):
                labels = "".join(f"case {text}: __report({edge}); break; " for text, edge in cases)
                before = "({ __auto_type __v = ("
                after = f") + 0; switch (__v) {{ {labels} default: __report({default}); }} __v; }})"
            case _:
                continue
        length = probe.end - probe.start
        inserted.append((probe.start, -2 * length + isinstance(probe, ConditionProbe), before))
        inserted.append((probe.end, -(1 << 40) + 2 * length - isinstance(probe, ConditionProbe), after))
    pieces = [
        "extern void __report(int);\nstatic int __probe(int y, int n, int t) { __report(t ? y : n); return t; }\n"
    ]
    position = 0
    for offset, _, text in sorted(inserted, key=lambda item: item[:2]):
        pieces += [source.text[position:offset], text]
        position = offset
    return "".join([*pieces, source.text[position:]])


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_probes_report_the_path_of_the_graph(path: Path, tmp_path: Path) -> None:
    loaded = load(path, data_model=DataModel.LP64, atomic=True)
    (tmp_path / "graph.c").write_text(reporting(loaded.program))
    (tmp_path / "woven.i").write_text(woven(loaded.source))
    (tmp_path / "inputs.c").write_text(INPUTS + REPORT)
    for name in ("graph.c", "woven.i"):
        output = tmp_path / name.partition(".")[0]
        command = ["gcc", "-w", "-fwrapv", "-o", str(output), str(tmp_path / name), str(tmp_path / "inputs.c"), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr[:3000]
    for seed in range(3):
        paths = []
        for name in ("graph", "woven"):
            environment = {**os.environ, "SEED": str(seed)}
            ended = subprocess.run([tmp_path / name], capture_output=True, timeout=20, check=False, env=environment)
            paths.append([int(word) for word in ended.stderr.split() if word.isdigit()])
        assert paths[0] == paths[1]
