import json

import pytest

from gia.orchestrator.description.resources import data_directory
from gia.orchestrator.schemas import DOCUMENTS, schema_text


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_the_shipped_schemas_are_those_of_the_models(name: str) -> None:
    shipped = (data_directory("schemas") / f"{name}.schema.json").read_text(encoding="utf-8")
    assert shipped == schema_text(name), "run python -m gia.orchestrator.schemas"
    assert json.loads(shipped)["title"]
