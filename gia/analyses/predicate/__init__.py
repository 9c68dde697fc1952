"""Predicate abstraction with counterexample-guided refinement, as one actor and as three."""
