from pathlib import Path

import pytest

from gia.errors import CompositionError, InputError
from gia.orchestrator.description.composition import load_composition
from gia.orchestrator.description.quantities import Budget
from gia.orchestrator.description.resources import shipped_documents
from gia.orchestrator.wiring import check_wiring
from gia.report.wiring import wiring

GOOD = """\
name: mine
description: for the tests
parameters:
  who: {default: tester}
steps:
  test:
    actor: ${who}
    time: 40%
  prove:
    actor: verifier
    time: 2s
    growth: 2
run:
  sequence:
    - test
    - cycle:
        body: [prove, test]
        until: {any: [decided, {rounds-at-least: 3}]}
        max-rounds: 5
      time: 50%
    - choice:
        - when: {not: {verdict: true}}
          do: {parallel: [test, prove]}
        - do: {portfolio: [test, prove]}
"""


def document(tmp_path: Path, text: str) -> str:
    path = tmp_path / "mine.yml"
    path.write_text(text)
    return str(path)


def test_a_composition_is_read(tmp_path: Path) -> None:
    composition = load_composition(document(tmp_path, GOOD)).composition
    assert composition.steps["test"].actor == "tester"
    assert composition.steps["test"].time == Budget(share=0.4)
    first, cycle, choice = composition.run.sequence or ()
    assert first.step == "test"
    assert cycle.cycle is not None
    assert cycle.cycle.max_rounds == 5
    assert choice.choice is not None
    assert choice.choice[0].when is not None
    assert choice.choice[0].when.not_ is not None
    assert choice.choice[0].when.not_.verdict == "true"
    assert "cycle until (decided) or (rounds-at-least 3), at most 5 rounds [50%]" in wiring(composition)


def test_parameters(tmp_path: Path) -> None:
    path = document(tmp_path, GOOD)
    assert load_composition(path, {"who": "random"}).composition.steps["test"].actor == "random"
    with pytest.raises(InputError, match="who"):
        load_composition(path, {"whom": "random"})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tester", "'tester' is an actor, not a composition\n.*gia actor run tester --program"),
        ("cotests", "no composition 'cotests'\n.*did you mean 'cotest'"),
        ("nowhere/mine.yml", "no file nowhere/mine.yml"),
    ],
)
def test_a_name_that_is_no_composition(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_composition(name)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("until: {any", "untl: {any", r"mine.yml:18:9: 'untl' is not known here; did you mean 'until'\?"),
        ("rounds-at-least: 3", "rounds-atleast: 3", r"mine.yml:18:.*did you mean 'rounds-at-least'"),
        ("rounds-at-least: 3", "gives-way: tst", r"mine.yml:18:.*no step 'tst'\n  hint: did you mean 'test'"),
        ("decided, ", "decide, ", r"mine.yml:18:.*did you mean 'decided'"),
        ("rounds-at-least: 3", "rounds-at-least: -3", r"mine.yml:18:.*greater than or equal to 0"),
        ("verdict: true", "verdict: maybe", r"mine.yml:22:.*'true', 'false'"),
        ("- test\n", "- tset\n", r"mine.yml:15:.*no step 'tset'\n  hint: did you mean 'test'"),
        ("time: 40%", "time: 140%", r"mine.yml:8:5: .*more than all"),
        ("time: 2s", "time: soon", r"mine.yml:11:5: 'soon' is not a budget; write 10s or 40%"),
        ("${who}", "${whom}", r"mine.yml:7:5: the parameter 'whom' is not declared\n  hint: did you mean 'who'"),
        ("growth: 2", "growth: 0.5", r"mine.yml:12:5: 'growth' must be greater"),
        ("actor: verifier", "acter: verifier", r"mine.yml:10:5: 'acter'.*did you mean 'actor'"),
        ("  sequence:", "  sequences:", r"mine.yml:14:3: 'sequences'.*did you mean 'sequence'"),
        ("      time: 50%", "      sequence: [test]", r"mine.yml:16:7: exactly one of .* not sequence and cycle"),
        ("[prove, test]", "[]", r"mine.yml:17:"),
        ("name: mine\n", "", r"'name' is missing"),
        ("name: mine", "name: Mine!", r"mine.yml:1:1: "),
        ("run:", "run: [", r"mine.yml:1\d:.*not YAML"),
        (GOOD, "just text", "must be a mapping"),
        ("{parallel: [test, prove]}", "{parallel: [test, &again {sequence: [*again]}]}", r"mine.yml:23:"),
        ("prove:\n", "prove: &loop\n", None),
        ("when: {not: {verdict: true}}", "when: {rounds-at-least: 1}", r"mine.yml:22:.*about the rounds of a cycle"),
        ("- when: {not: {verdict: true}}\n          do:", "- do:", r"mine.yml:23:11: this case is never taken"),
        ("steps:\n", "budget: {time: 50%}\nsteps:\n", r"mine.yml:5:10: the total time must be absolute"),
        ("time: 2s", "memory: lots", r"mine.yml:11:5: 'lots' is not an amount of memory; write 4GB or 40%"),
        ("time: 2s", "cores: 0", r"mine.yml:11:5: 'cores' must be greater"),
        ("steps:\n", "budget: {time: 1m, cpu: 2m, memory: 2GB, cores: 2}\nsteps:\n", None),
    ],
)
def test_errors_have_a_place_and_name_what_is_near(tmp_path: Path, old: str, new: str, message: str | None) -> None:
    text = GOOD.replace(old, new, 1)
    assert text != GOOD
    if message is None:
        load_composition(document(tmp_path, text))
        return
    with pytest.raises(CompositionError, match=message) as caught:
        load_composition(document(tmp_path, text))
    assert caught.value.exit_status == 2


