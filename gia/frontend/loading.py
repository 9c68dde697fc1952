"""From a file of C to a program: preprocess, check, parse, lower."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from gia.cfa.graph import Program
from gia.cfa.types import DataModel, TypeTable
from gia.errors import GiaError, InputError, Position
from gia.frontend.diagnostics import Diagnostic
from gia.frontend.lowering import UnitLowering, variables_with_address
from gia.frontend.parser import Parser, UnitSyntaxError
from gia.frontend.preprocess import PreprocessedSource, check_syntax, preprocess, read_source
from gia.frontend.probes import InstrumentableSource
from gia.frontend.stack import with_deep_stack


@dataclass(frozen=True)
class LoadedProgram:
    """A program, the text in which its native execution is observed, and remarks for the user."""

    program: Program
    source: InstrumentableSource
    warnings: tuple[Diagnostic, ...]


def load(path: Path, *, data_model: DataModel, entry: str = "main", atomic: bool = False) -> LoadedProgram:
    """Read the C program in ``path``.

    With ``atomic``, the atomic conditions of ``&&``, ``||`` and ``!`` become decisions of their own. Raises
    :class:`InputError` if there is no such program, if the compiler does not accept it, or if it does not define
    ``entry``; another :class:`GiaError` if it is C that the front end does not support.
    """
    content = read_source(path)
    source = preprocess(path, data_model)
    check_syntax(source, path, data_model)
    unit = with_deep_stack(lambda: _lower(source, path, data_model, atomic))
    _require_entry(unit, entry, path)
    edges = [edge for function in unit.functions.values() for edge in function.edges]
    statics = list(unit.unit.statics.values())
    program = Program(
        main_file=str(path),
        sha256=hashlib.sha256(content).hexdigest(),
        types=TypeTable(data_model, dict(unit.unit.layouts)),
        functions=unit.functions,
        statics=tuple(statics),
        externals=dict(sorted(unit.unit.externals.items())),
        entry=entry,
        address_taken=variables_with_address(edges, statics) | unit.unit.exposed,
    )
    instrumentable = InstrumentableSource(source.text, tuple(unit.unit.probes))
    return LoadedProgram(program, instrumentable, tuple(unit.unit.diagnostics))


def _lower(source: PreprocessedSource, path: Path, model: DataModel, atomic: bool) -> UnitLowering:
    try:
        tree = Parser().parse_unit(source.text)
    except UnitSyntaxError as problem:
        position = Position(str(path)) if problem.offset is None else source.position(problem.offset)
        raise GiaError(f"this C is not supported: {problem.message}", position) from problem
    unit = UnitLowering(source, tree, model, atomic)
    unit.run()
    return unit


def _require_entry(unit: UnitLowering, entry: str, path: Path) -> None:
    if entry in unit.functions:
        return
    defined = ", ".join(sorted(unit.functions)) or "none"
    hint = f"choose one with --entry; the program defines: {defined}" if unit.functions else "it defines no function"
    raise InputError(f"the program does not define the function {entry}", Position(str(path)), hint)
