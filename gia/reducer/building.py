"""From the explored product to functions again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from gia.cfa.expressions import (
    Binary,
    Cast,
    Expression,
    IntegerConstant,
    Storage,
    Variable,
    VariableReference,
    variables_of,
)
from gia.cfa.graph import Edge, EdgeReference, Function
from gia.cfa.operations import Assign, Assume, Call, Halt, Input, Operation
from gia.cfa.types import INT
from gia.reducer.exploration import Copy, CopyKey, Exploration, Place, ProductNode
from gia.reducer.tracking import Covered, Decision, Test, Track

END = "exit"
"""The library function that ends a path where it is cut."""

OUTCOME = Variable("$outcome", INT, Storage.GLOBAL)
"""The global that tells a caller in which states of the automaton its callee has left the runs."""

ADDED = "skip"
"""The kind of the edges that the reduction adds; such edges are no goals."""

_ENDING = Halt(END, (IntegerConstant(0, INT),))


class Output(Struct):
    """What has been built so far; numbers are handed out from here, so that they are unique in the program."""

    edges: int = 0
    locations: int = 0
    used: set[EdgeReference] = field(default_factory=set)
    tests: int = 0
    cuts: int = 0

    def location(self) -> int:
        """A new location."""
        self.locations += 1
        return self.locations - 1

    def edge(self, like: Edge, source: int, target: int, operation: Operation, text: str | None = None) -> Edge:
        """A new edge: a copy of ``like`` or, if it has a ``text`` of its own, an added one at its position."""
        reference = like.reference
        if text is None:
            self.used.add(reference)
        else:
            reference = EdgeReference(reference.function, reference.line, reference.column, ADDED)
        self.edges += 1
        shown = like.text if text is None else text
        return Edge(self.edges - 1, source, target, operation, reference, like.file, shown)


def unreduced(function: Function, output: Output) -> Function:
    """A function as it is, with new numbers."""
    locations = {location: output.location() for location in function.leaving}
    edges = tuple(
        output.edge(edge, locations[edge.source], locations[edge.target], edge.operation) for edge in function.edges
    )
    return replace(function, edges=edges, entry=locations[function.entry], exit=locations[function.exit])


def empty(function: Function, output: Output) -> Function:
    """A function that ends the program at once."""
    position = function.position
    entry, end = output.location(), output.location()
    reference = EdgeReference(function.name, position.line, position.column, ADDED)
    like = Edge(0, entry, end, _ENDING, reference, position.file, "")
    output.cuts += 1
    return replace(
        function, edges=(output.edge(like, entry, end, _ENDING, "cut"),), entry=entry, exit=output.location()
    )


class Reduction:
    """What the builders of all functions share: the product, which part of it is needed, and the copies' names."""

    def __init__(self, exploration: Exploration, names: Mapping[CopyKey, str], needed: frozenset[Place]) -> None:
        self.exploration = exploration
        self.names = names
        self._needed = needed
        self.dispatching = frozenset(
            copy.key
            for copy in exploration.copies.values()
            if any(len(set(self.ways(copy, caller, call))) > 1 for caller, _, call in copy.callers)
        )
        """The copies with a caller that goes on differently after different outcomes."""

    def way(self, copy: Copy, location: int, decision: Decision) -> ProductNode | Test | None:
        """How a copy goes on to ``location`` by a decision: at a node, with a test, or not at all (``None``)."""
        if isinstance(decision, Test):
            return decision
        if isinstance(decision, Covered) or decision.is_dead:
            return None
        node = self.exploration.node_of(copy, location, decision)
        return node if self.is_needed(copy, node) else None

    def ways(self, callee: Copy, caller: Copy, call: Edge) -> list[ProductNode | Test | None]:
        """How the caller goes on after each outcome of its callee."""
        decisions = (self.exploration.after_return(caller, call, outcome) for outcome in callee.outcomes)
        return [self.way(caller, call.target, decision) for decision in decisions]

    def is_needed(self, copy: Copy, node: ProductNode) -> bool:
        """Whether a node is in the reduced program."""
        return (copy.key, node) in self._needed


