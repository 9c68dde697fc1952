"""Arrays that a program declares without a length and does not define: they are made pointers.

``extern T a[];`` becomes ``extern T (*a);``, which is made of inputs like other undefined variables, but is never null.
So proofs take the array to be anywhere, and of any length. For tests it is nowhere: they end where an element is used.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from pycparser import c_ast
from pycparserext import ext_c_parser as ext

from gia.cfa.types import CType, PointerType, is_of_unknown_length
from gia.frontend.constants import innermost_declarator
from gia.frontend.edits import Edit
from gia.frontend.lowering.context import Unit
from gia.frontend.parsing.syntax import Node, within

_LENGTH = re.compile(r"\s*\[\s*\]")
_OF_VALUES = frozenset({"*", "!"})
"""The operators to which an array is what a pointer is."""


def not_as_pointers(unit: Unit, names: Collection[str]) -> set[str]:
    """Those of some arrays that cannot be made pointers.

    Of the others each declaration says itself, at file scope, that it is an array, and only their values are used,
    where these need not be constant.
    """
    at_file_scope = {id(node) for node in unit.tree.unit.ext}
    found = set()
    for node in within(unit.tree.unit) if names else ():
        is_static = id(node) in at_file_scope
        if isinstance(node, c_ast.Decl) and node.name in names and not (is_static and _length(unit, node)):
            found.add(node.name)
        found |= {part.name for part in _not_as_value(node, is_static=is_static) if isinstance(part, c_ast.ID)}
    return found.intersection(names)


def _not_as_value(node: Node, *, is_static: bool) -> Iterator[Node]:
    """The parts of a node that would see that an array is a pointer, or that its address is no constant."""
    if (isinstance(node, c_ast.UnaryOp) and node.op not in _OF_VALUES) or isinstance(node, ext.TypeOfExpression):
        yield node.expr
    elif isinstance(node, c_ast.Decl) and node.init is not None and (is_static or "static" in node.storage):
        yield from within(node.init)


def as_pointers(variables: Mapping[str, CType]) -> dict[str, CType]:
    """The variables; those of unknown length have the type of a pointer to their first element."""
    return {
        name: PointerType(type_.element) if is_of_unknown_length(type_) else type_ for name, type_ in variables.items()
    }


def declared_as_pointers(unit: Unit, names: Collection[str]) -> Iterator[Edit]:
    """What makes the declarations of arrays those of pointers."""
    for node in unit.tree.unit.ext:
        if isinstance(node, c_ast.Decl) and node.name in names and (length := _length(unit, node)) is not None:
            yield Edit(length.start() - len(node.name), length.end(), f"(*{node.name})")


def _length(unit: Unit, declaration: Node) -> re.Match[str] | None:
    """The empty brackets behind a declared name, if it is declared as an array."""
    if not isinstance(declaration.type, c_ast.ArrayDecl):
        return None
    return _LENGTH.match(unit.source.text, innermost_declarator(declaration).coord.offset + len(declaration.name))
