"""The text of a program: what stands at a line and a column, and which edges of the CFA it is."""
