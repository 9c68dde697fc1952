"""The provers: invariants that exclude goals (OA)."""
