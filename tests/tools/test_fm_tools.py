"""Entries of fm-tools become actors."""

import re
from pathlib import Path

import pytest

from gia.orchestrator.description.actor import load_actor
from tests.cli.harness import gia

ENTRY = """\
id: coveritest
name: CoVeriTest
input_languages: [C]
benchexec_toolinfo_module: "benchexec.tools.cpachecker"
fmtools_format_version: "2.0"
versions:
  - version: "testcomp26"
    doi: 10.5281/zenodo.17732590
    benchexec_toolinfo_options: ['--benchmark', '--heap', '10000M', '--testcomp26', '--option', 'a={b}']
    required_ubuntu_packages: [openjdk-21-jre-headless]
  - version: "svcomp20"
    url: https://example.org/tool.zip
    benchexec_toolinfo_options: ['-svcomp20']
competition_participations:
  - {competition: "Test-Comp 2026", track: "Test Generation", tool_version: "testcomp26"}
  - {competition: "SV-COMP 2020", track: "Verification", tool_version: "svcomp20"}
"""


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    path = tmp_path / "coveritest.yml"
    path.write_text(ENTRY)
    return path


def test_a_participant_of_test_comp_is_a_tester(entry: Path) -> None:
    output = entry.parent / "actor.yml"
    assert gia("actor", "import", entry, "-o", output).status == 0
    description = load_actor(str(output)).description
    assert (description.name, description.kind, description.direction) == ("coveritest", "tester", "UA")
    assert description.run.benchexec == "cpachecker"
    assert [argument.format() for argument in description.run.arguments][-3:] == ["--testcomp26", "--option", "a={b}"]
    assert "https://doi.org/10.5281/zenodo.17732590" in description.run.hint
    assert "openjdk-21-jre-headless" in description.run.hint


def test_a_participant_of_sv_comp_is_a_verifier(entry: Path) -> None:
    output = entry.parent / "actor.yml"
    assert gia("actor", "import", entry, "--version", "svcomp20", "-o", output).status == 0
    description = load_actor(str(output)).description
    assert (description.kind, description.direction) == ("verifier", "OA")
    assert {product.type for product in description.produces} == {
        "verdict",
        "correctness-witness",
        "violation-witness",
    }
    assert "https://example.org/tool.zip" in description.run.hint


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("id: coveritest\nname: CoVeriTest\n", "", "'id' is missing"),
        ('benchexec_toolinfo_module: "benchexec.tools.cpachecker"\n', "", "'benchexec_toolinfo_module' is missing"),
        ("[C]", "[Java]", "coveritest.yml:3:.*Java, not C"),
        ("'--benchmark'", "'--witness', '${witness}'", "reads a witness"),
        ("testcomp26", "testcomp27", "there is no version 'testcomp26'; did you mean 'testcomp27'|no version"),
        ("id:", "id: [", "not YAML"),
    ],
)
def test_what_is_no_entry_is_refused(entry: Path, old: str, new: str, message: str) -> None:
    assert old in ENTRY
    entry.write_text(ENTRY.replace(old, new))
    ran = gia("actor", "import", entry, "--version", "testcomp26")
    assert ran.status == 2
    assert re.search(message, ran.err), ran.err
