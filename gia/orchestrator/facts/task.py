"""The task of a run: one program, what its goals are, and nothing about how to decide them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from gia.automaton.initial import initial_gia
from gia.automaton.model import Automaton, Metadata
from gia.cache import FolderCache, user_cache
from gia.cfa.goals import ERROR_FUNCTIONS, Criterion, Goal, error_function_of, goals_of
from gia.cfa.graph import EdgeReference, Program
from gia.cfa.specification import entry_of, parse_criterion, property_text
from gia.cfa.types import DataModel
from gia.errors import DocumentError, InputError, Position
from gia.exchange.task_definition import read_task_definition
from gia.frontend import LoadedProgram, load

PROGRAM_BYTES: Final = 200 * 1000 * 1000
"""About how large the cache of programs that were read may become, and that of compiled programs."""

BUILD_BYTES: Final = 500 * 1000 * 1000


class TaskRequest(Struct, frozen=True):
    """What a person asked for; ``None`` means not said: a task definition may say it, else the default applies.

    ``name`` is what the program is called wherever it is mentioned, if its path ends so.
    """

    program: Path
    specification: str | None = None
    data_model: DataModel | None = None
    entry: str | None = None
    atomic: bool = False
    name: Path | None = None


class Task(Struct, frozen=True, dict=True):
    """A program with its goals.

    ``path`` is absolute; ``loaded`` is what the front end made of it. ``entry`` is the function that was asked for: the
    program itself may begin with a ``main`` that was added to call it.
    """

    path: Path
    loaded: LoadedProgram
    criterion: Criterion
    goals: tuple[Goal, ...]
    entry: str

    @property
    def program(self) -> Program:
        """The control-flow automaton."""
        return self.loaded.program

    @property
    def data_model(self) -> DataModel:
        """The data model that the program was loaded for."""
        return self.program.types.data_model

    @property
    def atomic(self) -> bool:
        """Whether the program was loaded with its conditions split into atoms."""
        return self.criterion is Criterion.ATOMIC

    @property
    def specification(self) -> str:
        """The text of the property that the task is about, as tools know it: from ``main``."""
        return property_text(self.criterion, self._error_function(self.goals))

    @property
    def own_specification(self) -> str:
        """The text of the property that the task is about: from the function that was asked for."""
        return property_text(self.criterion, self._error_function(self.goals), self.entry)

    def property_of(self, goals: Sequence[Goal]) -> str:
        """The text of the property that speaks of these goals: it names the error function that the program calls."""
        return property_text(self.criterion, self._error_function(goals), self.program.entry)

    def _error_function(self, goals: Sequence[Goal]) -> str | None:
        return error_function_of(self.program, goals) if goals else ERROR_FUNCTIONS[0]

    @cached_property
    def goal_of_edge(self) -> Mapping[EdgeReference, str]:
        """The goal that an edge reaches, of every edge that reaches one."""
        return {self.program.edge_list[number].reference: goal.id for goal in self.goals for number in goal.edges}

    @cached_property
    def initial(self) -> Automaton:
        """The GIA of somebody who knows nothing: every goal is a candidate."""
        return initial_gia(self.program, self.goals, specification=self.own_specification)


def as_in(metadata: Metadata, request: TaskRequest) -> TaskRequest:
    """The request, where it leaves open specification, function or data model as the metadata of a GIA say."""
    if request.data_model is None and metadata.data_model in set(DataModel):
        request = replace(request, data_model=DataModel(metadata.data_model))
    if request.specification is None:
        return replace(request, specification=metadata.specification or None)
    if request.entry is None and entry_of(read_specification(request.specification)) is None:
        return replace(request, entry=entry_of(metadata.specification))
    return request


def load_task_of_actor(request: TaskRequest, known: Automaton | None, gia: Path | None) -> Task:
    """The task of an actor that begins with what is ``known`` from a file, which says what the request leaves open.

    Raises as :func:`load_task` does, and :class:`DocumentError` if the file was made for another program.
    """
    task = load_task(as_in(known.metadata, request) if known is not None else request)
    if known is not None and known.metadata.sha256 not in ("", task.program.sha256):
        raise DocumentError("it was made for another program", Position(str(gia)))
    return task


def load_task(request: TaskRequest, default: Criterion = Criterion.BRANCHES) -> Task:
    """The task that was asked for; explicit wishes win over a task definition, which wins over the defaults.

    Raises :class:`InputError` if the program cannot be read or is no C, or something that was asked for is unknown.
    """
    path = request.program
    check_file(path)
    criterion, data_model, entry = None, None, request.entry
    if path.suffix in (".yml", ".yaml"):
        definition = read_task_definition(path)
        path, data_model = definition.program, definition.data_model
        criterion = definition.criterion(prefer_verification=default.is_verification)
        check_file(path)
    if request.specification is not None:
        specification = read_specification(request.specification)
        criterion, entry = parse_criterion(specification), entry or entry_of(specification)
    criterion = criterion or default
    if request.atomic and criterion in (Criterion.BRANCHES, Criterion.ATOMIC):
        criterion = Criterion.ATOMIC
    elif request.atomic:
        raise InputError(f"--atomic makes no sense for the specification {criterion}")
    entry = entry or "main"
    loaded = load(
        path,
        data_model=request.data_model or data_model or DataModel.LP64,
        entry=entry,
        atomic=criterion is Criterion.ATOMIC,
        name=request.name,
        cache=user_cache("programs", PROGRAM_BYTES),
    )
    return Task(path.resolve(), loaded, criterion, goals_of(loaded.program, criterion), entry)


def kept_builds() -> FolderCache | None:
    """Where compiled programs are kept, if they are."""
    return user_cache("builds", BUILD_BYTES)


def check_file(path: Path) -> None:
    """Raises :class:`InputError` unless ``path`` is a readable file that is not empty."""
    where = Position(str(path))
    try:
        with path.open("rb") as file:
            first = file.read(1)
    except FileNotFoundError:
        raise InputError("there is no such file", where) from None
    except IsADirectoryError:
        hint = "give a .c or .i file, or the .yml of a task"
        raise InputError("this is a directory, not a program", where, hint) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where) from None
    if not first:
        raise InputError("the file is empty", where)


def read_specification(text: str) -> str:
    """The property that the path of a ``.prp`` file stands for; any other text stands for itself."""
    if text.endswith(".prp"):
        try:
            return Path(text).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise InputError(f"cannot be read: {reason}", Position(text)) from None
    return text
