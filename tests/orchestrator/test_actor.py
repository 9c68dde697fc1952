from pathlib import Path

import pytest

from gia.analyses.registry import ACTORS
from gia.errors import CompositionError, InputError
from gia.orchestrator.description.actor import all_actors, load_actor

GOOD = """\
name: mine
kind: tester
direction: UA
gia: none
run:
  command: [mine, --seconds, "{time}", "{program}", "{seed}"]
options:
  seed: {default: 1}
produces:
  - {type: test-suite, path: tests}
needs:
  - {executable: surely-not-installed, hint: build it from source}
"""


def document(tmp_path: Path, text: str) -> str:
    path = tmp_path / "mine.yml"
    path.write_text(text)
    return str(path)


def test_an_actor_is_read(tmp_path: Path) -> None:
    actor = load_actor(document(tmp_path, GOOD))
    assert actor.name == "mine"
    assert [need.hint for need in actor.missing()] == ["build it from source"]
    assert load_actor("mine.yml", tmp_path).name == "mine"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{seed}", "{sed}", r"mine.yml:5:.*\{sed\} is not known; did you mean 'seed'"),
        ("{seed}", "{seed", r"mine.yml:5:"),
        ("direction: UA", "direction: OA", r"mine.yml:3:.*test-suite does not come from an actor that is OA"),
        ("gia: none", "gia: native", r"mine.yml:9:.*produces gia, and nothing else"),
        ("kind: tester", "kind: testr", r"mine.yml:2:1: 'kind' must be 'tester'"),
        ("  command:", "  commnd:", r"mine.yml:6:.*did you mean 'command'"),
        ("type: test-suite", "type: verdict", r"mine.yml:3:.*a verdict alone comes from an OA actor"),
        ("type: test-suite", "type: gia", r"mine.yml:9:.*does not produce gia"),
        ("gia: none", "gia: none\nreducer: weave", r"mine.yml:5:1: 'reducer' must be 'residual', 'monitor' or 'prune'"),
        ("gia: none", "gia: none\nreducer: prune\ngoals: reach-error", r"mine.yml:5:.*in a residual program only"),
        ('[mine, --seconds, "{time}", "{program}", "{seed}"]', "[]", r"mine.yml:6:"),
    ],
)
def test_errors_have_a_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(CompositionError, match=message):
        load_actor(document(tmp_path, GOOD.replace(old, new, 1)))


def test_every_builtin_actor_is_described() -> None:
    described = {
        actor.description.run.builtin: actor.description.direction
        for actor in all_actors().values()
        if actor.description.run.builtin
    }
    assert described == {name: entry.direction for name, entry in ACTORS.items()}


def test_unknown_actor() -> None:
    with pytest.raises(InputError, match="did you mean 'tester'"):
        load_actor("testr")
