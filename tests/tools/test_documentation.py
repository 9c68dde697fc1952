"""What docs/add-an-actor.md and docs/actors.md say is so."""

import re
from pathlib import Path

import pytest

from gia.orchestrator.description.actor import all_actors, load_actor
from tests.cli.harness import gia
from tests.tools import fakes

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "add-an-actor.md").read_text()
DESCRIPTIONS = re.findall(r"```yaml\n(name: .*?)```", PAGE, re.DOTALL)
SCRIPT = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The example of the page, as it says."""
    numbers = next(text for text in DESCRIPTIONS if text.startswith("name: numbers"))
    assert SCRIPT is not None
    (tmp_path / "numbers.yml").write_text(numbers)
    (tmp_path / "numbers.py").write_text(SCRIPT[1])
    (tmp_path / "p.c").write_text(fakes.PROGRAM)
    return tmp_path


@pytest.mark.parametrize("text", DESCRIPTIONS)
def test_the_descriptions_are_valid(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text(text)
    assert load_actor(str(tmp_path / "a.yml")).name in text


def test_the_example_works_alone(folder: Path) -> None:
    arguments = ("--program", "p.c", "--spec", "branches", "--out", "out.xml")
    ran = gia("actor", "run", "./numbers.yml", *arguments, "--keep", "kept", cwd=folder)
    assert ran.status == 0, ran.err
    assert "4 more goals are covered" in ran.out
    assert (folder / "kept/tests/12345.xml").exists()
    assert f"covered      p.c:5:5  {fakes.WANTED}" in gia("status", "p.c", "out.xml", cwd=folder).out
    again = gia("actor", "run", "./numbers.yml", *arguments, "--gia", "out.xml", cwd=folder)
    assert "0 more goals are covered" in again.out
    assert f"covered      p.c:5:5  {fakes.WANTED}" in gia("status", "p.c", "out.xml", cwd=folder).out


def test_a_lone_actor_that_fails_says_so(folder: Path) -> None:
    (folder / "numbers.py").write_text("import sys\nsys.exit('out of numbers')")
    ran = gia("actor", "run", "./numbers.yml", "--program", "p.c", "--spec", "branches", "--out", "out.xml", cwd=folder)
    assert ran.status == 1
    assert "out of numbers" in ran.err
    assert not (folder / "out.xml").exists()
    path = folder / "numbers.yml"
    path.write_text(path.read_text().replace("executable: python3", "executable: no-such-tool"))
    ran = gia("actor", "run", "./numbers.yml", "--program", "p.c", "--spec", "branches", "--out", "out.xml", cwd=folder)
    assert ran.status == 1
    assert "no-such-tool is not installed\n  hint: sudo apt-get install python3" in ran.err


def test_a_lone_actor_that_cannot_be_started_says_so(folder: Path) -> None:
    verifier = next(text for text in DESCRIPTIONS if text.startswith("name: my-verifier"))
    (folder / "my-verifier.yml").write_text(verifier)
    asked = ("--program", "p.c", "--spec", "branches", "--out", "out.xml")
    ran = gia("actor", "run", "./my-verifier.yml", *asked, cwd=folder)
    assert ran.status == 1
    assert "error: my-verifier: could not be started: No such file or directory" in ran.err
    assert not (folder / "out.xml").exists()


def test_every_tool_is_in_the_table_with_what_it_needs() -> None:
    table = (DOCS / "actors.md").read_text()
    for name, actor in all_actors().items():
        if actor.description.gia == "native":
            continue
        row = next(line for line in table.splitlines() if line.startswith(f"| `{name}` |"))
        assert f"| {actor.description.direction} |" in row
        hints = [need.hint for need in actor.description.needs] + [actor.description.run.hint]
        assert all(hint in row for hint in hints)
        assert all(f"`{product.type}`" in row for product in actor.description.produces)
