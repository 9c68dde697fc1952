"""Variables that a program declares and does not define: inputs, as another file may give them any value.

They are defined in text that is added to the program, and read at the beginning of ``main``: a number at once, anything
else byte by byte. So everybody works on the same program, in which they are variables like others. (A pointer that is
made of inputs is good for proofs, where it may lead anywhere; tests find null only.)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import deepcopy

from pycparser import c_ast

from gia.cfa.types import ArrayType, CType, FloatType, IntegerType, StructType, is_of_unknown_length
from gia.frontend.constants import declarator_of
from gia.frontend.edits import Edit, edited
from gia.frontend.library import INPUT_PREFIX
from gia.frontend.lowering.context import NotSupportedError, Unit
from gia.frontend.parsing.syntax import Node, c_text, mentioned_from, within
from gia.frontend.preprocessed import PreprocessedSource
from gia.frontend.unknown_lengths import as_pointers, declared_as_pointers, not_as_pointers

INPUT_OF_VARIABLE = f"{INPUT_PREFIX}extern_"
"""Before the name of a variable: the function that gives its value, or one byte of it."""

_READ = "__gia_read_undefined"

_NOWHERE = 4096
"""An address that is not null, and of no object."""


def that_matter(
    unit: Unit, undefined: Mapping[str, CType], entry: str, assignable: Collection[str]
) -> dict[str, CType]:
    """Those of the undefined variables that a function and what it calls may use, if there can be one of the type.

    ``assignable`` are those that may be declared constant. :class:`NotSupportedError` if one cannot be an input. An
    array of unknown length can for another function than ``main``: what a unit is given has a length that is made up.
    For ``main`` it can be made a pointer (:mod:`gia.frontend.unknown_lengths`), if nothing sees that.
    """
    initial = (node.init for node in unit.tree.unit.ext if isinstance(node, c_ast.Decl) and node.init is not None)
    used = mentioned_from([unit.defined[entry], *initial], unit.defined)
    found = {name: type_ for name, type_ in undefined.items() if name in used and _is_complete(unit, type_)}
    lengthless = {name for name, type_ in found.items() if is_of_unknown_length(type_)}
    if entry == "main":
        impossible = not_as_pointers(unit, lengthless)
    else:
        impossible = {name for name in lengthless if not _is_at_file_scope(unit, name)}
    for node in within(unit.tree.unit) if found else ():
        if isinstance(node, c_ast.Decl) and "extern" in node.storage and node.name in found:
            _require(unit, node, assignable, impossible)
    return found


def _is_complete(unit: Unit, type_: CType) -> bool:
    return not isinstance(type_, StructType) or type_.tag in unit.layouts


def _require(unit: Unit, node: Node, assignable: Collection[str], lengthless: Collection[str]) -> None:
    """Raises :class:`NotSupportedError` if a variable cannot be an input: a constant, or one that is ``lengthless``."""
    if "const" in declarator_of(node).quals and node.name not in assignable:
        reason = "a constant"
    elif node.name in lengthless:
        reason = "an array of unknown length"
    else:
        return
    message = f"{node.name}, {reason} that is declared only, is not supported"
    raise NotSupportedError(message, unit.position(node), "define it")


def with_inputs(unit: Unit, variables: Mapping[str, CType], edits: Iterable[Edit]) -> PreprocessedSource:
    """The source with these edits, and with definitions of the variables, which ``main`` reads before anything else."""
    arrays = [name for name, type_ in variables.items() if is_of_unknown_length(type_)]
    variables = as_pointers(variables)
    lines = [line for name, type_ in variables.items() for line in _definition(unit, name, type_)]
    lines += [f"void {_READ}(void)", "{"]
    lines += ["static char done;", "if (done) return;", "done = 1;"]  # main may be called
    lines += [line for name, type_ in variables.items() for line in _reading(unit, name, type_)]
    lines += [f"if (!{name}) {name} = (void *){_NOWHERE};" for name in arrays]
    begin = unit.defined["main"].body.coord.offset + 1
    call = Edit(begin, begin, f" void {_READ}(void); {_READ}();")
    return edited(unit.source, [*edits, *declared_as_pointers(unit, arrays), call], tail="\n".join([*lines, "}", ""]))


def _is_number(type_: CType) -> bool:
    return isinstance(type_, IntegerType | FloatType)


def _definition(unit: Unit, name: str, type_: CType) -> Iterator[str]:
    """The definition of a variable, and the declaration of the input that is its value."""
    yield f"{declaration_of(unit, name)};"
    result = f"__typeof__({name})" if _is_number(type_) else "unsigned char"
    yield f"{result} {INPUT_OF_VARIABLE}{name}(void);"
    if not _is_number(type_):
        yield f"_Bool {_input_of_truth(name)}(void);"


def declaration_of(unit: Unit, name: str) -> str:
    """What declares an undefined variable at the end of the text, without ``extern`` and ``const``."""
    if _is_at_file_scope(unit, name):
        return f"__typeof__({name}) {name}"
    nodes = (node for node in within(unit.tree.unit) if isinstance(node, c_ast.Decl) and node.name == name)
    declaration = deepcopy(next(node for node in nodes if "extern" in node.storage))
    declaration.storage = []
    declarator = declarator_of(declaration)
    declarator.quals = [qualifier for qualifier in declarator.quals if qualifier != "const"]
    return c_text(declaration)


def _is_at_file_scope(unit: Unit, name: str) -> bool:
    return any(isinstance(node, c_ast.Decl) and node.name == name for node in unit.tree.unit.ext)


def _input_of_truth(name: str) -> str:
    return f"{INPUT_OF_VARIABLE}{name}_bool"


def _reading(unit: Unit, name: str, type_: CType) -> Iterator[str]:
    """Statements that give a variable its value."""
    value = f"{INPUT_OF_VARIABLE}{name}()"
    if _is_number(type_):
        yield f"{name} = {value};"
    else:
        yield f"for (unsigned long i = 0; i < sizeof {name}; i++) ((unsigned char *)&{name})[i] = {value};"
        yield from _truths(unit, name, type_, f"{_input_of_truth(name)}()")


def _truths(unit: Unit, place: str, type_: CType, value: str, depth: int = 0) -> Iterator[str]:
    """Statements that give all that is ``_Bool`` in an object the value 0 or 1: other bytes mean nothing there."""
    match type_:
        case IntegerType(is_bool=True):
            yield f"{place} = {value};"
        case ArrayType(element=element, length=int() as length):
            inner = list(_truths(unit, f"{place}[i{depth}]", element, value, depth + 1))
            if inner:
                yield f"for (unsigned long i{depth} = 0; i{depth} < {length}; i{depth}++) {{"
                yield from (*inner, "}")
        case StructType(tag=tag, is_union=False):
            for field in unit.layouts[tag].fields:
                inside = place if field.name.startswith("$") else f"{place}.{field.name}"
                yield from _truths(unit, inside, field.type, value, depth)
