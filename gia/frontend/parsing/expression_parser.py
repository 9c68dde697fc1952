"""Expressions of GNU C with their exact extent in the text.

The grammar is pycparser's, extended by pycparserext and here by what they lack (``?:`` without its middle, labels as
values, ``_Generic``, empty initialisers, designators of old). Each overriding method repeats the grammar line it
implements.
"""

from __future__ import annotations

from typing import Any

from pycparser import c_ast
from pycparser.c_parser import _BINARY_PRECEDENCE, _CHAR_CONST, _FLOAT_CONST, _INT_CONST
from pycparserext.ext_c_parser import GnuCParser

from gia.frontend.parsing.lexer import Lexer, Token
from gia.frontend.parsing.syntax import Coordinate, GenericSelection, Node, SyntaxTree, VaArg

_CONSTANT = frozenset({*_INT_CONST, *_FLOAT_CONST, *_CHAR_CONST})
_PLAIN = _CONSTANT | {"ID"}
_POSTFIX = frozenset({"LBRACKET", "LPAREN", "PERIOD", "ARROW", "PLUSPLUS", "MINUSMINUS"})
"""What goes on after an operand."""


class ExpressionParser(GnuCParser):  # type: ignore[misc]
    """The part of the parser that reads expressions and keeps the positions of nodes in :attr:`tree`."""

    lexer_class = Lexer

    def __init__(self) -> None:
        super().__init__()
        self.tree = SyntaxTree()
        self._labels: list[dict[str, str]] = []
        self._label_count = 0

    def _peek(self, k: int = 1) -> Any:
        """The inherited method, without the way through three others for a token that is already there."""
        stream = self._tokens
        index = stream._index + k - 1
        return stream._buffer[index] if index < len(stream._buffer) else stream.peek(k)

    def _peek_type(self, k: int = 1) -> Any:
        token = self._peek(k)
        return token.type if token is not None else None

    def _label_name(self, name: str) -> str:
        """The name that a label has in its function."""
        return next((scope[name] for scope in reversed(self._labels) if name in scope), name)

    # ------------------------------------------------------------------ positions
    def _tok_coord(self, token: Token) -> Coordinate:
        return Coordinate(token.offset)

    def _begin(self) -> int:
        token = self._peek()
        return token.offset if token is not None else len(self.clex._lexdata)

    def _end(self) -> int:
        index = self._tokens._index
        return int(self._tokens._buffer[index - 1].end) if index else 0

    def _note(self, node: Node, begin: int) -> Node:
        """Record that ``node`` reaches from ``begin`` to the last token that was read."""
        if isinstance(node, c_ast.Node):
            self.tree.extents[node] = (begin, self._end())
        return node

    # ------------------------------------------------------------------ expressions
    def _parse_expression(self) -> Node:
        begin = self._begin()
        return self._note(super()._parse_expression(), begin)

    def _parse_assignment_expression(self) -> Node:
        begin = self._begin()
        expression = self._parse_conditional_expression()
        if self._is_assignment_op():
            operator = self._advance().value
            value = self._parse_assignment_expression()
            expression = c_ast.Assignment(operator, expression, value, Coordinate(begin))
        return self._note(expression, begin)

    # BNF: conditional_expression : binary_expression ('?' expression? ':' conditional_expression)?
    def _parse_conditional_expression(self) -> Node:
        begin = self._begin()
        expression = self._parse_binary_expression()
        question = self._accept("CONDOP")
        if question is None:
            return expression
        middle = None if self._peek_type() == "COLON" else self._parse_expression()
        self._expect("COLON")
        other = self._parse_conditional_expression()
        node = c_ast.TernaryOp(expression, middle, other, Coordinate(begin))
        self.tree.operators[node] = question.offset
        return self._note(node, begin)

    # BNF: binary_expression : cast_expression (binary_op cast_expression)*
    def _parse_binary_expression(self, min_prec: int = 0, lhs: Node = None) -> Node:
        left = self._parse_cast_expression() if lhs is None else lhs
        while True:
            token = self._peek()
            precedence = _BINARY_PRECEDENCE.get(token.type) if token is not None else None
            if precedence is None or precedence < min_prec:
                return left
            self._advance()
            right = self._parse_cast_expression()
            while (following := self._peek()) is not None:
                if _BINARY_PRECEDENCE.get(following.type, -1) <= precedence:
                    break
                right = self._parse_binary_expression(_BINARY_PRECEDENCE[following.type], right)
            begin = self.tree.extents[left][0]
            left = c_ast.BinaryOp(token.value, left, right, Coordinate(begin))
            self.tree.operators[left] = token.offset
            self._note(left, begin)

    def _parse_cast_expression(self) -> Node:
        """As inherited; the way to most operands, names and constants that nothing follows, is shorter."""
        begin = self._begin()
        if self._peek_type() in _PLAIN and self._peek_type(2) not in _POSTFIX:
            operand = self._parse_identifier() if self._peek_type() == "ID" else self._parse_constant()
        else:
            operand = super()._parse_cast_expression()
        return self._note(operand, begin)

    # BNF: unary_expression : '&&' ID | alignof unary_expression | alignof '(' type_name ')' | …
    def _parse_unary_expression(self) -> Node:
        begin = self._begin()
        token = self._peek()
        if token is not None and token.type == "LAND":
            self._advance()
            name = self._advance()
            return self._note(
                c_ast.UnaryOp("&&", c_ast.ID(self._label_name(name.value), Coordinate(name.offset)), Coordinate(begin)),
                begin,
            )
        if token is not None and token.type == "__ALIGNOF__":
            self._advance()
            found = self._try_parse_paren_type_name()
            operand = found[0] if found is not None else self._parse_unary_expression()
            operator = "_Alignof" if token.value == "_Alignof" else "__alignof__"
            return self._note(c_ast.UnaryOp(operator, operand, Coordinate(begin)), begin)
        node = super()._parse_unary_expression()
        if isinstance(node, c_ast.UnaryOp):
            node.coord = Coordinate(begin)
        return self._note(node, begin)

    # BNF: postfix_expression : primary_expression suffix* | '(' type_name ')' '{' initializer_list? '}' suffix*
    def _parse_postfix_expression(self) -> Node:
        begin = self._begin()
        expression = self._parse_postfix_head()
        if isinstance(expression, c_ast.Node):
            self._note(expression, begin)
        while True:
            token = self._peek()
            match token.type if token is not None else None:
                case "LBRACKET":
                    self._advance()
                    index = self._parse_expression()
                    self._expect("RBRACKET")
                    expression = c_ast.ArrayRef(expression, index, Coordinate(begin))
                case "LPAREN":
                    self._advance()
                    arguments = None if self._peek_type() == "RPAREN" else self._parse_argument_expression_list()
                    self._expect("RPAREN")
                    expression = c_ast.FuncCall(expression, arguments, Coordinate(begin))
                case "PERIOD" | "ARROW":
                    operator = self._advance().value
                    name = self._parse_identifier_or_typeid()
                    expression = c_ast.StructRef(expression, operator, name, Coordinate(begin))
                case "PLUSPLUS" | "MINUSMINUS":
                    expression = c_ast.UnaryOp("p" + self._advance().value, expression, Coordinate(begin))
                case _:
                    return expression
            self._note(expression, begin)

    def _parse_postfix_head(self) -> Node:
        begin = self._begin()
        match self._peek_type():
            case "VA_ARG":
                self._advance()
                self._expect("LPAREN")
                operand = self._parse_assignment_expression()
                self._expect("COMMA")
                type_ = self._parse_type_name()
                self._expect("RPAREN")
                return VaArg(operand, type_, Coordinate(begin))
            case "__BUILTIN_TYPES_COMPATIBLE_P":
                return super()._parse_postfix_expression()
            case "GENERIC":
                return self._parse_generic_selection()
        found = self._try_parse_paren_type_name()
        if found is None:
            return self._parse_primary_expression()
        type_, mark, _ = found
        if self._peek_type() != "LBRACE":
            self._reset(mark)
            return self._parse_primary_expression()
        return c_ast.CompoundLiteral(type_, self._parse_initializer(), Coordinate(begin))

    def _parse_initializer(self) -> Node:
        begin = self._begin()
        if self._peek_type() in _CONSTANT and self._peek_type(2) in {"COMMA", "RBRACE"}:  # tables have many of these
            return self._note(self._parse_constant(), begin)
        node = super()._parse_initializer()
        if node.coord is None:  # a list that begins with a designation
            node.coord = Coordinate(begin)
        return node

    # BNF: initializer_item : (designation? | identifier ':') initializer
    def _parse_initializer_item(self) -> Node:
        """The identifier and the colon are what gcc had before C had designators (GCC manual, *Designated Inits*)."""
        if self._peek_type(2) != "COLON" or self._peek_type() not in {"ID", "TYPEID"}:
            return super()._parse_initializer_item()
        member = self._parse_identifier_or_typeid()
        self._expect("COLON")
        return c_ast.NamedInitializer([member], self._parse_initializer())

    # BNF: designation : designator_list '='?
    def _parse_designation(self) -> list[Node]:
        """The equals sign may be missing behind an index (GCC manual, *Designated Inits*)."""
        designators = self._parse_designator_list()
        ends_with_index = self._tokens._buffer[self._tokens._index - 1].type == "RBRACKET"
        if not ends_with_index or self._peek_type() == "EQUALS":
            self._expect("EQUALS")
        return list(designators)

    # BNF: generic_selection : GENERIC '(' assignment_expression (',' choice)+ ')'
    #      choice : (type_name | DEFAULT) ':' assignment_expression
    def _parse_generic_selection(self) -> Node:
        begin = self._advance().offset
        self._expect("LPAREN")
        control = self._parse_assignment_expression()
        choices = []
        while self._accept("COMMA"):
            type_ = None if self._accept("DEFAULT") else self._parse_type_name()
            self._expect("COLON")
            choices.append((type_, self._parse_assignment_expression()))
        self._expect("RPAREN")
        return GenericSelection(control, choices, Coordinate(begin))

    def _parse_unified_string_literal(self) -> Node:
        """Adjacent literals stay apart in the value, because an escape ends with its own literal."""
        return self._parse_unified_wstring_literal()

    def _parse_unified_wstring_literal(self) -> Node:
        """One of them is enough to make all of them wide."""
        first = self._advance()
        parts = [first.value]
        while (self._peek_type() or "").endswith("STRING_LITERAL"):
            parts.append(self._advance().value)
        return c_ast.Constant("string", " ".join(parts), Coordinate(first.offset))

    def _starts_expression(self, tok: Any = None) -> bool:
        token = tok or self._peek()
        if token is not None and token.type in {
            "LAND",
            "__ALIGNOF__",
            "VA_ARG",
            "GENERIC",
            "__BUILTIN_TYPES_COMPATIBLE_P",
        }:
            return True
        return bool(super()._starts_expression(tok))
