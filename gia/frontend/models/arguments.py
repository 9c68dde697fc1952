"""Calls in the syntax tree, and their arguments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from pycparser import c_ast

from gia.frontend.edits import Edit
from gia.frontend.literals import string_literal
from gia.frontend.parsing.syntax import Node


def arguments_of(call: Node) -> list[Node]:
    """The arguments of a call."""
    return [] if call.args is None else list(call.args.exprs)


def calls_as_declared(calls: Iterable[Node], functions: Mapping[str, int], names: Collection[str]) -> list[Node]:
    """Those of the calls that are of one of these functions, with its number of arguments.

    ``names``: the names that mean what the library declares.
    """
    return [
        call for call in calls if call.name.name in names and functions.get(call.name.name) == len(arguments_of(call))
    ]


def string_of(node: Node) -> bytes | None:
    """The bytes of a string literal, without the zero at its end."""
    if not isinstance(node, c_ast.Constant) or not node.value.startswith('"'):
        return None
    data = string_literal(node.value).data
    return data[:-1] if b"\0" not in data[:-1] else None


def literal_of(text: bytes) -> str:
    """The string literal that has these bytes."""
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}" for byte in text)
    return f'"{"".join(plain)}"'


def constant_of(node: Node) -> int | None:
    """The value of a decimal constant."""
    return int(node.value) if isinstance(node, c_ast.Constant) and node.value.isdecimal() else None


def named(use: Node) -> Node:
    """The name in a call, or one that is used as a value."""
    return use.name if isinstance(use, c_ast.FuncCall) else use


def renamed(use: Node, name: str) -> Edit:
    """What lets a call be one of another function, or a function that is used as a value be another one."""
    begin = named(use).coord.offset
    return Edit(begin, begin + len(named(use).name), name)


def is_function(declaration: Node) -> bool:
    """Whether it declares a function."""
    return hasattr(declaration.type, "args")  # the extended parser has a class of its own
