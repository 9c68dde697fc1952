"""Reduction once more, slow and obviously right: partitions by signatures over Python tuples, one round at a time."""

from gia.automaton.model import ANY, Automaton, State, Transition


def useful_states(automaton):
    """The states on runs from the initial to an accepting state."""
    arcs = [(s, t) for s, t, edges, _ in automaton.transitions if edges is ANY or edges]

    def closed(found, arcs):
        while more := {t for s, t in arcs if s in found} - found:
            found = found | more
        return found

    accepting = {n for n, state in enumerate(automaton.states) if state.accept}
    return closed({automaton.initial}, arcs) & closed(accepting, [(t, s) for s, t in arcs])


def stable(start, signature):
    """The coarsest partition finer than ``start`` in which states of one class have one signature."""
    colour = list(start)
    while True:
        look = [(colour[n], signature(n, colour)) for n in range(len(colour))]
        number = {found: position for position, found in enumerate(dict.fromkeys(look))}
        finer = [number[found] for found in look]
        if len(number) == len(set(colour)):
            return finer
        colour = finer


def forward(automaton):
    """Classes of states with one kind and the same future, arcs to one class united for each assumption."""

    def signature(state, colour):
        found = {}
        for source, target, edges, assumption in automaton.transitions:
            if source == state and (edges is ANY or edges):
                known = found.setdefault((assumption, colour[target]), set())
                known |= {"*"} if edges is ANY else edges
        return frozenset((key, frozenset({"*"} if "*" in edges else edges)) for key, edges in found.items())

    return stable([repr(state) for state in automaton.states], signature)


def backward(automaton):
    """Classes of states with one kind and the same past; the initial state alone ends the empty run."""

    def signature(state, colour):
        return frozenset(
            (edges, assumption, colour[source])
            for source, target, edges, assumption in automaton.transitions
            if target == state and (edges is ANY or edges)
        )

    start = [(n == automaton.initial, repr(state)) for n, state in enumerate(automaton.states)]
    return stable(start, signature)


def same_partition(first, second):
    """Whether two colourings have the same classes."""
    first, second = list(first), list(second)
    pairs = set(zip(first, second, strict=True))
    return len(first) == len(second) and len(pairs) == len(set(first)) == len(set(second))


def repeated(automaton: Automaton, times: int) -> Automaton:
    """Copies of the automaton in a row: what enters an accepting state of one begins the next as well."""
    count = len(automaton.states)
    states = [State(s.invariant, None if n < times - 1 else s.accept) for n in range(times) for s in automaton.states]
    transitions = []
    for n in range(times):
        for source, target, edges, assumption in automaton.transitions:
            transitions.append(Transition(n * count + source, n * count + target, edges, assumption))
            if automaton.states[target].accept and n < times - 1:
                transitions.append(Transition(n * count + source, (n + 1) * count, edges, assumption))
    return Automaton(tuple(states), tuple(transitions), 0)
