from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gia.errors import DocumentError
from gia.orchestrator.records.journal import Journal, read_journal

ENTRIES = [{"place": "run/0", "number": 1}, {"place": "run/1", "text": "zwei\nZeilen"}, {"place": "run/2"}]


def written(path: Path) -> bytes:
    with Journal(path) as journal:
        for entry in ENTRIES:
            journal.append("step", entry)
    return path.read_bytes()


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    written(path)
    assert [dict(entry) for entry in read_journal(path)] == [{"event": "step"} | entry for entry in ENTRIES]
    assert read_journal(tmp_path / "none") == ()


@settings(deadline=None)
@given(data=st.data())
def test_a_journal_cut_at_any_byte_can_be_read_and_continued(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("journal") / "journal.jsonl"
    content = written(path)
    length = data.draw(st.integers(0, len(content)))
    path.write_bytes(content[:length])
    complete = content[:length].count(b"\n")
    assert len(read_journal(path)) == complete
    with Journal(path) as journal:
        journal.append("again", {})
    assert [entry["event"] for entry in read_journal(path)] == ["step"] * complete + ["again"]


def test_nonsense_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text('{"event": "run"}\nnonsense\n')
    with pytest.raises(DocumentError, match=r"journal.jsonl:2"):
        read_journal(path)
