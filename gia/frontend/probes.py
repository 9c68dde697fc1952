"""Where a native execution is observed: places in the preprocessed text and the CFA edges that they stand for.

All offsets count characters of :attr:`InstrumentableSource.text`; ``number`` is the index in
:attr:`InstrumentableSource.probes`. Every probe lies in evaluated code of the program itself, so that a
call can be put there; two probes either nest or are disjoint.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from gia.cfa.expressions import Variable
from gia.cfa.types import IntegerType
from gia.frontend.editable import EditableText
from gia.frontend.symbols import Scope, VariableSymbol


class Visible(Struct, frozen=True):
    """What the names of variables mean at one place of the text (ISO C 6.2.1).

    A scope grows while its block is read, so ``count`` is the number of names that it had at this place; of the file
    scope, in which all declarations are read first, those count that stand before ``offset``: ``declared`` are the
    offsets of the names of the file.
    """

    scope: Scope
    count: int
    declared: Mapping[str, int]
    offset: int

    def name_of(self, variable: Variable) -> str | None:
        """The name by which the variable can be mentioned at this place, ``None`` if it cannot."""
        name = variable.name.partition("$")[0]
        scope: Scope | None = self.scope
        count = self.count
        while scope is not None:
            if (symbol := scope.names.get(name)) is not None:
                if scope.outer is None:
                    visible = self.declared.get(name, self.offset) < self.offset
                else:
                    visible = list(scope.names).index(name) < count
                if visible:
                    is_meant = isinstance(symbol, VariableSymbol) and symbol.means(variable)
                    return name if name and is_meant else None
            count, scope = scope.before, scope.outer
        return None


class ConditionProbe(Struct, frozen=True):
    """``text[start:end]`` is a scalar condition; ``edges`` are taken when it is not 0 and when it is 0.

    ``start == end`` marks the place of the empty condition of ``for (;;)``, which counts as true.
    """

    number: int
    start: int
    end: int
    edges: tuple[int, int]
    visible: Visible | None = None


class SwitchProbe(Struct, frozen=True):
    """``text[start:end]`` controls a ``switch``, or is the integer before ``?:``, where it must keep its value.

    ``cases`` pairs the text of each label (``3``, ``RED``, ``1 ... 5``) with its edge; ``default`` is the edge that is
    taken when none matches (to the ``default`` label or past it). ``type`` is that of the value. If that is always the
    same, ``constant`` is C for it: compilers leave out what it does not select, which may be assembly that fits no
    other (``sizeof``).
    """

    number: int
    start: int
    end: int
    cases: tuple[tuple[str, int], ...]
    default: int
    type: IntegerType
    constant: str | None = None


class StatementProbe(Struct, frozen=True):
    """``text[start:end]`` is a statement with its ``;``, and ``edge`` the first edge of its execution.

    A call statement can be put at ``start``, in braces with the statement if that is no declaration.
    """

    number: int
    start: int
    end: int
    edge: int
    is_declaration: bool = False
    visible: Visible | None = None


class CallProbe(Struct, frozen=True):
    """``text[start:end]`` is a call of a named function and ``edge`` the edge of that call; it may be void."""

    number: int
    start: int
    end: int
    edge: int


class LengthProbe(Struct, frozen=True):
    """``text[start:end]`` is the length of an array of variable length, whose elements have ``element`` bytes.

    If they are arrays of variable length themselves, these are the bytes of their elements and so on, and
    ``inner_lengths`` is where the lengths of all these are.

    A length that is not positive, or with which no object is large enough, is undefined (ISO C 6.7.6.2): an execution
    ends there.
    """

    number: int
    start: int
    end: int
    element: int
    inner_lengths: tuple[tuple[int, int], ...] = ()


class NoValueProbe(Struct, frozen=True):
    """``text[start:end]`` is a ``return`` without a value, or empty before the end of the body, where a function of a
    scalar result is left: its caller gets an arbitrary value (ISO C 6.9.1)."""

    number: int
    start: int
    end: int


Probe = ConditionProbe | SwitchProbe | StatementProbe | CallProbe | LengthProbe | NoValueProbe


class InstrumentableSource(Struct, frozen=True):
    """Preprocessed C with line markers, as ``gcc -x cpp-output`` takes it, and where to observe it."""

    text: str
    probes: tuple[Probe, ...]
    editable: EditableText | None = None
    """The text in which the program can be rewritten as it was written."""
