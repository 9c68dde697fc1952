#!/usr/bin/env python3
"""Measure reading, writing and combining GIAs of growing size, all in one run.

The automata are made like those of a run: tests in the compact form of DESIGN section 3 (a state for each input,
loops on the plain edges and on the conditions evaluated there, shared prefixes), proofs (loops, then
states with invariants, one step per edge), and candidates, some of which the tests decide. Every test runs through the
loop of the proofs, so that the search for contradictions has to follow all of them. Two automata of a size share half
of their facts.

Times are CPU times, the least of some calls, given as ratios: reading and writing to what lxml needs to parse the same
bytes, combining to what gia needs to read the two files. The exponent is the slope of the least-squares line through
(log transitions, log seconds).

    python benchmarks/algebra.py --sizes 1000 10000 100000 1000000 --rounds 100
    python benchmarks/algebra.py --sizes 10000 100000 --rounds 0 --inputs 500   # tests with up to so many inputs
"""

from __future__ import annotations

import argparse
import gc
import io
import math
import random
import resource
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from lxml import etree

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.automaton.union import union
from gia.cfa.graph import EdgeReference
from gia.combiner import combine
from gia.exchange.gia_xml import gia_bytes, read_gia

LOCATIONS = 60
VALUES = 6
FEW = 0.02
"""The share of the values of long tests that are not zero."""
EDGES = [EdgeReference("step", line, 5, "assign") for line in range(1, 200)]
CONDITIONS = [
    (EdgeReference("step", line, 9, "assume", branch), Condition(f"{sign}(mode < {line})", "step"))
    for line in range(2000, 2000 + LOCATIONS)
    for branch, sign in (("then", ""), ("else", "!"))
]
INPUTS = [EdgeReference("main", line, 7, "input") for line in (10, 20, 30)]
REACHED = [EdgeReference("step", line, 3, "assume", "then") for line in range(5000, 5030)]
EXCLUDED = [EdgeReference("step", line, 3, "assume", "then") for line in range(6000, 6030)]
OPEN = [EdgeReference("step", line, 3, "assume", "then") for line in range(7000, 7030)]
PLAIN = frozenset(EDGES)
PASSED = frozenset([*EDGES, *(edge for edge, _ in CONDITIONS), *INPUTS, *REACHED])
"""The edges that the invariant of the proofs is about."""


@dataclass
class Facts:
    """Tests, as the inputs they read, and proofs, as the edges they follow."""

    tests: list[tuple[int, ...]] = field(default_factory=list)
    proofs: list[tuple[int, ...]] = field(default_factory=list)

    def part(self, begin: float, end: float) -> Facts:
        """The facts between two fractions of the lists."""
        tests, proofs = len(self.tests), len(self.proofs)
        return Facts(
            self.tests[int(begin * tests) : int(end * tests)], self.proofs[int(begin * proofs) : int(end * proofs)]
        )

    def automaton(self) -> Automaton:
        """All facts, and the candidates that are open."""
        return union([_candidates(), _tests_automaton(self.tests), _proofs_automaton(self.proofs)])


def random_facts(transitions: int, seed: int = 1, inputs: int | None = None) -> Facts:
    """Facts that make an automaton of about this many transitions.

    ``inputs`` is the most that a test has; most of them are zero then, as they are in simplified tests.
    """
    choice = random.Random(seed)
    facts = Facts()
    size = 0
    seen: set[tuple[int, ...]] = set()
    depth = inputs or 3 + round(math.log(max(transitions, 10), VALUES))
    while size < transitions:
        if choice.random() < 0.8:
            values = tuple(choice.randrange(VALUES) for _ in range(choice.randint(3, depth)))
            if inputs:
                values = tuple(value if choice.random() < FEW else 0 for value in values)
            facts.tests.append(values)
            size += 6 * _new_prefixes(values, seen) + 1
        else:
            word = tuple(choice.randrange(len(EDGES)) for _ in range(choice.randint(2, 8)))
            facts.proofs.append(word)
            size += 2 * len(word) + 1
    return facts


def _new_prefixes(values: tuple[int, ...], seen: set[tuple[int, ...]]) -> int:
    new = 0
    for length in range(1, len(values) + 1):
        if values[:length] not in seen:
            seen.add(values[:length])
            new += 1
    return new


def _candidates() -> Automaton:
    transitions = (Transition(0, 0, ANY), Transition(0, 1, frozenset(OPEN + REACHED)), Transition(1, 1, ANY))
    return Automaton((State(), State(None, Acceptance.CAND)), transitions)


def _tests_automaton(tests: Iterable[tuple[int, ...]]) -> Automaton:
    """The tests as one tree of input values; the program is in one of :data:`LOCATIONS` after each input."""
    states, transitions = [State(), State(None, Acceptance.RT)], [Transition(0, 0, PLAIN), Transition(1, 1, ANY)]
    known: dict[tuple[int, ...], tuple[int, int]] = {(): (0, 0)}
    goals: dict[Transition, None] = {}
    for values in tests:
        for length in range(1, len(values) + 1):
            prefix = values[:length]
            if prefix in known:
                continue
            before, location = known[prefix[:-1]]
            location = (location * 7 + 13 * prefix[-1] + 1) % LOCATIONS
            number = len(states)
            known[prefix] = (number, location)
            states.append(State())
            value = Condition(f"\\result == {prefix[-1]}", "main")
            transitions.append(Transition(before, number, frozenset({INPUTS[location % 3]}), value))
            transitions.append(Transition(number, number, PLAIN))
            for offset in range(3 + location % 4):
                edge, condition = CONDITIONS[(location * 3 + offset * 11) % len(CONDITIONS)]
                transitions.append(Transition(number, number, frozenset({edge}), condition))
        number, location = known[values]
        goals[Transition(number, 1, frozenset({REACHED[location % len(REACHED)]}))] = None
    return Automaton(tuple(states), (*transitions, *goals))


