"""Writing verification witnesses: YAML formats 2.0 and 2.1, and GraphML 1.0 for tools that do not read it.

Formats: Ayaziová, Beyer, Lingsch-Rosenfeld, Spiessl & Strejček, *Software Verification Witnesses 2.0*, SPIN 2024;
Beyer, Dangl, Dietsch, Heizmann, Lemberger & Tautschnig, *Verification Witnesses*, TOSEM 2022.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from msgspec import Struct

from gia.cfa.types import DataModel
from gia.errors import Position
from gia.exchange.witness.graphml import GraphEdge, GraphNode, WitnessGraph, graphml_text
from gia.exchange.witness.model import Invariant

YamlVersion = Literal["2.0", "2.1"]
_CONSTRAINTS: Final[Mapping[YamlVersion, str]] = {"2.0": "acsl_expression", "2.1": "ext_c_expression"}
"""What a constraint on a returned value is written in, by the version of the format."""


class WitnessMetadata(Struct, frozen=True):
    """What a witness says about where it comes from; ``created`` is an ISO 8601 time, ``version`` that of YAML."""

    program: str
    sha256: str
    specification: str
    data_model: DataModel
    producer_version: str
    created: str
    version: YamlVersion = "2.0"


class ReturnedInput(Struct, frozen=True):
    """An input on the path to the violation: the call's closing parenthesis, the function in which it stands, the
    value it returned, the input function, and the line on which the call begins."""

    closing: Position
    function: str
    literal: str
    called: str
    line: int


def correctness_witness(metadata: WitnessMetadata, invariants: Sequence[Invariant] = ()) -> str:
    """A witness that the property holds because of these invariants."""
    content = [
        {
            "invariant": {
                "type": invariant.kind,
                "location": {
                    "file_name": metadata.program,
                    "line": invariant.place.line,
                    "column": invariant.place.column,
                    "function": invariant.place.function,
                },
                "value": invariant.value,
                "format": "c_expression",
            }
        }
        for invariant in invariants
    ]
    return _document("invariant_set", metadata, content)


def violation_witness(
    metadata: WitnessMetadata, inputs: Sequence[ReturnedInput], target: Position, function: str
) -> str:
    """A witness for an execution that reads these inputs and then calls an error function at ``target``.

    Inputs that are left out make the description of the path less exact, not wrong.
    """
    written_in = _CONSTRAINTS[metadata.version]
    segments = []
    for read in inputs:
        constraint = {"value": rf"\result == {read.literal}", "format": written_in}
        segments.append(_segment("function_return", read.closing, read.function, constraint))
    return _document("violation_sequence", metadata, [*segments, _segment("target", target, function)])


def _segment(
    kind: str, position: Position, function: str, constraint: Mapping[str, str] | None = None
) -> Mapping[str, Any]:
    location = {"file_name": position.file, "line": position.line, "column": position.column, "function": function}
    waypoint: dict[str, Any] = {"type": kind, "action": "follow", "location": location}
    if constraint is not None:
        waypoint["constraint"] = constraint
    return {"segment": [{"waypoint": waypoint}]}


def _document(kind: str, metadata: WitnessMetadata, content: Sequence[Mapping[str, Any]]) -> str:
    """The YAML text; its uuid is a function of what it says, so that the same run gives the same bytes."""
    identity = f"{metadata} {content}"
    entry = {
        "entry_type": kind,
        "metadata": {
            "format_version": metadata.version,
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
        "content": list(content),
    }
    return "".join(f"{line}\n" for line in _lines([entry]))


def _lines(value: Any) -> Iterator[str]:
    """A tree of mappings, lists, texts and numbers as YAML: witnesses of long paths are large, and YAML libraries slow.

    Texts are written as JSON writes them, which YAML includes.
    """
    if isinstance(value, Mapping) and value:
        for name, member in value.items():
            inner = list(_lines(member))
            if isinstance(member, Mapping | list) and member:
                yield f"{_scalar(name)}:"
                yield from (f"  {line}" for line in inner)
            else:
                yield f"{_scalar(name)}: {inner[0]}"
    elif isinstance(value, list) and value:
        for item in value:
            first, *rest = _lines(item)
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)
    else:
        yield _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z_][A-Za-z_0-9./-]*", value) and value.lower() not in _WORDS:
        return value
    plain = value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
    return _UNPRINTED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(plain, ensure_ascii=False))


_UNPRINTED: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What may not stand in YAML as it is, beside what JSON escapes."""


_WORDS: Final = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])
"""Texts that some readers of YAML take for something else."""


# ---- GraphML


def violation_graph(
    metadata: WitnessMetadata, inputs: Sequence[ReturnedInput], target: Position, called: str | None
) -> str:
    """As :func:`violation_witness`, in GraphML; ``called`` is the error function that is called at the target."""
    edges = []
    for number, read in enumerate(inputs):
        data = {
            "startline": str(read.line),
            "endline": str(read.closing.line),
            "assumption": rf"\result == {read.literal};",
        }
        data |= {"assumption.scope": read.function, "assumption.resultfunction": read.called}
        edges.append(GraphEdge(f"q{number}", f"q{number + 1}", data))
    last = {"startline": str(target.line), "endline": str(target.line)}
    edges.append(GraphEdge(f"q{len(inputs)}", "violation", last | ({"enterFunction": called} if called else {})))
    nodes = [GraphNode(f"q{number}", {"entry": "true"} if number == 0 else {}) for number in range(len(inputs) + 1)]
    nodes.append(GraphNode("violation", {"violation": "true"}))
    return graphml_text(WitnessGraph(_graph_data("violation_witness", metadata), tuple(nodes), tuple(edges)))


def correctness_graph(metadata: WitnessMetadata, invariants: Sequence[Invariant] = ()) -> str:
    """As :func:`correctness_witness`, in GraphML, which knows the heads of loops only: other invariants are left out.

    Each loop has a node that the control may come to from every other one.
    """
    stated = [invariant for invariant in invariants if invariant.kind == "loop_invariant"]
    nodes = [GraphNode("entry", {"entry": "true"})]
    edges = []
    for number, invariant in enumerate(stated, start=1):
        data = {"invariant": invariant.value, "invariant.scope": invariant.place.function}
        nodes.append(GraphNode(f"loop{number}", data))
    for source in nodes:
        for number, invariant in enumerate(stated, start=1):
            line = str(invariant.place.line)
            entering = {"startline": line, "endline": line, "enterLoopHead": "true"}
            edges.append(GraphEdge(source.name, f"loop{number}", entering))
    return graphml_text(WitnessGraph(_graph_data("correctness_witness", metadata), tuple(nodes), tuple(edges)))


def _graph_data(kind: str, metadata: WitnessMetadata) -> Mapping[str, str]:
    return {
        "witness-type": kind,
        "sourcecodelang": "C",
        "producer": f"gia {metadata.producer_version}",
        "specification": metadata.specification,
        "programfile": metadata.program,
        "programhash": metadata.sha256,
        "architecture": {DataModel.ILP32: "32bit", DataModel.LP64: "64bit"}[metadata.data_model],
        "creationtime": metadata.created,
    }
