"""The arguments of ``main`` as inputs: the model of what a program is started with."""

from __future__ import annotations

from typing import Final

from pycparser import c_ast

from gia.frontend.edits import Edit
from gia.frontend.library import MODEL_PREFIX
from gia.frontend.parsing.syntax import Node, within

COUNT_ARGUMENTS: Final = f"{MODEL_PREFIX}count_arguments"
"""The model, which returns how many arguments there are."""
ARGUMENT_VECTOR: Final = f"{MODEL_PREFIX}argument_vector"
"""What ``argv`` points to after a call of the model."""


def arguments_as_inputs(main: Node, text: str) -> list[Edit]:
    """What gives ``main`` its arguments from the model, if it uses them; ``text`` is that of the program.

    A parameter is assigned where the body begins. One that is ``const`` gets another name in the head of the function,
    and the body begins with a variable of its name and type.
    """
    listed = main.decl.type.args.params if main.decl.type.args else []
    named = [parameter for parameter in listed if getattr(parameter, "name", None)][:2]
    used = {node.name for node in within(main.body) if isinstance(node, c_ast.ID)}
    if len(named) < 2 or used.isdisjoint(parameter.name for parameter in named):
        return []
    if any(_is_constant(declared) for declared in main.param_decls or ()):
        return []  # names of a definition in the style before ISO C stand at two places
    begin = text.index("{", main.body.coord.offset) + 1
    edits, assignments = [], []
    for parameter, value in zip(named, (f"{COUNT_ARGUMENTS}()", ARGUMENT_VECTOR), strict=True):
        name, target = parameter.name, parameter.name
        if _is_constant(parameter):
            place = _place_of_name(parameter)
            edits.append(Edit(place, place + len(name), f"{MODEL_PREFIX}given_{name}"))
            target = f"__typeof__({MODEL_PREFIX}given_{name}) {name}"
        assignments.append(f" {target} = {value};")
    return [*edits, Edit(begin, begin, "".join(assignments))]


def _is_constant(declared: Node) -> bool:
    outermost = getattr(declared, "type", None)  # a name alone has none
    return "const" in (getattr(outermost, "quals", None) or ())


def _place_of_name(declared: Node) -> int:
    while hasattr(declared.type, "type"):
        declared = declared.type
    offset: int = declared.coord.offset
    return offset