class CopyBuilder:
    """Builds the function of one copy."""

    def __init__(self, reduction: Reduction, copy: Copy, output: Output) -> None:
        self._reduction = reduction
        self._exploration = reduction.exploration
        self._copy = copy
        self._output = output
        self._edges: list[Edge] = []
        self._locations: dict[ProductNode, int] = {}
        self._results: dict[Variable, None] = {}
        self._cut: int | None = None
        self._exit = output.location()

    def build(self) -> Function:
        """The function; its entry is needed."""
        copy = self._copy
        entry = self._at(copy.entry)
        for node in copy.nodes:
            if self._reduction.is_needed(copy, node):
                for edge in copy.function.leaving[node.location]:
                    self._copy_edge(node, edge)
        return replace(
            copy.function,
            name=self._reduction.names[copy.key],
            locals=(*copy.function.locals, *self._results),
            entry=entry,
            exit=self._exit,
            edges=tuple(self._edges),
        )

    def _at(self, node: ProductNode) -> int:
        """The location of a node."""
        if node not in self._locations:
            self._locations[node] = self._output.location()
        return self._locations[node]

    def _copy_edge(self, node: ProductNode, edge: Edge) -> None:
        """Build what an edge of the original program becomes at a node."""
        copy, source, operation = self._copy, self._at(node), edge.operation
        if (node, edge.number) in copy.returns:
            if copy.key in self._reduction.dispatching:
                index = list(copy.outcomes).index(copy.returns[node, edge.number])
                note = Assign(VariableReference(OUTCOME), IntegerConstant(index, INT))
                source = self._add(edge, source, self._output.location(), note, "tell the caller the outcome")
            self._add(edge, source, self._exit, operation)
            return
        decision = copy.decisions[node, edge.number]
        if isinstance(operation, Call) and operation.function in self._exploration.program.functions:
            self._call_after(edge, source, decision)
        elif self._reduction.way(copy, edge.target, decision) is None:
            if isinstance(operation, Assume):
                self._add(edge, source, self._cut_location(edge), operation, edge.text)
            else:
                self._end(edge, source)
        elif isinstance(operation, Halt):
            self._add(edge, source, self._output.location(), operation)
        elif isinstance(operation, Input):
            self._input(edge, source, operation, decision)
        else:
            self._add(edge, source, self._continue(edge, decision), operation)

    def _input(self, edge: Edge, source: int, operation: Input, decision: Decision) -> None:
        """An input; what it returned is kept in a variable if it is tested."""
        result = self._exploration.result_variable(self._copy.key.function, operation.type)
        if not any(result in variables_of(condition) for condition in _conditions(decision)):
            self._add(edge, source, self._continue(edge, decision), operation)
            return
        self._results[result] = None
        held = VariableReference(result)
        source = self._add(edge, source, self._output.location(), replace(operation, target=held))
        if operation.target is not None:
            type_ = operation.target.type
            value = held if type_ == result.type else Cast(held, type_)
            source = self._add(
                edge, source, self._output.location(), Assign(operation.target, value), "store the input"
            )
        assert isinstance(decision, Test)
        self._test(edge, source, decision, self._leaf(edge))

    def _call_after(self, edge: Edge, source: int, decision: Decision) -> None:
        """A call of a defined function, after the tests of a decision."""

        def call(leaf: Decision) -> int:
            place = self._output.location()
            self._call(edge, place, leaf)
            return place

        if isinstance(decision, Test):
            self._test(edge, source, decision, call)
        else:
            self._call(edge, source, decision)

    def _call(self, edge: Edge, source: int, leaf: Decision) -> None:
        """A call of a defined function whose track at the entry is ``leaf``."""
        operation = edge.operation
        assert isinstance(operation, Call)
        if not isinstance(leaf, Track) or leaf.is_dead:
            self._end(edge, source)
            return
        if operation.function in self._exploration.unfollowed:
            after = self._exploration.tracker.after_anything(leaf)
            if self._reduction.way(self._copy, edge.target, after) is None:
                self._end(edge, source)
            else:
                self._add(edge, source, self._continue(edge, after), operation)
            return
        callee = self._exploration.copy_of(operation.function, leaf)
        if not self._reduction.is_needed(callee, callee.entry):
            self._end(edge, source)
            return
        called = replace(operation, function=self._reduction.names[callee.key])
        self._add(edge, source, self._after_call(edge, callee), called)

    def _after_call(self, edge: Edge, callee: Copy) -> int:
        """The location after a call: it goes on as the outcome of the callee demands."""
        ways = self._reduction.ways(callee, self._copy, edge)
        targets: dict[ProductNode | Test | None, int] = {}
        for way, outcome in zip(ways, callee.outcomes, strict=True):
            if way not in targets:
                decision = self._exploration.after_return(self._copy, edge, outcome)
                targets[way] = self._continue(edge, decision)
        if not targets:  # the callee never returns
            return self._cut_location(edge)
        if len(targets) == 1:
            return next(iter(targets.values()))
        place = self._output.location()
        for index, way in enumerate(ways):
            condition = Binary("==", VariableReference(OUTCOME), IntegerConstant(index, INT), INT)
            self._add(edge, place, targets[way], Assume(condition, True), "outcome of the callee")
        return place

    def _continue(self, edge: Edge, decision: Decision) -> int:
        """The location from which the function goes on to the target of ``edge`` as the decision says."""
        if not isinstance(decision, Test):
            return self._leaf(edge)(decision)
        place = self._output.location()
        self._test(edge, place, decision, self._leaf(edge))
        return place

    def _leaf(self, edge: Edge) -> Callable[[Decision], int]:
        """Where the function goes on to the target of ``edge`` when nothing is left to be tested."""

        def location(leaf: Decision) -> int:
            way = self._reduction.way(self._copy, edge.target, leaf)
            return self._at(way) if isinstance(way, ProductNode) else self._cut_location(edge)

        return location

    def _test(self, edge: Edge, source: int, first: Test, leaf_location: Callable[[Decision], int]) -> None:
        """The tests of a decision, from ``source`` on; where none is left they lead to ``leaf_location(leaf)``."""
        places: dict[Decision, int] = {first: source}
        pending = [first]

        def place_of(decision: Decision) -> int:
            if decision not in places:
                if isinstance(decision, Test):
                    places[decision] = self._output.location()
                    pending.append(decision)
                else:
                    places[decision] = leaf_location(decision)
            return places[decision]

        while pending:
            test = pending.pop()
            self._output.tests += 1
            for outcome, decision in ((True, test.holds), (False, test.fails)):
                assumption = Assume(test.condition, outcome)
                self._add(edge, places[test], place_of(decision), assumption, "test of the automaton")

    def _cut_location(self, edge: Edge) -> int:
        """The location that ends paths which are cut."""
        if self._cut is None:
            self._cut = self._output.location()
            self._add(edge, self._cut, self._output.location(), _ENDING, "cut")
        self._output.cuts += 1
        return self._cut

    def _end(self, edge: Edge, source: int) -> None:
        """End the paths at ``source``, where ``edge`` would go on."""
        self._output.cuts += 1
        self._add(edge, source, self._output.location(), _ENDING, "cut")

    def _add(self, like: Edge, source: int, target: int, operation: Operation, text: str | None = None) -> int:
        """Add an edge (see :meth:`Output.edge`); its target."""
        self._edges.append(self._output.edge(like, source, target, operation, text))
        return target


def _conditions(decision: Decision) -> Iterator[Expression]:
    """The conditions that a decision tests."""
    seen: set[Decision] = set()
    pending = [decision]
    while pending:
        current = pending.pop()
        if isinstance(current, Test) and current not in seen:
            seen.add(current)
            pending += [current.holds, current.fails]
            yield current.condition
