"""From a file of C to a program: preprocess, check, parse, lower."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from gia.cfa.graph import Program
from gia.cfa.types import DataModel, TypeTable
from gia.errors import GiaError, InputError, Position
from gia.frontend.diagnostics import Diagnostic
from gia.frontend.editable import editable_text
from gia.frontend.harness import Harness, with_harness
from gia.frontend.lowering import UnitLowering, variables_with_address
from gia.frontend.parser import Parser
from gia.frontend.preprocess import (
    PreprocessedSource,
    by_line_markers,
    check_syntax,
    decode,
    preprocess,
    read_source,
    without_comments,
)
from gia.frontend.probes import InstrumentableSource
from gia.frontend.stack import with_deep_stack
from gia.frontend.syntax import UnitSyntaxError


@dataclass(frozen=True)
class LoadedProgram:
    """A program, the text in which its native execution is observed, and remarks for the user."""

    program: Program
    source: InstrumentableSource
    warnings: tuple[Diagnostic, ...]


def load(path: Path, *, data_model: DataModel, entry: str = "main", atomic: bool = False) -> LoadedProgram:
    """Read the C program in ``path``.

    An ``entry`` other than ``main`` is called, with inputs as arguments, by a ``main`` that is added to the program
    (see :mod:`gia.frontend.harness`). With ``atomic``, the atomic conditions of ``&&``, ``||`` and ``!`` become
    decisions of their own. Raises :class:`InputError` if there is no such program, if the compiler does not accept it,
    or if it does not define ``entry``; another :class:`GiaError` if it is C that the front end does not support.
    """
    content = read_source(path)
    source = preprocess(path, data_model)
    check_syntax(source, path, data_model)
    unit = with_deep_stack(lambda: _lower_from(source, path, data_model, entry, atomic))
    program = _program(unit, str(path), hashlib.sha256(content).hexdigest(), data_model)
    is_written_so = entry == "main" and path.suffix != ".i"  # the harness of another entry is added to the text
    editable = editable_text(unit.unit.source, decode(content) if is_written_so else None, str(path))
    instrumentable = InstrumentableSource(unit.unit.source.text, tuple(unit.unit.probes), editable)
    return LoadedProgram(program, instrumentable, tuple(unit.unit.diagnostics))


def load_written(text: str, *, data_model: DataModel, atomic: bool = False) -> LoadedProgram:
    """Read what :func:`gia.cfa.writer.write_c` has written, without a compiler: the text needs no preprocessing.

    Its positions are those of its ``#line`` directives.
    """
    source = by_line_markers(without_comments(text), "")
    unit = with_deep_stack(lambda: _lower(source, Path(), data_model, atomic))
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


def _lower_from(source: PreprocessedSource, path: Path, model: DataModel, entry: str, atomic: bool) -> UnitLowering:
    """Lower the program that starts in ``entry``: its own ``main``, or one that calls another function with inputs."""
    unit = _lower(source, path, model, atomic)
    if entry not in unit.functions:
        defined = ", ".join(sorted(unit.functions))
        hint = f"choose one with --entry; the program defines: {defined}" if defined else "it defines no function"
        raise InputError(f"the program does not define the function {entry}", Position(str(path)), hint)
    if entry == "main":
        return unit
    definitions = unit.unit.defined
    externs = {name: variable.type for name, variable in unit.undefined_variables().items()}
    function = unit.functions[entry]
    harness = Harness(definitions[entry], function.type.parameters, externs, unit.unit.types, function.position)
    own_main = unit.unit.tree.statements[definitions["main"]] if "main" in definitions else None
    return _lower(with_harness(source, harness, own_main), path, model, atomic)


def _lower(source: PreprocessedSource, path: Path, model: DataModel, atomic: bool) -> UnitLowering:
    try:
        tree = Parser().parse_unit(source.text)
    except UnitSyntaxError as problem:
        position = Position(str(path)) if problem.offset is None else source.position(problem.offset)
        raise GiaError(f"this C is not supported: {problem.message}", position) from problem
    unit = UnitLowering(source, tree, model, atomic)
    unit.run()
    return unit
