"""From preprocessed C to a program: check, parse, lower."""

from __future__ import annotations

import hashlib
from pathlib import Path

from msgspec.structs import replace

from gia.cfa.graph import Program
from gia.cfa.types import VOID, CType, DataModel, PointerType, StructType, TypeTable, is_of_unknown_length, is_scalar
from gia.errors import InputError, Position
from gia.frontend.constants import WithoutConstants, without_constants
from gia.frontend.diagnostics import value_is_input
from gia.frontend.editable import editable_text
from gia.frontend.edits import edited
from gia.frontend.harness import Bodiless, Unit, bodiless, harness, returning_inputs, with_harness
from gia.frontend.library import INPUT_PREFIX, MODEL_PREFIX, is_library
from gia.frontend.loaded import InputPlace, LoadedProgram
from gia.frontend.lowering.unit import UnitLowering, variables_with_address
from gia.frontend.models import WithModels, may_need_models, with_models
from gia.frontend.parsing.parser import parsed
from gia.frontend.parsing.syntax import SyntaxTree, mentioned_from
from gia.frontend.preprocess import PreprocessorOutput, check_syntax, decode, without_comments
from gia.frontend.preprocessed import PreprocessedSource, by_line_markers
from gia.frontend.probes import InstrumentableSource
from gia.frontend.remarks import remarks_on
from gia.frontend.stack import with_deep_stack
from gia.frontend.symbols import FunctionSymbol, TypeSymbol
from gia.frontend.undeclared import with_declared_inputs
from gia.frontend.undefined import declaration_of, that_matter, with_inputs
from gia.frontend.unused import without_unused

_NAMES_IN_HINT = 12
"""So many functions are named to somebody who has to choose one."""


def read_program(output: PreprocessorOutput, data_model: DataModel, entry: str, atomic: bool) -> LoadedProgram:
    """Check, parse and lower a program that is preprocessed; errors are those of :func:`gia.frontend.load`."""
    path, content = output.path, output.content
    source = without_unused(output.source())
    check_syntax(source, path, data_model)
    found, unit, places = with_deep_stack(lambda: _lower_from(source, path, data_model, entry, atomic))
    program = _program(unit, str(path), hashlib.sha256(content).hexdigest(), data_model)
    has_additions = unit.unit.source is not source
    is_written_so = entry == "main" and path.suffix != ".i" and not has_additions
    editable = editable_text(unit.unit.source, decode(content) if is_written_so else None, str(path))
    instrumentable = InstrumentableSource(unit.unit.source.text, tuple(unit.unit.probes), editable)
    return LoadedProgram(program, instrumentable, (*found.remarks, *remarks_on(unit, program)), places)


def load_written(text: str, *, data_model: DataModel, atomic: bool = False) -> LoadedProgram:
    """Read what :func:`gia.cfa.writer.write_c` has written, without a compiler: the text needs no preprocessing.

    Its positions are those of its ``#line`` directives.
    """
    source = by_line_markers(without_comments(text), "")
    unit = with_deep_stack(lambda: _lower(source, parsed(source, Path()), data_model, atomic))
    program = _program(unit, "", hashlib.sha256(text.encode()).hexdigest(), data_model)
    return LoadedProgram(program, InstrumentableSource(text, tuple(unit.unit.probes)), tuple(unit.unit.diagnostics))


def _program(unit: UnitLowering, path: str, sha256: str, data_model: DataModel) -> Program:
    edges = [edge for function in unit.functions.values() for edge in function.edges]
    statics = list(unit.unit.statics.values())
    return Program(
        main_file=path,
        sha256=sha256,
        types=TypeTable(data_model, dict(unit.unit.layouts)),
        functions=unit.functions,
        statics=tuple(statics),
        externals=dict(sorted(unit.unit.externals.items())),
        entry="main",
        address_taken=variables_with_address(edges, statics) | unit.unit.exposed,
    )


def _lower_from(
    source: PreprocessedSource, path: Path, model: DataModel, entry: str, atomic: bool
) -> tuple[WithModels, UnitLowering, tuple[InputPlace, ...]]:
    """Lower the program that starts in ``entry``, with models: its own ``main``, or one that calls another function,
    with what the inputs of that are."""
    tree = parsed(source, path)
    source, remarks = with_declared_inputs(source, tree, model)
    tree = parsed(source, path) if remarks else tree
    places: tuple[InputPlace, ...] = ()
    if entry != "main":
        source, places = _with_harness(_lower(source, tree, model, atomic), path, entry)
        tree = parsed(source, path)
    found = WithModels(source)
    if may_need_models(source):
        found = with_models(source, tree, entry, model)
        tree = tree if found.source is source else parsed(found.source, path)
    unit = _lower(found.source, tree, model, atomic)
    if entry == "main":
        _require_definition(unit, path, entry)
        unit = _completed(unit, path, model, atomic)
    return replace(found, remarks=(*remarks, *found.remarks)), unit, places


def _require_definition(unit: UnitLowering, path: Path, entry: str) -> None:
    if entry not in unit.functions:
        defined = sorted(name for name in unit.functions if not name.startswith(MODEL_PREFIX))
        more = f" and {len(defined) - _NAMES_IN_HINT} more" if len(defined) > _NAMES_IN_HINT else ""
        names = ", ".join(defined[:_NAMES_IN_HINT]) + more
        hint = f"choose one with --entry; the program defines: {names}" if defined else "it defines no function"
        raise InputError(f"the program does not define the function {entry}", Position(str(path)), hint)
    start = unit.functions[entry]
    if entry == "main" and not all(map(is_scalar, start.type.parameters)):
        message = "this C is not supported: a main whose parameters are no numbers or pointers"
        raise InputError(message, start.position, "give the function another name, and choose it with --entry")


