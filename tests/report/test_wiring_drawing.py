"""Drawings of compositions."""

from pathlib import Path

import pytest
from lxml import etree

from gia.orchestrator.description.composition import load_composition
from gia.orchestrator.description.resources import shipped_documents
from gia.orchestrator.wiring import check_wiring
from gia.report.wiring import wiring
from gia.report.wiring_svg import wiring_svg
from tests.cli.harness import gia

ALL = """\
name: everything
description: all <at once>
budget: {time: 10m, memory: 8GB}
steps:
  warm-up: {actor: random, time: 2s}
  prove: {actor: verifier, time: 2s, cpu: 4s, growth: 2}
  c-only: {actor: ./c-only.yml, memory: 50%}
run:
  sequence:
    - warm-up
    - cycle: {body: [{parallel: [warm-up, prove]}], until: {any: [decided, {rounds-at-least: 3}]}}
      time: 50%
    - choice:
        - when: {open-at-most: 3}
          do: {portfolio: [prove, c-only]}
        - do: warm-up
"""
ACTOR = """\
name: c-only
kind: tester
direction: UA
gia: none
run: {command: [tester-of-c, "{program}"]}
produces: [{type: test-suite, path: tests}]
needs: [{executable: tester-of-c, hint: get it from its authors}]
"""


@pytest.fixture
def everything(tmp_path: Path) -> str:
    (tmp_path / "c-only.yml").write_text(ACTOR)
    (tmp_path / "all.yml").write_text(ALL)
    return str(tmp_path / "all.yml")


def test_text(everything: str) -> None:
    loaded = load_composition(everything)
    lines = wiring(loaded.composition, check_wiring(loaded, is_verification=False)).splitlines()
    assert lines[1] == "  budget time 600s, memory 8000MB"
    assert "    cycle until (decided) or (rounds-at-least 3), at most 1000 rounds [50%]" in lines
    assert "        prove: verifier [2s, 4s CPU, each round x 2]" in lines
    assert "      if open-at-most 3: portfolio" in lines
    reads = "GIA → reducer: residual C program → c-only (UA) → test-suite: tests are executed → combiner: rt grows"
    assert f"  step c-only: {reads}" in lines


def test_svg_shows_every_part(everything: str) -> None:
    loaded = load_composition(everything)
    drawing = etree.fromstring(wiring_svg(loaded.composition, check_wiring(loaded, is_verification=False)))
    texts = [element.text for element in drawing.iter("{*}text")]
    assert texts.count("warm-up: random (UA)") == 3
    assert texts.count("prove: verifier (OA)") == 2
    for expected in ("cycle until (decided) or", "parallel:", "portfolio:", "choice", "if open-at-most 3", "otherwise"):
        assert any(text.startswith(expected) for text in texts), expected
    width, height = (float(drawing.get(name)) for name in ("width", "height"))
    for element in drawing.iter("{*}rect"):
        x = float(element.get("x", 0)) + sum(float(g.get("transform")[10:].split()[0]) for g in groups(element))
        assert 0 <= x <= x + float(element.get("width")) <= width
    assert height > 300


def groups(element):  # type: ignore[no-untyped-def]
    return [above for above in element.iterancestors("{*}g") if above.get("transform")]


@pytest.mark.parametrize("name", sorted(shipped_documents("compositions")))
def test_shipped_compositions_can_be_drawn(name: str) -> None:
    loaded = load_composition(name)
    actors = check_wiring(loaded, is_verification=loaded.composition.task == "verification")
    assert etree.fromstring(wiring_svg(loaded.composition, actors)) is not None


def test_the_command_writes_the_drawing(everything: str, tmp_path: Path) -> None:
    ran = gia("composition", "show", everything, "--format", "svg", "-o", "all.svg", cwd=tmp_path)
    assert (ran.status, ran.out) == (0, "")
    assert etree.parse(tmp_path / "all.svg").getroot().tag.endswith("svg")
    checked = gia("composition", "check", everything, cwd=tmp_path)
    assert checked.status == 0
    assert "c-only: tester-of-c is not installed: get it from its authors" in checked.out
