"""Arrays that a program declares without a length and does not define: they are made pointers.

``extern T a[];`` becomes ``extern T (*a);``, which is made of inputs like other undefined variables, but is never null.
So proofs take the array to be anywhere, and of any length. For tests it is nowhere: they end where an element is used.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from pycparser import c_ast
from pycparserext import ext_c_parser as ext

from gia.cfa.types import ArrayType, CType, PointerType
from gia.frontend.constants import innermost_declarator
from gia.frontend.edits import Edit
from gia.frontend.lowering.context import Unit
from gia.frontend.parsing.syntax import Node, within

_LENGTH = re.compile(r"\s*\[\s*\]")
_OF_VALUES = frozenset({"*", "!"})
"""The operators to which an array is what a pointer is."""


def is_of_unknown_length(type_: CType) -> bool:
    """Whether a type is that of an array whose declaration does not say how long it is."""
    return isinstance(type_, ArrayType) and type_.length is None


def can_be_pointer(unit: Unit, name: str) -> bool:
    """Whether an array can be made a pointer: each declaration says itself, at file scope, that it is an array, and
    only its value is used, where that need not be constant."""
    nodes = list(within(unit.tree.unit))
    declarations = [node for node in nodes if isinstance(node, c_ast.Decl) and node.name == name]
    at_file_scope = {id(node) for node in unit.tree.unit.ext}
    if any(id(node) not in at_file_scope or _length(unit, node) is None for node in declarations):
        return False
    others = (part for node in nodes for part in _not_as_value(node, is_static=id(node) in at_file_scope))
    return not any(isinstance(part, c_ast.ID) and part.name == name for part in others)


def _not_as_value(node: Node, *, is_static: bool) -> Iterator[Node]:
    """The parts of a node that would see that an array is a pointer, or that its address is no constant."""
    if (isinstance(node, c_ast.UnaryOp) and node.op not in _OF_VALUES) or isinstance(node, ext.TypeOfExpression):
        yield node.expr
    elif isinstance(node, c_ast.Decl) and node.init is not None and (is_static or "static" in node.storage):
        yield from within(node.init)


def as_pointers(variables: Mapping[str, CType]) -> dict[str, CType]:
    """The variables; those of unknown length have the type of a pointer to their first element."""
    return {
        name: PointerType(type_.element) if isinstance(type_, ArrayType) and type_.length is None else type_
        for name, type_ in variables.items()
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
