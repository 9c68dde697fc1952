"""The residual reducer: the program that is left when the covered paths are cut off.

Source: Definition 6 and Algorithm 1 of Haltermann & Wehrheim, SoSyM 2024 (``X-Reducer``), which builds on the residual
reducer of Beyer, Jakobs, Lemberger & Wehrheim, *Reducer-based construction of conditional verifiers*, ICSE 2018. For
``X`` in ``ut``, ``rt``: ``P_need <= P(red_X(C, A)) <= P(C)`` with ``P_need = P(C) - P_X(A)`` if the automaton has no
candidates, else ``P_cand(A) - P_X(A)``.

Deviations: assumptions and invariants are tested by the reduced program itself, so that exactly the paths on which they
hold are cut. Calls stay calls: a function is copied once for each set of automaton states with which it is entered, and
if a copy can return with several, a global variable tells its callers which. Functions whose address is taken, and the
error functions, are called as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from gia.automaton.model import Acceptance, Automaton, Condition
from gia.cfa.expressions import variables_of
from gia.cfa.goals import ERROR_FUNCTIONS
from gia.cfa.graph import EdgeReference, ExternalFunction, Function, Initialiser, Program
from gia.cfa.mentions import mentioned_by, mentioned_by_statics
from gia.cfa.operations import operands_of
from gia.cfa.types import INT, VOID, FunctionType
from gia.errors import InputError, Position
from gia.reducer.building import END, OUTCOME, CopyBuilder, Output, Reduction, empty, unreduced
from gia.reducer.conditions import Conditions, Parse
from gia.reducer.exploration import CopyKey, Exploration
from gia.reducer.kept import is_unfollowable, kept_functions
from gia.reducer.tracking import Covered, Track, Tracker

MOST_NODES = 200_000
"""Beyond so many nodes of the product no new sets of automaton states are told apart."""


class Statistics(Struct, frozen=True):
    """How the reduction went: sizes, and what made it less exact than it could have been."""

    functions: int = 0
    nodes: int = 0
    tests: int = 0
    cuts: int = 0
    untestable: tuple[tuple[Condition, str], ...] = ()
    """Conditions that could not be tested where they matter, and the function; their paths are kept."""
    gave_up: bool = False
    """Whether the product was too large, or the program too entangled, to be exact."""


class ReducedProgram(Struct, frozen=True):
    """A reduced program. Its edges keep the references of the edges that they are copies of.

    Edges that the reduction added (tests, cuts) have the kind ``skip`` and are no goals. ``removed_edges`` are the
    edges of the original program of which no copy is left.
    """

    program: Program
    removed_edges: frozenset[EdgeReference]
    statistics: Statistics


def reduce_program(
    program: Program,
    automaton: Automaton,
    wrt: Acceptance,
    parse: Parse,
    *,
    error_functions: Collection[str] = ERROR_FUNCTIONS,
    most_nodes: int = MOST_NODES,
) -> ReducedProgram:
    """The program without the paths that ``automaton`` covers with respect to ``wrt`` (``UT`` or ``RT``).

    ``automaton`` is well-formed and made for ``program``. Raises :class:`InputError` for ``CAND``.
    """
    if wrt is Acceptance.CAND:
        raise InputError("a program cannot be reduced with respect to candidates", hint="use ut or rt")
    kept = kept_functions(program, error_functions)
    if program.entry in kept or is_unfollowable(program):  # it may be called with any states of the automaton
        return ReducedProgram(program, frozenset(), Statistics(gave_up=True))
    tracker = Tracker(automaton, wrt)
    conditions = Conditions(program, parse)
    exploration = Exploration(program, tracker, conditions, kept, most_nodes)
    output = Output()
    functions = _reduced_functions(exploration, tracker.start(), output)
    _with_kept(program, functions, kept, output)
    statistics = Statistics(
        functions=len(functions),
        nodes=sum(len(copy.nodes) for copy in exploration.copies.values()),
        tests=output.tests,
        cuts=output.cuts,
        untestable=tuple(conditions.unknown),
        gave_up=exploration.gave_up,
    )
    removed = frozenset(edge.reference for edge in program.edges()) - output.used
    return ReducedProgram(_assembled(program, functions), removed, statistics)


def _reduced_functions(exploration: Exploration, start: Track | Covered, output: Output) -> dict[str, Function]:
    """The copies of functions that are needed, by name."""
    program = exploration.program
    if isinstance(start, Track) and not start.is_dead:
        root = exploration.run(start)
        needed = exploration.needed()
        keys = [key for key, copy in exploration.copies.items() if (key, copy.entry) in needed]
        if root in keys:
            names = _function_names(program, keys, exploration.unfollowed)
            reduction = Reduction(exploration, names, needed)
            return {names[key]: CopyBuilder(reduction, exploration.copies[key], output).build() for key in keys}
    return {program.entry: empty(program.functions[program.entry], output)}


def _assembled(program: Program, functions: Mapping[str, Function]) -> Program:
    """The program with other functions, and with what the reduction has added to them."""
    mentioned = {
        variable
        for function in functions.values()
        for edge in function.edges
        for expression in operands_of(edge.operation)
        for variable in variables_of(expression)
    }
    statics = program.statics
    if OUTCOME in mentioned:
        statics = (*statics, Initialiser(OUTCOME))
    externals = dict(program.externals)
    if END not in externals:
        signature = FunctionType(VOID, (INT,))
        externals[END] = ExternalFunction(END, signature, is_input=False, position=Position(program.main_file))
    begins = {program.edge_list[number].reference for f in program.functions.values() for number in f.statements}
    functions = {
        name: replace(f, statements=frozenset(edge.number for edge in f.edges if edge.reference in begins))
        for name, f in functions.items()
    }
    return replace(program, functions=functions, statics=statics, externals=externals)


def _function_names(program: Program, copies: Iterable[CopyKey], kept: frozenset[str]) -> dict[CopyKey, str]:
    """A name for each copy: that of its function for the first one, unless the function is also kept as it is."""
    taken = set(kept)
    names: dict[CopyKey, str] = {}
    for key in copies:
        name, number = key.function, 1
        while name in taken or (number > 1 and (name in program.functions or name in program.externals)):
            number += 1
            name = f"{key.function}${number}"
        taken.add(name)
        names[key] = name
    return names


def _with_kept(program: Program, functions: dict[str, Function], kept: frozenset[str], output: Output) -> None:
    """Add the functions that ``functions`` and the static objects mention and that are kept as they are."""
    pending = mentioned_by_statics(program)
    for function in functions.values():
        pending += [name for edge in function.edges for name in mentioned_by(edge.operation)]
    while pending:
        name = pending.pop()
        if name in kept and name not in functions:
            functions[name] = unreduced(program.functions[name], output)
            pending += [found for edge in functions[name].edges for found in mentioned_by(edge.operation)]
