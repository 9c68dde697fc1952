"""Independent checking of claims: from the exchange automaton and the program alone."""

from gia.checker.certify import CheckReport, ClaimResult, Outcome, certify, check_claims

__all__ = ["CheckReport", "ClaimResult", "Outcome", "certify", "check_claims"]
