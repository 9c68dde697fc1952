"""Random testing and mutation: cheap executions that reach the easy goals.

Source: the loop of greybox fuzzing (Böhme, Pham & Roychoudhury, *Coverage-based greybox fuzzing as Markov chain*, CCS
2016, algorithm 1), reduced: inputs that executed an edge not executed before are kept and changed a little. Deviation:
what counts is which edges were executed, not how often.
"""

from __future__ import annotations

from random import Random
from time import monotonic

from gia.analyses.request import ActorRequest, search_deadline, whole_number
from gia.analyses.testing.campaign import Campaign, campaign
from gia.analyses.testing.executions import timed_out
from gia.analyses.testing.mutation import Inputs, mutate
from gia.automaton.model import Automaton
from gia.native import Execution

FRUITLESS = 150
"""How many executions in a row may bring nothing new before the random tester gives up."""

FRUITLESS_TIMEOUTS = 3
"""How many of them may run into the time limit of an execution."""

EXECUTION_SECONDS = 0.1
"""Wall time of one execution: better many short ones than a few long ones."""


class RandomTester:
    """The corpus of a random tester: inputs of executions that covered something new, in the order they were found."""

    def __init__(self, campaign_: Campaign, seed: int) -> None:
        self._campaign = campaign_
        self._random = Random(seed)
        self._corpus: list[Inputs] = []
        self._covered: set[int] = set()

    def learn(self, execution: Execution, always: bool = False) -> bool:
        """Remember the inputs of an execution that covered something new (or ``always``); whether it did."""
        new = not execution.covered_edges <= self._covered
        self._covered |= execution.covered_edges
        if execution.inputs and (new or always):
            self._corpus.append(execution.inputs)
        return new

    def explore(self, execution: Execution, attempts: int) -> None:
        """Execute variants of one execution: near to a goal that was hard to reach are often others."""
        self.learn(execution)
        timeouts = 0
        for _ in range(attempts if execution.inputs else 0):
            if self._campaign.finished or timeouts >= FRUITLESS_TIMEOUTS:
                return
            inputs = mutate(execution.inputs, self._corpus, self._random, self._campaign.executor.dictionary)
            variant = self._campaign.execute(inputs, self._random.getrandbits(32), EXECUTION_SECONDS)
            if not self.learn(variant) and timed_out(variant):
                timeouts += 1

    def search(self, deadline: float, fruitless: int = FRUITLESS) -> None:
        """Execute until every goal is reached, the deadline passes or ``fruitless`` runs in a row bring nothing."""
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
            go_on = fresh or self._random.random() < 0.5
            execution = self._campaign.execute(inputs, seed if go_on else None, EXECUTION_SECONDS)
            tried.add(execution.inputs)
            if self.learn(execution):
                unproductive = timeouts = 0
            elif timed_out(execution):
                timeouts += 1
            if not execution.inputs and fresh:  # a program without inputs has one execution only
                return

    def _mutant(self) -> Inputs:
        """A variant of some inputs of the corpus, of recent ones more often."""
        index = max(self._random.randrange(len(self._corpus)) for _ in range(2))
        return mutate(self._corpus[index], self._corpus, self._random, self._campaign.executor.dictionary)


def run(request: ActorRequest) -> Automaton:
    """The actor ``random`` (direction UA): random testing until the deadline, or until nothing new turns up.

    Option ``fruitless``: how many executions in a row may bring nothing new (default 2000).
    """
    with campaign(request) as found:
        tester = RandomTester(found, request.seed)
        if not found.finished:
            tester.search(search_deadline(request), whole_number(request, "fruitless", 2000))
        return found.automaton()
