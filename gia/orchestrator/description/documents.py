"""YAML documents as pydantic models, with errors that name the file, the line and the nearest valid name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from gia.errors import CompositionError, GiaError, Position
from gia.orchestrator.description.names import nearest
from gia.orchestrator.description.quantities import Budget, Memory, parse_budget, parse_memory, parse_memory_budget

_DEEPEST = 100
_PARAMETER = re.compile(r"\$\{([^}]*)\}")


def file_name_of(name: str) -> str:
    """How a field is called in a file: with dashes, and without the underscore that avoids a keyword of Python."""
    return name.rstrip("_").replace("_", "-")


class Document(BaseModel):
    """A part of a document: immutable, and every name in it is known."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=file_name_of)

    @model_validator(mode="before")
    @classmethod
    def _known_names(cls, value: Any) -> Any:
        if isinstance(value, Mapping):
            valid = [file_name_of(name) for name in cls.model_fields]
            for key in value:
                if key not in valid:
                    message = f"{key!r} is not known here; {nearest(key, valid)}"
                    raise PydanticCustomError("unknown_name", "{message}", {"message": message, "key": key})
        return value


def at_fault(message: str, key: str = "") -> PydanticCustomError:
    """An error about the value that is being validated, or about its member ``key``."""
    return PydanticCustomError("wrong", "{message}", {"message": message, "key": key})


Model = TypeVar("Model", bound=Document)


def _parsed(parse: Callable[[str], object]) -> Callable[[object], object]:
    def validate(value: object) -> object:
        if not isinstance(value, str | int | float):
            return value
        try:
            return parse(str(value))
        except GiaError as error:
            raise at_fault(f"{error.message}{'; ' + error.hint if error.hint else ''}") from None

    return validate


_QUANTITY = r"^\s*\d+(\.\d+)?\s*({})\s*$"
BudgetField = Annotated[
    Budget,
    BeforeValidator(_parsed(parse_budget)),
    WithJsonSchema({"type": ["string", "number"], "pattern": _QUANTITY.format("ms|s|m|min|h|d|%|")}),
]
MemoryField = Annotated[
    int,
    BeforeValidator(_parsed(parse_memory)),
    WithJsonSchema({"type": "string", "pattern": _QUANTITY.format("B|[kKMGT]B|[KMG]iB")}),
]

MemoryBudgetField = Annotated[
    Memory,
    BeforeValidator(_parsed(parse_memory_budget)),
    WithJsonSchema({"type": "string", "pattern": _QUANTITY.format("B|[kKMGT]B|[KMG]iB|%")}),
]


def read_tree(path: Path) -> CommentedMap:
    """The YAML tree of the document in ``path``, with positions. Raises :class:`CompositionError`."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise CompositionError(f"cannot be read: {reason}", Position(str(path))) from None
    yaml = YAML(typ="rt")
    yaml.composer.warn_double_anchors = False  # YAML 1.2 allows them (3.2.2.2)
    try:
        tree = yaml.load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = Position(str(path), mark.line + 1, mark.column + 1) if mark else Position(str(path))
        raise CompositionError(f"this is not YAML: {error.problem or error.context}", where) from None
    except YAMLError as error:
        raise CompositionError(f"this is not YAML: {error}", Position(str(path))) from None
    if not isinstance(tree, CommentedMap):
        raise CompositionError("the document must be a mapping of names to values", Position(str(path), 1))
    return tree


def validate(tree: CommentedMap, path: Path, model: type[Model], parameters: Mapping[str, str] | None = None) -> Model:
    """The document as a ``model``, ``${name}`` in its texts replaced. Raises :class:`CompositionError`."""
    values = _plain(tree, parameters, path, tree, ())
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise _explain(error, path, tree) from None


def position_of(path: Path, tree: Any, location: Sequence[str | int]) -> Position:
    """Where the value at ``location`` (keys and indices from the root) stands in the file.

    Steps that are not in the tree (names that pydantic adds for the members of a union) are passed over.
    """
    line, column = tree.lc.line, tree.lc.col
    for step in location:
        if isinstance(tree, CommentedMap) and step in tree:
            line, column = tree.lc.key(step)
        elif isinstance(tree, CommentedSeq) and isinstance(step, int) and step < len(tree):
            line, column = tree.lc.item(step)
        else:
            continue
        tree = tree[step]
    return Position(str(path), line + 1, column + 1)


def _plain(value: Any, parameters: Mapping[str, str] | None, path: Path, root: Any, at: tuple[str | int, ...]) -> Any:
    """A YAML tree as plain dictionaries and lists, keys as text, parameters replaced."""
    if len(at) > _DEEPEST:
        raise CompositionError("this is nested too deeply", position_of(path, root, at[:1]))
    if isinstance(value, Mapping):
        return {str(key): _plain(child, parameters, path, root, (*at, key)) for key, child in value.items()}
    if isinstance(value, list):
        return [_plain(child, parameters, path, root, (*at, index)) for index, child in enumerate(value)]
    if isinstance(value, str) and parameters is not None:
        try:
            return _PARAMETER.sub(lambda match: parameters[match[1]], value)
        except KeyError as error:
            name = str(error.args[0])
            where = position_of(path, root, at)
            hint = nearest(name, parameters)
            raise CompositionError(f"the parameter {name!r} is not declared", where, hint) from None
    return value


def _explain(error: ValidationError, path: Path, tree: Any) -> CompositionError:
    """The first thing that is wrong, in words."""
    problem = error.errors()[0]
    location: list[str | int] = list(problem["loc"])
    key = problem.get("ctx", {}).get("key", "")
    if key:
        location.append(key)
    where = position_of(path, tree, location)
    name = str(location[-1]) if location else "document"
    if problem["type"] == "missing":
        return CompositionError(f"{name!r} is missing here", where)
    if problem["type"] in ("unknown_name", "wrong"):
        return CompositionError(problem["msg"], where)
    message = problem["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    return CompositionError(f"{name!r} must be {message}" if message != problem["msg"] else f"{name}: {message}", where)
