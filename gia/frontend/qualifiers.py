"""Where qualifiers (``const``, ``volatile``, ``restrict``) may be: the types of :mod:`gia.cfa.types` have none.

Two types that differ only in the qualifiers of what they point to are different types (ISO C 6.2.5, 6.7.6.1), which
``_Generic`` and ``__builtin_types_compatible_p`` can see.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from pycparser import c_ast

from gia.cfa.types import ArrayType, CType, FunctionType, PointerType
from gia.frontend.operators import TypingError
from gia.frontend.parsing.syntax import GenericSelection, Node, within


class Qualifiers:
    """What may have qualifiers in a translation unit, by the names that it mentions."""

    def __init__(self, unit: Node) -> None:
        self._unit = unit

    def may_be_in(self, node: Node) -> bool:
        """Whether a qualifier may be part of the type of an expression, or of the type that a name of a type means."""
        return _has_qualifier(node, self._names)

    @cached_property
    def _names(self) -> set[str]:
        """The variables, members, functions and types that are declared with a qualifier."""
        found: set[str] = set()
        for node in within(self._unit):
            declares = isinstance(node, c_ast.Decl | c_ast.Typedef) and node.name is not None
            if declares and _has_qualifier(node.type, found):
                found.add(node.name)
        return found

    def selected(self, selection: GenericSelection, control: CType, types: Sequence[CType | None]) -> Node:
        """The expression that a generic selection stands for; ``types`` are those of its choices, without qualifiers.

        :class:`TypingError` if there is none, or if it depends on qualifiers that are not known.
        """
        fitting = [choice for choice, type_ in zip(selection.choices, types, strict=True) if type_ == control]
        defaults = [choice for choice, type_ in zip(selection.choices, types, strict=True) if type_ is None]
        unqualified = [choice for choice in fitting if not self.may_be_in(choice[0])]
        if not isinstance(control, PointerType) or not self.may_be_in(selection.control):
            possible = [*unqualified, *defaults][:1]
        else:
            possible = [*fitting, *defaults]
        if not possible:
            raise TypingError("a generic selection without a choice for its type")
        if len(possible) > 1:
            raise TypingError("a generic selection that may depend on qualifiers")
        return possible[0][1]

    def require_none(self, type_: CType, nodes: Sequence[Node]) -> None:
        """Raises :class:`TypingError` if qualifiers may decide whether two types, equal without them, are the same."""
        if isinstance(type_, PointerType | ArrayType | FunctionType) and any(map(self.may_be_in, nodes)):
            raise TypingError("a comparison of types that may depend on qualifiers")


def _has_qualifier(node: Node, names: set[str]) -> bool:
    """Whether a qualifier, or one of these names, stands somewhere in a node."""
    return any(getattr(part, "quals", None) or not names.isdisjoint(_mentioned(part)) for part in within(node))


def _mentioned(node: Node) -> Sequence[str]:
    """The names that a node itself mentions."""
    if isinstance(node, c_ast.ID):
        return (node.name,)
    return node.names if isinstance(node, c_ast.IdentifierType) else ()
