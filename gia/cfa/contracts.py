r"""Recursive functions, and what can be said about a call of one: the vocabulary of its contract.

A contract relates the value that a call returns and the static variables afterwards to what the parameters and the
static variables were when the function was entered. For that a function has *ghosts*: ``\result``, and ``\old(x)`` for
each scalar parameter and static variable ``x``. Source: the ACSL of P. Baudin et al., section 2.3 (function contracts),
whose notation this is.

A recursive function is looked at once for all calls, in a frame of its own: its context is a single call edge, one that
the entry function does not contain, so that no inlined frame has this context.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from msgspec import Struct

from gia.cfa.expressions import Expression, Storage, Variable, variables_of
from gia.cfa.graph import Edge, Function, Program
from gia.cfa.mentions import designated
from gia.cfa.operations import Call
from gia.cfa.types import is_scalar

_Context = tuple[int, ...]
"""A context of :mod:`gia.cfa.supergraph`, which imports this module."""

RESULT = r"\result"


class Contracts(Struct, frozen=True, dict=True):
    """The functions that are looked at once for all calls, each with the context of its frame."""

    program: Program
    contexts: Mapping[str, _Context]

    def function_in(self, context: _Context) -> Function | None:
        """The function whose frame for all calls a context is."""
        name = self._names.get(context)
        return None if name is None else self.program.functions[name]

    @cached_property
    def _names(self) -> Mapping[_Context, str]:
        return {context: name for name, context in self.contexts.items()}

    def ghosts_at(self, context: _Context, location: int) -> tuple[Variable, ...]:
        r"""The ghosts that have a value at a node: of a contract's frame ``\old(…)``, at its end also ``\result``."""
        function = self.function_in(context)
        if function is None:
            return ()
        found = ghosts_of(self.program, function)
        return found if location == function.exit else tuple(ghost for ghost in found if ghost.name != RESULT)

    def speaks_for_all_calls(self, context: _Context, location: int, expression: Expression) -> bool:
        """Whether a condition at the entry or the exit of a contract's frame means the same to caller and callee.

        It speaks about ghosts, statics, and at the entry about parameters that no pointer leads to. Elsewhere all do.
        """
        function = self.function_in(context)
        if function is None or location not in (function.entry, function.exit):
            return True
        allowed = set(self.ghosts_at(context, location))
        if location == function.entry:
            allowed |= {v for v in function.parameters if v not in self.program.address_taken and is_scalar(v.type)}
        return all(variable.is_of_no_frame or variable in allowed for variable in variables_of(expression))


def contracts_of(program: Program) -> Contracts:
    """The recursive functions of a program, its entry function left out."""
    callees = callees_of(program)
    found: dict[str, _Context] = {}
    for name, function in program.functions.items():
        if name == program.entry or name not in called_below(callees, name):
            continue
        for caller in (name, *sorted(called_below(callees, name) - {name, program.entry})):
            calls = [e.number for e in program.functions[caller].edges if _calls(e.operation, function.name)]
            if calls:
                found[name] = (min(calls),)
                break
    return Contracts(program, found)


def recursive_functions(program: Program) -> frozenset[str]:
    """The functions that may call themselves, directly or through others."""
    callees = callees_of(program)
    return frozenset(name for name in callees if name in called_below(callees, name))


def _calls(operation: object, name: str) -> bool:
    return isinstance(operation, Call) and operation.function == name


def _called(program: Program, function: Function) -> Iterator[str]:
    for edge in function.edges:
        if isinstance(edge.operation, Call) and edge.operation.function in program.functions:
            yield edge.operation.function


def lasting_frames(program: Program) -> Mapping[str, _Context]:
    """The functions of which there is one frame at most at any time, with its context.

    They are called in one place only, by such a function; so the recursive ones and those they call are not among them.
    """
    calls: dict[str, list[Edge]] = {}
    for edge in program.edge_list:
        if isinstance(edge.operation, Call) and edge.operation.function in program.functions:
            calls.setdefault(edge.operation.function, []).append(edge)
    only = [(callee, edges[0]) for callee, edges in calls.items() if len(edges) == 1]
    called_otherwise = program.derived(designated)
    found: dict[str, _Context] = {}
    pending: list[tuple[str, _Context]] = [] if program.entry in calls else [(program.entry, ())]
    while pending:
        name, context = pending.pop()
        if name in called_otherwise:
            continue
        found[name] = context
        pending += [(callee, (*context, edge.number)) for callee, edge in only if edge.reference.function == name]
    return found


def lasting_variables(program: Program) -> Mapping[str, Mapping[Variable, _Context]]:
    """For each recursive function the local variables of others to which pointers may lead in all of its frames, each
    with the context of the one frame that it may be in."""
    found: dict[str, dict[Variable, _Context]] = {name: {} for name in recursive_functions(program)}
    callees = callees_of(program)
    for caller, context in lasting_frames(program).items():
        variables = (*program.functions[caller].parameters, *program.functions[caller].locals)
        exposed = [v for v in variables if not v.is_static and v in program.address_taken]
        for name in called_below(callees, caller) & found.keys():
            found[name].update(dict.fromkeys(exposed, context))
    return found


def callees_of(program: Program) -> Mapping[str, frozenset[str]]:
    """The functions with a body that each function calls by name."""
    return {name: frozenset(_called(program, function)) for name, function in program.functions.items()}


def called_below(callees: Mapping[str, Iterable[str]], name: str) -> frozenset[str]:
    """The functions that a call of a function may call in turn."""
    found: set[str] = set()
    pending = [name]
    while pending:
        for callee in callees[pending.pop()]:
            if callee not in found:
                found.add(callee)
                pending.append(callee)
    return frozenset(found)


def result_ghost(function: Function) -> Variable | None:
    r"""``\result`` of a function that returns a scalar."""
    if not is_scalar(function.type.result):
        return None
    return Variable(RESULT, function.type.result, Storage.GHOST, function.name)


def old_ghost(function: Function, variable: Variable) -> Variable:
    r"""``\old(variable)`` of a function."""
    return Variable(rf"\old({variable.name})", variable.type, Storage.GHOST, function.name)


def remembered(program: Program, function: Function) -> tuple[Variable, ...]:
    """The variables whose values at the entry of a function have ghosts: scalars that no pointer leads to."""
    statics = (initialiser.variable for initialiser in program.statics)
    found = [*function.parameters, *(static for static in statics if static.function is None)]
    names = {variable.name for variable in (*function.parameters, *function.locals)}
    return tuple(
        v
        for v in dict.fromkeys(found)
        if is_scalar(v.type) and v not in program.address_taken and (v.function is not None or v.name not in names)
    )


def ghosts_of(program: Program, function: Function) -> tuple[Variable, ...]:
    """All ghosts of a function."""
    result = result_ghost(function)
    return (*((result,) if result else ()), *(old_ghost(function, v) for v in remembered(program, function)))
