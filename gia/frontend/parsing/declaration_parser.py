"""Declarators, structs and enumerations of GNU C, with the attributes that may stand in them.

Each overriding method repeats the grammar line of pycparser or pycparserext that it implements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pycparser import c_ast
from pycparser.c_parser import _TYPE_QUALIFIER
from pycparserext import ext_c_parser as ext

from gia.frontend.parsing.assembly_parser import AssemblyParser
from gia.frontend.parsing.attributes import MODE, attribute_name
from gia.frontend.parsing.syntax import AttributeUse, Coordinate, Node

ATTRIBUTE = ext._ATTRIBUTE_TOKENS
_BEFORE_NAME = ATTRIBUTE | _TYPE_QUALIFIER | ext._GNU_TYPE_QUALIFIERS | {"TIMES"}
_OF_TYPES = frozenset({"aligned", MODE})


class DeclarationParser(AssemblyParser):
    """The part of the parser for what declarations are made of."""

    def __init__(self) -> None:
        super().__init__()
        self._attributes: list[AttributeUse] = []
        self._before_name: list[Node] = []

    def _fix_decl_name_type(self, decl: Any, typename: list[Any]) -> Any:
        """In old C a type that is not said is ``int`` also in a block and for a parameter."""
        return super()._fix_decl_name_type(decl, typename or [c_ast.IdentifierType(["int"], coord=decl.coord)])

    def _parse_attribute(self) -> Node:
        begin = self._begin()
        if self._peek_type() == "TYPEID":
            self._peek().type = "ID"  # names of types may be names of attributes, too
        attribute = super()._parse_attribute()
        if name := attribute_name(attribute):
            self._attributes.append(AttributeUse(name, begin))
        return attribute

    # ------------------------------------------------------------------ attributes inside of declarators
    # BNF: type_qualifier_list : (type_qualifier | attribute)*
    def _parse_type_qualifier_list(self) -> list[str]:
        qualifiers = list(super()._parse_type_qualifier_list())
        while self._peek_type() in ATTRIBUTE:
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
        while self._peek_type() in ATTRIBUTE:
            begin = self._begin()
            for attribute in self._parse_attribute_decl().exprs:
                name = attribute_name(attribute)
                if name in _OF_TYPES:
                    self._attributes.append(AttributeUse(f"{name} before a name", begin))
                elif name != "packed":
                    self._before_name.append(attribute)

    def _scan_declarator_name_info(self) -> Any:
        while self._peek_type() in _BEFORE_NAME:
            if self._advance().type in ATTRIBUTE:
                self._scan_skip_paren_group()
        return super()._scan_declarator_name_info()

    # BNF: array_suffix : '[' ('*' | length)? ']' | …
    def _parse_array_decl_common(self, base_type: Node | None, coord: Any = None) -> Node:
        """A length may begin with ``*``, as that of ``int a[*n]``: pycparser takes every ``[*`` for ``[*]``."""
        begins_with_times = self._peek_type(2) == "TIMES" and self._peek_type(3) != "RBRACKET"
        if not begins_with_times:
            return super()._parse_array_decl_common(base_type, coord)
        bracket = self._expect("LBRACKET")
        length = self._parse_assignment_expression()
        self._expect("RBRACKET")
        return c_ast.ArrayDecl(base_type, length, [], coord or self._tok_coord(bracket))

    # ------------------------------------------------------------------ structs
    # BNF: struct_or_union_specifier : (STRUCT | UNION) tag_and_body
    def _parse_struct_or_union_specifier(self) -> Node:
        keyword = self._advance()
        class_ = self._select_struct_union_class(keyword.value)
        name, members, attributes = self._parse_tag_and_body(keyword, self._parse_struct_declaration_list)
        node = class_(name=name, decls=members, coord=Coordinate(keyword.offset))
        self.tree.attributes[node] = attributes
        return node

    # BNF: enum_specifier : ENUM tag_and_body
    def _parse_enum_specifier(self) -> Node:
        keyword = self._expect("ENUM")
        name, enumerators, attributes = self._parse_tag_and_body(keyword, self._parse_enumerator_list)
        node = c_ast.Enum(name, enumerators, Coordinate(keyword.offset))
        self.tree.attributes[node] = attributes
        return node

    # BNF: tag_and_body : attributes? name? ('{' body '}' attributes?)?
    def _parse_tag_and_body(self, keyword: Any, parse_body: Callable[[], Any]) -> tuple[str | None, Any, list[Node]]:
        """The name of a type, what is in its braces, and the attributes around both."""
        attributes = list(self._parse_attributes_opt().exprs)
        name = self._advance().value if self._peek_type() in {"ID", "TYPEID"} else None
        body = None
        if self._accept("LBRACE"):
            body = parse_body()
            self._expect("RBRACE")
            attributes += self._parse_attributes_opt().exprs
        elif name is None:
            self._parse_error(f"Invalid {keyword.value}", self._tok_coord(keyword))
        return name, body, attributes

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


def _with_attributes(declarator: Node, attributes: list[Node]) -> Node:
    """The declarator, whose innermost part has further attributes."""
    if not isinstance(declarator, c_ast.TypeDecl):
        declarator.type = _with_attributes(declarator.type, attributes)
        return declarator
    earlier = getattr(declarator, "attributes", None)
    extended = ext.to_decl_ext(declarator)
    extended.attributes = c_ast.ExprList([*(earlier.exprs if earlier else []), *attributes])
    return extended
