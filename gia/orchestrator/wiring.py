"""What must fit before the first process starts: actors, their options, and what they read and write.

The wires of a composition are the same for all: a step reads the program and what is known, and what it writes goes
through intake and combiner. What differs is what stands between: :func:`stations` names it for one actor.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from gia.errors import CompositionError, InputError
from gia.orchestrator.description.actor import Actor, load_actor
from gia.orchestrator.description.composition import LoadedComposition, Node, Predicate
from gia.orchestrator.handover.invocation import checked_options
from gia.tools.marking import Mark

_VIOLATIONS: Final = (Mark.REACH_ERROR, Mark.CBMC_ASSERT, Mark.ESBMC_ASSERT)
"""The marks that violate the tool's property, so that its verdict is about them."""

SEED: Final = "seed"
"""The option that says where an actor's pseudo-random numbers begin."""

ConfiguredActor = tuple[Actor, Mapping[str, str]]
"""An actor with the options that its step gives it."""


def check_wiring(loaded: LoadedComposition, *, is_verification: bool, seed: int = 0) -> Mapping[str, ConfiguredActor]:
    """Actor and options of each step. Raises :class:`CompositionError` for what is not there or does not fit.

    ``is_verification`` says which of the two kinds of tasks it is for: they have different verdicts. ``seed`` is added
    to the option ``seed`` of the actors that have it: steps with different seeds keep different ones.
    """
    found = {}
    for name, definition in loaded.composition.steps.items():
        try:
            actor = load_actor(definition.actor, loaded.path.parent)
            found[name] = actor, seeded(checked_options(actor.description, definition.options), seed)
        except CompositionError as error:
            where = error.position or loaded.position("steps", name, "options")
            raise CompositionError(error.message, where, error.hint) from None
        except InputError as error:
            where = loaded.position("steps", name, "actor")
            raise CompositionError(error.message, where, error.hint) from None
        _check_files(actor)
        if not is_verification and not _verdict_means_goals(actor):
            raise CompositionError(
                f"the actor {actor.name} answers whether a property holds, which says nothing about goals to cover",
                loaded.position("steps", name, "actor"),
                "give the task the specification unreach-call, or let the actor's description mark the goals "
                f"('goals: {Mark.REACH_ERROR.value}')",
            )
        if definition.growth > 1 and definition.time is None and definition.cpu is None:
            raise CompositionError("'growth' needs a time that grows", loaded.position("steps", name, "growth"))
    for location, predicate in predicates(loaded.composition.run, ("run",)):
        possible = ("true", "false", "unknown") if is_verification else ("complete", "incomplete")
        if predicate.verdict is not None and predicate.verdict not in possible:
            kind = "verification" if is_verification else "coverage"
            raise CompositionError(
                f"this can never hold: {predicate.verdict!r} is no verdict of a {kind} task",
                loaded.position(*location, "verdict"),
                f"its verdicts are {', '.join(possible)}",
            )
    return found


def seeded(options: Mapping[str, str], seed: int) -> Mapping[str, str]:
    """The options with ``seed`` added to theirs. Raises :class:`CompositionError` if theirs is no number."""
    if seed == 0 or SEED not in options:
        return options
    try:
        return {**options, SEED: str(int(options[SEED]) + seed)}
    except ValueError:
        raise CompositionError(
            f"nothing can be added to the seed {options[SEED]!r}: it is no number", hint="leave out --seed"
        ) from None


def _verdict_means_goals(actor: Actor) -> bool:
    """Whether a bare verdict of the actor, if it gives one, is about the goals of a coverage task as well."""
    description = actor.description
    claims = description.direction == "OA" and any(product.type == "verdict" for product in description.produces)
    return not claims or description.goals in _VIOLATIONS


def _check_files(actor: Actor) -> None:
    """Raises :class:`CompositionError` if a file that the command names beside the description is not there."""
    for argument in actor.description.run.command or ():
        fields = [field for _, field, _, _ in string.Formatter().parse(argument) if field is not None]
        if argument.startswith("{directory}/") and fields == ["directory"]:
            path = Path(argument.format(directory=actor.path.parent))
            if not path.exists():
                raise CompositionError(f"the command of the actor {actor.name} names {path}, which is not there")


def predicates(node: Node, location: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Predicate]]:
    """All conditions in and below a node, parts of conditions too, each with its place in the document."""
    pending: list[tuple[tuple[str | int, ...], Predicate]] = []
    for index, case in enumerate(node.choice or ()):
        if case.when is not None:
            pending.append(((*location, "choice", index, "when"), case.when))
    if node.cycle is not None and node.cycle.until is not None:
        pending.append(((*location, "cycle", "until"), node.cycle.until))
    while pending:
        place, predicate = pending.pop()
        yield place, predicate
        pending.extend(((*place, *below), part) for below, part in predicate.parts())
    for below, child in node.children():
        yield from predicates(child, (*location, *below))


def stations(actor: Actor) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What stands before an actor and what behind it, in the order in which facts pass."""
    description = actor.description
    produced = ", ".join(dict.fromkeys(product.type for product in description.produces))
    if description.direction == "UA":
        door = (f"{produced}: tests are executed", "combiner: rt grows")
    else:
        door = (f"{produced}: proofs are checked", "combiner: ut grows")
    return (("GIA",) if description.gia == "native" else ("GIA", f"reducer: {description.reducer} C program")), door
