"""Compositions of actors, run within limits."""