def _proofs_automaton(proofs: Iterable[tuple[int, ...]]) -> Automaton:
    """The proofs as one tree of edges, a state with an invariant after each."""
    states, transitions = [State(), State(None, Acceptance.UT)], [Transition(0, 0, PASSED), Transition(1, 1, ANY)]
    known: dict[tuple[int, ...], int] = {(): 0}
    for word in proofs:
        for length in range(1, len(word) + 1):
            prefix = word[:length]
            if prefix not in known:
                number = known[prefix] = len(states)
                states.append(State(Condition(f"0 <= mode && mode <= {prefix[-1] % 500}", "step")))
                edge = EDGES[prefix[-1]]
                transitions.append(Transition(known[prefix[:-1]], number, frozenset({edge})))
                goal = EXCLUDED[prefix[-1] % len(EXCLUDED)]
                transitions.append(Transition(number, 1, frozenset({goal})))
    return Automaton(tuple(states), tuple(transitions))


# ---- measuring


def seconds(action: Callable[[], object], repeat: int = 1) -> float:
    """The least CPU time of some calls."""
    times = []
    for _ in range(repeat):
        gc.collect()
        start = time.process_time()
        result = action()
        times.append(time.process_time() - start)
        del result
    return min(times)


@dataclass
class Row:
    """What was measured at one size: seconds, and sizes in transitions."""

    transitions: int
    megabytes: float
    lxml: float
    read: float
    write: float
    combined: int
    read_both: float
    combine: float


def measure(size: int, repeat: int, inputs: int | None) -> Row:
    """One row, for two automata of ``size`` transitions each that share half, and for one of ``2 * size``."""
    facts = random_facts(size + size // 2, inputs=inputs)
    first, second = (gia_bytes(facts.part(*ends).automaton()) for ends in ((0, 2 / 3), (1 / 3, 1)))
    large = gia_bytes(random_facts(2 * size, seed=2, inputs=inputs).automaton())
    lxml = seconds(lambda: etree.parse(io.BytesIO(large)), repeat)
    read = seconds(lambda: read_gia(large), repeat)
    automaton = read_gia(large)
    write = seconds(lambda: gia_bytes(automaton), repeat)
    transitions = len(automaton.transitions)
    read_both = seconds(lambda: (read_gia(first), read_gia(second)), repeat)
    pair = [read_gia(first), read_gia(second)]
    combine_time = seconds(lambda: combine(pair), repeat)
    combined = combine(pair)
    return Row(transitions, len(large) / 1e6, lxml, read, write, len(combined.transitions), read_both, combine_time)


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """The slope of the least-squares line through the logarithms."""
    xs, ys = zip(*((math.log(x), math.log(y)) for x, y in points), strict=True)
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)) / sum((x - mx) ** 2 for x in xs)


def rounds(count: int) -> Iterator[tuple[int, int, int]]:
    """Combining the result with new facts: round, transitions of all facts in one automaton, of the result."""
    facts = random_facts(300 * count, seed=3)
    known = facts.part(0, 0).automaton()
    for number in range(1, count + 1):
        known = combine([known, facts.part((number - 1) / count, number / count).automaton()])
        if number in (1, count // 10, count // 2, count):
            yield number, len(combine([facts.part(0, number / count).automaton()]).transitions), len(known.transitions)


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--inputs", type=int, metavar="N", help="the most inputs of a test, which are mostly zero")
    options = parser.parse_args()
    rows = []
    print("transitions      MB   lxml s  read/lxml  write/lxml  both/lxml   combined  combine s  combine/read")
    for size in options.sizes:
        row = measure(size // 2, 5 if size < 200_000 else 2, options.inputs)
        rows.append(row)
        print(
            f"{row.transitions:11d} {row.megabytes:7.1f} {row.lxml:8.3f} {row.read / row.lxml:10.2f}"
            f" {row.write / row.lxml:11.2f} {(row.read + row.write) / row.lxml:10.2f} {row.combined:10d}"
            f" {row.combine:10.3f} {row.combine / row.read_both:13.2f}",
            flush=True,
        )
    if len(rows) > 1:
        for name in ("read", "write", "combine"):
            points = [(row.transitions, getattr(row, name)) for row in rows]
            print(f"exponent of {name}: {exponent(points):.2f}, of the last two sizes: {exponent(points[-2:]):.2f}")
    print(f"memory of the whole run: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")
    if options.rounds:
        print("\nround  transitions of the facts  of the result")
        for number, facts, result in rounds(options.rounds):
            print(f"{number:5d} {facts:25d} {result:14d}")


if __name__ == "__main__":
    main()
