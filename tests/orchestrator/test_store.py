from pathlib import Path

import pytest

from gia.errors import GiaError, InputError
from gia.orchestrator.store import JOURNAL, open_run_directory, write_whole


def test_a_second_run_starts_afresh_and_a_resumed_one_does_not(tmp_path: Path) -> None:
    out = tmp_path / "a" / "b"
    with open_run_directory(out, resume=False) as directory:
        directory.write("result.json", b"{}")
        directory.write("test-suite/testcase-1.xml", b"<testcase/>")
        directory.file(JOURNAL).touch()
    with open_run_directory(out, resume=True) as directory:
        assert directory.file("result.json").read_bytes() == b"{}"
    with open_run_directory(out, resume=False) as directory:
        assert not directory.file("result.json").exists()
        assert not directory.file("test-suite").exists()


def test_two_runs_in_one_directory(tmp_path: Path) -> None:
    with (
        open_run_directory(tmp_path, resume=False),
        pytest.raises(GiaError, match="another run"),
        open_run_directory(tmp_path, resume=False),
    ):
        pass


def test_the_files_of_others_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("…")
    with pytest.raises(InputError, match=r"thesis\.tex"), open_run_directory(tmp_path, resume=False):
        pass
    assert (tmp_path / "thesis.tex").exists()


def test_nothing_to_resume(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run to resume"), open_run_directory(tmp_path, resume=True):
        pass


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(GiaError) as caught, open_run_directory(tmp_path / "file" / "out", resume=False):
        pass
    assert caught.value.exit_status == 1
    assert "--out" in str(caught.value)


def test_a_full_disk(tmp_path: Path) -> None:
    with open_run_directory(tmp_path, resume=False) as directory:
        directory.write("gia.xml", b"old")
        (tmp_path / ".gia.xml.partial").symlink_to("/dev/full")
        with pytest.raises(GiaError, match="No space left"):
            directory.write("gia.xml", b"new" * 100000)
        assert directory.file("gia.xml").read_bytes() == b"old"


def test_a_file_is_replaced_only_when_the_new_one_is_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.xml"
    write_whole(target, b"old")

    def interrupted(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[:2])
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(target, b"new")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_links_stay_links(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("file")
    write_whole(link, b"text")
    assert link.is_symlink()
    assert (tmp_path / "file").read_bytes() == b"text"
