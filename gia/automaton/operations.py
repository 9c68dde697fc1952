"""Operations on exchange automata that keep the three languages ``P_ut``, ``P_rt`` and ``P_cand``.

Source: the languages are those of Haltermann & Wehrheim, SoSyM 2024, Definition 3. All operations are
deterministic, and symmetric in the numbering of states: automata that differ only in it have results that
differ only in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from gia.automaton.arrays import Arrays, Vocabulary
from gia.automaton.bisimulation import backward_classes, forward_classes
from gia.automaton.bulk import bulk_allocation
from gia.automaton.canonical import canonical_graph
from gia.automaton.model import Automaton, Metadata
from gia.automaton.numerics import np
from gia.automaton.rows import Ints, distinct, row_classes, within
from gia.automaton.settling import settled
from gia.automaton.union import union_columns
from gia.cfa.graph import EdgeReference


def reduce(automaton: Automaton) -> Automaton:
    """A small automaton with the same languages, in canonical form.

    Afterwards: every state is on a run from the initial to an accepting state (or is initial); no two
    states are bisimilar, and none are reached by the same labels from the same states (common prefixes are
    shared); at most one transition goes from one state to another under one assumption; accepting states
    end runs (:func:`~gia.automaton.settling.settled`). ``reduce(reduce(A)) == reduce(A)``.
    """
    with bulk_allocation():
        return reduced(_settled(Arrays.of(automaton)))


def settled_union(automata: Sequence[Automaton], metadata: Metadata) -> Arrays:
    """The union of automata (:func:`~gia.automaton.union.union`), with accepting states that end runs."""
    texts: dict[EdgeReference, str] = {}
    for automaton in automata:
        texts = {**automaton.edge_texts, **texts}
    with bulk_allocation():
        states, columns = union_columns(automata)
        return _settled(Arrays.of_columns(states, columns, 0, Automaton((), (), 0, metadata, texts)))


def _settled(arrays: Arrays) -> Arrays:
    return arrays if arrays.is_settled() else Arrays.of(settled(arrays.graph().automaton()))


def reduced(arrays: Arrays) -> Automaton:
    """As :func:`reduce`; before, accepting states end runs."""
    arrays = joined(arrays.trimmed())
    step, stable = backward_quotient, 0
    while stable < 2:
        smaller = step(arrays)
        result = joined(smaller)
        if result is not smaller:
            stable = 0
        elif smaller is not arrays:
            stable = 1  # the same step once more would change nothing
        else:
            stable += 1
        arrays = result
        step = backward_quotient if step is forward_quotient else forward_quotient
    return canonical_graph(arrays.graph()).automaton()


def quotient(automaton: Automaton) -> Automaton:
    """Bisimilar states merged: those that agree in accepting set, invariant and all that can follow."""
    return forward_quotient(Arrays.of(automaton)).graph().automaton()


def merge_prefixes(automaton: Automaton) -> Automaton:
    """States merged that agree in accepting set, invariant and all that can lead to them."""
    return backward_quotient(Arrays.of(automaton)).graph().automaton()


def forward_quotient(arrays: Arrays) -> Arrays:
    """As :func:`quotient`; transitions that differ in their edges only are compared by the union of these."""
    return _quotient(arrays, forward_classes(arrays))


def backward_quotient(arrays: Arrays) -> Arrays:
    """As :func:`merge_prefixes`: the states of a class end the same runs, so their futures can be put together."""
    return _quotient(arrays, backward_classes(arrays))


def _quotient(arrays: Arrays, classes: Ints) -> Arrays:
    return arrays if len(distinct(classes)) == len(classes) else arrays.quotient(classes)


def joined(arrays: Arrays) -> Arrays:
    """With one arc for each source, target and assumption, and none that an arc without assumption has.

    The arrays themselves if they are so.
    """
    count = len(arrays.sources)
    if not count:
        return arrays
    new = np.ones(count + 1, bool)
    new[1:-1] = (np.diff(arrays.sources) != 0) | (np.diff(arrays.targets) != 0)
    begins = np.flatnonzero(new)
    lengths = np.diff(begins)
    several = np.repeat(lengths > 1, lengths)
    rows = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths[lengths > 1])))
    labels = arrays.labels[several]
    classes, examples = row_classes(labels, rows)
    before = [labels[rows[row] : rows[row + 1]].tolist() for row in examples.tolist()]
    after = [_joined_labels(found, arrays.vocabulary) for found in before]
    changed = np.array([sorted(old) != sorted(new) for old, new in zip(before, after, strict=True)], bool)
    if not changed.any():
        return arrays
    places = begins[:-1][lengths > 1][changed[classes]]
    kinds = classes[changed[classes]]
    sizes = np.array([len(found) for found in after], np.int64)
    ends = np.cumsum(sizes)
    replaced = np.zeros(count, bool)
    replaced[np.flatnonzero(several)[np.repeat(changed[classes], np.diff(rows))]] = True
    flat = np.array([label for found in after for label in found], np.int64)
    return arrays.with_arcs(
        np.concatenate((arrays.sources[~replaced], np.repeat(arrays.sources[places], sizes[kinds]))),
        np.concatenate((arrays.targets[~replaced], np.repeat(arrays.targets[places], sizes[kinds]))),
        np.concatenate((arrays.labels[~replaced], flat[within((ends - sizes)[kinds], ends[kinds])])),
    )


def _joined_labels(labels: Sequence[int], vocabulary: Vocabulary) -> list[int]:
    """Labels that match together what these match, one for each assumption."""
    by_assumption: dict[int, list[int]] = {}
    for label in labels:
        by_assumption.setdefault(vocabulary.assumption_of[label], []).append(vocabulary.set_of[label])
    unions = {assumption: vocabulary.union(sets) for assumption, sets in by_assumption.items()}
    result = []
    always = vocabulary.sets[unions[0]] if 0 in unions else frozenset()
    for assumption, union in unions.items():
        found = vocabulary.sets[union]
        if assumption == 0:
            result.append(vocabulary.label(union, 0))
        elif always is None:
            continue
        elif found is None or not found & always:
            result.append(vocabulary.label(union, assumption))
        elif found - always:
            result.append(vocabulary.label(vocabulary.set_number(found - always), assumption))
    return result
