"""Drawings of automata: complete, well-formed, folded when large."""

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from lxml import etree, html

from gia.automaton.model import ANY, Acceptance, ActorRecord, Automaton, Condition, Metadata, State, Transition
from gia.cfa.graph import EdgeReference
from gia.errors import InputError
from gia.report.automaton_drawing import FORMATS, draw
from gia.report.automaton_excerpt import excerpt_of
from tests.automaton import reference as ref

EDGES = [EdgeReference("main", line, 3, "assume", "then") for line in range(1, 9)]
SAMPLE = Automaton(
    (State(), State(Condition("x < 5 && y", "main")), *(State(None, kind) for kind in Acceptance)),
    (
        Transition(0, 0, ANY),
        Transition(0, 1, frozenset(EDGES[:2]), Condition('c == "<\\"', "main")),
        Transition(1, 2, frozenset(EDGES)),
        Transition(1, 0, frozenset(EDGES[4:5])),
        Transition(0, 3, frozenset(EDGES[2:3])),
        Transition(0, 4, frozenset(EDGES[3:4])),
        Transition(4, 4, ANY),
    ),
    0,
    Metadata("a<b>.c", actors=(ActorRecord("prover", "1.0", "OA"), ActorRecord("fuzzer", "", "UA"))),
    {EDGES[0]: 'x < "5"'},
)


def test_text():
    assert draw(SAMPLE, "text") == (
        "GIA of a<b>.c: 5 states (1 ut, 1 rt, 1 cand), 7 transitions\n"
        "by prover 1.0, fuzzer\n"
        "q0  initial\n"
        "    -> q0  *\n"
        '    -> q1  main:1:3 then: x < "5" | main:2:3 then  [c == "<\\" @ main]\n'
        "    -> q3  main:3:3 then\n"
        "    -> q4  main:4:3 then\n"
        "q1  invariant x < 5 && y @ main\n"
        '    -> q2  main:1:3 then: x < "5" | main:2:3 then | main:3:3 then | main:4:3 then … and 4 more\n'
        "    -> q0  main:5:3 then\n"
        "q2  ut\n"
        "q3  rt\n"
        "q4  cand\n"
        "    -> q4  *\n"
    )


def test_svg_shows_every_state_in_its_colour():
    drawing = etree.fromstring(draw(SAMPLE, "svg"))
    texts = [element.text for element in drawing.iter("{*}text")]
    assert [f"q{number}" in texts for number in range(5)] == [True] * 5
    fills = [element.get("fill") for element in drawing.iter("{*}circle") if element.get("r") == "20"]
    assert fills == ["#ffffff", "#ffffff", "#c3e6bd", "#bcd9f7", "#fff0a8"]
    assert len([path for path in drawing.iter("{*}path") if path.get("class") == "t"]) == 1 + 7


def test_html_is_self_contained():
    page = draw(SAMPLE, "html")
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    document = html.document_fromstring(page)
    assert len(document.xpath("//table[3]//tr")) == 1 + 7 or len(document.xpath("//tr")) > 12
    assert "a<b>.c" in document.xpath("//h1")[0].text
    assert "<script" not in page


