"""Test-Comp suites: strict writing, lenient reading, hardened against hostile documents; minimisation."""

import zipfile
from itertools import combinations
from pathlib import Path
from xml.dom import minidom

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gia.cfa.types import DOUBLE, INT, VOID, DataModel, PointerType
from gia.errors import DocumentError, InputError
from gia.exchange.suites.testcase import TestCase, minimise
from gia.exchange.suites.testcomp_suite import SuiteMetadata, read_suite, test_document, write_suite
from gia.native import InputValue
from tests.shared import SHARED, needs_shared

METADATA = SuiteMetadata(
    specification="COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )",
    program="p & q.c",
    sha256="ab" * 32,
    entry="main",
    data_model=DataModel.ILP32,
    created="2026-11-20T10:00:00Z",
)

LITERALS = st.one_of(
    st.integers(-(2**127), 2**128 - 1).map(str),
    st.floats().map(str),
    st.sampled_from(["'c'", "'\\n'", "'<'", "'&'", "0x1f", "1.5f", "0x1.8p-3", "-nan"]),
)
TYPES = st.sampled_from(["int", "unsigned char", "void *", "double", ""])
CASES = st.builds(TestCase, st.lists(st.tuples(TYPES, LITERALS), max_size=5).map(tuple), st.booleans())


@settings(max_examples=25, deadline=None)
@given(st.lists(CASES, max_size=12))
def test_a_suite_is_read_back(tmp_path_factory: pytest.TempPathFactory, cases: list[TestCase]) -> None:
    folder = tmp_path_factory.mktemp("suite")
    write_suite(folder, cases, METADATA)
    assert read_suite(folder) == tuple(cases)


def test_the_document_types_are_followed(tmp_path: Path) -> None:
    case = TestCase.of([InputValue("f", INT, 2**32 - 5), InputValue("f", PointerType(VOID), 0)], covers_error=True)
    metadata, test = write_suite(tmp_path / "new" / "suite", [case], METADATA)
    assert (metadata.name, test.name) == ("metadata.xml", "testcase-1.xml")
    document = minidom.parse(str(metadata))
    assert (
        document.doctype and document.doctype.publicId == "+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN"
    )
    names = [node.nodeName for node in document.documentElement.childNodes if node.nodeType == node.ELEMENT_NODE]
    assert names == [
        *("sourcecodelang", "producer", "specification", "programfile", "programhash", "entryfunction"),
        *("architecture", "creationtime"),
    ]
    assert document.getElementsByTagName("programfile")[0].firstChild.data == "p & q.c"  # type: ignore[union-attr]
    assert test.read_text() == (
        '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
        '<!DOCTYPE testcase PUBLIC "+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN" '
        '"https://sosy-lab.org/test-format/testcase-1.1.dtd">\n'
        '<testcase coversError="true">\n  <input type="int">-5</input>\n  <input type="void *">0</input>\n</testcase>\n'
    )


def test_a_smaller_suite_replaces_a_larger_one(tmp_path: Path) -> None:
    (tmp_path / "testcase-notes.xml").write_text("<notes/>")
    write_suite(tmp_path, [TestCase(())] * 12, METADATA)
    write_suite(tmp_path, [TestCase((("int", "1"),))] * 2, METADATA)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "metadata.xml",
        "testcase-1.xml",
        "testcase-2.xml",
        "testcase-notes.xml",
    ]
    assert len(read_suite(tmp_path)) == 2


