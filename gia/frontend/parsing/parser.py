"""Syntax trees of GNU C with the exact extent of every expression and statement in the text.

The grammar is pycparser's, extended by pycparserext and here by what they lack (attributes of unions and after a
struct's body, computed ``goto``, ``asm`` with named operands, attributes as statements, old definitions without a
type). Each overriding method repeats the grammar line it implements. What declarations are made of is in
:mod:`gia.frontend.parsing.declaration_parser`, expressions are in :mod:`gia.frontend.parsing.expression_parser`, inline
assembly is in :mod:`gia.frontend.parsing.assembly_parser`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pycparser import c_ast
from pycparser.c_parser import _TYPE_QUALIFIER, ParseError

from gia.errors import GiaError, Position
from gia.frontend.parsing.declaration_parser import ATTRIBUTE, DeclarationParser
from gia.frontend.parsing.lexer import Token
from gia.frontend.parsing.syntax import (
    ComputedGoto,
    Coordinate,
    External,
    Node,
    SyntaxTree,
    UnitSyntaxError,
)
from gia.frontend.preprocessed import PreprocessedSource

PREDEFINED_TYPES = frozenset(
    {"__auto_type", "__builtin_va_list", "__int128_t", "__uint128_t", "_Float128", "__float128", "_Float16"}
    | {f"_Float{width}{extended}" for width in (32, 64) for extended in ("", "x")}
)
"""Names that gcc knows as types without a declaration."""


_STORAGE = frozenset({"AUTO", "EXTERN", "REGISTER", "STATIC", "TYPEDEF"})
_IMAGINARY = re.compile(r"[fl]?[ij][fl]?", re.IGNORECASE)
"""What the lexer leaves of ``2.0if`` behind the number."""


class Parser(DeclarationParser):
    """The parser of the whole front end: one object parses one text."""

    initial_type_symbols = PREDEFINED_TYPES

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
            is_ahead = message == "Invalid expression"  # the parser has looked at the token, and not taken it
            place = self._tokens._index if is_ahead else self._tokens._index - 1
            token, before = self._token(place), self._token(place - 1)
            raise UnitSyntaxError(_reason(message, token, before), token.offset if token else None) from error
        return self.tree

    def _token(self, index: int) -> Token | None:
        """A token of the text, as far as it was read."""
        buffer = self._tokens._buffer
        return buffer[max(0, min(index, len(buffer) - 1))] if buffer else None

    # ------------------------------------------------------------------ statements
    def _starts_statement(self) -> bool:
        return bool(super()._starts_statement()) or self._is_asm_keyword_token(self._peek_type())

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
        if self._peek_type() == "ID" and self._peek().value == "__label__":
            return self._parse_local_labels()
        item = super()._parse_block_item()
        if isinstance(item, list) and item:
            self.tree.statements[item[0]] = (begin, self._end())
        return item

    def _skip_statement_attributes(self) -> None:
        """Step over ``__attribute__((fallthrough))`` and its like, which stand before a ``;``."""
        mark = self._mark()
        while self._peek_type() in ATTRIBUTE:
            self._parse_attribute_decl()
        if self._peek_type() != "SEMI":
            self._reset(mark)

    def _parse_external_declaration(self) -> Any:
        begin = self._begin()
        self._attributes = []
        leading = 0
        while self._peek_type(leading + 1) in _STORAGE | _TYPE_QUALIFIER and not self._is_atomic_type(leading + 1):
            leading += 1
        implicit = self._peek_type(leading + 1) in {"ID", "TIMES", "LPAREN"}
        declarations = self._parse_implicit_int(leading) if implicit else super()._parse_external_declaration()
        self.tree.attributes_in.update(dict.fromkeys(declarations or (), self._attributes))
        self.tree.external.append(External(begin, self._end(), tuple(declarations or ())))
        if declarations and isinstance(declarations[0], c_ast.FuncDef):
            self.tree.statements[declarations[0]] = (begin, self._end())
        return declarations

    def _is_atomic_type(self, ahead: int) -> bool:
        """Whether ``_Atomic (type)`` follows, which is a type and no qualifier."""
        return (self._peek_type(ahead), self._peek_type(ahead + 1)) == ("_ATOMIC", "LPAREN")

    # BNF: implicit_int : leading* (declarator declaration* compound_statement | init_declarator_list ';')
    #      leading : storage_class | type_qualifier
    def _parse_implicit_int(self, leading: int) -> Any:
        """A definition or declaration of old C without a type, which is ``int``."""
        tokens = [self._advance() for _ in range(leading)]
        declarator = self._parse_id_declarator()
        type_ = c_ast.IdentifierType(["int"], coord=declarator.coord)
        storage = [token.value for token in tokens if token.type in _STORAGE]
        qualifiers = [token.value for token in tokens if token.type not in _STORAGE]
        spec = {"qual": qualifiers, "alignment": [], "storage": storage, "type": [type_], "function": []}
        parameters = self._parse_declaration_list() if self._starts_declaration() else None
        if self._peek_type() == "LBRACE":
            body = self._parse_compound_statement()
            return [self._build_function_definition(spec=spec, decl=declarator, param_decls=parameters, body=body)]
        first = {"decl": declarator, "init": None, "bitsize": None}
        if self._accept("EQUALS"):
            first["init"] = self._parse_initializer()
        declarators = self._parse_init_declarator_list(first=first)
        declarations = self._build_declarations(spec=spec, decls=declarators, typedef_namespace=True)
        self._expect("SEMI")
        return declarations

    # BNF: local_labels : __label__ ID (',' ID)* ';'
    def _parse_local_labels(self) -> Node:
        """Labels that belong to a block (GCC manual, *Local Labels*) get names of their own in the function."""
        token = self._advance()
        while not self._accept("SEMI"):
            name = self._advance().value
            if name != ",":
                self._label_count += 1
                self._labels[-1][name] = f"{name}${self._label_count}"
        return c_ast.EmptyStatement(Coordinate(token.offset))

    def _parse_compound_statement(self) -> Node:
        self._labels.append({})
        block = super()._parse_compound_statement()
        self._labels.pop()
        self.tree.ends[block] = self._tokens._buffer[self._tokens._index - 1].offset
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
        return c_ast.Label(self._label_name(name.value), statement, Coordinate(name.offset))

    # BNF: jump_statement : GOTO '*' expression ';' | …
    def _parse_jump_statement(self) -> Node:
        if self._peek_type() == "GOTO" and self._peek_type(2) == "TIMES":
            token = self._advance()
            self._advance()
            target = self._parse_expression()
            self._expect("SEMI")
            return ComputedGoto(target, Coordinate(token.offset))
        statement = super()._parse_jump_statement()
        if isinstance(statement, c_ast.Goto):
            statement.name = self._label_name(statement.name)
        return statement

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


def parsed(source: PreprocessedSource, path: Path) -> SyntaxTree:
    """The syntax tree of the program in ``path``; :class:`GiaError` if it is not in the supported language."""
    try:
        return Parser().parse_unit(source.text)
    except UnitSyntaxError as problem:
        position = Position(str(path)) if problem.offset is None else source.position(problem.offset)
        raise GiaError(f"this C is not supported: {problem.message}", position) from problem


def _reason(message: str, token: Token | None, before: Token | None) -> str:
    """What is not supported, for a message of the parser that stopped at a token."""
    if token is None:
        return message
    if token.value == "{" and before is not None and before.type == "RPAREN":
        return "a function in a function"
    if _IMAGINARY.fullmatch(token.value) and before is not None and before.end == token.offset:
        return "an imaginary number"
    is_plain = message in {"", "Invalid expression"} or message.startswith("before: ")
    return f"unexpected {token.value}" if is_plain else message
