"""What the program itself says: its code without that of headers, and which names in it mean functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from pycparser import c_ast

from gia.frontend.models.arguments import is_function
from gia.frontend.parsing.syntax import Node, SyntaxTree, name_of, within
from gia.frontend.preprocessed import PreprocessedSource


class OwnCode:
    """The code of a program, and the names at file scope.

    ``declared`` are all of them; ``defined`` those of functions with a body, and of variables of the program;
    ``of_headers`` those that headers of the system declare.
    """

    def __init__(self, source: PreprocessedSource, tree: SyntaxTree) -> None:
        self._source = source
        self._tree = tree
        self.declared: set[str] = set()
        self.defined: set[str] = set()
        self.of_headers: set[str] = set()
        for node in tree.unit.ext:
            name = name_of(node)
            if name is not None:
                self._note(node, name)

    def _note(self, node: Node, name: str) -> None:
        self.declared.add(name)
        is_variable = isinstance(node, c_ast.Decl) and not is_function(node)
        if of_header := self._is_of_header(node):
            self.of_headers.add(name)
        if isinstance(node, c_ast.FuncDef) or (is_variable and not of_header):
            self.defined.add(name)

    @cached_property
    def nodes(self) -> Sequence[Node]:
        """All nodes of its definitions and declarations."""
        return [node for root in self._roots() for node in within(root)]

    @cached_property
    def calls_and_names(self) -> Sequence[Node]:
        """The same without names of local variables and members, and without calls of what such variables lead to."""
        apart = {id(node) for root in self._roots() for node in _of_variables(root)}
        return [node for node in self.nodes if id(node) not in apart]

    def main(self) -> Node | None:
        """The definition of ``main``, if there is one that nobody calls."""
        called = any(isinstance(node, c_ast.ID) and node.name == "main" for node in self.nodes)
        found = (n for n in self._tree.unit.ext if isinstance(n, c_ast.FuncDef) and n.decl.name == "main")
        return None if called else next(found, None)

    def _roots(self) -> Iterator[Node]:
        return (node for node in self._tree.unit.ext if not self._is_of_header(node))

    def _is_of_header(self, node: Node) -> bool:
        coordinate = getattr(node.decl if isinstance(node, c_ast.FuncDef) else node, "coord", None)
        return coordinate is not None and self._source.in_system_header(coordinate.offset)


def _of_variables(root: Node) -> Iterator[Node]:
    """The names of variables of a definition and of members in it, and the calls of what such a variable leads to."""
    nodes = list(within(root))
    own = {node.name for node in nodes if isinstance(node, c_ast.Decl) and not is_function(node)}
    for node in nodes:
        name = node.name if isinstance(node, c_ast.FuncCall) else node
        if isinstance(name, c_ast.ID) and name.name in own:
            yield node
        elif isinstance(node, c_ast.StructRef):
            yield node.field
