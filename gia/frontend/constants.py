"""Constants that a program does not define itself are given values, and so are members of structs that are constant.

C forbids to assign to them. So where values are given, ``const`` is taken out of the declarations of variables that are
defined elsewhere, of members, and of types that have a name: behaviour does not depend on it, except for what asks for
qualifiers. What pointers point to may stay constant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from pycparser import c_ast

from gia.frontend.edits import Edit
from gia.frontend.parsing.syntax import Node, SyntaxTree, within
from gia.frontend.preprocessed import PreprocessedSource

_CONST: Final = re.compile(r"\b(?:const|__const|__const__)\b")
_ASKING: Final = re.compile(r"\b(?:_Generic|__builtin_types_compatible_p)\b")


class WithoutConstants(Struct, frozen=True):
    """The edits that take ``const`` out, and the names of the variables that are no constants then."""

    edits: frozenset[Edit] = frozenset()
    variables: frozenset[str] = frozenset()


def without_constants(source: PreprocessedSource, tree: SyntaxTree) -> WithoutConstants:
    """What takes ``const`` out of such declarations: nothing if types are compared. System headers stay as they are."""
    if not _CONST.search(source.text) or _ASKING.search(source.text):
        return WithoutConstants()
    nodes = list(_declarations(source, tree))
    begins = {node: tree.statements[node][0] for node in nodes if node in tree.statements}
    begins |= {node: external.start for external in tree.external for node in external.nodes}
    edits = {edit for node in nodes for edit in _edits(source.text, node, begins.get(node))}
    return WithoutConstants(frozenset(edits), frozenset(node.name for node in nodes if "extern" in node.storage))


def declarator_of(declaration: Node) -> Node:
    """The part of a declaration that says what the elements are, or the variable itself if it is no array."""
    declarator = declaration.type
    while isinstance(declarator, c_ast.ArrayDecl):
        declarator = declarator.type
    return declarator


def innermost_declarator(declaration: Node) -> Node:
    """The part of a declaration that begins with its name."""
    declarator = declaration.type
    while not isinstance(declarator, c_ast.TypeDecl):
        declarator = declarator.type
    return declarator


def _declarations(source: PreprocessedSource, tree: SyntaxTree) -> Iterator[Node]:
    """The declarations of constants to which values may be given."""
    in_file = [node for external in tree.external if not source.is_foreign(external.start) for node in external.nodes]
    variables = (node for node in tree.unit.ext if isinstance(node, c_ast.Decl))
    defined = {node.name for node in variables if "extern" not in node.storage or node.init is not None}
    for node in (part for root in in_file for part in within(root)):
        if isinstance(node, c_ast.Struct | c_ast.Union):
            yield from filter(_is_constant, node.decls or ())
        elif isinstance(node, c_ast.Typedef) and _is_constant(node):
            yield node
        elif isinstance(node, c_ast.Decl) and "extern" in node.storage and node.name not in defined:
            yield from filter(_is_constant, [node])


def _is_constant(declaration: Node) -> bool:
    is_named = getattr(declaration, "name", None) is not None
    return is_named and "const" in (getattr(declarator_of(declaration), "quals", None) or ())


def _edits(text: str, declaration: Node, begin: int | None) -> Iterator[Edit]:
    """What takes out the ``const`` of a declaration: behind the last star before the name, or among the specifiers.

    The declaration begins at ``begin``; ``None`` for that of a member.
    """
    declarator = declarator_of(declaration)
    name = innermost_declarator(declaration).coord.offset
    if isinstance(declarator, c_ast.PtrDecl):
        begin = text.rfind("*", 0, name)
    elif begin is None:
        begin = _begin_of_member(text, name)
    for found in _CONST.finditer(text, begin, name):
        yield Edit(found.start(), found.end(), "")


def _begin_of_member(text: str, name: int) -> int:
    """Where the declaration of a member begins: at the end of another one, or at the brace around it."""
    depth = 0
    for place in range(name - 1, -1, -1):
        if text[place] == "}":
            depth += 1
        elif depth == 0 and text[place] in ";{":
            return place
        elif text[place] == "{":
            depth -= 1
    return 0
