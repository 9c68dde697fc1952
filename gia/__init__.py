"""Verifiers and testers work together on one C program by exchanging what they found out."""

__version__ = "0.1.0"
