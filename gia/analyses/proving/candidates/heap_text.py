r"""What a program's text decides about the block that a pointer leads to, said of all blocks of its pool.

A condition on fields, as ``p->order > p->stock``, becomes one on ``\blocks_12[\any]``; so does one on a variable that
is stored in a field, as ``order > stock`` before ``p->order = order``. Each may hold for all blocks, or its opposite.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice

from gia.analyses.proving.candidates.comparisons import opposite
from gia.cfa.expressions import (
    Binary,
    Dereference,
    Expression,
    Subscript,
    Variable,
    VariableReference,
    atoms_of,
    pointer_under,
    rewritten,
    walk,
    without_casts,
)
from gia.cfa.graph import Program
from gia.cfa.heap import Pool
from gia.cfa.operations import Assign, Assume, Call
from gia.cfa.places import BEGIN
from gia.cfa.points_to import points_to
from gia.cfa.quantified import ANY_NUMBER

_MOST = 40
_CALLS = 2
"""So many calls deep a variable is followed to where it is stored."""


def conditions_on_blocks(program: Program, pool: Pool) -> Iterator[Expression]:
    r"""The conditions on the block with the number ``\any``, each followed by its opposite."""
    text = _Text(program, pool)
    return islice((said for found in dict.fromkeys(text.conditions()) for said in (found, opposite(found))), _MOST)


class _Text:
    """What the text says of the blocks of one pool."""

    def __init__(self, program: Program, pool: Pool) -> None:
        self._program = program
        self._pool = pool
        self._block = pool.block(VariableReference(ANY_NUMBER))
        self._stored = self._fields_of_variables()

    def conditions(self) -> Iterator[Expression]:
        """The conditions of branches and their parts, as far as they are about one block."""
        for edge in self._program.edge_list:
            if isinstance(edge.operation, Assume) and edge.operation.outcome:
                for part in (edge.operation.condition, *atoms_of(edge.operation.condition)):
                    if isinstance(part, Binary):
                        yield from self._of_block(part)

    def _of_block(self, condition: Expression) -> Iterator[Expression]:
        pointers = dict.fromkeys(filter(None, map(self._pointer_of, walk(condition))))
        for pointer in pointers:
            said = rewritten(condition, partial(self._as_block, pointer))
            if not any(isinstance(part, Dereference | Subscript) and part != self._block for part in walk(said)):
                yield said
        if not pointers and not any(isinstance(part, Dereference | Subscript) for part in walk(condition)):
            said = rewritten(condition, self._as_field)
            if said != condition:
                yield said

    def _pointer_of(self, lvalue: Expression) -> Variable | None:
        """The pointer of an lvalue that is a block of the pool."""
        match lvalue:
            case Dereference(pointer=VariableReference(variable=pointer), type=self._pool.element):
                places = self._program.derived(points_to).places.get(pointer, {})
                return pointer if places.get(self._pool.first) == BEGIN else None
        return None

    def _as_block(self, pointer: Variable, part: Expression) -> Expression | None:
        return self._block if self._pointer_of(part) == pointer else None

    def _as_field(self, part: Expression) -> Expression | None:
        return self._stored.get(part.variable) if isinstance(part, VariableReference) else None

    def _fields_of_variables(self) -> Mapping[Variable, Expression]:
        """The variables that are stored in a field of a block, also by a function that they are given to."""
        found: dict[Variable, Expression] = {}
        for edge in self._program.edge_list:
            match edge.operation:
                case Assign(target=target, value=value) if (pointer := pointer_under(target)) is not None:
                    stored, field = without_casts(value), rewritten(target, partial(self._as_block, pointer))
                    if isinstance(stored, VariableReference) and field != target and stored.type == field.type:
                        found[stored.variable] = field
        for _ in range(_CALLS):
            for edge in self._program.edge_list:
                if isinstance(edge.operation, Call) and edge.operation.function in self._program.functions:
                    parameters = self._program.functions[edge.operation.function].parameters
                    for parameter, argument in zip(parameters, edge.operation.arguments, strict=False):
                        if parameter in found and isinstance(argument, VariableReference):
                            found.setdefault(argument.variable, found[parameter])
        return found
