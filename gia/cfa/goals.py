"""The goals of a task: what is to be reached by a test or proven unreachable (the target nodes ``L`` of DESIGN §2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum

from msgspec import Struct

from gia.cfa.graph import Edge, EdgeReference, Program
from gia.cfa.operations import Call, Halt, Input

ERROR_FUNCTIONS = ("reach_error", "__VERIFIER_error", "__assert_fail")
"""The functions whose call is an error (DESIGN §9). The first one that a program calls is the one that counts in it: a
property names one function, and the body of ``reach_error`` often calls ``__assert_fail`` in turn."""

ERROR_LABEL = "ERROR"
"""The label that marks the error in old tasks, which call no error function but for failed assertions."""


class Criterion(StrEnum):
    """What the goals are; the values are the names that the command line takes."""

    BRANCHES = "branches"
    """Both outcomes of every decision (DESIGN §7)."""
    ATOMIC = "atomic"
    """The branches, and both outcomes of every atomic condition of ``&&``, ``||``, ``!``."""
    STATEMENTS = "statements"
    """Every statement but blocks and decisions: expressions, jumps, declarations with an initial value."""
    ERROR_CALL = "error-call"
    """To be covered: a call of an error function."""
    UNREACH_CALL = "unreach-call"
    """To be verified: no call of an error function is reached."""

    @property
    def is_verification(self) -> bool:
        """Whether the answer to the task is ``true`` or ``false`` (and not a coverage)."""
        return self is Criterion.UNREACH_CALL

    @property
    def kind_of_goal(self) -> str:
        """What one goal is, for people."""
        if self in (Criterion.ERROR_CALL, Criterion.UNREACH_CALL):
            return f"call of an error function ({', '.join(ERROR_FUNCTIONS)})"
        return "statement" if self is Criterion.STATEMENTS else "branch"


class Goal(Struct, frozen=True):
    """A goal, reached when an edge with one of the numbers ``edges`` is executed.

    ``id`` is ``function:line:column:outcome``, followed by ``#2``, ``#3``, … if goals agree in all of these
    (several decisions in one use of a macro).
    """

    id: str
    file: str
    function: str
    line: int
    column: int
    outcome: str
    edges: frozenset[int]


def goals_of(
    program: Program, criterion: Criterion, error_functions: Sequence[str] = ERROR_FUNCTIONS
) -> tuple[Goal, ...]:
    """The goals of a program in source order; their ids are unique.

    Edges with one :class:`~gia.cfa.graph.EdgeReference` (copies that a reducer made) are one goal.
    """
    match criterion:
        case Criterion.BRANCHES:
            return _goals(edge for edge in program.edges() if _is_branch(edge, ("assume",)))
        case Criterion.ATOMIC:
            return _goals(edge for edge in program.edges() if _is_branch(edge, ("assume", "atomic")))
        case Criterion.STATEMENTS:
            begins = frozenset().union(*(function.statements for function in program.functions.values()))
            return _goals((program.edge_list[number] for number in sorted(begins)), "statement")
    errors: list[Edge] = []
    called = None
    for called in error_functions:
        errors = [edge for edge in program.edges() if _called(edge) == called]
        if errors:
            break
    if criterion is Criterion.UNREACH_CALL and (not errors or called == "__assert_fail"):
        errors += [edge for edge in program.edges() if is_error_label(edge)]
    return _goals(errors)


def error_function_of(program: Program, goals: Iterable[Goal]) -> str | None:
    """The function whose calls are the goals, apart from labels; ``None`` if no goal is a call of one."""
    found = (_called(program.edge_list[min(goal.edges)]) for goal in goals)
    return next((name for name in found if name in ERROR_FUNCTIONS), None)


def _is_branch(edge: Edge, kinds: Collection[str]) -> bool:
    return edge.reference.kind in kinds and edge.reference.branch != ""


def _called(edge: Edge) -> str | None:
    match edge.operation:
        case Call(function=name) | Halt(function=name) | Input(function=name):
            return name
    return None


def is_error_label(edge: Edge) -> bool:
    """Whether an edge stands for the label that marks the error."""
    return edge.reference.kind == "label" and edge.text.rstrip(": ") == ERROR_LABEL


def _goals(found: Iterable[Edge], called: str = "") -> tuple[Goal, ...]:
    """One goal for the edges of each reference, sorted by position; ``called`` replaces the name of the outcome."""
    edges: dict[EdgeReference, list[Edge]] = {}
    for edge in found:
        edges.setdefault(edge.reference, []).append(edge)
    first = {reference: min(edge.number for edge in copies) for reference, copies in edges.items()}
    order = sorted(edges, key=lambda r: (edges[r][0].file, r.line, r.column, r.ordinal, first[r]))
    seen: Counter[str] = Counter()
    goals = []
    for reference in order:
        outcome = called or reference.branch or reference.kind
        name = f"{reference.function}:{reference.line}:{reference.column}:{outcome}"
        seen[name] += 1
        goals.append(
            Goal(
                id=name if seen[name] == 1 else f"{name}#{seen[name]}",
                file=edges[reference][0].file,
                function=reference.function,
                line=reference.line,
                column=reference.column,
                outcome=outcome,
                edges=frozenset(edge.number for edge in edges[reference]),
            )
        )
    return tuple(goals)
