"""Labels are observed: the label ERROR is the goal of old verification tasks."""

from __future__ import annotations

from pathlib import Path

from gia.cfa.goals import Criterion, goals_of
from gia.cfa.types import DataModel
from gia.frontend import load
from gia.frontend.probes import StatementProbe


def test_a_label_has_a_probe_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text("int main(int argc, char **argv) { if (argc > 3) goto ERROR; return 0; ERROR: goto ERROR; }")
    loaded = load(path, data_model=DataModel.LP64)
    (goal,) = goals_of(loaded.program, Criterion.UNREACH_CALL)
    (probe,) = (p for p in loaded.source.probes if isinstance(p, StatementProbe) and p.edge in goal.edges)
    assert loaded.source.text[probe.start : probe.end] == "goto ERROR;"
    assert loaded.source.text[: probe.start].endswith("ERROR: ")
