"""The syntax tree of a translation unit as control-flow automata: one module for each kind of thing in C."""
