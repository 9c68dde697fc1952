"""The operations on the edges of a CFA (``Ops`` of DESIGN: assignment, assumption, call, return, input)."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from gia.cfa.expressions import Expression, LValue, Variable
from gia.cfa.types import CType


class Skip(Struct, frozen=True):
    """Nothing happens (a label, an empty statement, a jump)."""


class Declare(Struct, frozen=True):
    """A local variable begins to live with an indeterminate value."""

    variable: Variable


class Assign(Struct, frozen=True):
    """``target = value``; both have the same type (structs are assigned as a whole)."""

    target: LValue
    value: Expression


class Assume(Struct, frozen=True):
    """The edge is taken if ``condition`` (scalar; compared with 0) evaluates to ``outcome``.

    The assume edges that leave a location are exhaustive and pairwise exclusive.
    """

    condition: Expression
    outcome: bool


class Input(Struct, frozen=True):
    """The program reads an input of ``type`` by calling ``function``; ``target`` is ``None`` if it is ignored."""

    target: LValue | None
    function: str
    type: CType


class Call(Struct, frozen=True):
    """A call by name. ``function`` is defined in the program, or it is a library function without a body."""

    target: LValue | None
    function: str
    arguments: tuple[Expression, ...]


class Return(Struct, frozen=True):
    """Leaves the function (the edge leads to its exit) with ``value``, ``None`` if there is none."""

    value: Expression | None


class Halt(Struct, frozen=True):
    """The program ends here (``abort``, ``exit``, a failed assertion); the edge leads to a location without successors.

    ``function`` is called with ``arguments`` to end it; ``__VERIFIER_assume`` becomes a condition and
    a ``Halt`` on its false side.
    """

    function: str
    arguments: tuple[Expression, ...]


UNKNOWN_CALL: Final = "a call of an unknown function"
"""The reason of an operation that calls a pointer which leads to no function that is known."""


class Unmodelled(Struct, frozen=True):
    """Something that the CFA cannot express; ``reason`` names the construct.

    ``code`` is C that does it, in the names that :mod:`gia.cfa.writer` gives to variables.
    ``writes`` lists the lvalues that it may change, ``None`` means any object in memory.
    ``reads_input`` says that it consumes inputs.
    """

    code: str
    reason: str
    writes: tuple[LValue, ...] | None
    reads_input: bool = False


Operation = Skip | Declare | Assign | Assume | Input | Call | Return | Halt | Unmodelled


def operands_of(operation: Operation) -> tuple[Expression, ...]:
    """The expressions of an operation, in the order target, value, arguments."""
    match operation:
        case Assign(target=target, value=value):
            return (target, value)
        case Assume(condition=condition):
            return (condition,)
        case Input(target=target):
            return () if target is None else (target,)
        case Call(target=target, arguments=arguments):
            return arguments if target is None else (target, *arguments)
        case Return(value=value):
            return () if value is None else (value,)
        case Halt(arguments=arguments):
            return arguments
        case Unmodelled(writes=writes):
            return writes or ()
    return ()
