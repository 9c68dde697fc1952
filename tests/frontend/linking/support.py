"""What the tests of linking share: programs of several files, linked by us and by gcc."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from gia.cfa.types import DataModel
from gia.frontend.linking import LinkedProgram, link
from gia.toolchain import data_model_options


def written(files: Mapping[str, str], directory: Path) -> list[Path]:
    """Write files, and give the paths of those that are no headers."""
    for name, text in files.items():
        (directory / name).write_text(text)
    return [directory / name for name in files if not name.endswith(".h")]


def linked(files: Mapping[str, str], directory: Path, model: DataModel = DataModel.LP64) -> LinkedProgram:
    """Link files that are given as text."""
    return link(written(files, directory), model)


def outputs(files: Mapping[str, str], directory: Path, model: DataModel = DataModel.LP64) -> tuple[str, str]:
    """What the program prints, and its exit status: as the linker makes it of the files, and as we do."""
    paths = written(files, directory)
    ours = directory / "linked.i"
    ours.write_text(link(paths, model).text)
    return _output(paths, directory / "theirs", model), _output([ours], directory / "ours", model)


def _output(sources: list[Path], program: Path, model: DataModel) -> str:
    command = ["gcc", *data_model_options(model), "-w", "-std=gnu17", "-o", str(program), *map(str, sources)]
    compiled = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert compiled.returncode == 0, compiled.stderr[:3000]
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=20, check=False)
    return f"{done.stdout}{done.returncode}"