def test_reading_is_lenient(tmp_path: Path) -> None:
    nested = tmp_path / "a" / "b"
    nested.mkdir(parents=True)
    (nested / "t10.xml").write_text(
        '<testcase coversError=" TRUE "><input>1 </input><input type="char" variable="x">\'c\'</input></testcase>'
    )
    (nested / "t9.xml").write_text('<?xml version="1.0"?><!DOCTYPE testcase SYSTEM "x.dtd"><testcase/>')
    (tmp_path / "metadata.xml").write_text("<test-metadata><input>7</input></test-metadata>")
    (tmp_path / "README").write_text("no XML")
    expected = (TestCase(()), TestCase((("", "1"), ("char", "'c'")), True))
    assert read_suite(tmp_path) == expected
    archive = tmp_path / "suite.zip"
    with zipfile.ZipFile(archive, "w") as writer:
        for name in ("t9.xml", "t10.xml"):
            writer.write(nested / name, f"deep/{name}")
    assert read_suite(archive) == expected
    assert read_suite(nested / "t10.xml") == expected[1:]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("<testcase><input>1</testcase>", "not well-formed"),
        ("", "not well-formed"),
        ("<testcase>\n<input>one</input></testcase>", "literal"),
        ("<testcase><output>1</output></testcase>", "expected <input>"),
        ("<testcase><input><b>1</b></input></testcase>", "expected <input>"),
        ('<!DOCTYPE testcase [<!ENTITY a "1">]><testcase><input>&a;</input></testcase>', "entities"),
        ('<!DOCTYPE testcase [<!ENTITY a SYSTEM "/etc/passwd">]><testcase/>', "entities"),
        ('<!DOCTYPE testcase SYSTEM "x.dtd"><testcase><input>&a;</input></testcase>', "entities"),
    ],
)
def test_malformed_documents_are_refused(tmp_path: Path, document: str, message: str) -> None:
    path = tmp_path / "t.xml"
    path.write_text(document)
    with pytest.raises(DocumentError, match=message) as caught:
        read_suite(tmp_path)
    assert caught.value.position is not None and caught.value.position.file == str(path)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read_suite(tmp_path / "nothing")
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as writer:
        writer.writestr("t.xml", "<testcase/>")
    data = (tmp_path / "bad.zip").read_bytes()
    (tmp_path / "bad.zip").write_bytes(data.replace(b"<testcase/>", b"<testcose/>"))
    with pytest.raises(InputError):
        read_suite(tmp_path / "bad.zip")


def test_what_cannot_be_written() -> None:
    with pytest.raises(InputError):
        test_document(TestCase((("int", "many"),)))
    with pytest.raises(InputError):
        test_document(TestCase((("int\x00", "1"),)))


def test_values_are_written_in_their_type() -> None:
    case = TestCase.of([InputValue("f", DOUBLE, 0x3FB999999999999A)])
    assert case.inputs == (("double", "0.1"),) and case.literals == ("0.1",)


@needs_shared
def test_suites_of_other_tools_are_read() -> None:
    folder = SHARED / "fixtures" / "cpachecker-gia"
    cases = {path.name: read_suite(path)[0].literals for path in sorted(folder.glob("testinput-*.xml"))}
    assert cases["testinput-count-char.xml"] == ("0", "'c'")
    assert cases["testinput-count-float.xml"] == ("8.5", "10.5")
    assert len(cases["testinput-count.xml"]) == 9


SUITES = st.lists(st.tuples(st.integers(0, 9), st.frozensets(st.sampled_from("abcdef"))), max_size=6)


@given(SUITES)
def test_a_minimal_suite_covers_the_same(tests: list[tuple[int, frozenset[str]]]) -> None:
    chosen = minimise(tests)
    everything = frozenset().union(*(goals for _, goals in tests))
    assert list(chosen) == sorted(set(chosen))
    assert frozenset().union(*(tests[i][1] for i in chosen)) == everything
    for left_out in chosen:  # none is superfluous
        assert frozenset().union(*(tests[i][1] for i in chosen if i != left_out)) != everything
    smallest = min(
        k for k in range(7) for c in combinations(tests, k) if frozenset().union(*(g for _, g in c)) == everything
    )
    assert len(chosen) <= max(smallest, 3 * smallest)  # the greedy bound: H(6) < 2.5


def test_of_equal_tests_the_smaller_is_taken() -> None:
    goals = frozenset("ab")
    assert minimise([(5, goals), (2, goals), (2, goals), (1, frozenset("a"))]) == (1,)
