"""Probes lie where code can be put: the woven text compiles, behaves the same and observes what the CFA says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gia.cfa.operations import Assume, Call, Halt, Input
from gia.cfa.types import DataModel
from gia.frontend import InstrumentableSource, load
from gia.frontend.probes import CallProbe, ConditionProbe, StatementProbe, SwitchProbe
from gia.toolchain import data_model_option
from tests.frontend.support import MODELS, PROGRAMS, compile_c, load_text, run

PRELUDE = "static int __probe(int n, int taken) { return taken; }\n"


def woven(source: InstrumentableSource) -> str:
    """The text with an observing call at every probe."""
    inserted: list[tuple[int, int, str]] = []
    for probe in source.probes:
        n, length = probe.number, probe.end - probe.start
        match probe:
            case ConditionProbe(start=start, end=end) if start == end:
                inserted.append((start, 0, f"__probe({n}, 1)"))
                continue
            case ConditionProbe():
                before, after = f"__probe({n}, !!(", "))"
            case SwitchProbe(cases=cases):
                labels = "".join(f"case {text}: __probe({n}, {edge}); break; " for text, edge in cases)
                before, after = "({ __auto_type __v = (", f") + 0; switch (__v) {{ {labels} default: ; }} __v; }})"
            case StatementProbe(is_declaration=True):
                before, after = f"__probe({n}, 0); ", ""
            case StatementProbe(is_declaration=True):
                before, after = f"__probe({n}, 0); ", ""
            case StatementProbe():
                before, after = f"{{ __probe({n}, 0); ", " }"
            case CallProbe():
                before, after = f"(__probe({n}, 0), ", ")"
        rank = {SwitchProbe: 1, ConditionProbe: 2, CallProbe: 3}.get(type(probe), 0)
        inserted.append((probe.start, -length * 8 + rank, before))
        inserted.append((probe.end, (-1 << 40) + length * 8 - rank, after))
    pieces, position = [PRELUDE], 0
    for offset, _, text in sorted(inserted, key=lambda item: item[:2]):
        pieces += [source.text[position:offset], text]
        position = offset
    return "".join([*pieces, source.text[position:]])


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_woven_programs_behave_the_same(path: Path, tmp_path: Path) -> None:
    loaded = load(path, data_model=DataModel.LP64, atomic=True)
    (tmp_path / "woven.i").write_text(woven(loaded.source))
    compile_c(path, tmp_path / "original", DataModel.LP64)
    compile_c(tmp_path / "woven.i", tmp_path / "woven", DataModel.LP64)
    for seed in range(4):
        assert run(tmp_path / "woven", seed) == run(tmp_path / "original", seed)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_text_is_what_the_compiler_takes(path: Path, model: DataModel) -> None:
    source = load(path, data_model=model).source
    command = ["gcc", data_model_option(model), "-x", "cpp-output", "-w", "-fsyntax-only", "-"]
    assert subprocess.run(command, input=source.text.encode(), check=False, timeout=60).returncode == 0


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_probes_nest_or_are_disjoint_and_name_fitting_edges(path: Path) -> None:
    loaded = load(path, data_model=DataModel.LP64, atomic=True)
    edges = loaded.program.edge_list
    open_ends: list[int] = []
    for probe in sorted(loaded.source.probes, key=lambda p: (p.start, -p.end)):
        while open_ends and open_ends[-1] <= probe.start:
            open_ends.pop()
        assert not open_ends or probe.end <= open_ends[-1]
        open_ends.append(probe.end)
    assert [probe.number for probe in loaded.source.probes] == list(range(len(loaded.source.probes)))
    for probe in loaded.source.probes:
        match probe:
            case ConditionProbe(edges=(positive, negative)):
                outcomes = [edges[positive].operation, edges[negative].operation]
                assert [o.outcome for o in outcomes if isinstance(o, Assume)] == [True, False]
                assert edges[positive].source == edges[negative].source
            case CallProbe(edge=edge):
                assert isinstance(edges[edge].operation, Call | Halt | Input)


def test_every_goal_edge_of_the_source_has_a_probe(tmp_path: Path) -> None:
    loaded = load_text(
        "int main(void) { int x = 1; if (x) x = 2; for (;;) { switch (x) { case 1: x ? 1 : 2; } break; } }", tmp_path
    )
    probed: set[int] = set()
    for probe in loaded.source.probes:
        match probe:
            case ConditionProbe(edges=pair):
                probed.update(pair)
            case SwitchProbe(cases=cases, default=default):
                probed.update(edge for _, edge in cases)
                probed.add(default)
    assert {edge.number for edge in loaded.program.edge_list if edge.reference.branch} == probed
