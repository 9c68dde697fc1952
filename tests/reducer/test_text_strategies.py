"""Theorem 1 for the strategies that keep the text, on all executions of drawn programs up to a bound."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from gia.automaton.model import Acceptance
from gia.automaton.wellformed import violations
from gia.frontend import parse_expression
from gia.reducer.text import reduce_text
from tests.cfa.graphs import law
from tests.reducer.text_programs import Covering, automata, executions, loaded, sources


@pytest.mark.parametrize("prune", [False, True], ids=["monitor", "prune"])
@given(st.data())
@law(25)
def test_needed_paths_stay_and_no_others_come(prune: bool, data: st.DataObject) -> None:
    text = data.draw(sources())
    with TemporaryDirectory() as folder:
        original = loaded(Path(folder), "p.c", text)
        runs = list(executions(original.program, text))
        automaton = data.draw(automata(original.program, [run for run in runs if run.moments] or runs))
        assert not violations(automaton)
        wrt = data.draw(st.sampled_from([Acceptance.UT, Acceptance.RT]))
        reduced = reduce_text(original, automaton, wrt, parse_expression, prune=prune)
        note(reduced.text)
        left = {run.shown for run in executions(loaded(Path(folder), "r.c", reduced.text).program, text)}
    assert left <= {run.shown for run in runs}
    covering = Covering(original.program, automaton)
    for run in runs:
        if run.shown not in left:
            assert not covering.is_needed(wrt, run.moments), run.moments
