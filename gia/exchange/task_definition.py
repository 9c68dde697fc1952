"""Task definitions of SV-COMP and Test-Comp, format 2.0: one program, its properties, its data model.

Format: ``gitlab.com/sosy-lab/benchmarking/task-definition-format``. Properties that gia does not know are passed over,
because one definition lists all properties for which the task is used.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from gia.cfa.goals import Criterion
from gia.cfa.specification import parse_property
from gia.cfa.types import DataModel
from gia.errors import DocumentError, InputError, Position
from gia.exchange.patterns import matching


class TaskProperty(Struct, frozen=True):
    """A property of a task; ``expected`` is the verdict that the definition states, if any."""

    criterion: Criterion
    expected: bool | None = None


class TaskDefinition(Struct, frozen=True):
    """What a task definition says. ``program`` is its one input file, found relative to the definition."""

    program: Path
    properties: tuple[TaskProperty, ...]
    data_model: DataModel | None

    def criterion(self, *, prefer_verification: bool) -> Criterion | None:
        """The criterion of the first property of the wanted kind; ``None`` if no property is of that kind."""
        for known in self.properties:
            if known.criterion.is_verification == prefer_verification:
                return known.criterion
        return None


def read_task_definition(path: Path) -> TaskDefinition:
    """What the task definition in ``path`` says.

    Raises :class:`DocumentError` if it is none, or has not exactly one input file.
    """
    from ruamel.yaml import YAML  # noqa: PLC0415 - only a task definition needs it
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415

    where = Position(str(path))
    yaml = YAML(typ="safe", pure=True)  # the parser in C, where it is installed, refuses what the next line allows
    yaml.composer.warn_double_anchors = False  # YAML 1.2 allows them (3.2.2.2)
    try:
        content = yaml.load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        place = Position(str(path), mark.line + 1, mark.column + 1) if mark else where
        raise DocumentError(f"this is no task definition: {getattr(error, 'problem', error)}", place) from None
    if not isinstance(content, Mapping):
        raise DocumentError("this is no task definition: it must be a mapping", where)
    if str(content.get("format_version")) not in ("1.0", "2.0", "2.1"):
        version = content.get("format_version", "missing")
        raise DocumentError(f"the format_version of a task definition must be 2.0, this is {version}", where)
    options = content.get("options")
    model = options.get("data_model") if isinstance(options, Mapping) else None
    if model is not None and model not in set(DataModel):
        raise DocumentError(f"the data_model must be ILP32 or LP64, this is {model}", where)
    return TaskDefinition(
        _program(content.get("input_files"), path),
        tuple(_properties(content.get("properties"), path)),
        DataModel(model) if model is not None else None,
    )


def _program(patterns: Any, path: Path) -> Path:
    """The one file that the patterns match."""
    names = [patterns] if isinstance(patterns, str) else patterns
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DocumentError("input_files must be a file name or a list of them", Position(str(path)))
    found = sorted({match for name in names for match in matching(path.parent, name)})
    if len(found) != 1:
        listed = ", ".join(names)
        message = f"input_files must give exactly one file; {listed} gives {len(found)}"
        hint = "`gia link` makes one program of several files" if found else None
        raise DocumentError(message, Position(str(path)), hint)
    return found[0]


def _properties(listed: Any, path: Path) -> list[TaskProperty]:
    found = []
    for item in listed if isinstance(listed, list) else []:
        name = item.get("property_file") if isinstance(item, Mapping) else item
        if not isinstance(name, str):
            raise DocumentError("each property needs its property_file", Position(str(path)))
        file = path.parent / name
        try:
            criterion = parse_property(file.read_text(encoding="utf-8"))
        except OSError as error:
            hint = f"{path} asks for it"
            raise DocumentError(f"cannot be read: {error.strerror}", Position(str(file)), hint) from None
        except InputError:
            continue  # a property of the collection that is not ours
        expected = item.get("expected_verdict") if isinstance(item, Mapping) else None
        found.append(TaskProperty(criterion, expected if isinstance(expected, bool) else None))
    return found


def task_definition_text(
    files: Sequence[str], properties: Sequence[str], data_model: DataModel, expected: bool | None = None
) -> str:
    """A task definition in format 2.0; ``properties`` are the names of property files, relative to where it will be.

    ``expected`` is the verdict that it states for each.
    """
    from ruamel.yaml import YAML  # noqa: PLC0415 - only a task definition needs it

    verdict = {} if expected is None else {"expected_verdict": expected}
    content = {
        "format_version": "2.0",
        "input_files": files[0] if len(files) == 1 else list(files),
        "properties": [{"property_file": name, **verdict} for name in properties],
        "options": {"language": "C", "data_model": data_model.value},
    }
    yaml = YAML()
    yaml.default_flow_style = False
    yaml.width = 1_000_000
    stream = io.StringIO()
    yaml.dump(content, stream)
    return stream.getvalue()
