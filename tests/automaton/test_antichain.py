"""Sets of runs none of which is a subset of another one."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gia.automaton.antichain import Antichain

from . import reference as ref

RUNS = st.frozensets(st.integers(0, 5))


@settings(max_examples=100 * ref.FACTOR, deadline=None)
@given(st.lists(RUNS))
def test_the_smallest_sets_are_kept(sets):
    antichain, kept = Antichain(), set()
    for runs in sets:
        assert antichain.has_subset(runs) == any(known <= runs for known in kept)
        if antichain.has_subset(runs):
            continue
        needless = antichain.remove_supersets(runs)
        assert sorted(map(sorted, needless)) == sorted(sorted(known) for known in kept if runs < known)
        kept.difference_update(needless)
        antichain.add(runs)
        kept.add(runs)
    assert kept == {runs for runs in sets if not any(other < runs for other in sets)}


def test_sets_without_a_common_run_are_not_compared():
    antichain = Antichain()
    for number in range(1000):
        runs = frozenset({2 * number, 2 * number + 1})
        assert not antichain.has_subset(runs)
        assert not antichain.remove_supersets(runs)
        antichain.add(runs)
    assert antichain.compared == 0
    assert antichain.remove_supersets(frozenset({7})) == [frozenset({6, 7})]
    assert antichain.compared == 1