def test_dot_is_quoted():
    drawing = draw(SAMPLE, "dot")
    assert drawing.startswith("digraph gia {") and drawing.endswith("}\n")
    assert '\\n[c == \\"<\\\\\\"]"' in drawing
    assert drawing.count("->") == 1 + 7


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_accepts_the_drawing():
    subprocess.run(["dot", "-Tsvg"], input=draw(SAMPLE, "dot").encode(), check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("format", FORMATS)
def test_large_automata_are_folded_and_say_so(format):
    count = 5000
    chain = [Transition(n, n + 1, frozenset({EDGES[n % 8]})) for n in range(count)]
    states = [State()] * count + [State(None, Acceptance.RT), State(None, Acceptance.UT)]
    large = Automaton(tuple(states), (*chain, Transition(3, count + 1, frozenset(EDGES))), 0)
    drawing = draw(large, format, limit=20)
    assert "folded: 4992 states and 4993 transitions of 5002 and 5001 are not shown" in drawing
    assert len(drawing) < 40_000
    assert "q5001" in drawing
    assert "… 4994 states …" in drawing  # between the beginning and the end of the run to the rt state
    assert "q5000" in drawing


@pytest.mark.parametrize("format", FORMATS)
def test_folding_shows_every_accepting_set(format):
    """Many candidates are nearer than the only ``ut`` and the only ``rt`` state."""
    chain = [Transition(n, n + 1, frozenset({EDGES[0]})) for n in range(10)]
    states = [State()] * 10 + [State(None, Acceptance.UT)] + [State(None, Acceptance.CAND)] * 50
    states.append(State(None, Acceptance.RT))
    near = [Transition(0, n, frozenset({EDGES[1]})) for n in range(11, 61)]
    automaton = Automaton(tuple(states), (*chain, *near, Transition(8, 61, frozenset({EDGES[2]}))), 0)
    drawing = draw(automaton, format, limit=20)
    assert "q10" in drawing
    assert "q61" in drawing


@pytest.mark.parametrize("format", FORMATS)
def test_of_many_ways_into_each_accepting_set_some_are_shown(format):
    """The initial state has 300 successors, from which the single states of the accepting sets are entered."""
    states = [*(State(None, kind) for kind in Acceptance), *[State()] * 301]
    spread = [Transition(303, n, frozenset({EDGES[0]})) for n in range(3, 303)]
    ways = [Transition(n, (n - 3) // 100, frozenset({EDGES[1]})) for n in range(3, 303)]
    drawing = excerpt_of(Automaton(tuple(states), (*spread, *ways), 303), 60)
    entered = [[t.source for t in drawing.transitions if t.target == n] for n in range(3)]
    assert [len(sources) for sources in entered] == [2, 1, 1]
    assert "folded: 296 states and 592 transitions" in FORMATS[format](drawing)


def test_everything_is_shown_with_a_higher_limit():
    chain = tuple(Transition(n, n + 1, frozenset(EDGES[:1])) for n in range(99))
    automaton = Automaton((State(),) * 100, chain, 0)
    assert "folded" in draw(automaton, "text")
    assert "folded" not in draw(automaton, "text", limit=100)


def test_an_unknown_format_is_refused():
    with pytest.raises(InputError, match="there is no format 'png'") as caught:
        draw(SAMPLE, "png")
    assert caught.value.hint == "give one of text, dot, svg, html"


HOSTILE = Automaton(
    (State(), State(Condition('</title><script>alert("1")</script>', "m&m"), Acceptance.UT)),
    (Transition(0, 1, frozenset({EDGES[0]}), Condition('s == "\\n\\"]]>" && \'∀\' && "\\\\"', "main")),),
    0,
    Metadata('<b>häßlich</b>\\".c', actors=(ActorRecord("<i>\\", "1", "OA"),)),
    {EDGES[0]: "x\\l\\r\\N\\G < <br/>\n\t\u202e{a|b} & é"},
)
"""Texts that mean something in dot, SVG and HTML."""


def test_hostile_texts_stay_texts():
    etree.fromstring(draw(HOSTILE, "svg"))
    page = draw(HOSTILE, "html")
    assert not html.document_fromstring(page).xpath("//script | //b | //i | //br/ancestor::h1")
    assert "häßlich" in html.document_fromstring(page).xpath("//h1")[0].text


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_lays_out_hostile_texts_as_they_are():
    ran = subprocess.run(["dot", "-Tsvg"], input=draw(HOSTILE, "dot").encode(), check=True, capture_output=True)
    assert ran.stderr == b""
    texts = "".join(text for element in etree.fromstring(ran.stdout).iter("{*}text") for text in element.itertext())
    assert "script" in texts
    assert "x\\l\\r\\N\\G" in texts.replace("\xa0", " ")
    assert "häßlich" in texts


@settings(max_examples=40 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(max_states=8))
def test_every_automaton_can_be_drawn(case):
    _, (automaton,) = case
    for name in FORMATS:
        drawing = draw(automaton, name)
        assert drawing == draw(automaton, name)
    etree.fromstring(draw(automaton, "svg"))
