"""C operations as terms, and the only package that knows a solver."""