def test_a_step_that_is_never_done(tmp_path: Path) -> None:
    text = GOOD.replace("run:\n", "  idle:\n    actor: tester\nrun:\n")
    with pytest.raises(CompositionError, match="'idle' is never done"):
        load_composition(document(tmp_path, text))


def test_what_can_never_hold_or_is_not_there(tmp_path: Path) -> None:
    """Found before anything is started."""
    loaded = load_composition(document(tmp_path, GOOD))
    check_wiring(loaded, is_verification=True)
    with pytest.raises(CompositionError, match=r"mine.yml:22:24: this can never hold: 'true' is no verdict of a cov"):
        check_wiring(loaded, is_verification=False)
    aimless = load_composition(document(tmp_path, GOOD.replace("    time: 2s\n", "")))
    with pytest.raises(CompositionError, match=r"mine.yml:11:5: 'growth' needs a time that grows"):
        check_wiring(aimless, is_verification=True)
    (tmp_path / "mine-actor.yml").write_text(
        "name: mine\nkind: tester\ndirection: UA\ngia: native\nrun: {command: [python3, '{directory}/mine.py']}\n"
        "produces: [{type: gia, path: out.xml}]\n"
    )
    own = load_composition(document(tmp_path, GOOD.replace("${who}", "./mine-actor.yml")))
    with pytest.raises(CompositionError, match=r"mine.py, which is not there"):
        check_wiring(own, is_verification=True)


def test_seeds_of_all_actors_are_moved_together(tmp_path: Path) -> None:
    steps = "{a: {actor: fuzz}, b: {actor: fuzz, options: {seed: 5}}, c: {actor: verifier}}"
    text = f"name: mine\nsteps: {steps}\nrun: {{sequence: [a, b, c]}}\n"
    loaded = load_composition(document(tmp_path, text))
    seeds = {
        seed: [options.get("seed") for _, options in check_wiring(loaded, is_verification=False, seed=seed).values()]
        for seed in (0, 7)
    }
    assert seeds == {0: ["0", "5", None], 7: ["7", "12", None]}
    odd = load_composition(document(tmp_path, text.replace("5", "today")))
    check_wiring(odd, is_verification=False)
    with pytest.raises(CompositionError, match=r"mine.yml:2:.*nothing can be added to the seed 'today'"):
        check_wiring(odd, is_verification=False, seed=7)


def test_unknown_names() -> None:
    with pytest.raises(InputError, match="did you mean 'cotest'"):
        load_composition("cotset")
    with pytest.raises(InputError, match="no file"):
        load_composition("nowhere/cotest.yml")


@pytest.mark.parametrize("name", sorted(shipped_documents("compositions")))
def test_shipped_compositions(name: str) -> None:
    loaded = load_composition(name)
    assert loaded.composition.name == name
    assert loaded.composition.description
    assert wiring(loaded.composition).startswith(f"{name}: ")


@pytest.mark.parametrize(
    ("marks", "fits"), [("", False), ("goals: statement\n", False), ("goals: reach-error\n", True)]
)
def test_a_bare_verdict_says_nothing_about_unmarked_goals(tmp_path: Path, marks: str, fits: bool) -> None:
    """Else ``true`` about an error function would make every open branch unreachable."""
    (tmp_path / "oracle.yml").write_text(
        "name: oracle\nkind: verifier\ndirection: OA\ngia: none\nrun: {command: [python3, '{program}']}\n"
        f"produces: [{{type: verdict, path: log.txt}}]\n{marks}"
    )
    loaded = load_composition(document(tmp_path, "name: ask\nsteps: {ask: {actor: ./oracle.yml}}\nrun: ask\n"))
    check_wiring(loaded, is_verification=True)
    if fits:
        check_wiring(loaded, is_verification=False)
        return
    with pytest.raises(CompositionError, match=r"mine.yml:2.*which says nothing about goals to cover"):
        check_wiring(loaded, is_verification=False)
