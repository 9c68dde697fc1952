"""Entries of the collection fm-tools as descriptions of actors.

Such an entry names BenchExec's module for the tool, the options of each version, and in which competitions it took
part: a participant of Test-Comp is a tester, one of SV-COMP a verifier.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from gia.errors import DocumentError, Position
from gia.orchestrator.description.actor import ActorDescription
from gia.orchestrator.description.documents import position_of, read_tree, validate
from gia.orchestrator.description.names import nearest

_TESTER = """\
kind: tester
direction: UA
gia: none
goals: statement
run:RUN
produces:
  - {type: test-suite, path: "test-suite*", optional: true}
  - {type: test-suite, path: "*/test-suite*", optional: true}
  - {type: verdict, path: log.txt}
"""
_VERIFIER = """\
kind: verifier
direction: OA
gia: none
goals: reach-error
run:RUN
produces:
  - {type: verdict, path: log.txt}
  - {type: correctness-witness, path: "witness*", optional: true}
  - {type: violation-witness, path: "witness*", optional: true}
"""


def actor_text(path: Path, version: str | None = None) -> str:
    """The description of the tool in ``path``, in its newest version (the first one) or the one that is named.

    Raises :class:`DocumentError` for a file that is no entry, or one of a tool that does not fit.
    """
    tree = read_tree(path)
    name = re.sub(r"[^a-z0-9]+", "-", str(tree.get("id") or tree.get("name") or "").lower()).strip("-")
    module = str(tree.get("benchexec_toolinfo_module") or "").removeprefix("benchexec.tools.").removesuffix(".py")
    if not name or not module:
        missing = "id" if not name else "benchexec_toolinfo_module"
        raise DocumentError(f"this is no entry of fm-tools: {missing!r} is missing", Position(str(path), 1))
    if "C" not in (tree.get("input_languages") or ["C"]):
        where = position_of(path, tree, ["input_languages"])
        raise DocumentError(f"the tool reads {', '.join(tree['input_languages'])}, not C", where)
    found = _version(path, tree, version)
    options = [str(option) for option in found.get("benchexec_toolinfo_options") or []]
    if any("${" in option for option in options):
        where = position_of(path, tree, ["versions"])
        raise DocumentError("a tool that reads a witness is no actor that reads a program", where)
    arguments = [option.replace("{", "{{").replace("}", "}}") for option in options]
    run = (
        f"\n  benchexec: {json.dumps(module)}\n  arguments: {json.dumps(arguments)}\n"
        f"  hint: {json.dumps(_hint(tree, found))}"
    )
    body = (_TESTER if _is_tester(tree, found) else _VERIFIER).replace("RUN", run)
    text = (
        f"# {tree.get('name') or name} {found.get('version', '')}, from its entry in fm-tools.\n"
        f"name: {json.dumps(name)}\n"
        f"description: {json.dumps(_described(tree, found))}\n{body}"
    )
    return _checked(text)


def _version(path: Path, tree: Any, wanted: str | None) -> Mapping[str, Any]:
    versions = {str(entry.get("version")): entry for entry in tree.get("versions") or [] if isinstance(entry, Mapping)}
    if not versions:
        raise DocumentError("the entry lists no versions", Position(str(path), 1))
    if wanted is None:
        return next(iter(versions.values()))
    if wanted not in versions:
        where = position_of(path, tree, ["versions"])
        raise DocumentError(f"there is no version {wanted!r}", where, nearest(wanted, versions))
    return versions[wanted]


def _is_tester(tree: Mapping[str, Any], version: Mapping[str, Any]) -> bool:
    """Whether this version took part in Test-Comp, or any if it took part in nothing."""
    taken = [entry for entry in tree.get("competition_participations") or [] if isinstance(entry, Mapping)]
    of_version = [entry for entry in taken if str(entry.get("tool_version")) == str(version.get("version"))]
    texts = [f"{entry.get('competition', '')} {entry.get('track', '')}".lower() for entry in of_version or taken]
    return any("test" in text for text in texts)


def _described(tree: Mapping[str, Any], version: Mapping[str, Any]) -> str:
    name = tree.get("name") or tree.get("id")
    return f"{name} {version.get('version', '')}, run as BenchExec runs it".replace("  ", " ")


def _hint(tree: Mapping[str, Any], version: Mapping[str, Any]) -> str:
    """How to get that version."""
    if version.get("doi"):
        place = f"https://doi.org/{version['doi']}"
    else:
        place = str(version.get("url") or tree.get("project_url") or "its authors")
    packages = " ".join(str(package) for package in version.get("required_ubuntu_packages") or [])
    more = f"; it needs: sudo apt-get install {packages}" if packages else ""
    return f"unpack the archive from {place} and put its folder on PATH{more}"


def _checked(text: str) -> str:
    """The text, which is a valid description."""
    validate(YAML(typ="rt").load(text), Path("actor"), ActorDescription)
    return text
