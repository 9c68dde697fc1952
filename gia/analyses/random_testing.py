"""Random testing and mutation: cheap executions that reach the easy goals.

Source: the loop of greybox fuzzing (Böhme, Pham & Roychoudhury, *Coverage-based greybox fuzzing as Markov chain*, CCS
2016, algorithm 1), reduced: inputs that executed an edge not executed before are kept and changed a little. Deviation:
what counts is which edges were executed, not how often.
"""

from __future__ import annotations

from random import Random
from time import monotonic

from gia.analyses.campaign import Campaign, campaign
from gia.analyses.mutation import Inputs, mutate
from gia.analyses.request import ActorRequest
from gia.analyses.values import Dictionary
from gia.automaton.model import Automaton

FRUITLESS = 150
"""How many executions in a row may bring nothing new before the random tester gives up."""

FRUITLESS_TIMEOUTS = 3
"""How many of them may run into the time limit of an execution."""


class RandomTester:
    """The corpus of a random tester: inputs of executions that covered something new, in the order they were found."""

    def __init__(self, campaign_: Campaign, seed: int) -> None:
        self._campaign = campaign_
        self._random = Random(seed)
        self._dictionary = Dictionary(campaign_.request.loaded.program)
        self._corpus: list[Inputs] = []
        self._covered: set[int] = set()

    def learn(self, inputs: Inputs, covered: frozenset[int]) -> bool:
        """Remember inputs that covered something new; whether they did."""
        new = not covered <= self._covered
        if new:
            self._covered |= covered
            if inputs:
                self._corpus.append(inputs)
        return new

    def search(self, deadline: float, fruitless: int = FRUITLESS) -> None:
        """Execute until every goal is reached, the deadline passes or ``fruitless`` runs in succession bring nothing."""
        tried: set[Inputs] = set()
        unproductive = timeouts = 0
        while unproductive < fruitless and timeouts < FRUITLESS_TIMEOUTS:
            if self._campaign.finished or monotonic() >= deadline:
                return
            unproductive += 1
            fresh = not self._corpus or self._random.random() < 0.3
            inputs = () if fresh else self._mutant()
            if inputs in tried:
                continue
            seed = self._random.getrandbits(32)
            execution = self._campaign.execute(inputs, seed=seed if fresh or self._random.random() < 0.5 else None)
            tried.add(execution.inputs)
            if self.learn(execution.inputs, execution.covered_edges):
                unproductive = timeouts = 0
            elif execution.timed_out:
                timeouts += 1
            if not execution.inputs and fresh:  # a program without inputs has one execution only
                return

    def _mutant(self) -> Inputs:
        """A variant of some inputs of the corpus, of recent ones more often."""
        index = max(self._random.randrange(len(self._corpus)) for _ in range(2))
        return mutate(self._corpus[index], self._corpus, self._random, self._dictionary)


def run(request: ActorRequest) -> Automaton:
    """The actor ``random`` (direction UA): random testing until the deadline, or until nothing new turns up.

    Option ``fruitless``: how many executions in a row may bring nothing new (default 2000).
    """
    with campaign(request) as found:
        tester = RandomTester(found, request.seed)
        if not found.finished:
            tester.search(request.deadline, int(request.options.get("fruitless", "2000")))
        return found.automaton()
