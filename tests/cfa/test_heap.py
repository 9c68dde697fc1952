"""Which allocations are one pool, and what their blocks are called."""

from __future__ import annotations

from gia.cfa.heap import heap_pools
from gia.cfa.places import BEGIN, Block, Blocks, Distance
from gia.cfa.pools import in_pools, pools_of
from gia.cfa.types import DataModel
from gia.frontend.exchange_expressions import parse_expression
from gia.smt.encoding.encoder import Encoder
from gia.smt.solvers import make_solver
from gia.smt.solvers.solver import Result
from gia.smt.terms import negation
from tests.smt.native import DECLARATIONS, load_text

ONE, TWO, THREE, FOUR = map(Blocks, (1, 2, 3, 4))
ONCE = Block((), 3)


def test_what_one_pointer_may_hold_is_one_pool() -> None:
    pointers = [{FOUR: BEGIN, TWO: BEGIN}, {ONE: BEGIN}, {ONCE: BEGIN, TWO: BEGIN}]
    assert pools_of([ONE, TWO, FOUR], pointers) == {ONE: ONE, TWO: TWO, FOUR: TWO, THREE: TWO}
    assert pools_of([ONE], [{ONCE: BEGIN}]) == {ONE: ONE}


def test_a_pointer_into_a_pool_may_be_at_all_distances_that_it_has_from_the_begins_of_its_blocks() -> None:
    pools = {ONE: ONE, TWO: ONE}
    inside = Distance(0, 8)
    assert in_pools({ONE: inside, TWO: inside, ONCE: BEGIN}, pools) == {ONE: inside, ONCE: BEGIN}
    assert in_pools({ONE: inside, TWO: Distance(0, 20)}, pools) == {ONE: Distance(12, 8)}
    assert in_pools({ONE: Distance(8, 0), TWO: BEGIN}, pools) == {ONE: Distance(8, 0)}
    assert in_pools({THREE: BEGIN}, pools) is None


def test_a_number_of_any_type_names_a_block() -> None:
    text = """#include <stdlib.h>
struct node { int value; struct node *next; } *list;
int main(void) { while (__VERIFIER_nondet_int()) {
  struct node *n = malloc(sizeof *n); n->next = list; list = n; } return 0; }
"""
    program = load_text(text, DataModel.LP64)
    name = next(iter(heap_pools(program).values())).blocks.name
    encoder, solver = Encoder(program, with_pools=True), make_solver()
    number = rf"{name}[{{}}].value == 3"
    one, same, two = (
        encoder.condition(parse_expression(number.format(i), "main", program, quantified=True), state, ())
        for i, state in ((i, encoder.initial_state()) for i in ("1", "(short)1", "2ull"))
    )
    assert solver.check([one, negation(same)], 10) is Result.UNSAT
    assert solver.check([one, negation(two)], 10) is Result.SAT


def test_pools_have_the_line_of_their_first_allocation() -> None:
    text = """#include <stdlib.h>
struct a { int x; struct a *next; } *as; struct b { long y[2]; struct b *next; } *bs;
int main(void) {
  while (__VERIFIER_nondet_int()) {
    struct a *a = malloc(sizeof *a); struct b *b = malloc(sizeof *b); void *c = malloc(4);
    a->next = as; as = a; b->next = bs; bs = b; if (!c) return 1;
  }
  as = malloc(sizeof *as);
  return 0;
}
"""
    line = DECLARATIONS.count("\n") + 5
    pools = heap_pools(load_text(text, DataModel.LP64)).values()
    assert [pool.blocks.name for pool in pools] == [rf"\blocks_{line}", rf"\blocks_{line}_2", rf"\blocks_{line}_3"]
    assert [str(pool.element) for pool in pools] == ["struct a", "struct b", "void"]
