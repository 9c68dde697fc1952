"""Puts what several automata know into one (``gia combine``)."""

from gia.combiner.combine import combine, without_decided
from gia.combiner.contradiction import Contradiction

__all__ = ["Contradiction", "combine", "without_decided"]
