"""Where the data that is shipped with gia lies: actors, compositions and schemas."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import gia
from gia.errors import InternalError

Kind = Literal["actors", "compositions", "schemas"]


def data_directory(kind: Kind) -> Path:
    """The folder of shipped files of that kind: at the top of a checkout, inside the package of an installed wheel."""
    package = Path(gia.__file__).resolve().parent
    for candidate in (package.parent / kind, package / "data" / kind):
        if candidate.is_dir() and _belongs_to_gia(candidate, package):
            return candidate
    raise InternalError(f"the installation of gia lacks its folder {kind!r}", hint="install gia again with pip")


def _belongs_to_gia(candidate: Path, package: Path) -> bool:
    """Whether the folder is ours: beside an installed package may lie a folder of that name of somebody else."""
    return candidate.is_relative_to(package) or (package.parent / "pyproject.toml").is_file()


def shipped_documents(kind: Literal["actors", "compositions"]) -> dict[str, Path]:
    """The shipped YAML files of that kind by name (the file name without its suffix), sorted."""
    return {path.stem: path for path in sorted(data_directory(kind).glob("*.yml"))}
