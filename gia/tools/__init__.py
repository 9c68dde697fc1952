"""Tools that read only C: what they are given (marked programs, harnesses), and what they leave, as values."""
