"""Where the text of a program can follow the runs of an automaton: at statements, behind conditions, at inputs."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from gia.cfa.expressions import (
    Binary,
    Cast,
    Expression,
    FloatConstant,
    IntegerConstant,
    Member,
    Storage,
    Subscript,
    Unary,
    Variable,
    VariableReference,
    walk,
)
from gia.cfa.graph import Edge, Program
from gia.cfa.naming import field_name
from gia.cfa.operations import Input
from gia.cfa.types import FloatType, IntegerType
from gia.frontend.probes import (
    CallProbe,
    ConditionProbe,
    InstrumentableSource,
    StatementProbe,
    SwitchProbe,
    Visible,
)

Decider = ConditionProbe | SwitchProbe
Point = StatementProbe | Decider


class Points(Struct, frozen=True):
    """The places of one program's text.

    ``before`` gives for a location the statement that begins there: control passes the beginning of its text whenever
    it comes to the location. ``behind`` gives for an edge of a decision the condition that takes it. ``results`` gives
    for the edge of an input its call, and the variable in which the text keeps what it returned.
    """

    before: dict[int, StatementProbe]
    behind: dict[int, Decider]
    results: dict[int, tuple[CallProbe, Variable]]
    extents: dict[int, tuple[int, int]]
    """Where each probe, by its number, is in the text that is edited."""


def points_of(source: InstrumentableSource, program: Program, left_alone: Collection[str]) -> Points:
    """The places in all functions but those that are ``left_alone``, as far as the text can be edited there."""
    assert source.editable is not None
    found = Points({}, {}, {}, {})
    edges = program.edge_list
    alone = {edge.number for name in left_alone for edge in program.functions[name].edges}
    for probe in source.probes:
        extent = source.editable.extent(probe.start, probe.end)
        if extent is None:
            continue
        found.extents[probe.number] = extent
        match probe:
            case StatementProbe(start=start, end=end) if probe.edge not in alone:
                # inside of a statement expression a loop may begin, to which control comes more often than to the text
                if "({" not in source.text[start:end]:
                    found.before.setdefault(edges[probe.edge].source, probe)
            case ConditionProbe() if probe.edges[0] not in alone:
                found.behind.update(dict.fromkeys(probe.edges, probe))
            case SwitchProbe() if probe.default not in alone:
                found.behind.update(dict.fromkeys([*(edge for _, edge in probe.cases), probe.default], probe))
            case CallProbe() if probe.edge not in alone and _is_number(edges[probe.edge]):
                name = f"__gia_result_{len(found.results) + 1}"
                operation = edges[probe.edge].operation
                assert isinstance(operation, Input)
                found.results[probe.edge] = (probe, Variable(name, operation.type, Storage.GLOBAL))
    return found


def _is_number(edge: Edge) -> bool:
    return isinstance(edge.operation, Input) and isinstance(edge.operation.type, IntegerType | FloatType)


def can_be_tested(expression: Expression, visible: Visible | None, kept: Collection[Variable]) -> bool:
    """Whether the text can evaluate a condition at a place where ``visible`` are the names; ``kept`` are results."""
    return all(_is_sayable(part, visible, kept) for part in walk(expression))


def _is_sayable(part: Expression, visible: Visible | None, kept: Collection[Variable]) -> bool:
    match part:
        case VariableReference(variable=variable):
            return variable in kept or (visible is not None and visible.name_of(variable) is not None)
        case Cast(type=type_):
            return isinstance(type_, IntegerType | FloatType)
        case Member(field=field):
            return field_name(field) == field
        case IntegerConstant() | FloatConstant() | Unary() | Binary() | Subscript():
            return True
    return False
