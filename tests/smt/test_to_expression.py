"""Terms written as C expressions, and read again, keep their value."""

from __future__ import annotations

from random import Random

import pytest

from gia.cfa.expressions import VariableReference
from gia.cfa.types import IntegerType
from gia.cfa.writer import expression_to_gia
from gia.frontend.exchange_expressions import parse_expression
from gia.smt import terms as t
from gia.smt.encoding.encoder import Encoder
from gia.smt.encoding.state import SymbolicState
from gia.smt.encoding.to_expression import to_expression
from tests.checker.programs import load_text

TEXT = """int main(void) {
  signed char a; unsigned char b; short c; unsigned short d; int e; unsigned f; long long g; unsigned long long h;
  return 0;
}
"""


class RandomFormulas:
    """Formulas over given variables, with operators on 1 to 64 bits."""

    def __init__(self, seed: int, leaves: list[t.Term]) -> None:
        self.random = Random(seed)
        self.leaves = leaves

    def formula(self, depth: int) -> t.Term:
        choice = self.random.randrange(9 if depth else 5)
        if choice < 5:
            width = self.random.choice([1, 8, 16, 24, 32, 48, 64])
            build = [t.equal, t.ult, t.ule, t.slt, t.sle][choice]
            return build(self.vector(depth, width), self.vector(depth, width))
        if choice == 5:
            return t.negation(self.formula(depth - 1))
        if choice == 6:
            return t.ite(*(self.formula(depth - 1) for _ in range(3)))
        return [t.conjunction, t.disjunction][choice - 7](self.formula(depth - 1), self.formula(depth - 1))

    def vector(self, depth: int, width: int) -> t.Term:
        if depth == 0 or self.random.random() < 0.2:
            if self.random.random() < 0.3:
                return t.bv_const(self.random.choice([0, 1, 2, 7, -1, 1 << (width - 1)]), width)
            return t.resize(self.random.choice(self.leaves), width, self.random.random() < 0.5)
        choice = self.random.randrange(12)
        if choice < 5:
            build = [t.bv_add, t.bv_mul, t.bv_and, t.bv_or, t.bv_xor][choice]
            return build(self.vector(depth - 1, width), self.vector(depth - 1, width))
        if choice < 7:
            return [t.bv_not, t.bv_neg][choice - 5](self.vector(depth - 1, width))
        if choice < 11:
            build = [t.bv_udiv, t.bv_urem, t.bv_shl, t.bv_lshr][choice - 7]
            return build(self.vector(depth - 1, width), t.bv_const(self.random.randrange(1, 2 + min(width, 5)), width))
        if width == 1:
            return self.vector(depth - 1, 1)
        low = self.random.randrange(1, width)
        return t.concat(self.vector(depth - 1, width - low), self.vector(depth - 1, low))


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return load_text(tmp_path_factory.mktemp("expression"), TEXT).program


@pytest.mark.parametrize("seed", range(60))
def test_the_expression_has_the_value_of_the_term(program, seed: int):
    random = Random(seed)
    variables = program.functions["main"].locals
    leaves = {}
    for variable in variables:
        assert isinstance(variable.type, IntegerType)
        leaves[t.bv_variable(variable.name, variable.type.width)] = VariableReference(variable)
    encoder = Encoder(program)
    source = RandomFormulas(seed, list(leaves))
    for _ in range(20):
        term = source.formula(3)
        expression = to_expression(term, leaves)
        if expression is None:
            continue
        text = expression_to_gia(expression, "main")
        again = parse_expression(text, "main", program)
        for _ in range(4):
            values = {leaf: random.choice([0, 1, -1, random.getrandbits(leaf.width)]) for leaf in leaves}
            model = {leaf: value & ((1 << leaf.width) - 1) for leaf, value in values.items()}
            state = SymbolicState(
                t.TRUE,
                {((), f"main::{leaf.name}"): t.bv_const(value, leaf.width) for leaf, value in model.items()},
                {},
            )
            expected = t.evaluate(term, model)
            assert encoder.condition(expression, state, ()).value is expected, text
            assert encoder.condition(again, state, ()).value is expected, text


def test_what_c_lacks_has_no_expression():
    x = t.bv_variable("x", 32)
    assert to_expression(t.equal(t.sign_extend(x, 64), t.bv_const(1, 96)), {}) is None
    assert to_expression(t.ult(t.bv_udiv(x, x), x), {}) is None
