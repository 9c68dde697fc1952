r"""Conditions that hold for every number: what an invariant says about all elements of an array.

In an invariant ``\any`` stands for every value of type ``long long``. ``!(0 <= \any && \any < i) || a[\any] == 0`` says
that the first ``i`` elements of ``a`` are zero. So the quantifier is in front of the whole condition, and there is one.
Source: ACSL's ``\forall`` (P. Baudin et al., *ACSL: ANSI/ISO C specification language*, section 2.2.3), restricted so
that the rest of the language need not know of quantifiers.
"""

from __future__ import annotations

from typing import Final

from gia.cfa.expressions import Expression, Storage, Variable, VariableReference, walk
from gia.cfa.types import LONG_LONG

ANY: Final = r"\any"


ANY_NUMBER: Final = Variable(ANY, LONG_LONG, Storage.GHOST)
r"""``\any``: a number that is wide enough for every index."""


def is_any(variable: Variable) -> bool:
    r"""Whether a variable is ``\any``."""
    return variable.storage is Storage.GHOST and variable.name == ANY


def is_quantified(expression: Expression) -> bool:
    r"""Whether a condition speaks of ``\any``."""
    return any(isinstance(part, VariableReference) and is_any(part.variable) for part in walk(expression))
