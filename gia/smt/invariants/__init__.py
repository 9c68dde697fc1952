"""Cut points of a program and the loop-free blocks between them: which guesses of invariants are inductive."""
