"""The YAML witness formats 2.0 and 2.1 as a strict schema, written from its published description for the tests."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator


class Part(BaseModel):
    """A mapping in which nothing else may stand."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Producer(Part):
    name: str
    version: str


class Task(Part):
    input_files: list[str] = Field(min_length=1)
    input_file_hashes: dict[str, Annotated[str, Field(pattern="^[0-9a-f]{64}$")]]
    specification: str
    data_model: Literal["ILP32", "LP64"]
    language: Literal["C"]

    @model_validator(mode="after")
    def _every_file_has_its_hash(self) -> Task:
        assert set(self.input_files) == set(self.input_file_hashes)
        return self


class Metadata(Part):
    format_version: Literal["2.0", "2.1"]
    uuid: str
    creation_time: str
    producer: Producer
    task: Task

    @model_validator(mode="after")
    def _standards(self) -> Metadata:
        assert str(UUID(self.uuid)) == self.uuid
        assert datetime.fromisoformat(self.creation_time).tzinfo is not None
        return self


class Location(Part):
    file_name: str
    line: int = Field(ge=1)
    column: int = Field(ge=1)
    function: str


class Returned(Part):
    value: str
    format: Literal["acsl_expression", "ext_c_expression"]

    @model_validator(mode="after")
    def _form(self) -> Returned:
        assert re.fullmatch(r"\\result (==|!=|<=|<|>=|>) [^=<>!]+", self.value)
        return self


class FunctionReturn(Part):
    type: Literal["function_return"]
    action: Literal["follow"]
    location: Location
    constraint: Returned


class Target(Part):
    type: Literal["target"]
    action: Literal["follow"]
    location: Location


class Step(Part):
    waypoint: Annotated[FunctionReturn | Target, Field(discriminator="type")]


class Segment(Part):
    segment: list[Step] = Field(min_length=1, max_length=1)


class StatedInvariant(Part):
    type: Literal["loop_invariant", "location_invariant"]
    location: Location
    value: str = Field(min_length=1)
    format: Literal["c_expression"]


class Fact(Part):
    invariant: StatedInvariant


class Violation(Part):
    entry_type: Literal["violation_sequence"]
    metadata: Metadata
    content: list[Segment] = Field(min_length=1)

    @model_validator(mode="after")
    def _ends_at_the_target(self) -> Violation:
        kinds = [step.waypoint.type for segment in self.content for step in segment.segment]
        assert kinds[-1] == "target" and "target" not in kinds[:-1]
        written_in = {"2.0": "acsl_expression", "2.1": "ext_c_expression"}[self.metadata.format_version]
        steps = [step.waypoint for segment in self.content for step in segment.segment]
        assert all(step.type == "target" or step.constraint.format == written_in for step in steps)
        return self


class Correctness(Part):
    entry_type: Literal["invariant_set"]
    metadata: Metadata
    content: list[Fact]


Entry = Annotated[Violation | Correctness, Field(discriminator="entry_type")]
_DOCUMENT: TypeAdapter[list[Violation | Correctness]] = TypeAdapter(list[Entry])


def checked(document: Any) -> Violation | Correctness:
    """The one entry of a witness file; a validation error if something is wrong with it."""
    (entry,) = _DOCUMENT.validate_python(document)
    return entry
