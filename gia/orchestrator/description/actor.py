"""Actors: descriptions of the tools that can be asked (DESIGN §4)."""

from __future__ import annotations

import shutil
import string
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct
from pydantic import Field, model_validator

from gia.cfa.goals import Criterion
from gia.errors import CompositionError, InputError
from gia.orchestrator.description.documents import (
    BudgetField,
    Document,
    MemoryField,
    at_fault,
    read_tree,
    validate,
)
from gia.orchestrator.description.names import nearest
from gia.orchestrator.description.resources import shipped_documents
from gia.tools.harness import HarnessKind
from gia.tools.marking import Mark

BENCHEXEC_HINT = "install BenchExec, the Python package: pip install 'gia[benchexec]'"

PLACEHOLDERS = frozenset(
    ["program", "spec", "gia", "out", "time", "seconds", "memory", "data_model", "bits", "directory", "harness",
     "binary", "seeds", "source", "tests"]
)  # fmt: skip

BINARY = "target"
"""The name of the executable that ``{binary}`` stands for."""


class Run(Document):
    """How an actor is started: exactly one of builtin, command, benchexec."""

    builtin: str | None = Field(None, description="an actor that is part of gia")
    command: tuple[str, ...] | None = Field(
        None,
        min_length=1,
        description="executable and arguments; replaced are {program} {spec} {gia} {out} {time} (seconds) {seconds} "
        "(whole ones) {memory} (bytes) {data_model} {bits} (32 or 64) {directory} (of the actor's description) "
        "{harness} {binary} {seeds} (a folder with the inputs that are known, for fuzzers) {source} (the program as it "
        "is) {tests} (a zip archive with the tests that are known) and {NAME} of each option",
    )
    benchexec: str | None = Field(None, description="a tool-info module of BenchExec, which knows command and verdict")
    arguments: tuple[str, ...] = Field((), description="benchexec: options of the tool, with the same placeholders")
    hint: str = Field("", description="benchexec: how to install the tool")
    statuses: tuple[int, ...] = Field(
        (0,), min_length=1, description="the exit statuses with which the tool says that it has done its work"
    )

    @model_validator(mode="after")
    def _exactly_one(self) -> Run:
        if [self.builtin, self.command, self.benchexec].count(None) != 2:
            raise at_fault("exactly one of builtin, command, benchexec must stand here")
        if self.arguments and self.benchexec is None:
            raise at_fault("arguments are for benchexec; a command has its own", "arguments")
        return self

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts in which placeholders may stand."""
        return (self.command or ()) + self.arguments


ProductType = Literal[
    "gia",
    "test-suite",
    "ktest",
    "input-bytes",
    "crest-inputs",
    "cbmc-json",
    "eva-report",
    "violation-witness",
    "correctness-witness",
    "condition",
    "coverage-report",
    "verdict",
]
UA_PRODUCTS = frozenset(["test-suite", "ktest", "input-bytes", "crest-inputs"])
"""What holds tests only."""
OA_PRODUCTS = frozenset(["eva-report", "correctness-witness", "condition"])
"""What holds proofs only."""


class Product(Document):
    """A file or folder that an actor leaves in the folder of its step."""

    type: ProductType
    path: str = Field(
        description="relative to the folder of the step, may be a pattern (*.xml); {out} is the first product's path"
    )
    true_: str | None = Field(None, description="verdict: a regular expression found in the file means true")
    false_: str | None = Field(None, description="verdict: a regular expression found in the file means false")
    optional: bool = Field(False, description="whether it may be missing without a remark")


class Need(Document):
    """An executable without which an actor cannot work."""

    executable: str
    hint: str = Field(description="how to install it")
    version: tuple[str, ...] = ("--version",)
    """Arguments with which it says its version."""


class LimitsOfActor(Document):
    """What an actor may use up at most in one step, whatever a composition says."""

    time: BudgetField | None = None
    memory: MemoryField | None = None


class Option(Document):
    """An option of an actor, which a composition may set."""

    default: str | int | float | bool
    description: str = ""


class ActorDescription(Document):
    """One tool: a black box that reads a program (and a GIA) and writes what it found out."""

    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    description: str = ""
    kind: Literal["tester", "verifier", "feasibility-checker", "refiner", "invariant-generator", "validator"]
    direction: Literal["OA", "UA"] = Field(description="OA proves goals unreachable, UA reaches them")
    gia: Literal["native", "none"] = Field(description="native: reads and writes GIA files; none: reads C only")
    goals: Mark | None = Field(
        None, description="how the open goals are marked in the C program; reach-error makes the property unreach-call"
    )
    reducer: Literal["residual", "monitor", "prune"] = Field(
        "residual", description="how the reducer makes the C program; goals can be marked in a residual one only"
    )
    harness: HarnessKind | None = Field(None, description="the C file beside the program that defines its inputs")
    compile: tuple[str, ...] | None = Field(
        None,
        min_length=1,
        description="compiler and options that make {binary} of program and harness; gia adds its semantics of C",
    )
    run: Run
    produces: tuple[Product, ...] = Field(min_length=1)
    limits: LimitsOfActor = LimitsOfActor()
    options: dict[str, Option] = Field({}, description="what a composition may set")
    needs: tuple[Need, ...] = ()
    deterministic: bool = Field(
        True, description="asked the same again, it says the same (if its time was enough): it need not be asked again"
    )

    @model_validator(mode="after")
    def _fits(self) -> ActorDescription:
        types = {product.type for product in self.produces}
        if self.gia == "native" and types != {"gia"}:
            raise at_fault("an actor that is native to GIA produces gia, and nothing else", "produces")
        if self.gia == "none" and "gia" in types:
            raise at_fault("an actor with gia: none does not produce gia", "produces")
        for wrong, holds in ("OA", UA_PRODUCTS), ("UA", OA_PRODUCTS):
            if self.direction == wrong and types & holds:
                raise at_fault(f"{min(types & holds)} does not come from an actor that is {wrong}", "direction")
        if self.direction == "UA" and types == {"verdict"}:
            raise at_fault("a verdict alone comes from an OA actor, this one is UA", "direction")
        if self.run.builtin and self.gia == "none":
            raise at_fault("a builtin actor is native to GIA", "gia")
        for key in ("goals", "harness", "compile", "reducer"):
            if self.gia == "native" and getattr(self, key) not in (None, "residual"):
                raise at_fault("this is for actors with gia: none, which get a C program made for them", key)
        if self.goals and self.reducer != "residual":
            raise at_fault("goals can be marked in a residual program only", "reducer")
        known = PLACEHOLDERS | set(self.options)
        for argument in (*self.run.texts, *(self.compile or ())):
            for name in placeholders(argument):
                if name not in known:
                    raise at_fault(f"the placeholder {{{name}}} is not known; {nearest(name, known)}", "run")
        return self


def placeholders(argument: str) -> list[str]:
    """The names in braces; ``{{`` and ``}}`` are braces. Raises a validation error for lone ones."""
    try:
        return [name for _, name, _, _ in string.Formatter().parse(argument) if name is not None]
    except ValueError as error:
        raise at_fault(f"{argument!r}: {error}", "run") from None


class Actor(Struct, frozen=True):
    """A description and where it was read; commands are found relative to that folder through ``{directory}``."""

    description: ActorDescription
    path: Path

    @property
    def name(self) -> str:
        """The actor's name."""
        return self.description.name

    @property
    def leaves_witnesses(self) -> bool:
        """Whether it leaves witnesses."""
        types = {product.type for product in self.description.produces}
        return bool(types & {"violation-witness", "correctness-witness"})

    def gets_program_as_it_is(self, criterion: Criterion) -> bool:
        """Whether it gets the program without any change: then what its witness says of it can be checked.

        That is so if the task is the one that it knows. The whole program is a residual program, too (Definition 6).
        """
        knows = self.description.goals is Mark.REACH_ERROR and criterion.is_verification
        return knows and self.leaves_witnesses

    def missing(self) -> tuple[Need, ...]:
        """The executables that are needed and not found."""
        lacking = [need for need in self.description.needs if shutil.which(need.executable) is None]
        if self.description.run.benchexec is not None and find_spec("benchexec") is None:
            lacking.insert(0, Need(executable="benchexec", hint=BENCHEXEC_HINT))
        return tuple(lacking)


def load_actor(name: str, beside: Path | None = None) -> Actor:
    """A shipped actor by its name, or any by the path of its file (relative to the folder ``beside``, or the current).

    Raises :class:`InputError` for an unknown name, :class:`CompositionError` for a wrong description.
    """
    shipped = shipped_documents("actors")
    if name in shipped:
        path = shipped[name]
    elif name.endswith((".yml", ".yaml")) or "/" in name:
        path = (beside or Path()) / name
        if not path.is_file():
            raise InputError(f"there is no file {path}")
    else:
        raise InputError(f"there is no actor {name!r}", hint=nearest(name, shipped))
    tree: Any = read_tree(path)
    description = validate(tree, path, ActorDescription)
    if name in shipped and description.name != name:
        raise CompositionError(f"the actor in {path.name} is called {description.name!r}: the names must agree")
    return Actor(description, path.resolve())


def all_actors() -> dict[str, Actor]:
    """All shipped actors by name."""
    return {name: load_actor(name) for name in shipped_documents("actors")}
