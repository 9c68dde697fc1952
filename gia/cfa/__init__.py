"""C programs as control-flow automata: pure values and algorithms on them, no input or output."""
