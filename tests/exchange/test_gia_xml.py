"""The GIA file: round trips, canonical bytes, the schema, and what a reader must refuse."""

import io
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from gia.automaton.canonical import canonical
from gia.automaton.model import (
    ANY,
    Acceptance,
    ActorRecord,
    Automaton,
    Condition,
    Metadata,
    State,
    Transition,
)
from gia.cfa.graph import EdgeReference
from gia.errors import DocumentError, InputError
from gia.exchange.gia_xml import gia_bytes, read_gia, write_gia
from gia.exchange.gia_xml.grammar import GRAMMAR, Element
from gia.exchange.gia_xml.reader import read_stream
from tests.automaton import reference as ref

from .second_writer import document

SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).parents[2] / "schemas" / "gia.xsd"))
EDGES = [EdgeReference("main", line, 3, "assume", branch) for line in (12, 20) for branch in ("then", "else")]
METADATA = Metadata(
    "valves.c",
    "ab" * 32,
    "LP64",
    "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )",
    "2026-11-20T12:00:00Z",
    (ActorRecord("concolic", "0.1.0", "UA", 1.25, 1e-7), ActorRecord("<&\"'>\n", "", "OA")),
)
SAMPLE = Automaton(
    (
        State(),
        State(Condition("x > 5 && c != '\"' // \t\"", "main")),
        State(None, Acceptance.UT),
        State(None, Acceptance.CAND),
    ),
    (
        Transition(0, 0, ANY),
        Transition(0, 1, frozenset(EDGES[:2])),
        Transition(1, 2, frozenset(EDGES[:2])),
        Transition(0, 3, frozenset(EDGES[1:]), Condition("\\result == 1")),
        Transition(2, 2, ANY),
        Transition(3, 3, ANY),
    ),
    0,
    METADATA,
    {EDGES[0]: "x < 5", EDGES[1]: " !(x < 5)\r\n"},
)
GOOD = gia_bytes(SAMPLE).decode()

characters = st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")
texts = st.text(characters, max_size=8)
seconds = st.floats(0, 1e9)
references = st.builds(
    EdgeReference,
    texts.filter(bool),
    st.integers(0, 99999),
    st.integers(0, 300),
    st.sampled_from(["assume", "call", "input"]),
    texts,
    st.integers(1, 3),
)


@st.composite
def automata(draw):
    """Automata with all kinds of texts; not only those that some program has."""
    edges = draw(st.lists(references, min_size=1, max_size=5, unique=True))
    conditions = draw(st.lists(texts.filter(str.strip), min_size=1, max_size=3))
    automaton = draw(ref.automata(edges, conditions, max_states=6))
    actors = draw(st.lists(st.builds(ActorRecord, texts, texts, texts, seconds, seconds), max_size=2))
    metadata = Metadata(*(draw(texts) for _ in range(5)), tuple(actors))
    return Automaton(automaton.states, automaton.transitions, 0, metadata, {edge: draw(texts) for edge in edges})


@settings(max_examples=100 * ref.FACTOR, deadline=None)
@given(automata())
def test_reading_what_was_written(automaton):
    written = gia_bytes(automaton)
    read = read_gia(written)
    assert read == canonical(automaton)
    assert read.metadata == automaton.metadata
    mentioned = {edge for transition in read.transitions for edge in transition.edges or ()}
    assert read.edge_texts == {edge: text for edge, text in automaton.edge_texts.items() if text and edge in mentioned}
    assert gia_bytes(read) == written
    SCHEMA.assertValid(etree.fromstring(written))


@settings(max_examples=150 * ref.FACTOR, deadline=None)
@given(automata())
def test_a_second_implementation_writes_the_same_bytes(automaton):
    assert gia_bytes(automaton).decode() == document(automaton).decode()


def test_the_bytes_do_not_depend_on_the_hash_seed():
    script = "from tests.exchange.test_gia_xml import SAMPLE, gia_bytes; print(gia_bytes(SAMPLE))"
    for seed in ("0", "1", "77"):
        environment = {"PYTHONHASHSEED": seed}
        root = Path(__file__).parents[2]
        found = subprocess.run(
            [sys.executable, "-c", script], env=environment, cwd=root, stdout=subprocess.PIPE, check=True
        )
        assert found.stdout == f"{GOOD.encode()!r}\n".encode()


