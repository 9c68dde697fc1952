"""Functions that remember something from one call to the next: either all calls of such a group get models, or none."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from msgspec import Struct
from pycparser import c_ast

from gia.frontend.parsing.syntax import Node


class Group(Struct, frozen=True):
    """Functions with a common memory, by their numbers of arguments.

    ``apart``: names that a program with models of the group must not use; ``variables``: what the models define; the
    program may declare it only.
    """

    functions: Mapping[str, int]
    apart: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()


GROUPS: Final = (
    Group({"strtok": 2}),
    Group(
        {"getopt": 3, "getopt_long": 5},
        frozenset({"getopt_long_only", "environ", "setenv", "putenv"}),
        frozenset({"optarg", "optind", "opterr", "optopt"}),
    ),
)
NAMES: Final = frozenset(name for group in GROUPS for name in group.functions)
RELIED_ON: Final = frozenset({"strchr", "strncmp", "strlen"})
"""Their models call these."""


def calls_with_models(nodes: Sequence[Node], defined: Collection[str]) -> list[Node]:
    """The calls among all nodes of a program that get models.

    ``defined`` are the names that it defines or declares as variables. ``nodes`` are without names of local ones.
    """
    if not RELIED_ON.isdisjoint(defined):
        return []
    mentioned = [node for node in nodes if isinstance(node, c_ast.ID)]
    calls = [node for node in nodes if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID)]
    found: list[Node] = []
    for group in GROUPS:
        own = [call for call in calls if call.name.name in group.functions]
        called = {id(call.name) for call in own}
        fits = all(call.args is not None and len(call.args.exprs) == group.functions[call.name.name] for call in own)
        others = (
            node.name in group.apart or (node.name in group.functions and id(node) not in called) for node in mentioned
        )
        taken = not group.functions.keys().isdisjoint(defined) or _defines(nodes, group.variables)
        if fits and not taken and not any(others):
            found += own
    return found


def _defines(nodes: Sequence[Node], variables: Collection[str]) -> bool:
    """Whether one of the variables is declared without ``extern``."""
    return any(
        isinstance(node, c_ast.Decl) and node.name in variables and "extern" not in node.storage for node in nodes
    )
