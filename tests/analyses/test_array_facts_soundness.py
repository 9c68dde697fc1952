"""No goal that some execution reaches is proven unreachable because of what invariants say about arrays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analyses.array_programs import ArrayWriter, MatrixWriter, RecordWriter, StrideWriter
from tests.analyses.claims import check_soundness


@pytest.mark.parametrize("seed", [0, 3, 205])
def test_what_is_proven_of_programs_with_arrays_is_never_reached(seed: int, tmp_path: Path):
    check_soundness(ArrayWriter(seed).program(), tmp_path, ("verifier",), 3, 40)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_proven_of_programs_with_strides_is_never_reached(seed: int, tmp_path: Path):
    check_soundness(StrideWriter(seed).program(), tmp_path, ("verifier",), 3, 40)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_proven_of_programs_with_matrices_is_never_reached(seed: int, tmp_path: Path):
    check_soundness(MatrixWriter(seed).program(), tmp_path, ("verifier",), 3, 40)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_proven_of_programs_with_records_is_never_reached(seed: int, tmp_path: Path):
    check_soundness(RecordWriter(seed).program(), tmp_path, ("verifier",), 3, 40)
