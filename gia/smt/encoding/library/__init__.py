"""Functions of the C library and of the compiler, as terms: :mod:`.calls` finds what a call does."""
