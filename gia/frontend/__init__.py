"""C source text to control-flow automata."""
