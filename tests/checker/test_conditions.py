"""What an assumption on the edge of an input says of its value."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.automaton.model import Condition
from gia.cfa.operations import Input
from gia.cfa.supergraph import Supergraph
from gia.cfa.types import DataModel
from gia.checker.conditions import Conditions
from gia.frontend import load


@pytest.mark.parametrize(
    ("type_", "text"),
    [("int", r"\result == -3"), ("float", r"\result == 2.14748365e+09F"), ("double", r"\result == 0.1")],
)
def test_the_value_of_an_input_is_that_of_its_type(tmp_path: Path, type_: str, text: str) -> None:
    path = tmp_path / "p.c"
    path.write_text(
        f"extern {type_} __VERIFIER_nondet_{type_}(void);\n"
        f"int main(void) {{ {type_} x = __VERIFIER_nondet_{type_}(); return x > 0; }}\n"
    )
    program = load(path, data_model=DataModel.LP64).program
    supergraph = Supergraph(program)
    conditions = Conditions(supergraph)
    edge = next(edge for edge in program.edge_list if isinstance(edge.operation, Input))
    assert conditions.at(Condition(text, "main"), supergraph.entry, edge) is not None
    assert conditions.remarks == ()
    other = next(other for other in program.edge_list if not isinstance(other.operation, Input))
    assert conditions.at(Condition(text, "main"), supergraph.entry, other) is None
    assert conditions.remarks
