"""Independent checking of claims: from the exchange automaton and the program alone."""

from gia.checker.beyond import claims_beyond
from gia.checker.certify import CheckReport, ClaimResult, Outcome, certify, check_claims
from gia.checker.exclusions import Exclusion, check_exclusions
from gia.checker.invariants import proven_invariants

__all__ = [
    "CheckReport",
    "ClaimResult",
    "Exclusion",
    "Outcome",
    "certify",
    "check_claims",
    "check_exclusions",
    "claims_beyond",
    "proven_invariants",
]
