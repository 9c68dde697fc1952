"""The reducer: what a GIA leaves open, as a smaller program."""
