"""Exchange automata as plain text and in the language of Graphviz."""

from __future__ import annotations

from gia.automaton.model import Transition
from gia.report.automaton_excerpt import COLOURS, Excerpt, condition_text, edge_names, short_label, shortened

_EDGES_IN_TEXT = 4


def text(excerpt: Excerpt) -> str:
    """The states with what leaves them, one line for each transition."""
    automaton = excerpt.automaton
    lines = [excerpt.title]
    if excerpt.actors:
        lines.append(f"by {excerpt.actors}")
    leaving: dict[int, list[Transition]] = {state: [] for state in excerpt.states}
    for transition in excerpt.transitions:
        leaving[transition.source].append(transition)
    for number in excerpt.states:
        state = automaton.states[number]
        marks = ["initial"] if number == automaton.initial else []
        marks += [state.accept.value] if state.accept else []
        marks += [f"invariant {condition_text(state.invariant)}"] if state.invariant else []
        lines.append(f"q{number}{'  ' if marks else ''}{', '.join(marks)}")
        lines += [f"    {_arrow(excerpt, transition)}" for transition in leaving[number]]
        lines += [f"    -> {fold.label} -> q{fold.target}" for fold in excerpt.folds if fold.source == number]
    if excerpt.left_out:
        lines.append(excerpt.left_out)
    return "\n".join(lines) + "\n"


def _arrow(excerpt: Excerpt, transition: Transition) -> str:
    names = [shortened(name, 60) for name in edge_names(excerpt.automaton, transition)]
    more = f" … and {len(names) - _EDGES_IN_TEXT} more" if len(names) > _EDGES_IN_TEXT else ""
    assumed = f"  [{condition_text(transition.assumption)}]" if transition.assumption else ""
    return f"-> q{transition.target}  {' | '.join(names[:_EDGES_IN_TEXT])}{more}{assumed}"


def dot(excerpt: Excerpt) -> str:
    """A directed graph for ``dot``."""
    automaton = excerpt.automaton
    lines = [
        "digraph gia {",
        "  rankdir=LR;",
        f"  label={_quoted([excerpt.title, *([excerpt.left_out] if excerpt.left_out else [])])};",
        '  node [shape=ellipse, style=filled, fontname="sans-serif", fontsize=11];',
        '  edge [fontname="sans-serif", fontsize=10];',
        '  start [shape=point, label=""];',
        f"  start -> q{automaton.initial};",
    ]
    for number in excerpt.states:
        state = automaton.states[number]
        fill, line = COLOURS[state.accept]
        label = [f"q{number}", *([state.accept.value] if state.accept else [])]
        label += [shortened(condition_text(state.invariant), 40)] if state.invariant else []
        double = ", peripheries=2" if state.accept else ""
        lines.append(f'  q{number} [label={_quoted(label)}, fillcolor="{fill}", color="{line}"{double}];')
    for transition in excerpt.transitions:
        label = short_label(automaton, transition)
        lines.append(f"  q{transition.source} -> q{transition.target} [label={_quoted(label)}];")
    lines += [
        f"  q{fold.source} -> q{fold.target} [label={_quoted([fold.label])}, style=dashed];" for fold in excerpt.folds
    ]
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(lines: list[str]) -> str:
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'