def test_files_and_streams(tmp_path):
    path = tmp_path / "a.xml"
    write_gia(SAMPLE, path)
    assert path.read_text() == GOOD
    assert list(tmp_path.iterdir()) == [path]
    stream = io.BytesIO()
    write_gia(SAMPLE, stream)
    assert stream.getvalue() == path.read_bytes()
    assert read_gia(path) == read_gia(io.BytesIO(path.read_bytes())) == read_gia(str(path)) == canonical(SAMPLE)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot read the GIA file: No such file"):
        read_gia(tmp_path / "missing.xml")
    with pytest.raises(InputError, match="cannot read the GIA file: Is a directory"):
        read_gia(tmp_path)
    with pytest.raises(InputError, match="cannot write the GIA file"):
        write_gia(SAMPLE, tmp_path / "missing" / "a.xml")


def test_text_that_xml_cannot_carry():
    edge = EDGES[0]
    texts_only = Automaton((State(),), (Transition(0, 0, frozenset({edge})),), 0, Metadata(), {edge: "a\0b"})
    assert read_gia(gia_bytes(texts_only)).edge_texts[edge] == "a\ufffdb"
    with pytest.raises(InputError, match="XML has no such characters"):
        gia_bytes(Automaton((State(),), (Transition(0, 0, ANY, Condition("x == '\0'")),), 0))


def test_sets_may_be_made_of_sets_and_spaces():
    automaton = read_gia(GOOD.replace('edges="s1"', 'edges="  s1\n e3 e1 "', 1).encode())
    assert Transition(0, 1, frozenset({*EDGES[:2], EDGES[3]})) in automaton.transitions


def test_a_higher_minor_version_may_bring_what_can_be_ignored():
    newer = GOOD.replace('version="1.0">', 'version="1.7" more="1">')
    newer = newer.replace('<state id="q0"', '<state colour="red" id="q0"')
    newer = newer.replace("  <states>", "  <extra><states a='1'>text<deep/></states></extra>\n  <states>")
    assert read_gia(newer.encode()) == canonical(SAMPLE)


def edited(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)


def line_of(text: str) -> int:
    return GOOD[: GOOD.index(text)].count("\n") + 1


E1, E2, S1 = line_of('<edge id="e1"'), line_of('<edge id="e2"'), line_of('id="s1"')
Q0, Q1, Q2 = (line_of(f'<state id="q{number}"') for number in range(3))
STATES, END = line_of("<states>"), GOOD.count("\n") + 1
ELSE = 'line="12" column="3" kind="assume" branch="else"'
ENTITY = '<!DOCTYPE gia [<!ENTITY x SYSTEM "file:///etc/passwd">]><gia'

