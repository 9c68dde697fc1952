"""Whatever C a program uses, no branch that gcc's code takes is excluded: ``benchmarks/soundness.py`` runs more."""

from pathlib import Path

import pytest

from gia.cfa.types import DataModel
from tests.analyses.excluded_branches import judge


@pytest.mark.parametrize(("seed", "model"), [(5, DataModel.ILP32), (8, DataModel.LP64), (11, DataModel.LP64)])
def test_no_branch_that_is_taken_is_excluded(tmp_path: Path, seed: int, model: DataModel) -> None:
    found = judge(seed, model, ["bmc-proofs", "interval"], 3.0, tmp_path)
    assert found is not None
    assert found.taken
    assert not found.wrong
