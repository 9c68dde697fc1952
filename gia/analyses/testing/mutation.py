"""Small changes to sequences of inputs: the moves of the random tester."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from msgspec.structs import replace

from gia.analyses.testing.values import Dictionary
from gia.native import InputValue

Inputs = tuple[InputValue, ...]
"""The inputs of a run in the order in which the program reads them."""

MAX_INPUTS = 4096
"""A mutated sequence never grows longer than this."""


def mutate(inputs: Inputs, others: Sequence[Inputs], random: Random, dictionary: Dictionary) -> Inputs:
    """A variant of ``inputs``: some values changed, a part repeated or cut out, or spliced with one of ``others``.

    ``inputs`` is not empty. The types of the values stay those of the reads they come from.
    """
    kind = random.random()
    if kind < 0.65:
        return _change_values(inputs, random, dictionary)
    if kind < 0.8:
        return _repeat_part(inputs, random)
    if kind < 0.9:
        start, end = _part(inputs, random)
        return inputs[:start] + inputs[end:]
    other = random.choice(others) if others else inputs
    return (inputs[: random.randint(0, len(inputs))] + other[random.randint(0, len(other)) :])[:MAX_INPUTS]


def _change_values(inputs: Inputs, random: Random, dictionary: Dictionary) -> Inputs:
    """One value changed, sometimes a few, sometimes each of a part set to the same new value."""
    changed = list(inputs)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        index = random.randrange(len(changed))
        old = changed[index]
        near = random.random() < 0.35
        bits = dictionary.neighbour(random, old.type, old.bits) if near else dictionary.draw(random, old.type)
        changed[index] = replace(old, bits=bits)
    if random.random() < 0.2:
        start, end = _part(inputs, random)
        for index in range(start, end):
            if changed[index].type == changed[start].type:
                changed[index] = replace(changed[index], bits=changed[start].bits)
    return tuple(changed)


def _repeat_part(inputs: Inputs, random: Random) -> Inputs:
    start, end = _part(inputs, random)
    return (inputs[:end] + inputs[start:end] * random.randint(1, 4) + inputs[end:])[:MAX_INPUTS]


def _part(inputs: Inputs, random: Random) -> tuple[int, int]:
    """A random non-empty slice, short ones more often."""
    start = random.randrange(len(inputs))
    longest = len(inputs) - start
    return start, start + min(random.randint(1, longest), random.randint(1, longest))
