"""Compositions: named steps wired by sequence, parallel, cycle, choice and portfolio (DESIGN §5).

Theorem 3 of Haltermann & Wehrheim (SoSyM 2024) holds for each composition, because every step goes through the same
door: reducer where the actor wants one, intake, combiner. A composition only says who is asked next, and for how long.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from gia.errors import CompositionError, InputError, Position
from gia.orchestrator.description.documents import (
    BudgetField,
    Document,
    MemoryBudgetField,
    MemoryField,
    at_fault,
    file_name_of,
    position_of,
    read_tree,
    validate,
)
from gia.orchestrator.description.names import nearest
from gia.orchestrator.description.resources import shipped_documents

_AS_TEXT = BeforeValidator(lambda value: str(value).lower() if isinstance(value, bool) else value)
"""YAML reads ``true`` as a truth value; here it is the word."""


class _OneOf(Document):
    """A mapping with exactly one of its names; a bare word stands for a name that needs no value, or for one name."""

    @classmethod
    def bare(cls, word: str) -> dict[str, object]:
        """What a bare word stands for."""
        raise NotImplementedError

    @classmethod
    def modifiers(cls) -> frozenset[str]:
        """Names that may stand beside the one."""
        return frozenset()

    @model_validator(mode="before")
    @classmethod
    def _expand(cls, value: Any) -> Any:
        return cls.bare(value) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _exactly_one(self) -> _OneOf:
        names = [name for name in type(self).model_fields if name not in self.modifiers()]
        given = [file_name_of(name) for name in names if name in self.model_fields_set]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            raise at_fault(f"exactly one of {', '.join(map(file_name_of, names))} must stand here, not {found}")
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler(core)
        target = handler.resolve_ref_schema(schema)
        mapping = dict(target)
        target.clear()
        target["anyOf"] = [{"type": "string"}, mapping]
        return schema


class Predicate(_OneOf):
    """A condition on the progress of the run: one of a closed list, never code."""

    decided: Literal[True] | None = Field(None, description="every goal is covered or unreachable")
    verdict: Annotated[Literal["true", "false", "unknown", "complete", "incomplete"], _AS_TEXT] | None = Field(
        None, description="the run, if it ended now, would have this verdict"
    )
    open_at_most: int | None = Field(None, ge=0, description="at most so many goals are open")
    new_facts_at_most: int | None = Field(
        None, ge=0, description="this round of the innermost cycle has decided at most so many goals"
    )
    rounds_at_least: int | None = Field(None, ge=0, description="the innermost cycle has done so many rounds")
    time_used: BudgetField | None = Field(None, description="so much of the run's time is used")
    cores_at_least: int | None = Field(None, ge=1, description="the actors of the run may occupy so many cores")
    gives_way: str | None = Field(
        None, description="the step stops for a while when others of its portfolio wait for its core"
    )
    all_: tuple[Predicate, ...] | None = Field(None, description="each of them holds")
    any_: tuple[Predicate, ...] | None = Field(None, description="one of them holds")
    not_: Predicate | None = Field(None, description="it does not hold")

    @classmethod
    def bare(cls, word: str) -> dict[str, object]:
        """``decided`` needs no value."""
        return {word: True}

    def parts(self) -> Iterator[tuple[tuple[str | int, ...], Predicate]]:
        """The predicates directly below, each with its place in the document."""
        for key, several in (("all", self.all_), ("any", self.any_)):
            for index, part in enumerate(several or ()):
                yield (key, index), part
        if self.not_ is not None:
            yield ("not",), self.not_


class StepDefinition(Document):
    """A step: an actor that is asked, with what it may use up."""

    actor: str = Field(description="name of an actor, or path to its description")
    time: BudgetField | None = Field(None, description="10s, or a share of the time of what encloses the step: 40%")
    cpu: BudgetField | None = Field(None, description="CPU time of all of its processes, in the same way")
    growth: float = Field(
        1.0, ge=1.0, description="in each further round of a cycle these times are multiplied by this"
    )
    memory: MemoryBudgetField | None = Field(
        None, description="memory of all of its processes: 2GB, or a share of what the run (a branch of it) may use"
    )
    cores: int = Field(1, ge=1, description="how many cores the step occupies while it runs")
    options: dict[str, str | int | float | bool] = Field({}, description="options of the actor")


class Cycle(Document):
    """The body again and again."""

    body: tuple[Node, ...] = Field(min_length=1, description="what is done in one round, in sequence")
    until: Predicate | None = Field(None, description="checked after each round")
    max_rounds: int = Field(1000, ge=1, description="the cycle ends after so many rounds")


class Case(Document):
    """One case of a choice: without ``when`` it always applies."""

    when: Predicate | None = None
    do: Node


class Node(_OneOf):
    """Something that can be done: a step by its name, or a combination. ``time`` and ``cpu`` bound all of it."""

    step: str | None = Field(None, description="name of a step")
    sequence: tuple[Node, ...] | None = Field(None, min_length=1, description="one after the other")
    parallel: tuple[Node, ...] | None = Field(
        None, min_length=1, description="at the same time, from the same facts; all that they find is kept"
    )
    cycle: Cycle | None = None
    choice: tuple[Case, ...] | None = Field(None, min_length=1, description="the first case that applies")
    portfolio: tuple[Node, ...] | None = Field(
        None, min_length=1, description="at the same time; the first that decides every goal ends the others"
    )
    time: BudgetField | None = Field(None, description="10s, or a share of the time of what encloses this: 40%")
    cpu: BudgetField | None = Field(None, description="CPU time of all that is done in it, in the same way")

    @classmethod
    def bare(cls, word: str) -> dict[str, object]:
        """A word is the name of a step."""
        return {"step": word}

    @classmethod
    def modifiers(cls) -> frozenset[str]:
        """Budgets may stand beside each combination."""
        return frozenset({"time", "cpu"})

    def children(self) -> Iterator[tuple[tuple[str | int, ...], Node]]:
        """The nodes directly below, each with its place in the document."""
        for key in ("sequence", "parallel", "portfolio"):
            for index, child in enumerate(getattr(self, key) or ()):
                yield (key, index), child
        if self.cycle:
            for index, child in enumerate(self.cycle.body):
                yield ("cycle", "body", index), child
        for index, case in enumerate(self.choice or ()):
            yield ("choice", index, "do"), case.do


class Parameter(Document):
    """A parameter: ``${name}`` anywhere in the document stands for its value."""

    default: Annotated[str | int | float, _AS_TEXT] = Field(description="the value if none is given")
    description: str = ""


class Totals(Document):
    """What a whole run may use up, unless the person who starts it says otherwise."""

    time: BudgetField | None = Field(None, description="wall time of the run: 60s")
    cpu: BudgetField | None = Field(None, description="CPU time of all actors together: 100s")
    memory: MemoryField | None = Field(None, description="memory of all actors that run at the same time: 4GB")
    cores: int | None = Field(None, ge=1, description="cores that the actors may occupy at the same time")

    @model_validator(mode="after")
    def _absolute(self) -> Totals:
        for name in ("time", "cpu"):
            budget = getattr(self, name)
            if budget is not None and budget.seconds is None:
                raise at_fault(
                    f"the total {name} must be absolute, like 60s: there is nothing to take a share of", name
                )
        return self


class Composition(Document):
    """A whole composition."""

    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    description: str = ""
    task: Literal["coverage", "verification"] = Field("coverage", description="the specification if none is given")
    parameters: dict[str, Parameter] = Field({}, description="values that a run may set")
    budget: Totals | None = Field(None, description="what a run may use up, if its command line does not say")
    steps: dict[str, StepDefinition] = Field(min_length=1, description="the steps by name")
    run: Node = Field(description="how the steps are wired")


class _Parameters(Document):
    """The part of a composition that is read first, before parameters are replaced."""

    name: Any = None
    description: Any = None
    task: Any = None
    budget: Any = None
    parameters: dict[str, Parameter] = Field({}, description="values that a run may set")
    steps: Any = None
    run: Any = None


class LoadedComposition:
    """A composition together with where it was read, for messages about its parts."""

    def __init__(self, composition: Composition, path: Path, tree: Any, parameters: Mapping[str, str]) -> None:
        self.composition = composition
        self.path = path
        self.parameters = parameters
        self._tree = tree

    def position(self, *location: str | int) -> Position:
        """Where that part of the document stands."""
        return position_of(self.path, self._tree, location)


def find_composition(name: str) -> Path:
    """The file of a shipped composition by its name, or of any by its path. Raises :class:`InputError`."""
    shipped = shipped_documents("compositions")
    if name in shipped:
        return shipped[name]
    if name.endswith((".yml", ".yaml")) or "/" in name:
        if Path(name).is_file():
            return Path(name)
        raise InputError(f"there is no file {name}")
    if name in shipped_documents("actors"):
        alone = f"gia actor run {name} --program PROGRAM --spec branches --out FOUND.xml"
        raise InputError(f"{name!r} is an actor, not a composition", hint=f"it runs alone with: {alone}")
    raise InputError(f"there is no composition {name!r}", hint=nearest(name, shipped))


def load_composition(name: str, given: Mapping[str, str] | None = None) -> LoadedComposition:
    """Reads a composition and sets its parameters; its own names are checked, not yet the actors'.

    Raises :class:`CompositionError` with the place of the error, :class:`InputError` for an unknown parameter.
    """
    path = find_composition(name)
    tree = read_tree(path)
    declared = validate(tree, path, _Parameters).parameters
    for key in given or {}:
        if key not in declared:
            raise InputError(f"the composition {path.stem} has no parameter {key!r}", hint=nearest(key, declared))
    values = {key: str(parameter.default) for key, parameter in declared.items()} | dict(given or {})
    loaded = LoadedComposition(validate(tree, path, Composition, values), path, tree, values)
    used = set(_check_node(loaded, loaded.composition.run, ("run",), in_cycle=False))
    for step in loaded.composition.steps:
        if step not in used:
            raise CompositionError(f"the step {step!r} is never done", loaded.position("steps", step))
    return loaded


_Location = tuple[str | int, ...]


def _check_node(loaded: LoadedComposition, node: Node, location: _Location, *, in_cycle: bool) -> Iterator[str]:
    """The steps that are wired. Raises :class:`CompositionError` for what can never be done or never hold."""
    if node.step is not None:
        steps = loaded.composition.steps
        if node.step not in steps:
            raise CompositionError(
                f"there is no step {node.step!r}", loaded.position(*location, "step"), nearest(node.step, steps)
            )
        yield node.step
    for index, case in enumerate(node.choice or ()):
        if case.when is not None:
            _check_predicate(loaded, case.when, (*location, "choice", index, "when"), in_cycle=in_cycle)
        elif index + 1 < len(node.choice or ()):
            where = loaded.position(*location, "choice", index + 1)
            raise CompositionError("this case is never taken: the one before it has no 'when'", where)
    if node.cycle is not None and node.cycle.until is not None:
        _check_predicate(loaded, node.cycle.until, (*location, "cycle", "until"), in_cycle=True)
    for below, child in node.children():
        yield from _check_node(loaded, child, (*location, *below), in_cycle=in_cycle or node.cycle is not None)


def _check_predicate(loaded: LoadedComposition, predicate: Predicate, location: _Location, *, in_cycle: bool) -> None:
    """Raises :class:`CompositionError` for a condition on rounds where there are none, or on a step that is none."""
    steps = loaded.composition.steps
    if predicate.gives_way is not None and predicate.gives_way not in steps:
        raise CompositionError(
            f"there is no step {predicate.gives_way!r}",
            loaded.position(*location, "gives-way"),
            nearest(predicate.gives_way, steps),
        )
    for name in ("new_facts_at_most", "rounds_at_least"):
        if getattr(predicate, name) is not None and not in_cycle:
            key = file_name_of(name)
            raise CompositionError(
                f"{key!r} is about the rounds of a cycle, and this is in none", loaded.position(*location, key)
            )
    for below, part in predicate.parts():
        _check_predicate(loaded, part, (*location, *below), in_cycle=in_cycle)
