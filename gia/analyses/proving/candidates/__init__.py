"""Guesses: what might always hold at a cut point. Only what is proven inductive becomes an invariant."""
