"""Exchange automata as SVG."""

from __future__ import annotations

from html import escape
from itertools import pairwise
from math import hypot

from msgspec import Struct

from gia.automaton.model import Acceptance, Automaton, Transition
from gia.report.automaton_excerpt import (
    COLOURS,
    MEANING,
    Excerpt,
    condition_text,
    edge_names,
    short_label,
    shortened,
)
from gia.report.automaton_layout import Layout, layout_of

_RADIUS = 20
_ROW = 96
_BEND_ROW = 44
_LINES = 4
_MARGIN = 60
_CHARACTER = 6.0
_LINE = 12
_TOOLTIP_EDGES = 20

_STYLE = (
    "text{font:11px sans-serif;fill:#222}.label{font-size:10px;paint-order:stroke;stroke:#fff;stroke-width:3px}"
    ".title{font-size:13px;font-weight:bold}path.t{fill:none;stroke:#666}"
)


class _Place(Struct, frozen=True):
    x: float
    y: float


def svg(excerpt: Excerpt) -> str:
    """A drawing from left to right, with the edges of transitions as tooltips."""
    automaton = excerpt.automaton
    arcs = [(t.source, t.target) for t in excerpt.transitions] + [(f.source, f.target) for f in excerpt.folds]
    layout = layout_of(excerpt.states, arcs, automaton.initial)
    places, width, height = _places(excerpt, layout)
    notes = [line for line in (excerpt.left_out,) if line]
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>{escape(excerpt.title)}</title>",
        f"<style>{_STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#666"/></marker></defs>',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>',
        f'<text class="title" x="12" y="22">{escape(excerpt.title)}</text>',
        *(f'<text x="12" y="{40 + _LINE * 1.3 * n:.0f}">{escape(note)}</text>' for n, note in enumerate(notes)),
    ]
    lines += _legend(height)
    start = places[automaton.initial]
    lines.append(f'<path class="t" marker-end="url(#tip)" d="M{start.x - 48:.0f} {start.y:.0f}h27"/>')
    for group in _grouped(excerpt):
        bends = layout.bends.get((group[0].source, group[0].target), ())
        lines.append(_transitions(automaton, places, group, [places[bend] for bend in bends]))
    for fold in excerpt.folds:
        bends = layout.bends.get((fold.source, fold.target), ())
        points = [places[fold.source], *(places[bend] for bend in bends), places[fold.target]]
        lines.append(_folded(points, fold.label))
    lines += [_state(automaton, number, places[number]) for number in excerpt.states]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _grouped(excerpt: Excerpt) -> list[list[Transition]]:
    """The transitions, those between the same two states together."""
    groups: dict[tuple[int, int], list[Transition]] = {}
    for transition in excerpt.transitions:
        groups.setdefault((transition.source, transition.target), []).append(transition)
    return list(groups.values())


def _places(excerpt: Excerpt, layout: Layout) -> tuple[dict[int, _Place], float, float]:
    """The centres of states and bends, and the size of the drawing in pixels."""
    lengths = [len(line) for t in excerpt.transitions for line in short_label(excerpt.automaton, t)]
    gap = 90 + _CHARACTER * max(lengths, default=0)
    loops = {g[0].source: len(_labels(excerpt.automaton, g)) for g in _grouped(excerpt) if g[0].source == g[0].target}
    heights = [
        [_ROW + _LINE * max(0, loops.get(item, 0) - 1) if item >= 0 else _BEND_ROW for item in layer]
        for layer in layout.layers
    ]
    tallest = max(sum(column) for column in heights)
    places = {}
    for column, layer in enumerate(layout.layers):
        y = _MARGIN + (tallest - sum(heights[column])) / 2
        for item, height in zip(layer, heights[column], strict=True):
            places[item] = _Place(_MARGIN + column * gap, y + height - (_ROW if item >= 0 else _BEND_ROW) / 2)
            y += height
    width = 2 * _MARGIN + (len(layout.layers) - 1) * gap
    title = 30 + 7.5 * max(len(excerpt.title), len(excerpt.left_out))
    return places, max(width, title, 640), _MARGIN + tallest + 40


def _transitions(automaton: Automaton, places: dict[int, _Place], group: list[Transition], bends: list[_Place]) -> str:
    """One arrow for all transitions between two states, with their labels."""
    source, target = places[group[0].source], places[group[0].target]
    if group[0].source == group[0].target:
        path = f"M{source.x - 8:.1f} {source.y - 19:.1f}c-14 -34 30 -34 16 0"
        middle = _Place(source.x, source.y - 48)
    elif source.x < target.x:
        path, middle = _forward([source, *bends, target])
    else:
        path, middle = _backward(source, target)
    labels = _labels(automaton, group)
    top = middle.y - _LINE * (len(labels) - 1) - (0 if group[0].source == group[0].target else 4)  # above the line
    shown = "".join(_label(middle.x, top + _LINE * n, line) for n, line in enumerate(labels))
    tooltip = escape("\n".join(_tooltip(automaton, transition) for transition in group[:_TOOLTIP_EDGES]))
    return f'<g><title>{tooltip}</title><path class="t" marker-end="url(#tip)" d="{path}"/>{shown}</g>'


