"""Input functions that a program calls without a declaration: they are declared as their names say.

In old C they would be ``int f()``, whatever the function gives; other tools go by the name, as SV-COMP's rules do.
"""

from __future__ import annotations

import re

from pycparser import c_ast

from gia.cfa.types import INT, DataModel, declared
from gia.frontend.diagnostics import Diagnostic
from gia.frontend.edits import edited
from gia.frontend.library import INPUT_PREFIX, type_of_input
from gia.frontend.parsing.syntax import SyntaxTree, name_of, within
from gia.frontend.preprocessed import PreprocessedSource

_NAME = re.compile(rf"\b{INPUT_PREFIX}\w+")


def with_declared_inputs(
    source: PreprocessedSource, tree: SyntaxTree, model: DataModel
) -> tuple[PreprocessedSource, tuple[Diagnostic, ...]]:
    """The source with such declarations, if it needs any, and a remark on each."""
    lines, remarks = [], []
    for name, place in _undeclared_calls(source, tree).items():
        result = type_of_input(name, model)
        if result is not None and result != INT:
            lines.append(f"extern {declared(result, f'{name}(void)')};")
            message = f"{name} is called without a declaration: its values are taken as {result}"
            remarks.append(Diagnostic(source.position(place), message))
    return (edited(source, [], head=" ".join(lines), tail="") if lines else source), tuple(remarks)


def _undeclared_calls(source: PreprocessedSource, tree: SyntaxTree) -> dict[str, int]:
    """The input functions that nothing declares, with where each is called first."""
    named = set(_NAME.findall(source.text)) - set(map(name_of, tree.unit.ext))
    if not named:
        return {}
    nodes = list(within(tree.unit))
    named -= {node.name for node in nodes if isinstance(node, c_ast.Decl)}
    calls = (node.name for node in nodes if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID))
    found: dict[str, int] = {}
    for call in calls:
        if call.name in named:
            found.setdefault(call.name, call.coord.offset)
    return found