def _externs(unit: UnitLowering, entry: str, constants: WithoutConstants) -> dict[str, CType]:
    """The variables without a definition that are inputs."""
    undefined = {name: found.type for name, found in unit.undefined_variables().items()}
    return that_matter(unit.unit, undefined, entry, constants.variables)


def _with_harness(unit: UnitLowering, path: Path, entry: str) -> tuple[PreprocessedSource, tuple[InputPlace, ...]]:
    """The source of a unit with a ``main`` that calls the function ``entry`` with inputs, and what these are."""
    _require_definition(unit, path, entry)
    definitions = unit.unit.defined
    used = mentioned_from([definitions[entry]], definitions)
    function = unit.functions[entry]
    constants = without_constants(unit.unit.source, unit.unit.tree)
    externs = _externs(unit, entry, constants)
    made = harness(
        Unit(
            entry,
            function.type,
            [parameter.name for parameter in function.parameters[: len(function.type.parameters)]],
            externs=externs,
            declarations={name: declaration_of(unit.unit, name) for name in externs},
            globals_={name: found.type for name, found in unit.uninitialised_variables().items() if name in used},
            bodiless={
                name: found
                for name, found in _bodiless(unit).items()
                if found.outputs or isinstance(found.type.result, StructType | PointerType)
            },
            types=unit.unit.types,
            names=_names_of_types(unit),
            has_stdin="stdin" in unit.unit.file_scope.names,
            position=function.position,
        )
    )
    own_main = unit.unit.tree.statements[definitions["main"]] if "main" in definitions else None
    return with_harness(unit.unit.source, made, own_main, constants.edits), made.places


def _completed(unit: UnitLowering, path: Path, model: DataModel, atomic: bool) -> UnitLowering:
    """The program in which what it uses and does not define is made of inputs; itself if that is nothing."""
    source = unit.unit.source
    complete, remarks = _with_variables(unit)
    definitions, about_functions = _functions_of_others(unit)
    if definitions:
        complete = edited(complete, [], tail=definitions)
    if complete is source:
        return unit
    result = _lower(complete, parsed(complete, path), model, atomic)
    for place, message in (*remarks, *about_functions):
        result.unit.warn(place, message)
    return result


def _with_variables(unit: UnitLowering) -> tuple[PreprocessedSource, list[tuple[Position, str]]]:
    """The source in which variables that it does not define are inputs, and a remark on each."""
    source = unit.unit.source
    if not unit.undefined_variables():
        return source, []
    constants = without_constants(source, unit.unit.tree)
    variables = _externs(unit, "main", constants)
    if not variables:
        return source, []
    places = {name: source.position(unit.unit.declared[name]) for name in variables}
    remarks = [(places[name], _remark_on_variable(name, type_)) for name, type_ in variables.items()]
    return with_inputs(unit.unit, variables, constants.edits), remarks


def _remark_on_variable(name: str, type_: CType) -> str:
    if is_of_unknown_length(type_):
        return f"the array {name} has neither a definition nor a length: no test gets beyond a use of its elements"
    return f"the variable {name} has no definition: its value is taken as an input"


def _functions_of_others(unit: UnitLowering) -> tuple[str, list[tuple[Position, str]]]:
    """Definitions of functions without a body that are more than one input, and a remark on each.

    They return a struct, or they have a result and may also change, or call, what they are given.
    """
    functions = {
        name: found
        for name, found in _bodiless(unit).items()
        if isinstance(found.type.result, StructType)
        or (found.has_effect and found.type.result != VOID and not name.startswith(INPUT_PREFIX))
    }
    definitions, names = returning_inputs(functions, unit.unit.types, _names_of_types(unit))
    declared = {str(getattr(node, "name", None)): node for node in unit.unit.tree.unit.ext}
    remarks = []
    for name in names:
        message = value_is_input(name, has_effect=functions[name].has_effect)
        remarks.append((unit.unit.position(declared[name]), message))
    return definitions, remarks


def _names_of_types(unit: UnitLowering) -> dict[str, str]:
    """The names that ``typedef`` gives to types without a tag, by their tags in the CFA."""
    return {
        symbol.type.tag: name
        for name, symbol in unit.unit.file_scope.names.items()
        if isinstance(symbol, TypeSymbol) and isinstance(symbol.type, StructType) and "$" in symbol.type.tag
    }


def _bodiless(unit: UnitLowering) -> dict[str, Bodiless]:
    """The functions without a body that are called, and return, and are not of the library."""
    externals = unit.unit.externals.items()
    types = {
        name: external.type for name, external in externals if external.is_input and not _is_of_library(unit, name)
    }
    named = [(str(getattr(node, "name", None)), node) for node in unit.unit.tree.unit.ext]
    return {
        name: bodiless(node, types[name], unit.unit.qualifiers, unit.unit.types)
        for name, node in named
        if name in types
    }


def _is_of_library(unit: UnitLowering, name: str) -> bool:
    symbol = unit.unit.file_scope.names.get(name)
    return is_library(name, isinstance(symbol, FunctionSymbol) and symbol.system)


def _lower(source: PreprocessedSource, tree: SyntaxTree, model: DataModel, atomic: bool) -> UnitLowering:
    unit = UnitLowering(source, tree, model, atomic)
    unit.run()
    return unit
