"""What is known in a run, and how far it is to be trusted."""
