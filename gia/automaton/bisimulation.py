"""The coarsest partition of an automaton's states that looks the same along its arcs, for large automata.

Each round gives every state a 64-bit hash of its colour and of what it sees, its *view*, in the colours of the
round before: these are the first rounds of the signature refinement of Kanellakis & Smolka (Information and
Computation 86, 1990), with hashes in the place of signatures, so that a round is a few operations on arrays. States
with different hashes differ. Whether states with the same hash do not is compared exactly in the end; if they do, or
after too many rounds, :func:`~gia.automaton.refinement.coarsest_partition` goes on from there.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from msgspec import Struct

from gia.automaton.arrays import Arrays, Vocabulary
from gia.automaton.numerics import np, npt
from gia.automaton.refinement import coarsest_partition
from gia.automaton.rows import Hashes, Ints, mixed, row_classes, row_sums

_ROUNDS = 64
_COLOUR, _EDGE, _KEY, _ANYTHING, _STEP = range(1, 6)
"""Seeds of hashes."""


class View(Struct, frozen=True):
    """What the states see, as columns sorted by owner.

    Of the arcs of one owner with one key, those to neighbours of one colour are seen as one, with the union of
    their sets of edges (numbers of the vocabulary).
    """

    owners: Ints
    keys: Ints
    sets: Ints
    neighbours: Ints

    def only(self, arcs: npt.NDArray[np.bool_]) -> View:
        """The view through some of the arcs."""
        return View(self.owners[arcs], self.keys[arcs], self.sets[arcs], self.neighbours[arcs])


def forward_classes(arrays: Arrays) -> Ints:
    """Classes of states that agree in kind and in all that can follow; of arcs to one class, only the union counts."""
    vocabulary = arrays.vocabulary
    keys, sets = (np.array(c, np.int64)[arrays.labels] for c in (vocabulary.assumption_of, vocabulary.set_of))
    return _classes(arrays.kinds, View(arrays.sources, keys, sets, arrays.targets), vocabulary)


def backward_classes(arrays: Arrays) -> Ints:
    """Classes of states that agree in kind and in all that can lead to them.

    The initial state is in a class of its own: it alone ends the empty run.
    """
    order = np.argsort(arrays.targets, kind="stable")
    kinds = arrays.kinds.copy()
    kinds[arrays.initial] = len(arrays.descriptions)
    labels = arrays.labels[order]
    view = View(arrays.targets[order], labels, np.zeros_like(labels), arrays.sources[order])
    return _classes(kinds, view, arrays.vocabulary)


def bisimilar(kinds: Sequence[int], sources: Sequence[int], labels: Sequence[int], targets: Sequence[int]) -> list[int]:
    """Classes of bisimilar states, of one kind and with the same that can follow; the arcs are sorted by source."""
    keys = np.array(labels, np.int64)
    view = View(np.array(sources, np.int64), keys, np.zeros_like(keys), np.array(targets, np.int64))
    found: list[int] = _classes(np.array(kinds, np.int64), view, _NO_SETS).tolist()
    return found


def _classes(kinds: Ints, view: View, vocabulary: Vocabulary) -> Ints:
    hashing = _Hashing(view, vocabulary)
    colours = mixed(kinds, _COLOUR)
    numbers, counts = _numbered(colours)
    for _ in range(_ROUNDS):
        common = counts[numbers] > 1
        colours = hashing.next_colours(colours, common)
        before = len(counts)
        numbers, counts = _numbered(colours)
        if len(counts) == before:
            break
    numbers, counts = _numbered(numbers * (int(kinds.max()) + 1) + kinds)  # if hashes have become equal
    if _is_stable(numbers, view.only((counts[numbers] > 1)[view.owners]), vocabulary):
        return numbers
    return _exactly(numbers, view, vocabulary)


_NO_SETS = Vocabulary([(frozenset(), None)])


def _numbered(colours: Hashes | Ints) -> tuple[Ints, Ints]:
    """The number of the colour of each state, and how many states have it."""
    _, numbers, counts = np.unique(colours, return_inverse=True, return_counts=True)
    return numbers.astype(np.int64), counts.astype(np.int64)


class _Hashing:
    """The hashes of views. Sets of edges have weights, and that of a union of disjoint sets is the sum of theirs.

    So the arcs of an owner with one key need not be grouped by colour, unless their sets overlap: *entangled* arcs.
    """

    def __init__(self, view: View, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        numbers = max((max(found, default=0) for found in vocabulary.sets if found), default=0)
        self._edges = mixed(np.arange(numbers + 1), _EDGE)
        self._anything = mixed(np.zeros(1, np.int64), _ANYTHING)[0]
        self._unions: dict[tuple[int, ...], np.uint64] = {}
        weights = np.array([self._weight((n,)) for n in range(len(vocabulary.sets))], np.uint64)
        entangled = _entangled(view, vocabulary)
        free = view.only(~entangled)
        self._owners, self._neighbours = free.owners, free.neighbours
        self._keys, self._weights = mixed(free.keys, _KEY), weights[free.sets]
        self._entangled = view.only(entangled)

    def next_colours(self, colours: Hashes, chosen: npt.NDArray[np.bool_]) -> Hashes:
        """The colours with those of the chosen states replaced by hashes of them and the views."""
        arcs = chosen[self._owners]
        self._owners, self._neighbours = self._owners[arcs], self._neighbours[arcs]
        self._keys, self._weights = self._keys[arcs], self._weights[arcs]
        self._entangled = self._entangled.only(chosen[self._entangled.owners])
        sums = _sums(self._owners, self._weights * _factors(self._keys, colours[self._neighbours]), len(colours))
        if len(self._entangled.owners):
            groups, begins, sets = _united(self._entangled, colours[self._entangled.neighbours].view(np.int64))
            classes, examples = row_classes(sets, begins)
            rows = [tuple(sets[begins[row] : begins[row + 1]].tolist()) for row in examples.tolist()]
            weights = np.array([self._weight(row) for row in rows], np.uint64)[classes]
            factors = _factors(mixed(groups.keys, _KEY), colours[groups.neighbours])
            sums += _sums(groups.owners, weights * factors, len(colours))
        return np.where(chosen, mixed(colours + mixed(sums, _STEP), _STEP), colours)

    def _weight(self, sets: tuple[int, ...]) -> np.uint64:
        """The weight of a union."""
        if sets not in self._unions:
            parts = [self._vocabulary.sets[number] for number in sets]
            edges: set[int] = set()
            for part in parts:
                edges |= part or frozenset()
            chosen = self._edges[np.fromiter(edges, np.int64, len(edges))]
            self._unions[sets] = self._anything if None in parts else chosen.sum(dtype=np.uint64)
        return self._unions[sets]


def _factors(keys: Hashes, colours: Hashes) -> Hashes:
    return mixed(keys + colours, _STEP) | np.uint64(1)


def _sums(owners: Ints, terms: Hashes, count: int) -> Hashes:
    """For each state the sum of the terms that it owns."""
    return row_sums(terms, np.searchsorted(owners, np.arange(count + 1)))


def _entangled(view: View, vocabulary: Vocabulary) -> npt.NDArray[np.bool_]:
    """The arcs of owners that have several arcs with one key whose sets overlap, those with this key."""
    order = np.lexsort((view.sets, view.keys, view.owners))
    owners, keys, sets = view.owners[order], view.keys[order], view.sets[order]
    begins = _group_begins(owners, keys)
    lengths = np.diff(begins)
    several = np.repeat(lengths > 1, lengths)
    rows = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths[lengths > 1])))
    found = sets[several]
    classes, examples = row_classes(found, rows)
    overlapping = np.zeros(len(examples), bool)
    for number, row in enumerate(examples.tolist()):
        parts = [vocabulary.sets[edges] for edges in found[rows[row] : rows[row + 1]].tolist()]
        known = [part for part in parts if part is not None]
        overlapping[number] = len(known) < len(parts) or len(frozenset().union(*known)) < sum(map(len, known))
    result = np.zeros(len(order), bool)
    result[order[several]] = np.repeat(overlapping[classes], np.diff(rows))
    return result


def _group_begins(*columns: npt.NDArray[np.int64]) -> Ints:
    """Where the groups of equal rows begin in sorted columns; one more element, their length."""
    count = len(columns[0])
    new = np.ones(count + 1, bool)
    if count:
        new[1:-1] = np.logical_or.reduce([np.diff(column) != 0 for column in columns])
    return np.flatnonzero(new) if count else np.zeros(1, np.int64)


def _united(view: View, colours: Ints) -> tuple[View, Ints, Ints]:
    """The arcs that are seen as one: a view with one of each such group, and the sets of each group as rows."""
    order = np.lexsort((view.sets, colours, view.keys, view.owners))
    owners, keys, sets, seen = view.owners[order], view.keys[order], view.sets[order], colours[order]
    distinct = order[_group_begins(owners, keys, seen, sets)[:-1]]
    begins = _group_begins(view.owners[distinct], view.keys[distinct], colours[distinct])
    one = distinct[begins[:-1]]
    groups = View(view.owners[one], view.keys[one], view.sets[one], view.neighbours[one])
    return groups, begins, view.sets[distinct]


def _is_stable(numbers: Ints, view: View, vocabulary: Vocabulary) -> bool:
    """Whether states with one number see the same; ``view`` is that of the states that share their number."""
    if not len(view.owners):
        return True
    groups, begins, sets = _united(view, numbers[view.neighbours])
    classes, examples = row_classes(sets, begins)
    unions = [vocabulary.union(sets[begins[row] : begins[row + 1]].tolist()) for row in examples.tolist()]
    seen = np.stack((groups.keys, numbers[groups.neighbours], np.array(unions, np.int64)[classes]), axis=1)
    rows = np.searchsorted(groups.owners, np.arange(len(numbers) + 1))
    looks, _ = row_classes(seen.reshape(-1), 3 * rows)
    _, first = np.unique(numbers, return_index=True)
    counts = np.bincount(numbers)
    return bool((looks[first[numbers]] == looks)[counts[numbers] > 1].all())


def _exactly(numbers: Ints, view: View, vocabulary: Vocabulary) -> Ints:
    """The coarsest stable refinement of the numbers, by signatures.

    All arcs from one owner to one neighbour are a *bundle*: most states have many arcs to themselves.
    """
    between: dict[tuple[int, int], list[tuple[int, int]]] = {}
    columns = (view.owners.tolist(), view.keys.tolist(), view.sets.tolist(), view.neighbours.tolist())
    for owner, key, edges, neighbour in zip(*columns, strict=True):
        between.setdefault((owner, neighbour), []).append((key, edges))
    bundles: dict[tuple[tuple[int, int], ...], int] = {}
    ahead: list[list[tuple[int, int]]] = [[] for _ in range(len(numbers))]
    behind: list[list[tuple[int, int]]] = [[] for _ in range(len(numbers))]
    for (owner, neighbour), arcs in between.items():
        bundle = bundles.setdefault(tuple(sorted(arcs)), len(bundles))
        ahead[owner].append((bundle, neighbour))
        behind[neighbour].append((bundle, owner))
    seen = _Bundles(list(bundles), vocabulary)

    def signature(pairs: list[tuple[int, int]]) -> Hashable:
        towards: dict[int, list[int]] = {}
        for bundle, colour in pairs:
            towards.setdefault(colour, []).append(bundle)
        return frozenset((colour, seen.together(tuple(found))) for colour, found in towards.items())

    return np.array(coarsest_partition(numbers.tolist(), ahead, behind, signature), np.int64)


class _Bundles:
    """What is seen of bundles of arcs that lead to neighbours of one colour: for each key the union of the sets."""

    def __init__(self, bundles: Sequence[tuple[tuple[int, int], ...]], vocabulary: Vocabulary) -> None:
        self._bundles = bundles
        self._vocabulary = vocabulary
        self._looks: dict[Hashable, int] = {}
        self._known: dict[tuple[int, ...], int] = {}

    def together(self, chosen: tuple[int, ...]) -> int:
        """The same number for those that look the same."""
        if chosen not in self._known:
            sets: dict[int, set[int]] = {}
            for bundle in chosen:
                for key, edges in self._bundles[bundle]:
                    sets.setdefault(key, set()).add(edges)
            look = frozenset((key, self._vocabulary.union(sorted(found))) for key, found in sets.items())
            self._known[chosen] = self._looks.setdefault(look, len(self._looks))
        return self._known[chosen]
