"""Nothing that an execution does with blocks of a pool is ever excluded: random programs, analysed and executed."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.cfa.types import DataModel
from tests.analyses.claims import check_soundness
from tests.analyses.heap_programs import HeapProgram


@pytest.mark.parametrize("seed", range(5))
def test_what_happens_on_the_heap_is_not_excluded(seed: int, tmp_path: Path) -> None:
    model = DataModel.LP64 if seed % 2 else DataModel.ILP32
    check_soundness(HeapProgram(seed).text(), tmp_path, ("verifier",), seconds=3, runs=40, model=model)
