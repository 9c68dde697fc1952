"""From a file of C to a program: preprocess, check, parse, lower."""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gia.automaton.bulk import bulk_allocation
from gia.cache import FolderCache, gia_version, identity, key_of
from gia.cfa.expressions import variables_of
from gia.cfa.graph import Program
from gia.cfa.operations import operands_of
from gia.cfa.types import DataModel, StructType, TypeTable
from gia.errors import GiaError, InputError, Position
from gia.frontend.diagnostics import Diagnostic
from gia.frontend.editable import editable_text
from gia.frontend.harness import Harness, used_by, with_harness
from gia.frontend.lowering import UnitLowering, variables_with_address
from gia.frontend.parser import Parser
from gia.frontend.preprocess import (
    PreprocessedSource,
    PreprocessorOutput,
    by_line_markers,
    check_syntax,
    decode,
    preprocess,
    without_comments,
)
from gia.frontend.probes import InstrumentableSource
from gia.frontend.stack import with_deep_stack
from gia.frontend.symbols import TypeSymbol
from gia.frontend.syntax import UnitSyntaxError
from gia.toolchain import find_compiler

_KEPT = "program.pickle"


@dataclass(frozen=True)
class LoadedProgram:
    """A program, the text in which its native execution is observed, and remarks for the user."""

    program: Program
    source: InstrumentableSource
    warnings: tuple[Diagnostic, ...]


def load(
    path: Path,
    *,
    data_model: DataModel,
    entry: str = "main",
    atomic: bool = False,
    cache: FolderCache | None = None,
) -> LoadedProgram:
    """Read the C program in ``path``.

    An ``entry`` other than ``main`` is called, with inputs as arguments, by a ``main`` that is added to the program
    (see :mod:`gia.frontend.harness`). With ``atomic``, the atomic conditions of ``&&``, ``||`` and ``!`` become
    decisions of their own. What was made of a program is kept in ``cache``. Raises :class:`InputError` if there is no
    such program, if the compiler does not accept it, or if it does not define ``entry``; another :class:`GiaError` if
    it is C that the front end does not support.
    """
    output = preprocess(path, data_model)
    if cache is None:
        return _load(output, data_model, entry, atomic)
    key = _key(output, str(data_model), entry, str(atomic))
    found = _unpacked(cache.fetch_files(key))
    if found is None:
        found = _load(output, data_model, entry, atomic)
        with suppress(RecursionError):  # expressions that are nested too deeply for pickle
            cache.store_contents(key, {_KEPT: pickle.dumps(found, pickle.HIGHEST_PROTOCOL)})
    return found


def _key(output: PreprocessorOutput, *others: str) -> str:
    """What stands for all that a loaded program depends on; the files that it includes tell where macros are used."""
    compiler = find_compiler()
    included = [f"{name} {identity(Path(name))}" for name in output.files]
    content = hashlib.sha256(output.content).hexdigest()
    versions = (gia_version(), sys.version, compiler.version, identity(Path(compiler.path)))
    return key_of(*versions, str(output.path), content, output.lasting_text, *others, *included)


def _unpacked(contents: Mapping[str, bytes] | None) -> LoadedProgram | None:
    """The program of an entry; nothing if there is none in it."""
    if contents is None or _KEPT not in contents:
        return None
    try:
        with bulk_allocation():
            found = pickle.loads(contents[_KEPT])  # as much this user's own as gia is
    except Exception:  # there is no list of what reading a pickle may raise
        return None
    return found if isinstance(found, LoadedProgram) else None


def _load(output: PreprocessorOutput, data_model: DataModel, entry: str, atomic: bool) -> LoadedProgram:
    """Check, parse and lower a program that is preprocessed."""
    path, content = output.path, output.content
    source = output.source()
    check_syntax(source, path, data_model)
    unit = with_deep_stack(lambda: _lower_from(source, path, data_model, entry, atomic))
    program = _program(unit, str(path), hashlib.sha256(content).hexdigest(), data_model)
    is_written_so = entry == "main" and path.suffix != ".i"  # the harness of another entry is added to the text
    editable = editable_text(unit.unit.source, decode(content) if is_written_so else None, str(path))
    instrumentable = InstrumentableSource(unit.unit.source.text, tuple(unit.unit.probes), editable)
    return LoadedProgram(program, instrumentable, (*unit.unit.diagnostics, *_about_arguments(program)))


def _about_arguments(program: Program) -> Iterator[Diagnostic]:
    """A remark on the arguments of ``main``, if it uses them."""
    main = program.functions["main"]
    parameters = set(main.parameters)
    used = (e for edge in main.edges for e in operands_of(edge.operation) if not parameters.isdisjoint(variables_of(e)))
    if next(used, None) is not None:
        yield Diagnostic(main.position, "the arguments of main are no inputs: tests run without any")


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
    used = used_by(entry, definitions)
    others = {name: found.type for name, found in unit.uninitialised_variables().items() if name in used}
    names = {
        symbol.type.tag: name
        for name, symbol in unit.unit.file_scope.names.items()
        if isinstance(symbol, TypeSymbol) and isinstance(symbol.type, StructType) and "$" in symbol.type.tag
    }
    function = unit.functions[entry]
    harness = Harness(
        entry,
        function.type,
        externs=externs,
        globals_=others,
        types=unit.unit.types,
        names=names,
        position=function.position,
    )
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
