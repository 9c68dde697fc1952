"""numpy, without the threads of its linear algebra: nobody uses them, and to start them takes as long as to load it."""

from __future__ import annotations

import os

_THREADS = "OPENBLAS_NUM_THREADS"

_given = os.environ.get(_THREADS)
os.environ[_THREADS] = "1"
try:
    import numpy as np
    import numpy.typing as npt
finally:
    del os.environ[_THREADS]  # programs that are started get the environment as it was
    if _given is not None:
        os.environ[_THREADS] = _given

__all__ = ["np", "npt"]
