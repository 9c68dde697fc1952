"""Syntax trees of GNU C with the exact extent of every expression and statement in the text.

The grammar is pycparser's, extended by pycparserext and here by what they lack (attributes of unions and after a
struct's body, ``?:`` without its middle, labels as values, computed ``goto``, ``asm`` with named operands, empty
initialisers, attributes as statements). Each overriding method repeats the grammar line it implements.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pycparser import c_ast
from pycparser.c_parser import _BINARY_PRECEDENCE, ParseError
from pycparserext.ext_c_parser import Asm, GnuCParser

from gia.frontend.lexer import Lexer, Token

Node = Any
"""A node of pycparser's syntax tree (the library has no types)."""

PREDEFINED_TYPES = frozenset(
    {"__builtin_va_list", "__int128_t", "__uint128_t", "_Float128", "__float128", "_Float16"}
    | {f"_Float{width}{extended}" for width in (32, 64) for extended in ("", "x")}
)
"""Names that gcc knows as types without a declaration."""


@dataclass(frozen=True, slots=True)
class Coordinate:
    """Where a node begins: an offset in the text that was parsed."""

    offset: int


@dataclass
class SyntaxTree:
    """A parsed translation unit and what the nodes themselves cannot hold.

    ``extents`` maps an expression to the offsets of its first character and behind its last one; parentheses around
    it belong to it. ``statements`` does so for statements and declarations, with their ``;``,
    and for function definitions.
    ``operators`` maps a conditional or ``&&``, ``||`` expression to the offset of its operator.
    ``ends`` maps a block to the offset of its closing brace. ``asm_tokens`` are the tokens of inline assembly.
    ``attributes`` holds the GNU attributes of struct and union definitions.
    """

    unit: Node = None
    extents: dict[Node, tuple[int, int]] = field(default_factory=dict)
    statements: dict[Node, tuple[int, int]] = field(default_factory=dict)
    operators: dict[Node, int] = field(default_factory=dict)
    attributes: dict[Node, list[Node]] = field(default_factory=dict)
    ends: dict[Node, int] = field(default_factory=dict)
    asm_tokens: dict[Node, list[Token]] = field(default_factory=dict)


class UnitSyntaxError(Exception):
    """The text is not in the supported language: ``offset`` is where, ``None`` at its end."""

    def __init__(self, message: str, offset: int | None) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


class VaArg(c_ast.Node):  # type: ignore[misc]
    """``__builtin_va_arg(list, type)``."""

    __slots__ = ("__weakref__", "coord", "list", "type")
    attr_names = ()

    def __init__(self, list_: Node, type_: Node, coord: Coordinate) -> None:
        self.list = list_
        self.type = type_
        self.coord = coord

    def children(self) -> tuple[tuple[str, Node], ...]:
        """The operands."""
        return (("list", self.list), ("type", self.type))


