"""CPAchecker's automata: its conditions, and the GIAs of its prototype."""