BAD = {
    "empty": ("", 1, "no element found"),
    "no XML": ("hello", 1, "syntax error"),
    "another root": ("<a/>", 1, "expected gia of namespace 'urn:gia:1'"),
    "no namespace": (edited(' xmlns="urn:gia:1"', ""), 2, "expected gia of namespace"),
    "no version": (edited('1" version="1.0"', '1"'), 2, "expected the attribute version"),
    "next major version": (edited('1" version="1.0"', '1" version="2.0"'), 2, "version '2.0'"),
    "no number as version": (edited('1" version="1.0"', '1" version="one"'), 2, "version 'one'"),
    "unknown root attribute": (edited('version="1.0">', 'version="1.0" a="1">'), 2, "the attribute version only"),
    "unknown element": (edited("  <states>", "<sates/><states>"), STATES, "<sates>"),
    "unknown attribute": (edited('<state id="q1"', '<state x="1" id="q1"'), Q1, "attribute 'x'"),
    "sections twice": (edited("</states>", "</states><states/>"), line_of("</states>"), "this order, each once"),
    "sections in disorder": (edited("<states>", "<transitions/><states>"), STATES, "this order, each once"),
    "two tasks": (edited("<actor", "<task/><actor"), line_of("<actor"), "this order, each once"),
    "an element at the wrong place": (edited("<states>", "<states><edge/>"), STATES, "expected state"),
    "text between elements": (edited("<states>\n", "<states>x"), STATES, "expected elements only"),
    "missing attribute": (edited('id="e1" function="main"', 'id="e1"'), E1, "the attribute function"),
    "unknown edge": (edited('edges="*"', 'edges="e9"'), line_of('edges="*"'), "unknown edge 'e9'"),
    "star among edges": (edited('edges="*"', 'edges="e1 *"'), line_of('edges="*"'), "unknown edge '*'"),
    "no edges": (edited('edges="*"', 'edges=" "'), line_of('edges="*"'), "at least one edge"),
    "an edge set of everything": (edited('id="s1" edges="e1 e2"', 'id="s1" edges="*"'), S1, "ids of edges"),
    "an edge set named as an edge": (edited('id="s1"', 'id="e1"'), S1, "an id of its own"),
    "unknown state": (edited('to="q3"', 'to="q9"'), line_of('to="q3"'), "unknown state 'q9'"),
    "unknown expression": (edited('assumption="x1"', 'assumption="x9"'), line_of('assumption="x1"'), "'x9'"),
    "unknown invariant": (edited('invariant="x2"', 'invariant="q0"'), Q1, "'q0'"),
    "edge ids twice": (edited('<edge id="e2"', '<edge id="e1"'), E2, "a second edge 'e1'"),
    "edges twice": (edited(ELSE.replace("else", "then"), ELSE), E2, "each edge once"),
    "state ids twice": (edited('<state id="q2"', '<state id="q1"'), Q2, "a second state 'q1'"),
    "expression ids twice": (edited('"x2" scope', '"x1" scope'), line_of('"x2" scope'), "a second expression"),
    "empty expression": (edited("\\result == 1<", " <"), line_of("\\result"), "an empty expression"),
    "id with a space": (edited('<state id="q2"', '<state id="q 2"'), Q2, "a name without spaces"),
    "two initial states": (edited('<state id="q1"', '<state id="q1" initial="true"'), Q1, "exactly one"),
    "no initial state": (edited(' initial="true"', ""), END, "no state is initial"),
    "unknown accept": (edited('accept="ut"', 'accept="UT"'), line_of('accept="ut"'), "expected ut, rt or cand"),
    "initial maybe": (edited('initial="true"', 'initial="1"'), Q0, "expected true or false"),
    "line that is no number": (edited('line="12"', 'line="-1"'), E1, "at most nine digits"),
    "very long number": (edited('line="12"', f'line="{"9" * 5000}"'), E1, "at most nine digits"),
    "other digits": (edited('line="12"', 'line="\uff11"'), E1, "at most nine digits"),
    "ordinal 0": (edited('kind="assume"', 'ordinal="0" kind="assume"'), E1, "a number from 1"),
    "no function": (edited('function="main"', 'function=""'), E1, "the name of the function"),
    "no kind": (edited('kind="assume"', 'kind="A b"'), E1, "the kind 'A b'"),
    "time that is none": (edited('wall="1.25"', 'wall="nan"'), line_of('wall="1.25"'), "a number of seconds"),
    "endless time": (edited('wall="1.25"', 'wall="1e999"'), line_of('wall="1.25"'), "a number of seconds"),
    "truncated": (GOOD[: GOOD.index("</states>")], line_of("</states>"), "no element found"),
    "truncated in a tag": (GOOD[: GOOD.index('<state id="q1"') + 9], Q1, "unclosed token"),
    "rubbish at the end": (GOOD + "<gia/>", END, "junk after document element"),
    "crossed tags": (edited("</states>", "</transitions>"), line_of("</states>"), "mismatched tag"),
    "a processing instruction": (edited("<states>", "<?php x?><states>"), STATES, "processing instruction"),
    "a document type": (edited("<gia", "<!DOCTYPE gia><gia"), 2, "document type"),
    "an external entity": (edited("<gia", ENTITY), 2, "document type"),
    "an unknown entity": (edited("x &lt; 5", "&lol;"), line_of("x &lt; 5"), "undefined entity"),
    "the encoding": (edited("UTF-8", "ISO-8859-1"), 1, "the encoding is ISO-8859-1; expected UTF-8"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_documents_are_refused_with_their_line(name):
    text, line, expected = BAD[name]
    with pytest.raises(DocumentError) as caught:
        read_gia(text.encode(), "bad.xml")
    assert expected in str(caught.value)
    assert caught.value.position.file == "bad.xml"
    assert caught.value.position.line == line
    assert caught.value.exit_status == 2


def test_a_billion_laughs():
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    bomb = f'<!DOCTYPE gia [<!ENTITY l0 "lol">{entities}]><gia xmlns="urn:gia:1" version="1.0">&l9;</gia>'
    with pytest.raises(DocumentError, match="document type"):
        read_gia(bomb.encode())


def test_deep_nesting():
    deep = '<gia xmlns="urn:gia:1" version="1.9">' + "<a>" * 100_000
    with pytest.raises(DocumentError, match="nested more than 8 deep"):
        read_gia(deep.encode())


class Endless(io.RawIOBase):
    """A document that starts well and then never ends; counts what is asked for."""

    def __init__(self, start: bytes, repeated: bytes) -> None:
        self.pending, self.repeated, self.served = start, repeated, 0

    def read(self, size=-1):
        data = self.pending or self.repeated
        self.pending = b""
        self.served += len(data)
        return data


def test_a_token_that_never_ends(monkeypatch):
    monkeypatch.setattr("gia.exchange.gia_xml.reader.MAXIMAL_TOKEN", 2**20)
    for start in (b'<gia xmlns="urn:gia:1" version="', b'<gia xmlns="urn:gia:1" version="1.0"><!-- '):
        endless = Endless(start, b"x" * 2**16)
        with pytest.raises(DocumentError, match="a tag or text of more than 1048576 bytes"):
            read_gia(endless)
        assert endless.served < 2**22
    inside = GOOD[: GOOD.index("\\result")].encode()
    with pytest.raises(DocumentError, match="a tag or text of more than 1048576 bytes"):
        read_gia(Endless(inside, b"x " * 2**15))


class Counted(io.BytesIO):
    """A document that counts how often it is read."""

    reads = 0

    def read(self, size=-1):
        self.reads += 1
        return super().read(size)


def test_a_long_token_is_read_in_growing_pieces():
    """The parser reads an unfinished token again with every piece, which must not make the time quadratic."""
    name = "q" * 2**24
    document = Counted(
        f'<gia xmlns="urn:gia:1" version="1.0"><states><state id="{name}" initial="true"/></states></gia>'.encode()
    )
    assert len(read_gia(document).states) == 1
    assert document.reads < 12


def test_sets_of_sets_stay_bounded():
    members = " ".join(f"e{n}" for n in range(3000))
    edges = "".join(f'<edge id="e{n}" function="f" line="{n}" column="1" kind="skip"/>' for n in range(3000))
    sets = "".join(f'<edge-set id="t{n}" edges="s e{n % 3000} t{n - 1}"/>' for n in range(1, 5000))
    start = f'<edge-set id="s" edges="{members}"/><edge-set id="t0" edges="s e1"/>'
    text = f'<gia xmlns="urn:gia:1" version="1.0"><edges>{edges}</edges><edge-sets>{start}{sets}'
    with pytest.raises(DocumentError, match="far larger than the document"):
        read_gia(text.encode())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1"])
def test_other_encodings(encoding):
    text = edited("x &lt; 5", "Ä").split("\n", 1)[1]
    with pytest.raises(DocumentError):
        read_gia(text.encode(encoding))


def test_a_byte_order_mark_is_no_error():
    assert read_gia(b"\xef\xbb\xbf" + GOOD.encode()) == canonical(SAMPLE)


PIECES = [
    *(
        b"\0",
        b"<",
        b">",
        b"&",
        b'"',
        b"'",
        b"/",
        b"=",
        b" ",
        b"\n",
        b"\r",
        b"\t",
        b"*",
        b"e1",
        b"q0",
        b"\xff",
        b"\xc3\xa9",
    ),
    *(
        b"&amp;",
        b"&#10;",
        b"<!--",
        b"-->",
        b"<![CDATA[",
        b"]]>",
        b"<?x?>",
        b'version="1.7"',
        b' assumption="x1"',
        b"<x/>",
    ),
    *(b"  <states>\n", b"  </states>\n", b"  <transitions>\n", b"  </transitions>\n", b' initial="true"'),
    *(b'    <state id="q9"/>\n', b'    <transition from="q0" to="q1" edges="e1 s1"/>\n', b'\n    <transition from="'),
]


@st.composite
def mutated_documents(draw):
    """The bytes of a valid document after some changes, most of them small."""
    raw = bytearray(GOOD.encode() if draw(st.booleans()) else gia_bytes(draw(automata())))
    for _ in range(draw(st.integers(1, 4))):
        position = draw(st.integers(0, len(raw) - 1))
        if draw(st.booleans()):
            position = raw.rfind(b"\n", 0, position) + 1
        match draw(st.sampled_from(["change", "insert", "delete", "copy", "copy line", "swap lines"])):
            case "change":
                raw[position : position + 1] = draw(st.sampled_from(PIECES))
            case "insert":
                raw[position:position] = draw(st.sampled_from(PIECES))
            case "delete":
                del raw[position : position + draw(st.integers(1, 80))]
            case "copy":
                other = draw(st.integers(0, len(raw) - 1))
                raw[position:position] = raw[other : other + draw(st.integers(1, 80))]
            case "copy line":
                lines = raw.splitlines(keepends=True)
                raw[position:position] = draw(st.sampled_from(lines))
            case "swap lines":
                lines = raw.splitlines(keepends=True)
                first, second = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
                lines[first], lines[second] = lines[second], lines[first]
                raw = bytearray(b"".join(lines))
        raw = raw or bytearray(b"\n")
    return bytes(raw)


def outcome(raw: bytes, by_lines: bool):
    """What reading gives: an automaton with its metadata, or the error as it is shown."""
    try:
        read = read_stream(io.BytesIO(raw), "a.xml", by_lines=by_lines)
    except DocumentError as error:
        return str(error), error.position
    return read, read.metadata, read.edge_texts


@settings(max_examples=150 * ref.FACTOR, deadline=None)
@given(mutated_documents(), st.sampled_from([7, 64, 300, 2**18]))
def test_mutated_documents_are_read_or_refused(raw, chunk):
    """A fuzzer: whatever is done to the bytes, the answer is an automaton or a DocumentError, by lines or not."""
    with mock.patch("gia.exchange.gia_xml.reader._CHUNK", chunk):
        found = outcome(raw, by_lines=True)
        assert found == outcome(raw, by_lines=False)
    if isinstance(found[0], Automaton):
        assert read_gia(gia_bytes(found[0])) == canonical(found[0])


@pytest.mark.parametrize("chunk", [7, 64, 300, 2**18])
@pytest.mark.parametrize("name", BAD)
def test_reading_by_lines_finds_the_same_errors(name, chunk, monkeypatch):
    monkeypatch.setattr("gia.exchange.gia_xml.reader._CHUNK", chunk)
    raw = BAD[name][0].encode()
    assert outcome(raw, by_lines=True) == outcome(raw, by_lines=False)


def test_the_parser_does_not_see_canonical_lines(monkeypatch):
    monkeypatch.setitem(GRAMMAR, "transition", Element(required=frozenset({"nothing"})))
    assert read_gia(GOOD.encode()) == canonical(SAMPLE)
    with pytest.raises(DocumentError, match="the attribute nothing"):
        read_gia(GOOD.replace('<transition from="q1"', '<transition  from="q1"').encode())


def test_values_that_only_look_like_ids():
    """What the parser would decode is not compared as it stands."""
    declared = GOOD.replace('"q3"', '"a&amp;amp;b"')
    assert read_gia(declared.encode()) == canonical(SAMPLE)
    with pytest.raises(DocumentError, match="unknown state 'a&b'"):
        read_gia(declared.replace('to="a&amp;amp;b"', 'to="a&amp;b"').encode())
    latin = "\u00e9".encode().decode("latin-1")
    with pytest.raises(DocumentError, match="unknown state '\u00e9'"):
        read_gia(GOOD.replace('"q3"', f'"{latin}"').replace(f'to="{latin}"', 'to="\u00e9"').encode())


def test_a_large_document_is_read_and_written():
    count = 20_000
    transitions = tuple(Transition(n, n + 1, frozenset(EDGES[:2])) for n in range(count))
    large = Automaton((State(),) * count + (State(None, Acceptance.RT),), transitions, 0)
    assert read_gia(gia_bytes(large)) == large
