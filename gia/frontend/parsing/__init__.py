"""Preprocessed C as a syntax tree, with the extensions of gcc."""
