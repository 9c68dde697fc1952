"""Cut points cut every cycle, and only what the solver proves counts as proven."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic, sleep

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gia.cfa.supergraph import Node, Supergraph
from gia.smt.encoding.encoder import Encoder
from gia.smt.invariants.blocks import Skeleton, block_from, skeleton
from gia.smt.invariants.control_graph import InlinedGraph, OutOfTimeError, TooLargeError
from gia.smt.invariants.induction import Induction
from gia.smt.solvers import make_solver
from gia.smt.solvers.solver import Result
from gia.smt.terms import Term, bv_const, equal
from tests.cfa.graphs import graphs, program_of
from tests.checker.programs import branches, load_text


def has_cycle(shape: Skeleton[Node]) -> bool:
    """Whether a cycle avoids all cut points."""
    cuts = frozenset(shape.cuts)
    remaining = {
        node: {arc.target for arc in leaving if arc.leads_into(shape.arcs)} - cuts
        for node, leaving in shape.arcs.items()
        if node not in cuts
    }
    while True:
        ends = {node for node, targets in remaining.items() if not targets & remaining.keys()}
        if not ends:
            return bool(remaining)
        for node in ends:
            del remaining[node]


@settings(max_examples=80, deadline=None, derandomize=True)
@given(main=graphs(callees=("main", "f")), callee=graphs(callees=("f",)), data=st.data())
def test_every_cycle_is_cut_and_every_path_to_a_goal_is_kept(main, callee, data):
    program = program_of({"main": main, "f": callee})
    numbers = [edge.number for edge in program.edges()]
    if not numbers:
        return
    goals = frozenset(data.draw(st.sets(st.sampled_from(numbers), min_size=1)))
    graph = InlinedGraph(Supergraph(program))
    shape = skeleton(program, graph, goals)
    assert not has_cycle(shape)
    reached = {graph.entry}
    pending = [graph.entry]
    while pending:
        for arc in graph.arcs(pending.pop()):
            if not arc.ends and arc.target not in reached:
                reached.add(arc.target)
                pending.append(arc.target)
    taken = {(node, arc.edge.number) for node in reached for arc in graph.arcs(node) if arc.edge.number in goals}
    assert taken == {(claim.source, claim.edge) for claim in shape.claims}


def test_limits_are_kept(tmp_path):
    loaded = load_text(tmp_path, "int main(void) {\n  while (1) ;\n}\n")
    graph = InlinedGraph(Supergraph(loaded.program))
    goals = frozenset(number for goal in branches(loaded) for number in goal.edges)
    with pytest.raises(TooLargeError):
        skeleton(loaded.program, graph, goals, limit=1)
    with pytest.raises(OutOfTimeError):
        skeleton(loaded.program, graph, goals, deadline=monotonic() - 1)


class GivesUp:
    """A solver that never knows anything."""

    def push(self) -> None: ...

    def pop(self) -> None: ...

    def add(self, *formulas: Term) -> None: ...

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Result:
        return Result.UNKNOWN

    def value(self, term: Term) -> int:
        raise AssertionError("there is no model")


def test_a_solver_that_gives_up_proves_nothing(tmp_path):
    loaded = load_text(
        tmp_path,
        "int main(void) {\n  int i = 0;\n  while (__VERIFIER_nondet_int()) i = i ? i : 0;\n  if (i)\n    return 1;\n"
        "  return 0;\n}\n",
    )
    (goal,) = (goal for goal in branches(loaded) if goal.outcome == "then" and goal.line == 6)
    graph = InlinedGraph(Supergraph(loaded.program))
    shape = skeleton(loaded.program, graph, goal.edges)
    for solver, proven in ((GivesUp, False), (make_solver, False)):
        induction = Induction(shape, Encoder(loaded.program), solver)
        fixpoint = induction.fixpoint({}, shape.claims, monotonic() + 10)
        assert bool(fixpoint.proven) is proven
        assert fixpoint.undecided | set(fixpoint.refuted)
    induction = Induction(shape, Encoder(loaded.program), make_solver)
    with pytest.raises(OutOfTimeError):
        induction.fixpoint({}, shape.claims, monotonic() - 1)


class TimeFlies(GivesUp):
    """Finds a model just when the time is over, and must not be asked for it then."""

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Result:
        assert timeout is not None
        sleep(timeout)
        return Result.SAT

    def value(self, term: Term) -> int:
        raise AssertionError


def test_no_values_are_read_after_the_deadline(tmp_path):
    loaded = load_text(tmp_path, "int main(void) {\n  if (__VERIFIER_nondet_int())\n    return 1;\n  return 0;\n}\n")
    edges = frozenset(number for goal in branches(loaded) for number in goal.edges)
    shape = skeleton(loaded.program, InlinedGraph(Supergraph(loaded.program)), edges)
    claims = sorted(shape.claims, key=lambda claim: claim.edge)[:1]
    fixpoint = Induction(shape, Encoder(loaded.program), TimeFlies).fixpoint({}, claims, monotonic() + 0.5)
    assert fixpoint.interrupted
    assert not fixpoint.proven


DELAYED = """int main(void) {
  int a = 0, b = 0, c = 0;
  while (__VERIFIER_nondet_int()) {
    if (a == 7) return 1;
    if (b == 9) return 2;
    a = b; b = c; c = __VERIFIER_nondet_int() ? 3 : 0;
  }
  return 0;
}
"""


def test_deeper_inductions_that_share_their_solvers_prove_what_those_alone_do(tmp_path):
    loaded = load_text(tmp_path, DELAYED)
    edges = frozenset(number for goal in branches(loaded) for number in goal.edges)
    shape = skeleton(loaded.program, InlinedGraph(Supergraph(loaded.program)), edges)
    shared = Induction(shape, Encoder(loaded.program), make_solver)
    counts = []
    for depth in range(4):
        alone = Induction(shape, Encoder(loaded.program), make_solver, depth=depth)
        expected = alone.fixpoint({}, shape.claims, monotonic() + 30).proven
        assert shared.at_depth(depth).fixpoint({}, shape.claims, monotonic() + 30).proven == expected
        counts.append(len(expected))
    assert counts == [0, 0, 1, 2]


TWICE = """static int f(int n) {
  if (n < 2) return n;
  return f(n - 1) + f(n - 2);
}
int main(void) {
  if (f(9) == 34) return 1;
  return 0;
}
"""


def test_every_call_on_a_path_is_among_the_states_that_enter_its_function(tmp_path):
    loaded = load_text(tmp_path, TWICE)
    program = loaded.program
    edges = frozenset(number for goal in branches(loaded) for number in goal.edges)
    supergraph = Supergraph(program)
    shape = skeleton(program, InlinedGraph(supergraph, contracts=True), edges)
    encoder = Encoder(program)
    (frame,) = supergraph.contracts.contexts.values()
    entry = Node(frame, program.functions["f"].entry)
    parameter = encoder.world.instance(program.functions["f"].parameters[0], frame)
    block = block_from(shape, encoder, entry)
    entered = block.exits[entry]
    for argument in (7, 8):  # of one and the same execution
        solver = make_solver()
        solver.add(equal(block.initial.values[parameter], bv_const(9, 32)))
        solver.add(entered.guard, equal(entered.values[parameter], bv_const(argument, 32)))
        assert solver.check() is Result.SAT
