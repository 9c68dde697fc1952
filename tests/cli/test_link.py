"""``gia link``, and what is done with the program that it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.harness import gia, statuses

FILES = {
    "clamp.h": "int clamp(int x);\n",
    "main.c": '#include "clamp.h"\nextern int __VERIFIER_nondet_int(void);\nstatic int limit = 3;\n'
    "int main(void) {\n  int x = __VERIFIER_nondet_int();\n  return clamp(x) == 40 ? limit : 0;\n}\n",
    "src/größe.c": '#include "../clamp.h"\nstatic int limit = 40;\nint clamp(int x) {\n'
    "  if (x > limit) return limit;\n  if (limit > 50) return 1;\n  return x;\n}\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_linked_program_is_tested_as_others_are(folder: Path) -> None:
    ran = gia("link", "main.c", "src/größe.c", "-o", "all.i", cwd=folder)
    assert (ran.status, ran.out) == (0, "")
    assert ran.err == "note: src/größe.c: limit is called limit__gr__e\n"
    result = gia("test", "all.i", "--time", "60s", "--json", cwd=folder).json
    assert statuses(result) == {
        "main:6:25:then": "covered",
        "main:6:25:else": "covered",
        "clamp:4:3:then": "covered",
        "clamp:4:3:else": "covered",
        "clamp:5:3:then": "unreachable",
        "clamp:5:3:else": "covered",
    }
    assert {goal["file"] for goal in result["goals"]} == {"main.c", "src/größe.c"}


def test_without_a_place_to_go_it_is_printed(folder: Path) -> None:
    ran = gia("link", "src/größe.c", "main.c", cwd=folder)
    assert ran.status == 0
    assert '"src/größe.c"' in ran.out and "int main(void)" in ran.out
    assert "note: main.c: limit is called limit__main" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("link", "main.c", "src/größe.c", "./main.c"), "main.c: this file is given twice"),
        (("link", "main.c", "nosuch.c"), "nosuch.c: there is no such file"),
        (("link", "clamp.xml"), "clamp.xml:1:1: the program is not C"),
        (("link",), "missing argument"),
        (("test", "main.c", "src/größe.c"), "gia link FIRST src/größe.c -o PROGRAM.i"),
        (("test", "several.yml"), "`gia link` makes one program of several files"),
    ],
)
def test_what_cannot_be_linked_is_told(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    (folder / "clamp.xml").write_text("<gia/>\n")
    (folder / "several.yml").write_text("format_version: '2.0'\ninput_files: ['main.c', 'src/*.c']\nproperties: []\n")
    ran = gia(*arguments, cwd=folder)
    assert ran.status == 2
    assert message in ran.err


def test_nothing_is_written_if_files_do_not_fit_together(folder: Path) -> None:
    (folder / "clamp.h").write_text("#ifndef LONG\nint clamp(int x);\n#endif\n")
    (folder / "long.c").write_text('#define LONG\n#include "clamp.h"\nlong clamp(long x) { return x; }\n')
    ran = gia("link", "main.c", "long.c", "-o", "all.i", cwd=folder)
    assert ran.status == 2
    assert ran.err.startswith("error: long.c:3:6: the files do not fit together: conflicting types for")
    assert not (folder / "all.i").exists()
