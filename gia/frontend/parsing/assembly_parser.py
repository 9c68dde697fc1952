"""Inline assembly (GCC manual, *How to Use Inline Assembly Language in C Code*).

Assembly without instructions is a hint for the optimiser: its operands are evaluated, and nothing else happens. What
has instructions is kept as tokens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pycparser import c_ast
from pycparserext import ext_c_parser as ext

from gia.frontend.parsing.expression_parser import ExpressionParser
from gia.frontend.parsing.lexer import Token
from gia.frontend.parsing.syntax import Coordinate, Node

_BLANK = re.compile(r'"(?:\s|\\[nt])*"')

_OLD_REGISTERS = frozenset("ftu")


class _Operand(NamedTuple):
    """An operand: ``text`` is that of the expression ``value``."""

    constraint: str
    value: Node
    text: str


class AssemblyParser(ExpressionParser):
    """The part of the parser that reads inline assembly."""

    # BNF: asm : ASM qualifier* '(' STRING+ (':' operands? (':' operands? (':' clobbers)?)?)? ')'
    def _parse_asm_no_semi(self) -> Node:
        """The operands as expressions whose value nobody uses, if nothing is done with them; else all tokens."""
        begin, mark = self._begin(), self._mark()
        while self._advance().type != "LPAREN":
            pass
        templates = []
        while self._peek_type() == "STRING_LITERAL":
            templates.append(self._advance().value)
        operands = self._operands() if templates and all(map(_BLANK.fullmatch, templates)) else None
        if operands is not None:
            return c_ast.ExprList(operands, Coordinate(begin)) if operands else c_ast.EmptyStatement(Coordinate(begin))
        self._reset(mark)
        node = ext.Asm("asm", None, None, None, None, Coordinate(begin))
        self.tree.asm_tokens[node] = self._asm_tokens()
        return node

    def _asm_tokens(self) -> list[Token]:
        tokens = [self._advance()]
        while self._peek_type() not in {"LPAREN", None}:
            tokens.append(self._advance())
        depth = 0
        while True:
            token = self._advance()
            tokens.append(token)
            depth += {"LPAREN": 1, "RPAREN": -1}.get(token.type, 0)
            if depth == 0:
                return tokens

    def _operands(self) -> list[Node] | None:
        """The operands of assembly without instructions, to its end; ``None`` if it gives one of them a value."""
        outputs = self._operand_list() if self._accept("COLON") else []
        inputs = self._operand_list() if self._accept("COLON") else []
        while not self._accept("RPAREN"):
            self._advance()
        if not all(_keeps_value(index, output, inputs) for index, output in enumerate(outputs)):
            return None
        return [operand.value for operand in (*inputs, *outputs)]

    # BNF: operand : ('[' ID ']')? STRING '(' expression ')'
    def _operand_list(self) -> list[_Operand]:
        found: list[_Operand] = []
        while self._peek_type() not in {"COLON", "RPAREN"}:
            if self._accept("LBRACKET"):
                self._advance()
                self._expect("RBRACKET")
            constraint = self._expect("STRING_LITERAL").value.strip('"')
            self._expect("LPAREN")
            begin = self._begin()
            value = self._parse_expression()
            found.append(_Operand(constraint, value, self.clex._lexdata[begin : self._end()]))
            self._expect("RPAREN")
            self._accept("COMMA")
        return found


def _keeps_value(index: int, output: _Operand, inputs: Sequence[_Operand]) -> bool:
    """Whether an output has the value that it had: it is an input, too, and in the same place.

    The old floating-point registers do not keep each value that is no number.
    """
    if not _OLD_REGISTERS.isdisjoint(output.constraint):
        return False
    if output.constraint.startswith("+"):
        return True
    is_memory = output.constraint == "=m"
    tied = {str(index), "m"} if is_memory else {str(index)}
    return any(found.constraint in tied and found.text == output.text for found in inputs)