def _folded(points: list[_Place], label: str) -> str:
    """A dashed arrow in the place of states that are not shown."""
    path, middle = _forward(points)
    arrow = f'<path class="t" stroke-dasharray="2 4" marker-end="url(#tip)" d="{path}"/>'
    return f"<g>{arrow}{_label(middle.x, middle.y - 4, label)}</g>"


def _label(x: float, y: float, text: str) -> str:
    return f'<text class="label" x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{escape(text)}</text>'


def _labels(automaton: Automaton, group: list[Transition]) -> list[str]:
    """The label of an arrow for several transitions: as many lines as there is room for."""
    lines = [line for transition in group for line in short_label(automaton, transition)]
    return lines if len(lines) <= _LINES else [*lines[: _LINES - 1], f"… {len(group)} transitions"]


def _forward(points: list[_Place]) -> tuple[str, _Place]:
    """A smooth curve through the points, level at each bend, and a place for its label on its first part."""
    begin, end = _towards(points[0], points[1], _RADIUS), _towards(points[-1], points[-2], _RADIUS + 2)
    through = [begin, *points[1:-1], end]
    path = f"M{begin.x:.1f} {begin.y:.1f}"
    for first, second in pairwise(through):
        half = (second.x - first.x) / 2
        path += (
            f"C{first.x + half:.1f} {first.y:.1f} {second.x - half:.1f} {second.y:.1f} {second.x:.1f} {second.y:.1f}"
        )
    first, second = through[:2]
    return path, _Place(first.x + 0.59 * (second.x - first.x), first.y + 0.68 * (second.y - first.y))


def _backward(source: _Place, target: _Place) -> tuple[str, _Place]:
    """A curve that bends away from the way forwards, and the place for its label."""
    dx, dy = target.x - source.x, target.y - source.y
    length = hypot(dx, dy)
    bend = 30 + 0.12 * length
    control = _Place(source.x + dx / 2 + dy / length * bend, source.y + dy / 2 - dx / length * bend)
    begin, end = _towards(source, control, _RADIUS), _towards(target, control, _RADIUS + 2)
    path = f"M{begin.x:.1f} {begin.y:.1f}Q{control.x:.1f} {control.y:.1f} {end.x:.1f} {end.y:.1f}"
    return path, _Place((begin.x + 2 * control.x + end.x) / 4, (begin.y + 2 * control.y + end.y) / 4)


def _towards(start: _Place, goal: _Place, distance: float) -> _Place:
    length = hypot(goal.x - start.x, goal.y - start.y) or 1.0
    return _Place(start.x + (goal.x - start.x) * distance / length, start.y + (goal.y - start.y) * distance / length)


def _tooltip(automaton: Automaton, transition: Transition) -> str:
    names = edge_names(automaton, transition)
    more = [f"… and {len(names) - _TOOLTIP_EDGES} more"] if len(names) > _TOOLTIP_EDGES else []
    assumed = [f"[{condition_text(transition.assumption)}]"] if transition.assumption else []
    return "\n".join([f"q{transition.source} -> q{transition.target}", *names[:_TOOLTIP_EDGES], *more, *assumed])


def _state(automaton: Automaton, number: int, place: _Place) -> str:
    state = automaton.states[number]
    fill, line = COLOURS[state.accept]
    accept = state.accept.value if state.accept else ""
    parts = [
        f"<g><title>q{number} {accept} {escape(condition_text(state.invariant))}</title>",
        f'<circle cx="{place.x:.1f}" cy="{place.y:.1f}" r="{_RADIUS}" fill="{fill}" stroke="{line}"/>',
    ]
    if state.accept:
        parts.append(
            f'<circle cx="{place.x:.1f}" cy="{place.y:.1f}" r="{_RADIUS - 3}" fill="none" stroke="{line}"/>'
            f'<text x="{place.x:.1f}" y="{place.y + 11:.1f}" text-anchor="middle" font-size="9">{accept}</text>'
        )
    height = place.y + (0 if state.accept else 4)
    parts.append(f'<text x="{place.x:.1f}" y="{height:.1f}" text-anchor="middle">q{number}</text>')
    if state.invariant:
        shown = escape(shortened(state.invariant.text, 34))
        parts.append(
            f'<text class="label" x="{place.x:.1f}" y="{place.y + 33:.1f}" text-anchor="middle" '
            f'font-style="italic">{shown}</text>'
        )
    return "".join([*parts, "</g>"])


def _legend(height: float) -> list[str]:
    lines = []
    for number, kind in enumerate(Acceptance):
        fill, line = COLOURS[kind]
        x = 12 + 205 * number
        lines.append(
            f'<circle cx="{x + 6}" cy="{height - 16:.0f}" r="6" fill="{fill}" stroke="{line}"/>'
            f'<text class="label" x="{x + 16}" y="{height - 12:.0f}">{kind.value}: {MEANING[kind]}</text>'
        )
    return lines
