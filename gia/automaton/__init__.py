"""The generalised information exchange automaton and its pure algorithms."""
