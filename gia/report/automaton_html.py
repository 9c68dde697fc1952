"""Exchange automata as one HTML page that needs nothing else."""

from __future__ import annotations

from html import escape

from gia.automaton.model import Acceptance
from gia.report.automaton_excerpt import COLOURS, Excerpt, condition_text, edge_names
from gia.report.automaton_svg import svg

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em; color: #222; background: #fff }
figure { margin: 1em 0; overflow-x: auto; border: 1px solid #ddd }
table { border-collapse: collapse; font-size: 13px }
th, td { text-align: left; vertical-align: top; padding: 3px 12px 3px 0; border-bottom: 1px solid #ddd }
code { white-space: pre-wrap }
"""


def html(excerpt: Excerpt) -> str:
    """The drawing, where the automaton comes from, and its states and transitions as tables."""
    metadata = excerpt.automaton.metadata
    facts = {
        "Program": metadata.program,
        "SHA-256": metadata.sha256,
        "Data model": metadata.data_model,
        "Specification": metadata.specification,
        "Created": metadata.created,
        "Actors": excerpt.actors,
        "Shown": excerpt.left_out,
    }
    about = "".join(f"<tr><th>{name}</th><td>{escape(value)}</td></tr>" for name, value in facts.items() if value)
    style = _STYLE + "".join(f".{kind.value} {{ background: {COLOURS[kind][0]} }}\n" for kind in Acceptance)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{escape(excerpt.title)}</title>',
            f"<style>{style}</style></head><body>",
            f"<h1>{escape(excerpt.title)}</h1>",
            f"<table>{about}</table>",
            f"<figure>{svg(excerpt)}</figure>",
            "<h2>States</h2>",
            _table(["State", "Accepting", "Invariant"], _states(excerpt)),
            "<h2>Transitions</h2>",
            _table(["From", "To", "Edges", "Assumption"], _transitions(excerpt)),
            "</body></html>",
            "",
        ]
    )


def _table(head: list[str], rows: list[str]) -> str:
    titles = "".join(f"<th>{title}</th>" for title in head)
    return "\n".join([f"<table><tr>{titles}</tr>", *rows, "</table>"])


def _states(excerpt: Excerpt) -> list[str]:
    rows = []
    for number in excerpt.states:
        state = excerpt.automaton.states[number]
        accept = state.accept.value if state.accept else ""
        initial = " (initial)" if number == excerpt.automaton.initial else ""
        invariant = escape(condition_text(state.invariant))
        row = f"<td>q{number}{initial}</td><td>{accept}</td><td><code>{invariant}</code></td>"
        rows.append(f'<tr class="{accept}">{row}</tr>' if accept else f"<tr>{row}</tr>")
    return rows


def _transitions(excerpt: Excerpt) -> list[str]:
    rows = []
    for transition in excerpt.transitions:
        names = [f"<code>{escape(name)}</code>" for name in edge_names(excerpt.automaton, transition)]
        edges = names[0]
        if len(names) > 1:
            edges = f"<details><summary>{len(names)} edges</summary>{'<br>'.join(names)}</details>"
        assumed = f"<code>{escape(condition_text(transition.assumption))}</code>"
        rows.append(
            f"<tr><td>q{transition.source}</td><td>q{transition.target}</td><td>{edges}</td><td>{assumed}</td></tr>"
        )
    rows += [f"<tr><td>q{f.source}</td><td>q{f.target}</td><td>{f.label}</td><td></td></tr>" for f in excerpt.folds]
    return rows
