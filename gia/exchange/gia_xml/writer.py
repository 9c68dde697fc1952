"""Writing a GIA file: the canonical bytes of ``docs/gia-format.md``, line by line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, BinaryIO, TypeVar

from gia.automaton.canonical import canonical_graph
from gia.automaton.labelled import LabelledGraph, condition_key, edge_key, used_edges
from gia.automaton.model import Automaton, Condition, Metadata
from gia.automaton.wellformed import is_xml_text
from gia.cfa.graph import EdgeReference
from gia.errors import InputError
from gia.exchange.gia_xml.grammar import NAMESPACE, VERSION

_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)
_LINES_AT_ONCE = 4096

_Value = TypeVar("_Value")


def write_stream(automaton: Automaton, stream: BinaryIO) -> None:
    """Writes the canonical form of the automaton to a binary stream.

    Raises :class:`~gia.errors.InputError` if a condition or a name holds a character that XML 1.0
    cannot carry; such characters in the texts of edges, which are for people, are replaced.
    """
    lines = iter(_document(canonical_graph(LabelledGraph.of(automaton))))
    while batch := list(islice(lines, _LINES_AT_ONCE)):
        stream.write("\n".join([*batch, ""]).encode())


def _document(graph: LabelledGraph) -> Iterator[str]:
    edge_ids = _numbered("e", used_edges(graph.labels), edge_key)
    conditions = {assumption for _, assumption in graph.labels if assumption}
    conditions |= {state.invariant for state in graph.states if state.invariant}
    condition_ids = _numbered("x", conditions, condition_key)
    set_ids = _recurring_sets(graph)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<gia xmlns="{NAMESPACE}" version="{VERSION}">'
    yield from _metadata(graph.origin.metadata)
    yield from _section("edges", _edges(graph, edge_ids))
    yield from _section(
        "edge-sets",
        (f'<edge-set id="{name}" edges="{_edge_list(edges, edge_ids)}"/>' for edges, name in set_ids.items()),
    )
    yield from _section("expressions", _expressions(condition_ids))
    yield from _section("states", _states(graph, condition_ids))
    yield from _section("transitions", _transitions(graph, edge_ids, set_ids, condition_ids))
    yield "</gia>"


def _numbered(prefix: str, values: Iterable[_Value], key: Callable[[_Value], Any]) -> dict[_Value, str]:
    return {value: f"{prefix}{number}" for number, value in enumerate(sorted(values, key=key), 1)}


def _section(name: str, elements: Iterable[str]) -> Iterator[str]:
    """A section with its elements, nothing if there are none."""
    opened = False
    for element in elements:
        if not opened:
            yield f"  <{name}>"
            opened = True
        yield f"    {element}"
    if opened:
        yield f"  </{name}>"


def _metadata(metadata: Metadata) -> Iterator[str]:
    yield "  <metadata>"
    if metadata.created:
        yield f"    <created>{_escaped(metadata.created)}</created>"
    task = _attributes(
        ("file", metadata.program),
        ("sha256", metadata.sha256),
        ("data-model", metadata.data_model),
        ("specification", metadata.specification),
    )
    if task:
        yield f"    <task{task}/>"
    for actor in metadata.actors:
        described = _attributes(("version", actor.version), ("direction", actor.direction))
        times = f'wall="{float(actor.wall)!r}" cpu="{float(actor.cpu)!r}"'
        yield f'    <actor name="{_escaped(actor.name)}"{described} {times}/>'
    yield "  </metadata>"


def _edges(graph: LabelledGraph, ids: dict[EdgeReference, str]) -> Iterator[str]:
    texts = graph.origin.edge_texts
    for edge, name in ids.items():
        branch = f' branch="{_escaped(edge.branch)}"' if edge.branch else ""
        ordinal = f' ordinal="{edge.ordinal}"' if edge.ordinal != 1 else ""
        start = (
            f'<edge id="{name}" function="{_escaped(edge.function)}" line="{edge.line}" column="{edge.column}"'
            f' kind="{_escaped(edge.kind)}"{branch}{ordinal}'
        )
        text = texts.get(edge, "")
        yield f"{start}>{_escaped(_legal(text))}</edge>" if text else f"{start}/>"


def _expressions(ids: dict[Condition, str]) -> Iterator[str]:
    for condition, name in ids.items():
        scope = f' scope="{_escaped(condition.scope)}"' if condition.scope else ""
        yield f'<expression id="{name}"{scope}>{_escaped(condition.text)}</expression>'


def _states(graph: LabelledGraph, condition_ids: dict[Condition, str]) -> Iterator[str]:
    for number, state in enumerate(graph.states):
        initial = ' initial="true"' if number == graph.initial else ""
        accept = f' accept="{state.accept.value}"' if state.accept else ""
        invariant = f' invariant="{condition_ids[state.invariant]}"' if state.invariant else ""
        yield f'<state id="q{number}"{initial}{accept}{invariant}/>'


def _transitions(
    graph: LabelledGraph,
    edge_ids: dict[EdgeReference, str],
    set_ids: dict[frozenset[EdgeReference], str],
    condition_ids: dict[Condition, str],
) -> Iterator[str]:
    endings: list[str] = []
    for edges, assumption in graph.labels:
        named = "*" if edges is None else set_ids.get(edges) or _edge_list(edges, edge_ids)
        assumed = f' assumption="{condition_ids[assumption]}"' if assumption else ""
        endings.append(f'" edges="{named}"{assumed}/>')
    starts = [f'<transition from="q{state}" to="q' for state in range(len(graph.states))]
    numbers = [str(state) for state in range(len(graph.states))]
    columns = (
        map(starts.__getitem__, graph.sources),
        map(numbers.__getitem__, graph.targets),
        map(endings.__getitem__, graph.ranks),
    )
    yield from map("".join, zip(*columns, strict=True))


def _recurring_sets(graph: LabelledGraph) -> dict[frozenset[EdgeReference], str]:
    """Ids of the sets of at least two edges that at least two transitions carry, in the order of labels."""
    uses: Counter[frozenset[EdgeReference]] = Counter()
    for rank, count in Counter(graph.ranks).items():
        edges = graph.labels[rank][0]
        if edges is not None:
            uses[edges] += count
    sets = dict.fromkeys(edges for edges, _ in graph.labels if edges is not None and len(edges) > 1)
    recurring = [edges for edges in sets if uses[edges] > 1]
    return {edges: f"s{number}" for number, edges in enumerate(recurring, 1)}


def _edge_list(edges: frozenset[EdgeReference], ids: dict[EdgeReference, str]) -> str:
    return " ".join(sorted((ids[edge] for edge in edges), key=_id_order))


def _id_order(name: str) -> tuple[int, str]:
    return (len(name), name)


def _attributes(*pairs: tuple[str, str]) -> str:
    return "".join(f' {name}="{_escaped(value)}"' for name, value in pairs if value)


def _escaped(text: str) -> str:
    if not is_xml_text(text):
        raise InputError(f"a GIA file cannot carry the text {text!r}: XML has no such characters")
    return text.translate(_ESCAPES)


def _legal(text: str) -> str:
    return text if is_xml_text(text) else "".join(c if is_xml_text(c) else "\ufffd" for c in text)
