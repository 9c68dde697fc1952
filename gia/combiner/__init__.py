"""Puts what several automata know into one (``gia combine``)."""

from gia.combiner.combine import combine, without_decided
from gia.combiner.contradiction import Contradiction, Step, doubt, who

__all__ = ["Contradiction", "Step", "combine", "doubt", "who", "without_decided"]
