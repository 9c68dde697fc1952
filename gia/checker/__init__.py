"""Independent checking of claims: from the exchange automaton and the program alone."""

from gia.checker.beyond import Beyond, claims_beyond
from gia.checker.certify import CheckReport, ClaimResult, Outcome, certify, check_claims
from gia.checker.exclusions import Exclusion, check_exclusions
from gia.checker.invariants import proven_invariants
from gia.checker.reached import Reached, check_reached

__all__ = [
    "Beyond",
    "CheckReport",
    "ClaimResult",
    "Exclusion",
    "Outcome",
    "Reached",
    "certify",
    "check_claims",
    "check_exclusions",
    "check_reached",
    "claims_beyond",
    "proven_invariants",
]