class Parser(GnuCParser):  # type: ignore[misc]
    """The parser of the whole front end: one object parses one text."""

    lexer_class = Lexer
    initial_type_symbols = PREDEFINED_TYPES

    def __init__(self) -> None:
        super().__init__()
        self.tree = SyntaxTree()

    # ------------------------------------------------------------------ entry points
    def parse_unit(self, text: str) -> SyntaxTree:
        """Parse a translation unit; :class:`UnitSyntaxError` if it is not in the supported language."""
        return self._guarded(lambda: self.parse(text))

    def parse_lone_expression(self, text: str) -> SyntaxTree:
        """Parse an expression that is the whole text."""
        self.clex.input(text, "")
        self._scope_stack = [dict.fromkeys(PREDEFINED_TYPES, True)]
        return self._guarded(self._expression_to_end)

    def _expression_to_end(self) -> Node:
        expression = self._parse_expression()
        if self._peek() is not None:
            self._parse_error(f"unexpected {self._peek().value}", self._tok_coord(self._peek()))
        return expression

    def _guarded(self, parse: Any) -> SyntaxTree:
        try:
            self.tree.unit = parse()
        except (ParseError, ValueError, AssertionError) as error:
            _, _, message = str(error.args[0] if error.args else "").partition(": ")
            if message.startswith("before: ") or not message:
                message = f"unexpected {message.removeprefix('before: ')}".strip()
            raise UnitSyntaxError(message, self._offset_of_problem()) from error
        return self.tree

    def _offset_of_problem(self) -> int | None:
        buffer = self._tokens._buffer
        index = max(0, min(self._tokens._index - 1, len(buffer) - 1))
        token = buffer[index] if buffer else None
        return token.offset if token is not None else None

    def _peek(self, k: int = 1) -> Any:
        """The inherited method, without the way through three others for a token that is already there."""
        stream = self._tokens
        index = stream._index + k - 1
        return stream._buffer[index] if index < len(stream._buffer) else stream.peek(k)

    def _peek_type(self, k: int = 1) -> Any:
        token = self._peek(k)
        return token.type if token is not None else None

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
        begin = self._begin()
        return self._note(super()._parse_cast_expression(), begin)

    # BNF: unary_expression : '&&' ID | alignof unary_expression | alignof '(' type_name ')' | …
    def _parse_unary_expression(self) -> Node:
        begin = self._begin()
        token = self._peek()
        if token is not None and token.type == "LAND":
            self._advance()
            name = self._advance()
            return self._note(
                c_ast.UnaryOp("&&", c_ast.ID(name.value, Coordinate(name.offset)), Coordinate(begin)), begin
            )
        if token is not None and token.type == "__ALIGNOF__":
            self._advance()
            found = self._try_parse_paren_type_name()
            operand = found[0] if found is not None else self._parse_unary_expression()
            return self._note(c_ast.UnaryOp("_Alignof", operand, Coordinate(begin)), begin)
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
        found = self._try_parse_paren_type_name()
        if found is None:
            return self._parse_primary_expression()
        type_, mark, _ = found
        if self._peek_type() != "LBRACE":
            self._reset(mark)
            return self._parse_primary_expression()
        return c_ast.CompoundLiteral(type_, self._parse_initializer(), Coordinate(begin))

    def _parse_unified_string_literal(self) -> Node:
        """Adjacent literals stay apart in the value, because an escape ends with its own literal."""
        first = self._expect("STRING_LITERAL")
        parts = [first.value]
        while (token := self._accept("STRING_LITERAL")) is not None:
            parts.append(token.value)
        return c_ast.Constant("string", " ".join(parts), Coordinate(first.offset))

    def _parse_unified_wstring_literal(self) -> Node:
        first = self._advance()
        parts = [first.value]
        while (self._peek_type() or "").endswith("STRING_LITERAL"):
            parts.append(self._advance().value)
        return c_ast.Constant("string", " ".join(parts), Coordinate(first.offset))

    # ------------------------------------------------------------------ statements
    def _starts_statement(self) -> bool:
        return bool(super()._starts_statement()) or self._is_asm_keyword_token(self._peek_type())

    def _starts_expression(self, tok: Any = None) -> bool:
        token = tok or self._peek()
        if token is not None and token.type in {"LAND", "__ALIGNOF__", "VA_ARG", "__BUILTIN_TYPES_COMPATIBLE_P"}:
            return True
        return bool(super()._starts_expression(tok))

    def _parse_statement(self) -> Node:
        begin = self._begin()
        self._skip_statement_attributes()
        statement = super()._parse_statement()
        if isinstance(statement, c_ast.Node):
            self.tree.statements[statement] = (begin, self._end())
        return statement

    def _parse_block_item(self) -> Node:
        begin = self._begin()
        self._skip_statement_attributes()
        if self._peek_type() == "SEMI":
            return self._parse_statement()
        item = super()._parse_block_item()
        if isinstance(item, list) and item:
            self.tree.statements[item[0]] = (begin, self._end())
        return item

    def _skip_statement_attributes(self) -> None:
        """Step over ``__attribute__((fallthrough))`` and its like, which stand before a ``;``."""
        mark = self._mark()
        while self._peek_type() in {"__ATTRIBUTE__", "__ATTRIBUTE"}:
            self._parse_attribute_decl()
        if self._peek_type() != "SEMI":
            self._reset(mark)

    def _parse_external_declaration(self) -> Any:
        begin = self._begin()
        declarations = super()._parse_external_declaration()
        if declarations and isinstance(declarations[0], c_ast.FuncDef):
            self.tree.statements[declarations[0]] = (begin, self._end())
        return declarations

    def _parse_compound_statement(self) -> Node:
        block = super()._parse_compound_statement()
        self.tree.ends[block] = self._end() - 1
        return block

    # BNF: labeled_statement : ID ':' attributes? statement | …
    def _parse_labeled_statement(self) -> Node:
        name = self._peek()
        if name.type != "ID":
            return super()._parse_labeled_statement()
        self._advance()
        self._expect("COLON")
        self._parse_attributes_opt()
        if self._starts_statement():
            statement = self._parse_pragmacomp_or_statement()
        else:
            statement = c_ast.EmptyStatement(Coordinate(name.offset))
        return c_ast.Label(name.value, statement, Coordinate(name.offset))

    # BNF: jump_statement : GOTO '*' expression ';' | …
    def _parse_jump_statement(self) -> Node:
        if self._peek_type() == "GOTO" and self._peek_type(2) == "TIMES":
            token = self._advance()
            self._advance()
            target = self._parse_expression()
            self._expect("SEMI")
            return c_ast.Goto(target, Coordinate(token.offset))
        return super()._parse_jump_statement()

    def _parse_iteration_statement(self) -> Node:
        """As inherited; the place of an empty condition of ``for`` is recorded as the loop's operator."""
        if self._peek_type() != "FOR":
            return super()._parse_iteration_statement()
        token = self._advance()
        self._expect("LPAREN")
        if self._starts_declaration():
            first = c_ast.DeclList(self._parse_declaration(), Coordinate(token.offset))
        else:
            first = self._parse_expression_opt()
            self._expect("SEMI")
        place = self._end()
        condition = self._parse_expression_opt()
        self._expect("SEMI")
        step = self._parse_expression_opt()
        self._expect("RPAREN")
        body = self._parse_pragmacomp_or_statement()
        node = c_ast.For(first, condition, step, body, Coordinate(token.offset))
        self.tree.operators[node] = place
        return node

    def _parse_selection_statement(self) -> Node:
        """As inherited, but a ``switch`` keeps its body as it was written."""
        if self._peek_type() != "SWITCH":
            return super()._parse_selection_statement()
        token = self._advance()
        self._expect("LPAREN")
        expression = self._parse_expression()
        self._expect("RPAREN")
        return c_ast.Switch(expression, self._parse_pragmacomp_or_statement(), Coordinate(token.offset))

    # BNF: asm : ASM qualifier* '(' any tokens ')'
    def _parse_asm_no_semi(self) -> Node:
        begin = self._begin()
        tokens = [self._advance()]
        while self._peek_type() not in {"LPAREN", None}:
            tokens.append(self._advance())
        depth = 0
        while True:
            token = self._advance()
            tokens.append(token)
            depth += {"LPAREN": 1, "RPAREN": -1}.get(token.type, 0)
            if depth == 0:
                break
        node = Asm("asm", None, None, None, None, Coordinate(begin))
        self.tree.asm_tokens[node] = tokens
        return node

    # ------------------------------------------------------------------ structs
    # BNF: struct_or_union_specifier : (STRUCT | UNION) attributes? name? ('{' members '}')? attributes?
    def _parse_struct_or_union_specifier(self) -> Node:
        keyword = self._advance()
        class_ = self._select_struct_union_class(keyword.value)
        attributes = list(self._parse_attributes_opt().exprs)
        name = self._advance().value if self._peek_type() in {"ID", "TYPEID"} else None
        members = None
        if self._accept("LBRACE"):
            members = self._parse_struct_declaration_list()
            self._expect("RBRACE")
            attributes += self._parse_attributes_opt().exprs
        elif name is None:
            self._parse_error("Invalid struct or union", self._tok_coord(keyword))
        node = class_(name=name, decls=members, coord=Coordinate(keyword.offset))
        self.tree.attributes[node] = attributes
        return node

    # BNF: struct_declaration : static_assert ';' | …
    def _parse_struct_declaration(self) -> Node:
        if self._peek_type() == "_STATIC_ASSERT":
            self._parse_static_assert()
            self._expect("SEMI")
            return None
        return super()._parse_struct_declaration()
