"""Values that programs consist of in large numbers, and how they are kept."""

from __future__ import annotations

from dataclasses import fields
from typing import Any


class Value:
    """The base of frozen dataclasses with slots of which a program has thousands.

    They are pickled as calls of their constructors. What dataclasses do instead looks up the fields again for each
    object that is read: reading a program takes twice as long (measured). Every field is an argument of the
    constructor, in this order.
    """

    __slots__ = ()

    def __reduce__(self) -> tuple[type[Value], tuple[Any, ...]]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
