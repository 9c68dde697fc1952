"""What a function that is tested alone is called with, for people: parameters and variables, not a row of numbers.

What is 0, and what a pointer leads to unless an input says otherwise, is left out inside of objects; so is what lies in
an object to which nothing points.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct

from gia.frontend.library import CHARACTER_INPUT
from gia.frontend.loaded import InputPlace
from gia.native.execution import InputValue

_ELEMENT: Final = re.compile(r"(.*)\[\d+\]$")
_PLAIN: Final = re.compile(r"\w+$")


class _Read(Struct, frozen=True):
    place: InputPlace
    value: InputValue

    @property
    def array(self) -> str:
        """What it is an element of, else the place itself."""
        found = _ELEMENT.match(self.place.place)
        return found[1] if found is not None and not self.place.choices else self.place.place

    @property
    def chosen(self) -> int:
        """Which of the choices it is."""
        return self.value.bits % len(self.place.choices)


def unit_inputs(places: Sequence[InputPlace], inputs: Sequence[InputValue]) -> list[str]:
    """What the ``inputs`` give to the places, which they belong to one by one."""
    reads = [_Read(place, value) for place, value in zip(places, inputs, strict=False)]
    unused = {read.place.new for read in reads if read.place.choices and read.chosen} - {""}
    used = [read for read in reads if unused.isdisjoint(read.place.within)]
    return [shown for array, group in groupby(used, lambda read: read.array) for shown in _shown(array, list(group))]


def _shown(array: str, reads: Sequence[_Read]) -> Iterator[str]:
    first = reads[0]
    if first.place.choices:
        if first.chosen or (not first.place.new and _PLAIN.match(array)):
            yield f"{array} = {first.place.choices[first.chosen]}"
    elif array != first.place.place:
        bits = [read.value.bits for read in reads]
        last = max((index for index, value in enumerate(bits, 1) if value), default=0)
        if first.value.function == CHARACTER_INPUT and (last or _PLAIN.match(array)):
            yield f"{array} = {quoted(bytes(value & 255 for value in bits[:last]))}"
        elif last:
            yield f"{array} = {{{', '.join(read.value.literal for read in reads[:last])}}}"
    elif first.value.bits or _PLAIN.match(array):
        modulus = first.place.modulus
        yield f"{array} = {first.value.number % modulus if modulus else first.value.literal}"


_ESCAPES: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def quoted(text: bytes) -> str:
    """A text as C would write it."""
    shown = [_ESCAPES.get(chr(byte)) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in text]
    return f'"{"".join(shown)}"'
