"""From a file of C to a program: preprocess, then read it, unless what was made of it is kept."""

from __future__ import annotations

import hashlib
import pickle
import sys
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from gia.automaton.bulk import bulk_allocation
from gia.cache import FolderCache, gia_version, identity, key_of
from gia.cfa.types import DataModel
from gia.frontend.loaded import LoadedProgram
from gia.frontend.preprocess import PreprocessorOutput, preprocess
from gia.toolchain import find_compiler

_KEPT = "program.pickle.z"


def load(
    path: Path,
    *,
    data_model: DataModel,
    entry: str = "main",
    atomic: bool = False,
    name: Path | None = None,
    cache: FolderCache | None = None,
) -> LoadedProgram:
    """Read the C program in ``path``.

    An ``entry`` other than ``main`` is called, with inputs as arguments, by a ``main`` that is added to the program
    (see :mod:`gia.frontend.harness`). With ``atomic``, the atomic conditions of ``&&``, ``||`` and ``!`` become
    decisions of their own. ``name`` is what the file is called wherever it is mentioned, if ``path`` ends so. What was
    made of a program is kept in ``cache``. Raises :class:`InputError` if there is no such program, if the compiler does
    not accept it, or if it does not define ``entry``; another :class:`GiaError` if it is C that the front end does not
    support.
    """
    if cache is None:
        return _read(preprocess(path, data_model, name), data_model, entry, atomic)
    text = preprocess(path, data_model, name, has_token_markers=False)
    others = (str(data_model), entry, str(atomic))
    key = _key(text, *others)
    kept = _unpacked(cache.fetch_files(key))
    if kept is not None:
        return kept
    output = preprocess(path, data_model, name)
    found = _read(output, data_model, entry, atomic)
    if _key(replace(text, content=output.content), *others) == key:  # else a file was changed between
        with suppress(RecursionError):  # expressions that are nested too deeply for pickle
            cache.store_contents(key, {_KEPT: _packed(found)})
    return found


def _read(output: PreprocessorOutput, data_model: DataModel, entry: str, atomic: bool) -> LoadedProgram:
    from gia.frontend.reading import read_program  # noqa: PLC0415 - a parser is not needed for what is in the cache

    with bulk_allocation():
        return read_program(output, data_model, entry, atomic)


def _key(output: PreprocessorOutput, *others: str) -> str:
    """What stands for all that a loaded program depends on; the files that it includes tell where its tokens stand."""
    compiler = find_compiler()
    included = map(identity, output.files)
    content = hashlib.sha256(output.content).hexdigest()
    versions = (gia_version(), sys.version, compiler.version, identity(Path(compiler.path)))
    return key_of(*versions, str(output.path), content, output.text, *others, *included)


def _packed(program: LoadedProgram) -> bytes:
    with bulk_allocation():
        return zlib.compress(pickle.dumps(program, pickle.HIGHEST_PROTOCOL), level=1)


def _unpacked(contents: Mapping[str, bytes] | None) -> LoadedProgram | None:
    """The program of an entry; nothing if there is none in it."""
    if contents is None or _KEPT not in contents:
        return None
    try:
        with bulk_allocation():
            found = pickle.loads(zlib.decompress(contents[_KEPT]))  # as much this user's own as gia is
    except Exception:  # there is no list of what reading a pickle may raise
        return None
    return found if isinstance(found, LoadedProgram) else None
