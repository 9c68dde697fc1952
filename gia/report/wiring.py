"""A composition as an indented drawing."""

from __future__ import annotations

from collections.abc import Iterator

from gia.orchestrator.composition import Composition, Node, Predicate
from gia.orchestrator.documents import file_name_of


def wiring(composition: Composition) -> str:
    """The steps and how they are wired, one line each."""
    lines = [f"{composition.name}: {composition.description}"]
    for name, parameter in composition.parameters.items():
        lines.append(f"  parameter {name} = {parameter.default}  {parameter.description}".rstrip())
    lines.extend(_node(composition, composition.run, 1, ""))
    return "\n".join(lines)


def _node(composition: Composition, node: Node, depth: int, label: str) -> Iterator[str]:
    time = f" [{node.time}]" if node.time is not None else ""
    indent = "  " * depth + label
    if node.step is not None:
        step = composition.steps[node.step]
        budget = f" [{step.time}{f', each round x {step.growth:g}' if step.growth != 1 else ''}]" if step.time else ""
        yield f"{indent}{node.step}: {step.actor}{time or budget}"
        return
    if node.cycle is not None:
        until = f" until {predicate_text(node.cycle.until)}" if node.cycle.until is not None else ""
        yield f"{indent}cycle{until}, at most {node.cycle.max_rounds} rounds{time}"
    else:
        kind = next(key for key in ("sequence", "parallel", "portfolio", "choice") if getattr(node, key) is not None)
        yield f"{indent}{kind}{time}"
    if node.choice is not None:
        for case in node.choice:
            when = f"if {predicate_text(case.when)}: " if case.when is not None else "otherwise: "
            yield from _node(composition, case.do, depth + 1, when)
        return
    for _, child in node.children():
        yield from _node(composition, child, depth + 1, "")


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
