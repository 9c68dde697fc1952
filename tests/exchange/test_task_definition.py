"""Task definitions and property files: what is read, what is refused and where, and that what is written is read."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gia.cfa.goals import Criterion
from gia.cfa.specification import property_text
from gia.cfa.types import DataModel
from gia.errors import DocumentError, InputError
from gia.exchange.task_definition import read_task_definition, task_definition_text

MEMORY_SAFETY = """\
CHECK( init(main()), LTL(G valid-free) )
CHECK( init(main()), LTL(G valid-deref) )
CHECK( init(main()), LTL(G valid-memtrack) )
"""
PIECES = [b"", b"\0", b"[", b"]", b"{", b"\xff", b"\n", b"- ", b": ", b"&a ", b"*a", b"!"]
DEFINITION = """\
format_version: '2.0'
# a task of a collection
input_files: 'p*.i'
required_files: []
properties:
  - property_file: properties/valid-memsafety.prp
    expected_verdict: true
  - property_file: properties/unreach-call.prp
    expected_verdict: false
    subproperty: valid-deref
  - property_file: properties/coverage-branches.prp
options:
  language: C
  data_model: ILP32
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a program and properties."""
    path = tmp_path_factory.mktemp("tasks")
    (path / "program.i").write_text("int main(void) { return 0; }\n")
    (path / "properties").mkdir()
    (path / "properties" / "valid-memsafety.prp").write_text(MEMORY_SAFETY)
    (path / "properties" / "unreach-call.prp").write_text(f"// comment\n{property_text(Criterion.UNREACH_CALL)}\n\n")
    (path / "properties" / "coverage-branches.prp").write_text(property_text(Criterion.BRANCHES))
    return path


def test_a_definition_of_a_collection(folder: Path) -> None:
    (folder / "t.yml").write_text(DEFINITION)
    found = read_task_definition(folder / "t.yml")
    assert found.program == folder / "program.i"
    assert [(known.criterion, known.expected) for known in found.properties] == [
        (Criterion.UNREACH_CALL, False),
        (Criterion.BRANCHES, None),
    ]
    assert found.criterion(prefer_verification=True) is Criterion.UNREACH_CALL
    assert found.criterion(prefer_verification=False) is Criterion.BRANCHES
    assert found.data_model is DataModel.ILP32


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("'2.0'", "'3.0'"), "format_version"),
        (("'p*.i'", "'q*.i'"), "exactly one file; q"),
        (("'p*.i'", "['p*.i', '*/*.prp']"), "exactly one file"),
        (("'p*.i'", "{a: b}"), "input_files"),
        (("ILP32", "ILP64"), "data_model"),
        (("unreach-call.prp", "missing.prp"), "cannot be read"),
        (("- property_file: properties/unreach-call.prp", "- - 1"), "property_file"),
        (("options:", "options: ]"), "no task definition"),
    ],
)
def test_what_is_wrong_is_said(folder: Path, change: tuple[str, str], message: str) -> None:
    path = folder / "wrong.yml"
    path.write_text(
        DEFINITION.replace(*change).replace("    expected_verdict: false\n    subproperty: valid-deref\n", "")
    )
    with pytest.raises(DocumentError, match=message) as caught:
        read_task_definition(path)
    assert caught.value.position is not None


@pytest.mark.parametrize("model", list(DataModel))
@pytest.mark.parametrize("expected", [None, True, False])
def test_what_is_written_is_read(folder: Path, model: DataModel, expected: bool | None) -> None:
    path = folder / "written.yml"
    path.write_text(task_definition_text(["program.i"], ["properties/unreach-call.prp"], model, expected))
    found = read_task_definition(path)
    assert (found.program, found.data_model) == (folder / "program.i", model)
    assert [(known.criterion, known.expected) for known in found.properties] == [(Criterion.UNREACH_CALL, expected)]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_damaged_definition_is_read_or_refused(folder: Path, data: st.DataObject) -> None:
    text = bytearray(DEFINITION.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        piece = data.draw(st.sampled_from(PIECES))
        text[at : at + data.draw(st.integers(0, 2))] = piece
    path = folder / "damaged.yml"
    path.write_bytes(text)
    try:
        read_task_definition(path)
    except InputError as error:
        assert error.position is not None


def test_anchors_may_be_used_again(folder: Path) -> None:
    path = folder / "anchors.yml"
    path.write_text(DEFINITION.replace("format_version", "&a format_version").replace("options", "&a options"))
    assert read_task_definition(path).data_model is not None


@pytest.mark.parametrize("name", ["p**a.i", "x" * 300, "\\0", "[", "../" * 30 + "*" * 5])
def test_any_text_may_stand_for_the_program(folder: Path, name: str) -> None:
    """Found by the test above: not every text is a pattern, or the name of a file, for Python's libraries."""
    path = folder / "odd.yml"
    path.write_text(f'format_version: "2.0"\ninput_files: "{name}"\n')
    with pytest.raises(DocumentError, match="exactly one file"):
        read_task_definition(path)
