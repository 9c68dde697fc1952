"""A composition as an indented drawing, and the words that the other drawing uses as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gia.orchestrator.description.composition import Composition, Cycle, Node, Predicate
from gia.orchestrator.description.documents import file_name_of
from gia.orchestrator.description.quantities import Budget, Memory
from gia.orchestrator.wiring import ConfiguredActor, stations


def wiring(composition: Composition, actors: Mapping[str, ConfiguredActor] | None = None) -> str:
    """The steps and how they are wired, one line each; with their actors, what each reads and writes as well."""
    lines = [f"{composition.name}: {composition.description}"]
    for name, parameter in composition.parameters.items():
        lines.append(f"  parameter {name} = {parameter.default}  {parameter.description}".rstrip())
    totals = composition.budget
    if totals is not None:
        given = {name: getattr(totals, name) for name in type(totals).model_fields}
        shown = {name: Memory(value) if name == "memory" and value else value for name, value in given.items()}
        lines.append("  budget " + ", ".join(f"{name} {value}" for name, value in shown.items() if value))
    lines.extend(_node(composition, composition.run, 1, ""))
    for name, (actor, options) in (actors or {}).items():
        before, behind = stations(actor)
        way = " → ".join([*before, f"{actor.name} ({actor.description.direction})", *behind])
        lines.append(f"  step {name}: {way}")
        if options:
            lines.append("    options " + ", ".join(f"{key}={value}" for key, value in sorted(options.items())))
    return "\n".join(lines)


def _node(composition: Composition, node: Node, depth: int, label: str) -> Iterator[str]:
    own = budget_text(node.time, node.cpu)
    indent = "  " * depth + label
    if node.step is not None:
        step = composition.steps[node.step]
        budget = budget_text(node.time or step.time, node.cpu or step.cpu, step.memory, step.growth)
        yield f"{indent}{node.step}: {step.actor}{f' [{budget}]' if budget else ''}"
        return
    if node.cycle is not None:
        what = f"cycle {round_text(node.cycle)}"
    else:
        what = next(key for key in ("sequence", "parallel", "portfolio", "choice") if getattr(node, key) is not None)
    yield f"{indent}{what}{f' [{own}]' if own else ''}"
    if node.choice is not None:
        for case in node.choice:
            when = f"if {predicate_text(case.when)}: " if case.when is not None else "otherwise: "
            yield from _node(composition, case.do, depth + 1, when)
        return
    for _, child in node.children():
        yield from _node(composition, child, depth + 1, "")


def budget_text(time: Budget | None, cpu: Budget | None, memory: Memory | None = None, growth: float = 1.0) -> str:
    """The budgets of a part in a few words; empty if it has none."""
    parts = [str(time)] if time is not None else []
    parts += [f"{cpu} CPU"] if cpu is not None else []
    parts += [f"{memory} memory"] if memory is not None else []
    parts += [f"each round x {growth:g}"] if growth != 1 else []
    return ", ".join(parts)


def round_text(cycle: Cycle) -> str:
    """When a cycle ends, in a few words."""
    until = f"until {predicate_text(cycle.until)}, " if cycle.until is not None else ""
    return f"{until}at most {cycle.max_rounds} rounds"


def predicate_text(predicate: Predicate) -> str:
    """The predicate as one would say it."""
    if predicate.not_ is not None:
        return f"not ({predicate_text(predicate.not_)})"
    for word, parts in (("and", predicate.all_), ("or", predicate.any_)):
        if parts is not None:
            return f" {word} ".join(f"({predicate_text(part)})" for part in parts)
    name = next(iter(predicate.model_fields_set))
    value = getattr(predicate, name)
    return file_name_of(name) if value is True else f"{file_name_of(name)} {value}"
