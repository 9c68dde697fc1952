"""Rows of different lengths in one array, and what can be done with all of them at once."""

from __future__ import annotations

from collections.abc import Sequence

from gia.automaton.numerics import np, npt

Ints = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]

_STEP = 0x9E3779B97F4A7C15


def mixed(values: Ints | Hashes, seed: int) -> Hashes:
    """Pseudo-random 64-bit numbers, equal for equal values (the finaliser of SplitMix64, Steele et al. 2014)."""
    found: Hashes = values.astype(np.uint64) + np.uint64(_STEP * (2 * seed + 1) % 2**64)
    found ^= found >> np.uint64(30)
    found *= np.uint64(0xBF58476D1CE4E5B9)
    found ^= found >> np.uint64(27)
    found *= np.uint64(0x94D049BB133111EB)
    found ^= found >> np.uint64(31)
    return found


def begins_of(owners: Ints, count: int) -> Ints:
    """Where the row of each owner begins in an array sorted by owner; one more element, the length of the array."""
    return np.searchsorted(owners, np.arange(count + 1))


def within(begins: Ints, ends: Ints) -> Ints:
    """The positions of several ranges, one after the other."""
    lengths = ends - begins
    offsets = np.repeat(begins - np.cumsum(lengths) + lengths, lengths)
    return offsets + np.arange(len(offsets))


def row_sums(values: Hashes, begins: Ints) -> Hashes:
    """The sum of each row, modulo 2**64."""
    sums: Hashes = np.concatenate((np.zeros(1, np.uint64), np.cumsum(values, dtype=np.uint64)))
    return sums[begins[1:]] - sums[begins[:-1]]


def row_classes(values: Ints, begins: Ints) -> tuple[Ints, Ints]:
    """For each row the number of its class, and for each class one of its rows; equal rows are of one class.

    Rows are told apart by their hashes, and rows of equal hash are then compared.
    """
    lengths = np.diff(begins)
    places = np.arange(len(values)) - np.repeat(begins[:-1], lengths)
    seed = 1
    while True:
        hashes = row_sums(mixed(mixed(values, seed) + places.astype(np.uint64), seed + 1), begins)
        _, first, classes = np.unique(hashes + mixed(lengths, seed), return_index=True, return_inverse=True)
        example = first[classes]
        if np.array_equal(lengths[example], lengths):
            same = values[np.repeat(begins[:-1][example], lengths) + places] == values
            if bool(same.all()):
                return classes.astype(np.int64), first.astype(np.int64)
        seed += 2


def distinct(values: Ints) -> Ints:
    """The values in ascending order, each once (``numpy.unique`` takes several times as long for large arrays)."""
    ordered = np.sort(values)
    new = np.ones(len(ordered), bool)
    new[1:] = np.diff(ordered) != 0
    return ordered[new]


def sorted_rows(first: Ints, second: Ints, third: Ints, limits: tuple[int, int, int]) -> tuple[Ints, Ints, Ints]:
    """The triples sorted and without duplicates; ``limits`` are larger than all numbers of a column."""
    if limits[0] * limits[1] * limits[2] < 2**63:
        codes = distinct((first * limits[1] + second) * limits[2] + third)
        pairs, third = np.divmod(codes, max(limits[2], 1))
        first, second = np.divmod(pairs, max(limits[1], 1))
        return first, second, third
    order = np.lexsort((third, second, first))
    first, second, third = first[order], second[order], third[order]
    new = np.ones(len(order), bool)
    new[1:] = (np.diff(first) != 0) | (np.diff(second) != 0) | (np.diff(third) != 0)
    return first[new], second[new], third[new]


def sorted_lists(
    first: Sequence[int], second: Sequence[int], third: Sequence[int], limits: tuple[int, int, int]
) -> tuple[list[int], list[int], list[int]]:
    """As :func:`sorted_rows`, from and to numbers of Python."""
    one, two, three = (np.array(column, np.int64) for column in (first, second, third))
    one, two, three = sorted_rows(one, two, three, limits)
    return one.tolist(), two.tolist(), three.tolist()


def closure(starts: Ints, begins: Ints, neighbours: Ints) -> npt.NDArray[np.bool_]:
    """Which nodes of a graph can be reached; the neighbours of node ``n`` are row ``n``."""
    seen = np.zeros(len(begins) - 1, bool)
    frontier = starts
    seen[starts] = True
    for _ in range(_WIDE_ROUNDS):
        found = neighbours[within(begins[frontier], begins[frontier + 1])]
        frontier = distinct(found[~seen[found]])
        if not len(frontier):
            return seen
        seen[frontier] = True
    reached, first, after = seen.tolist(), begins.tolist(), neighbours.tolist()
    pending = frontier.tolist()
    while pending:  # a deep graph: its levels are too small to be worth an array each
        node = pending.pop()
        for neighbour in after[first[node] : first[node + 1]]:
            if not reached[neighbour]:
                reached[neighbour] = True
                pending.append(neighbour)
    return np.array(reached)


_WIDE_ROUNDS = 64
