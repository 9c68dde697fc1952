"""Verification witnesses: YAML and GraphML, read, understood as claims and candidates, and written."""
