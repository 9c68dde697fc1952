"""The wiring of a composition as SVG: boxes in boxes, facts flow from top to bottom.

Every part is a :class:`Box`, entered in the middle of its top and left in the middle of its bottom. The drawing has
nothing that it needs from elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from msgspec import Struct

from gia.orchestrator.description.composition import Composition, Node
from gia.orchestrator.wiring import ConfiguredActor, stations
from gia.report.wiring import budget_text, predicate_text, round_text

_CHARACTER = 6.6
_LINE = 16
_GAP = 26
_PAD = 14
_FILL = {"UA": "#bcd9f7", "OA": "#c3e6bd"}

_STYLE = (
    "text{font:12px sans-serif;fill:#222}.name{font-weight:bold}.note{font-size:11px;fill:#555}"
    "path{fill:none;stroke:#555}rect{stroke:#555}.frame{fill:#fff;stroke:#999;stroke-dasharray:4 3}"
    ".bar{fill:#555}.title{font-size:14px;font-weight:bold}"
)


class Box(Struct, frozen=True):
    """A part of the drawing: its size in pixels, and its elements with their origin at its upper left corner."""

    width: float
    height: float
    elements: tuple[str, ...]

    def at(self, x: float, y: float) -> str:
        """The elements, moved."""
        return f'<g transform="translate({x:.1f} {y:.1f})">{"".join(self.elements)}</g>'


def wiring_svg(composition: Composition, actors: Mapping[str, ConfiguredActor]) -> str:
    """The drawing of a composition whose steps are configured as ``actors``."""
    inner = _node(composition, actors, composition.run)
    title = f"{composition.name}: {composition.description}"
    top, bottom = _terminal("what is known: the call graph"), _terminal("all that was found")
    width = max(inner.width, top.width, bottom.width, 8 * len(title)) + 2 * _PAD
    middle = width / 2
    y = 36.0
    elements = []
    for index, box in enumerate((top, inner, bottom)):
        if index:
            elements.append(_arrow(middle, y, _GAP))
            y += _GAP
        elements.append(box.at(middle - box.width / 2, y))
        y += box.height
    height = y + _PAD
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style>",
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
            'orient="auto"><path d="M0 0L8 4L0 8z" style="fill:#555;stroke:none"/></marker></defs>',
            f'<rect width="{width:.0f}" height="{height:.0f}" style="fill:#fff;stroke:none"/>',
            f'<text class="title" x="{_PAD}" y="22">{escape(title)}</text>',
            *elements,
            "</svg>\n",
        ]
    )


def _node(composition: Composition, actors: Mapping[str, ConfiguredActor], node: Node) -> Box:
    budget = budget_text(node.time, node.cpu)
    if node.step is not None:
        return _step(composition, actors, node)
    below = [_node(composition, actors, child) for _, child in node.children()]
    if node.sequence is not None:
        inner = _stack(below)
        return _framed(inner, f"within {budget}") if budget else inner
    if node.cycle is not None:
        return _cycle(_stack(below), f"cycle {round_text(node.cycle)}", budget)
    if node.choice is not None:
        labels = [f"if {predicate_text(case.when)}" if case.when is not None else "otherwise" for case in node.choice]
        return _framed(_side_by_side(below, labels, bar=False), f"choice{_bracketed(budget)}")
    what = "portfolio: the first that leaves nothing open ends the others"
    if node.parallel is not None:
        what = "parallel: from the same facts, and all that is found is kept"
    return _framed(_side_by_side(below, [""] * len(below), bar=True), what + _bracketed(budget))


def _bracketed(budget: str) -> str:
    return f" [{budget}]" if budget else ""


def _step(composition: Composition, actors: Mapping[str, ConfiguredActor], node: Node) -> Box:
    """A step: its actor, and what stands before and behind it."""
    name = str(node.step)
    step = composition.steps[name]
    actor, _ = actors[name]
    before, behind = stations(actor)
    direction = actor.description.direction
    lines = [
        (f"{name}: {actor.name} ({direction})", "name"),
        (f"reads {' → '.join(before)}", "note"),
        (f"writes {behind[0]}", "note"),
        (behind[1], "note"),
    ]
    budget = budget_text(node.time or step.time, node.cpu or step.cpu, step.memory, step.growth)
    if budget:
        lines.append((budget, "note"))
    return _card(lines, _FILL[direction])


def _card(lines: Sequence[tuple[str, str]], fill: str) -> Box:
    width = _CHARACTER * max(len(text) for text, _ in lines) + 2 * _PAD
    height = _LINE * len(lines) + _PAD
    texts = [
        f'<text class="{kind}" x="{width / 2:.1f}" y="{_LINE * (n + 1) + 2}" text-anchor="middle">{escape(text)}</text>'
        for n, (text, kind) in enumerate(lines)
    ]
    rectangle = f'<rect width="{width:.1f}" height="{height:.1f}" rx="6" fill="{fill}"/>'
    return Box(width, height, (rectangle, *texts))


def _terminal(text: str) -> Box:
    return _card([(text, "")], "#f4f4f4")


def _arrow(x: float, y: float, length: float) -> str:
    return f'<path marker-end="url(#tip)" d="M{x:.1f} {y:.1f}v{length:.1f}"/>'


def _stack(boxes: Sequence[Box]) -> Box:
    """One below the other, with arrows between."""
    width = max(box.width for box in boxes)
    elements: list[str] = []
    y = 0.0
    for index, box in enumerate(boxes):
        if index:
            elements.append(_arrow(width / 2, y, _GAP))
            y += _GAP
        elements.append(box.at((width - box.width) / 2, y))
        y += box.height
    return Box(width, y, tuple(elements))


def _side_by_side(boxes: Sequence[Box], labels: Sequence[str], *, bar: bool) -> Box:
    """Beside each other, between two lines that facts flow along: thick ones when all of them are done."""
    widths = [max(box.width, _CHARACTER * len(label) + 60) for box, label in zip(boxes, labels, strict=True)]
    width = sum(widths) + _PAD * (len(boxes) - 1)
    tallest = max(box.height for box in boxes)
    thickness = 4 if bar else 1
    top = _GAP + (_LINE if any(labels) else 0)
    bottom = top + tallest + _GAP
    elements = []
    centres = []
    x = 0.0
    for box, label, room in zip(boxes, labels, widths, strict=True):
        centre = x + room / 2
        centres.append(centre)
        elements.append(_arrow(centre, thickness, top - thickness))
        if label:
            elements.append(f'<text class="note" x="{centre + 8:.1f}" y="{top - 10}">{escape(label)}</text>')
        elements.append(box.at(centre - box.width / 2, top))
        elements.append(_arrow(centre, top + box.height, bottom - top - box.height))
        x += room + _PAD
    left, right = min(centres[0], width / 2) - 8, max(centres[-1], width / 2) + 8
    bars = (
        f'<rect class="bar" x="{left:.1f}" y="{y:.1f}" width="{right - left:.1f}" height="{thickness}"/>'
        for y in (0, bottom)
    )
    return Box(width, bottom + thickness, (*elements, *bars))


def _framed(inner: Box, header: str) -> Box:
    """In a frame with a header, and the arrows that lead into it and out."""
    width = max(inner.width, _CHARACTER * len(header)) + 2 * _PAD
    top = _LINE + _PAD + 10
    height = top + inner.height + _GAP
    return Box(
        width,
        height,
        (
            f'<rect class="frame" width="{width:.1f}" height="{height:.1f}" rx="8"/>',
            f'<text class="name" x="{_PAD}" y="{_LINE + 2}">{escape(header)}</text>',
            f'<path d="M{width / 2:.1f} {top - 12:.1f}v12"/>',
            inner.at((width - inner.width) / 2, top),
            f'<path d="M{width / 2:.1f} {top + inner.height:.1f}V{height:.1f}"/>',
        ),
    )


def _cycle(body: Box, header: str, budget: str) -> Box:
    """A body with the way back to its beginning."""
    side = 34.0
    room = Box(body.width + 2 * side, body.height, (body.at(side, 0),))
    framed = _framed(room, header + _bracketed(budget))
    middle, top = framed.width / 2, _LINE + _PAD + 10
    right = (framed.width + room.width) / 2 - side / 3
    back = (
        f'<path marker-end="url(#tip)" d="M{middle:.1f} {top + body.height + 12:.1f}H{right:.1f}V{top - 8:.1f}'
        f'H{middle + 4:.1f}"/>'
    )
    return Box(framed.width, framed.height, (*framed.elements, back))
