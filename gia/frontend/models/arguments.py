"""The arguments of a call in the syntax tree."""

from __future__ import annotations

from pycparser import c_ast

from gia.frontend.literals import string_literal
from gia.frontend.parsing.syntax import Node


def arguments_of(call: Node) -> list[Node]:
    """The arguments of a call."""
    return [] if call.args is None else list(call.args.exprs)


def string_of(node: Node) -> bytes | None:
    """The bytes of a string literal, without the zero at its end."""
    if not isinstance(node, c_ast.Constant) or not node.value.startswith('"'):
        return None
    data = string_literal(node.value).data
    return data[:-1] if b"\0" not in data[:-1] else None


def constant_of(node: Node) -> int | None:
    """The value of a decimal constant."""
    return int(node.value) if isinstance(node, c_ast.Constant) and node.value.isdecimal() else None
