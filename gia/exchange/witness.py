"""Verification witnesses, YAML format 2.0: what is written after ``gia verify``.

Format: Ayaziová, Beyer, Lingsch-Rosenfeld, Spiessl & Strejček, *Software Verification Witnesses 2.0*, SPIN 2024.
"""

from __future__ import annotations

import io
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gia.cfa.types import DataModel
from gia.errors import Position


@dataclass(frozen=True, slots=True)
class WitnessMetadata:
    """What a witness says about where it comes from; ``created`` is an ISO 8601 time."""

    program: str
    sha256: str
    specification: str
    data_model: DataModel
    producer_version: str
    created: str


@dataclass(frozen=True, slots=True)
class ReturnedInput:
    """An input on the path to the violation: the call's closing parenthesis, its function, the value it returned."""

    closing: Position
    function: str
    literal: str


def correctness_witness(metadata: WitnessMetadata) -> str:
    """A witness that the property holds. It states no invariant: the evidence is in the GIA file."""
    return _document("invariant_set", metadata, [])


def violation_witness(
    metadata: WitnessMetadata, inputs: Sequence[ReturnedInput], target: Position, function: str
) -> str:
    """A witness for an execution that reads these inputs and then calls an error function at ``target``.

    An input whose value has no integer spelling is left out: the path is then described less exactly, not wrongly.
    """
    segments = [
        _segment("function_return", read.closing, read.function, rf"\result == {read.literal}") for read in inputs
    ]
    return _document("violation_sequence", metadata, [*segments, _segment("target", target, function)])


def _segment(kind: str, position: Position, function: str, constraint: str | None = None) -> Mapping[str, Any]:
    location = {"file_name": position.file, "line": position.line, "column": position.column, "function": function}
    waypoint: dict[str, Any] = {"type": kind, "action": "follow", "location": location}
    if constraint is not None:
        waypoint["constraint"] = {"value": constraint, "format": "acsl_expression"}
    return {"segment": [{"waypoint": waypoint}]}


def _document(kind: str, metadata: WitnessMetadata, content: list[Mapping[str, Any]]) -> str:
    """The YAML text; its uuid is a function of what it says, so that the same run gives the same bytes."""
    from ruamel.yaml import YAML  # noqa: PLC0415 - only a verification needs it

    identity = f"{metadata} {content}"
    entry = {
        "entry_type": kind,
        "metadata": {
            "format_version": "2.0",
            "uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, identity)),
            "creation_time": metadata.created,
            "producer": {"name": "gia", "version": metadata.producer_version},
            "task": {
                "input_files": [metadata.program],
                "input_file_hashes": {metadata.program: metadata.sha256},
                "specification": metadata.specification,
                "data_model": metadata.data_model.value,
                "language": "C",
            },
        },
        "content": content,
    }
    yaml = YAML()
    yaml.default_flow_style = False
    yaml.width = 1000
    stream = io.StringIO()
    yaml.dump([entry], stream)
    return stream.getvalue()
