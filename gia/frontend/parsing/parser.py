"""Syntax trees of GNU C with the exact extent of every expression and statement in the text.

The grammar is pycparser's, extended by pycparserext and here by what they lack (attributes of unions and after a
struct's body, computed ``goto``, ``asm`` with named operands, attributes as statements, old definitions without a
type). Each overriding method repeats the grammar line it implements. Expressions are in
:mod:`gia.frontend.parsing.expression_parser`, inline assembly in :mod:`gia.frontend.parsing.assembly_parser`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pycparser import c_ast
from pycparser.c_parser import _TYPE_QUALIFIER, ParseError
from pycparserext import ext_c_parser as ext

from gia.errors import GiaError, Position
from gia.frontend.parsing.assembly_parser import AssemblyParser
from gia.frontend.parsing.attributes import MODE, attribute_name
from gia.frontend.parsing.lexer import Token
from gia.frontend.parsing.syntax import (
    AttributeUse,
    ComputedGoto,
    Coordinate,
    External,
    Node,
    SyntaxTree,
    UnitSyntaxError,
)
from gia.frontend.preprocess import PreprocessedSource

PREDEFINED_TYPES = frozenset(
    {"__auto_type", "__builtin_va_list", "__int128_t", "__uint128_t", "_Float128", "__float128", "_Float16"}
    | {f"_Float{width}{extended}" for width in (32, 64) for extended in ("", "x")}
)
"""Names that gcc knows as types without a declaration."""


_ATTRIBUTE = ext._ATTRIBUTE_TOKENS
_BEFORE_NAME = _ATTRIBUTE | _TYPE_QUALIFIER | ext._GNU_TYPE_QUALIFIERS | {"TIMES"}
_STORAGE = frozenset({"AUTO", "EXTERN", "REGISTER", "STATIC", "TYPEDEF"})
_OF_TYPES = frozenset({"aligned", MODE})
_IMAGINARY = re.compile(r"[fl]?[ij][fl]?", re.IGNORECASE)
"""What the lexer leaves of ``2.0if`` behind the number."""


class Parser(AssemblyParser):
    """The parser of the whole front end: one object parses one text."""

    initial_type_symbols = PREDEFINED_TYPES

    def __init__(self) -> None:
        super().__init__()
        self._attributes: list[AttributeUse] = []
        self._before_name: list[Node] = []

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
        while self._peek_type() in _ATTRIBUTE:
            self._parse_attribute_decl()
        if self._peek_type() != "SEMI":
            self._reset(mark)

    def _parse_external_declaration(self) -> Any:
        begin = self._begin()
        self._attributes = []
        leading = 0
        while self._peek_type(leading + 1) in _STORAGE | _TYPE_QUALIFIER:
            leading += 1
        implicit = self._peek_type(leading + 1) in {"ID", "TIMES", "LPAREN"}
        declarations = self._parse_implicit_int(leading) if implicit else super()._parse_external_declaration()
        self.tree.attributes_in.update(dict.fromkeys(declarations or (), self._attributes))
        self.tree.external.append(External(begin, self._end(), tuple(declarations or ())))
        if declarations and isinstance(declarations[0], c_ast.FuncDef):
            self.tree.statements[declarations[0]] = (begin, self._end())
        return declarations

    def _parse_attribute(self) -> Node:
        begin = self._begin()
        if self._peek_type() == "TYPEID":
            self._peek().type = "ID"  # names of types may be names of attributes, too
        attribute = super()._parse_attribute()
        if name := attribute_name(attribute):
            self._attributes.append(AttributeUse(name, begin))
        return attribute

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

    def _fix_decl_name_type(self, decl: Any, typename: list[Any]) -> Any:
        """In old C a type that is not said is ``int`` also in a block and for a parameter."""
        return super()._fix_decl_name_type(decl, typename or [c_ast.IdentifierType(["int"], coord=decl.coord)])

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

    # ------------------------------------------------------------------ attributes inside of declarators
    # BNF: type_qualifier_list : (type_qualifier | attribute)*
    def _parse_type_qualifier_list(self) -> list[str]:
        qualifiers = list(super()._parse_type_qualifier_list())
        while self._peek_type() in _ATTRIBUTE:
            self._parse_attributes_before_name()
            qualifiers += super()._parse_type_qualifier_list()
        return qualifiers

    # BNF: direct_declarator : '(' attributes? declarator ')' | …
    def _parse_declarator_kind(self, kind: str, allow_paren: bool) -> Node:
        if self._tokens._index and self._tokens._buffer[self._tokens._index - 1].type == "LPAREN":
            self._parse_attributes_before_name()
        return super()._parse_declarator_kind(kind, allow_paren)

    def _parse_direct_declarator(self, kind: str, allow_paren: bool = True) -> Node:
        attributes, self._before_name = self._before_name, []
        declarator = super()._parse_direct_declarator(kind, allow_paren)
        return _with_attributes(declarator, attributes) if attributes else declarator

    # BNF: abstract_declarator : attributes? …
    def _parse_abstract_declarator_opt(self) -> Node:
        self._parse_attributes_before_name()
        declarator = super()._parse_abstract_declarator_opt()
        self._before_name = []
        return declarator

    def _parse_attributes_before_name(self) -> None:
        """Attributes of a part of the type: gcc ignores ``packed`` there; what else it follows is refused."""
        while self._peek_type() in _ATTRIBUTE:
            begin = self._begin()
            for attribute in self._parse_attribute_decl().exprs:
                name = attribute_name(attribute)
                if name in _OF_TYPES:
                    self._attributes.append(AttributeUse(f"{name} before a name", begin))
                elif name != "packed":
                    self._before_name.append(attribute)

    def _scan_declarator_name_info(self) -> Any:
        while self._peek_type() in _BEFORE_NAME:
            if self._advance().type in _ATTRIBUTE:
                self._scan_skip_paren_group()
        return super()._scan_declarator_name_info()

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

    # BNF: enum_specifier : ENUM attributes? name? ('{' enumerators '}' attributes?)?
    def _parse_enum_specifier(self) -> Node:
        keyword = self._expect("ENUM")
        attributes = list(self._parse_attributes_opt().exprs)
        name = self._advance().value if self._peek_type() in {"ID", "TYPEID"} else None
        enumerators = None
        if self._accept("LBRACE"):
            enumerators = self._parse_enumerator_list()
            self._expect("RBRACE")
            attributes += self._parse_attributes_opt().exprs
        elif name is None:
            self._parse_error("Invalid enumeration", self._tok_coord(keyword))
        node = c_ast.Enum(name, enumerators, Coordinate(keyword.offset))
        self.tree.attributes[node] = attributes
        return node

    # BNF: enumerator : ID attributes? ('=' constant_expression)?
    def _parse_enumerator(self) -> Node:
        name = self._expect("ID")
        self._parse_attributes_opt()
        value = self._parse_constant_expression() if self._accept("EQUALS") else None
        enumerator = c_ast.Enumerator(name.value, value, Coordinate(name.offset))
        self._add_identifier(enumerator.name, enumerator.coord)
        return enumerator

    # BNF: specifier_qualifier_list : attributes? (type_specifier | type_qualifier)+
    def _parse_specifier_qualifier_list(self) -> Any:
        self._parse_attributes_opt()
        return super()._parse_specifier_qualifier_list()

    # BNF: struct_declaration : static_assert ';' | pragma | attributes? specifiers attributes? struct_declarators? ';'
    # As gcc has it, the last of a struct may be without its semicolon.
    def _parse_struct_declaration(self) -> Any:
        if self._peek_type() == "_STATIC_ASSERT":
            self._parse_static_assert()
            self._expect("SEMI")
            return None
        if self._peek_type() in {"SEMI", "PPPRAGMA", "_PRAGMA"}:
            return super()._parse_struct_declaration()
        attributes = self._parse_attributes_opt()
        spec = self._parse_specifier_qualifier_list()
        attributes.exprs.extend(self._parse_attributes_opt().exprs)
        if attributes.exprs:
            spec = self._add_declaration_specifier(spec, ext.AttributeSpecifier(attributes), "function", append=True)
        if self._peek_type() != "SEMI":
            declarators = self._parse_struct_declarator_list()
        else:
            unnamed = spec["type"][0] if len(spec["type"]) == 1 else None
            declarators = [{"decl": unnamed, "init": None, "bitsize": None}]
        if self._peek_type() != "RBRACE":
            self._expect("SEMI")
        return self._build_declarations(spec=spec, decls=declarators)

    # BNF: struct_declarator : declarator | declarator? ':' constant_expression attributes?
    def _parse_struct_declarator(self) -> Any:
        found = super()._parse_struct_declarator()
        attributes = self._parse_attributes_opt()
        if attributes.exprs:
            found["decl"] = _with_attributes(found["decl"], attributes.exprs)
        return found


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


def _with_attributes(declarator: Node, attributes: list[Node]) -> Node:
    """The declarator, whose innermost part has further attributes."""
    if not isinstance(declarator, c_ast.TypeDecl):
        declarator.type = _with_attributes(declarator.type, attributes)
        return declarator
    earlier = getattr(declarator, "attributes", None)
    extended = ext.to_decl_ext(declarator)
    extended.attributes = c_ast.ExprList([*(earlier.exprs if earlier else []), *attributes])
    return extended
