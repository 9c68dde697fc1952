"""The programs and files that some tests use when they lie beside the project."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared benchmark folder is not beside the project")
