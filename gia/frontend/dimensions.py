"""Which lengths of arrays in a declarator are not constant (ISO C 6.7.6.2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from pycparser import c_ast

from gia.frontend.parsing.syntax import Node, within
from gia.frontend.symbols import ConstantSymbol, Scope


def dimensions(declarator: Node, is_constant: Callable[[Node], bool]) -> tuple[list[Node], Node]:
    """The lengths of the arrays that ``declarator`` describes, up to the last one that is not constant.

    And the declarator of their elements. No lengths if all are constant; ``None`` stands for one that is left out.
    """
    arrays: list[Node] = []
    element = declarator
    while isinstance(element, c_ast.ArrayDecl):
        arrays.append(element)
        element = element.type
    while arrays and (arrays[-1].dim is None or is_constant(arrays[-1].dim)):
        element = arrays.pop()
    return [array.dim for array in arrays], element


def parameter_rows(parameter: Node, names: Collection[str], scope: Scope) -> tuple[list[Node], Node]:
    """The :func:`dimensions` of what a parameter points to; ``names`` are those of the parameters beside it."""

    def is_constant(length: Node) -> bool:
        used = [node.name for node in within(length) if isinstance(node, c_ast.ID)]
        return all(name not in names and isinstance(scope.find(name), ConstantSymbol) for name in used)

    declarator: Node = getattr(parameter, "type", None)
    is_pointer = isinstance(declarator, c_ast.ArrayDecl | c_ast.PtrDecl)
    return dimensions(declarator.type, is_constant) if is_pointer else ([], declarator)


def sizes_have_effects(parts: Sequence[Node]) -> bool:
    """Whether the evaluation of a length of an array in these declarators changes something."""
    arrays = (node for part in parts for node in within(part) if isinstance(node, c_ast.ArrayDecl))
    lengths = (array.dim for array in arrays if array.dim is not None)
    return any(_changes_something(node) for length in lengths for node in within(length))


def _changes_something(node: Node) -> bool:
    stepping = isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--")
    return stepping or isinstance(node, c_ast.FuncCall | c_ast.Assignment)
