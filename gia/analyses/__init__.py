"""The built-in actors, one algorithm per module."""
