"""``gia combine``: what contradicts is refused or, if asked for, resolved by executing tests."""

from pathlib import Path

import pytest

from gia.exchange.gia_xml import read_gia
from tests.cli.harness import gia

PROGRAM = """\
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 10) {
    if (x == 12345) return 1;
  }
  if (x < 0 && x > 5) return 2;
  return 0;
}
"""


def edge(id_: str, line: int, column: int, kind: str, branch: str = "") -> str:
    attribute = f' branch="{branch}"' if branch else ""
    return f'<edge id="{id_}" function="main" line="{line}" column="{column}" kind="{kind}"{attribute}/>'


EDGES = [
    edge("in", 3, 11, "input"),
    edge("big", 4, 3, "assume", "then"),
    edge("small", 4, 3, "assume", "else"),
    edge("hit", 5, 5, "assume", "then"),
    edge("never", 7, 3, "assume", "then"),
]


SPECIFICATION = "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )"


def write(path: Path, task: tuple[str, str], states: str, transitions: str, expressions: str = ""):
    """A GIA file by hand; ``task`` is the hash of the program and who claims something about it."""
    sha256, actor = task
    path.write_text(
        '<gia xmlns="urn:gia:1" version="1.0"><metadata>'
        f'<task file="p.c" sha256="{sha256}" data-model="LP64" specification="{SPECIFICATION}"/>'
        f'<actor name="{actor}" version="1" direction="OA" wall="0.0" cpu="0.0"/></metadata>'
        f"<edges>{''.join(EDGES)}</edges><expressions>{expressions}</expressions>"
        f"<states>{states}</states><transitions>{transitions}</transitions></gia>"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("combine")
    (path / "p.c").write_text(PROGRAM)
    ran = gia("actor", "run", "tester", "--program", "p.c", "--spec", "branches", "--out", "tests.xml", cwd=path)
    assert ran.status == 0, ran.err
    sha = read_gia(path / "tests.xml").metadata.sha256
    accepting = '<state id="a" initial="true"/><state id="z" accept="ut"/>'
    anything = '<transition from="a" to="a" edges="*"/><transition from="z" to="z" edges="*"/>'
    claim = '<transition from="a" to="z" edges="{}"/>'
    write(path / "right.xml", (sha, "good"), accepting, anything + claim.format("never"))
    write(path / "wrong.xml", (sha, "bad"), accepting, anything + claim.format("hit never"))
    write(path / "all-wrong.xml", (sha, "bad"), accepting, anything + claim.format("hit"))
    three = '<state id="a" initial="true"/><state id="b"/><state id="z" accept="ut"/>'
    steps = (
        '<transition from="a" to="a" edges="*"/><transition from="a" to="b" edges="in" assumption="e"/>'
        '<transition from="b" to="b" edges="*"/><transition from="b" to="z" edges="big"/>'
    )
    for name, value in (("other-value", "x == -7 || x == 7"), ("some-values", "x > 50")):
        text = f'<expression id="e" scope="main">{value.replace(">", "&gt;")}</expression>'
        write(path / f"{name}.xml", (sha, name), three, steps, text)
    write(path / "elsewhere.xml", ("0" * 64, "lost"), accepting, anything + claim.format("never"))
    return path


def test_what_agrees_is_combined_without_a_word(folder: Path) -> None:
    for more in ((), ("--program", "p.c"), ("--program", "p.c", "--keep", "executed")):
        ran = gia("combine", "tests.xml", "right.xml", *more, "-o", "both.xml", cwd=folder)
        assert (ran.status, ran.err, ran.out) == (0, "", "")
        assert "5 covered, 1 unreachable, 0 open" in gia("status", "p.c", "both.xml", cwd=folder).out


@pytest.mark.parametrize("more", [(), ("--program", "p.c")])
def test_a_contradiction_is_refused(folder: Path, more: tuple[str, ...]) -> None:
    ran = gia("combine", "tests.xml", "right.xml", "wrong.xml", *more, cwd=folder)
    assert ran.status == 2
    assert "wrong.xml (by bad) says that a path is infeasible or reaches no target" in ran.err
    assert "but tests.xml (by tester) says that it is feasible and reaches one" in ran.err
    assert "main:5:5 assume then" in ran.err
    assert ran.out == ""


def test_the_program_tells_whether_conditions_meet(folder: Path) -> None:
    """The claims are about paths over the same edges: one about inputs that no test has, one about some of them."""
    for name, contradicts in (("other-value", False), ("some-values", True)):
        ran = gia("combine", "tests.xml", f"{name}.xml", "-o", "unclear.xml", cwd=folder)
        assert ran.status == 0
        assert f"{name}.xml (by {name}) may contradict tests.xml (by tester)" in ran.err
        assert "`--program P.c` decides it" in ran.err
        ran = gia("combine", "tests.xml", f"{name}.xml", "--program", "p.c", "-o", "clear.xml", cwd=folder)
        assert ran.status == (2 if contradicts else 0)
        assert ("an execution with the inputs" in ran.err) == contradicts
        assert bool(ran.err) == contradicts


def test_executed_tests_win(folder: Path) -> None:
    common = ("--program", "p.c", "--keep", "executed", "-o", "kept.xml")
    ran = gia("combine", "tests.xml", "wrong.xml", *common, cwd=folder)
    assert ran.status == 0, ran.err
    assert "dropped the claim of wrong.xml (by bad) that main:5:5:then cannot be reached: the inputs 12345" in ran.err
    assert "5 covered, 1 unreachable, 0 open" in gia("status", "p.c", "kept.xml", cwd=folder).out
    assert [actor.name for actor in read_gia(folder / "kept.xml").metadata.actors] == ["tester", "bad"]
    ran = gia("combine", "tests.xml", "all-wrong.xml", *common, cwd=folder)
    assert [actor.name for actor in read_gia(folder / "kept.xml").metadata.actors] == ["tester"]
    ran = gia("combine", "tests.xml", "some-values.xml", *common, cwd=folder)
    assert ran.status == 0, ran.err
    assert "dropped the claim of some-values.xml (by some-values) about the path p.c:4:3 then" in ran.err
    assert gia("combine", "kept.xml", "tests.xml", "--program", "p.c", cwd=folder).err == ""


def test_what_was_not_executed_does_not_win(folder: Path) -> None:
    """An ``rt`` claim whose test reaches nothing of the kind does not take a ``ut`` claim with it."""
    text = (folder / "tests.xml").read_text().replace("\\result == 12345", "\\result == 12344")
    (folder / "lies.xml").write_text(text)
    ran = gia("combine", "lies.xml", "all-wrong.xml", "--program", "p.c", "--keep", "executed", cwd=folder)
    assert ran.status == 2
    assert "all-wrong.xml (by bad) says that a path is infeasible" in ran.err
    assert "dropped" not in ran.err


def test_bad_arguments(folder: Path) -> None:
    ran = gia("combine", "tests.xml", "elsewhere.xml", cwd=folder)
    assert ran.status == 2
    assert "elsewhere.xml: its program's hash is" in ran.err and "that of tests.xml is" in ran.err
    ran = gia("combine", "tests.xml", "elsewhere.xml", "--program", "p.c", cwd=folder)
    assert ran.status == 2 and "elsewhere.xml: it was made for" in ran.err
    ran = gia("combine", "tests.xml", "--keep", "executed", cwd=folder)
    assert ran.status == 2 and "--program" in ran.err
    ran = gia("combine", "tests.xml", "missing.xml", cwd=folder)
    assert ran.status == 2 and "missing.xml" in ran.err
