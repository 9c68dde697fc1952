"""Exchange automata for people (``gia show``): as text, dot, SVG and HTML.

``ut`` is green, ``rt`` blue, ``cand`` yellow, as in Haltermann & Wehrheim (SoSyM 2024). The drawings have nothing
that they need from elsewhere: no program, no font, no script, no network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gia.automaton.model import Automaton
from gia.errors import InputError
from gia.report.automaton_excerpt import LIMIT, excerpt_of
from gia.report.automaton_html import html
from gia.report.automaton_svg import svg
from gia.report.automaton_text import dot, text

FORMATS: Mapping[str, Callable[..., str]] = {"text": text, "dot": dot, "svg": svg, "html": html}
"""What draws an excerpt of an automaton in each format."""


def draw(automaton: Automaton, format: str, limit: int = LIMIT) -> str:
    """The automaton in one of :data:`FORMATS`.

    Of an automaton with more than ``limit`` states only shortest runs to accepting states are shown, and
    how much is left out is said. Raises :class:`~gia.errors.InputError` for an unknown format.
    """
    if format not in FORMATS:
        raise InputError(f"there is no format {format!r}", hint=f"give one of {', '.join(FORMATS)}")
    return FORMATS[format](excerpt_of(automaton, limit))
