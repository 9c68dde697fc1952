"""The JSON schemas of the documents, made from their models; ``python -m gia.orchestrator.schemas`` writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode

from gia.orchestrator.description.actor import ActorDescription
from gia.orchestrator.description.composition import Composition
from gia.orchestrator.description.resources import data_directory
from gia.orchestrator.records.result import Result

DOCUMENTS: Final[Mapping[str, type[BaseModel]]] = MappingProxyType(
    {"actor": ActorDescription, "composition": Composition, "result": Result}
)


def schema_text(name: str) -> str:
    """The content of ``schemas/NAME.schema.json``."""
    mode: JsonSchemaMode = "serialization" if name == "result" else "validation"
    schema = DOCUMENTS[name].model_json_schema(by_alias=True, mode=mode)
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema, indent=1) + "\n"


def main() -> None:
    """Writes all schemas."""
    for name in DOCUMENTS:
        (data_directory("schemas") / f"{name}.schema.json").write_text(schema_text(name), encoding="utf-8")


if __name__ == "__main__":
    main()
