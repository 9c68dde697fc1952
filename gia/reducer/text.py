"""Reducers that keep the text of the program: ``monitor`` and ``prune``.

Source: Definition 6 of Haltermann & Wehrheim, SoSyM 2024: ``P_need <= P(red_X(C, A)) <= P(C)``; the monitor is that of
Daca, Gupta & Henzinger, *Abstraction-driven concolic testing*, VMCAI 2016. Deviation: where the text cannot follow the
automaton (a condition that cannot be evaluated at a place, code that is observed nowhere) the paths are kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from gia.automaton.model import Acceptance, Automaton
from gia.cfa.goals import ERROR_FUNCTIONS
from gia.cfa.graph import Edge, EdgeReference, Program
from gia.cfa.quoting import quoted
from gia.errors import GiaError, Position
from gia.frontend import LoadedProgram
from gia.frontend.editable import EditableText
from gia.frontend.weaving import Wrap, weave
from gia.reducer.conditions import Conditions, Parse
from gia.reducer.flow import Flow
from gia.reducer.kept import is_unfollowable, kept_functions
from gia.reducer.left import left_of
from gia.reducer.monitor import Weaver
from gia.reducer.points import points_of
from gia.reducer.prune import Pruner
from gia.reducer.residual import MOST_NODES, Statistics
from gia.reducer.tracking import Tracker
from gia.reducer.woven import QUIET_BEHIND_STOPS, STATE, STOP, TAKEN, Woven

_ENDS = {"exit": ("int", "0"), "_Exit": ("int", "0"), "abort": ("void", "")}
"""Library functions that end a path, with parameter and argument, in the order of preference."""

_NODES_PER_EDGE = 8
"""How many nodes the flow may have for each edge of the program and transition of the automaton: text stays linear."""


class WovenText(Struct, frozen=True):
    """A reduced text. ``wraps`` are what was added to ``original`` behind ``prelude`` (which ends a line)."""

    text: str
    original: str
    prelude: str
    wraps: tuple[Wrap, ...]
    removed_edges: frozenset[EdgeReference]
    statistics: Statistics
    editable: EditableText
    atomic: Mapping[int, tuple[int, int]]
    """The extents in ``original`` of the atomic conditions that the edges with these numbers decide."""

    def position(self, edge: Edge) -> Position | None:
        """Where in the text, as its ``#line`` directives count, the place of an edge of the original is now.

        An atomic condition begins with what was added around it.
        """
        place = edge.position
        offset = self.editable.offset_of(place)
        if offset is None:
            return None
        start = self.editable.line_start(offset)
        own = self.atomic.get(edge.number)
        around = [wrap for wrap in self.wraps if own is None or not _is_inside(wrap, own)]
        added = [(wrap.start, wrap.before) for wrap in around] + [(wrap.end, wrap.after) for wrap in self.wraps]
        before = "".join(text for at, text in added if start <= at <= offset)
        return Position(place.file, place.line, len((before + self.original[start:offset]).encode()) + 1)


def _is_inside(wrap: Wrap, extent: tuple[int, int]) -> bool:
    """Whether a wrap begins where ``extent`` does and is about no more than it."""
    return wrap.start == extent[0] and wrap.end <= extent[1]


def reduce_text(
    loaded: LoadedProgram, automaton: Automaton, wrt: Acceptance, parse: Parse, *, prune: bool = False
) -> WovenText:
    """The program's text, in which paths that ``automaton`` covers with respect to ``wrt`` end early.

    With ``prune`` there is no monitor: what no needed path passes is cut, and simple statements there are taken out.
    """
    program, editable = loaded.program, loaded.source.editable
    assert editable is not None, "the front end has read the program"
    original = editable.text
    kept = kept_functions(program, ERROR_FUNCTIONS)
    if program.entry in kept or is_unfollowable(program):
        head = _place(program)
        return WovenText(head + original, original, head, (), frozenset(), Statistics(gave_up=True), editable, {})
    points = points_of(loaded.source, program, kept)
    conditions = Conditions(program, parse)
    tracker = Tracker(automaton, wrt)
    most = min(MOST_NODES, 1000 + _NODES_PER_EDGE * (len(program.edge_list) + len(automaton.transitions)))
    flow = Flow(program, tracker, conditions, points, left_alone=kept, most_nodes=most)
    entry = flow.run()
    needed = flow.needed()
    left = left_of(program, flow, needed, points)
    text = original
    if prune:
        pruner = Pruner(program, points, left)
        woven = pruner.prune()
        text = pruner.blanked(loaded.source, kept) if woven.wraps else original
    else:
        woven = Weaver(program, points, flow, entry, needed).weave()
    prelude = (_prelude(loaded, woven, prune) if woven.wraps else "") + _place(program)
    wraps = tuple(woven.wraps)
    statistics = Statistics(
        functions=len({program.edge_list[number].reference.function for number in left.edges}),
        nodes=len(flow.nodes),
        tests=woven.tests,
        cuts=woven.cuts,
        untestable=tuple(conditions.unknown),
        gave_up=flow.gave_up,
    )
    removed = frozenset(edge.reference for edge in program.edge_list if edge.number not in left.edges)
    behind = points.behind.items()
    atomic = {e: points.extents[p.number] for e, p in behind if program.edge_list[e].reference.kind == "atomic"}
    return WovenText(prelude + weave(text, wraps), original, prelude, wraps, removed, statistics, editable, atomic)


def _prelude(loaded: LoadedProgram, woven: Woven, prune: bool) -> str:
    """The declarations and functions that the woven text uses."""
    ending, argument = _ending(loaded.program, loaded.source.text)
    parameter = _ENDS[ending][0]
    lines = ['#line 1 "<gia>"']
    if prune:
        lines.append(QUIET_BEHIND_STOPS)
    lines += [f"extern void {ending}({parameter});", f"static void {STOP}(void) {{ {ending}({argument}); }}"]
    used = " ".join(woven.functions)
    lines += [f"static int {name};" for name in (STATE, TAKEN) if name in used]
    lines += woven.functions
    return "\n".join(lines) + "\n"


def _place(program: Program) -> str:
    """What says that the program's file begins with the next line."""
    return f"#line 1 {quoted(program.main_file)}\n"


def _ending(program: Program, text: str) -> tuple[str, str]:
    """The function that ends a path, with its argument: one whose name the program does not use for something else."""
    taken = {*program.functions, *(static.variable.name for static in program.statics)}
    for name, (_, argument) in _ENDS.items():
        if name not in taken and not re.search(rf"\bint\s+{name}\s*\(", text):
            return name, argument
    raise GiaError("the program uses the names exit, _Exit and abort for something else, so no path can be ended")
