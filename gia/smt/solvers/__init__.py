"""The choice of a solver: the one place that knows which there are."""

from __future__ import annotations

from enum import StrEnum

from gia.smt.solvers.solver import Solver


class SolverKind(StrEnum):
    """The solvers that :func:`make_solver` knows."""

    BITWUZLA = "bitwuzla"
    """Quantifier-free formulas over bit-vectors, arrays and floating point: the fast one."""
    Z3 = "z3"


def make_solver(kind: SolverKind = SolverKind.BITWUZLA, *, cores: bool = False) -> Solver:
    """A new solver without assertions; with ``cores``, it says the reasons why there is no model, if it can."""
    if kind is SolverKind.BITWUZLA:
        from gia.smt.solvers.bitwuzla_solver import BitwuzlaSolver  # noqa: PLC0415 (loading a solver costs time)

        return BitwuzlaSolver(cores=cores)
    from gia.smt.solvers.z3_solver import Z3Solver  # noqa: PLC0415

    return Z3Solver()
