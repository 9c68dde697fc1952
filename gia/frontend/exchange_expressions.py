r"""Expressions of exchange files: C without side effects over the variables of a scope, and ``\result``.

The inverse of :func:`gia.cfa.c_expressions.expression_to_gia`, where the names are described.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache

from msgspec import Struct
from pycparser import c_ast

from gia.cfa.contracts import RESULT, contracts_of, ghosts_of
from gia.cfa.expressions import Expression, FunctionReference, Result, Variable, VariableReference
from gia.cfa.graph import Program
from gia.cfa.heap import pool_ghosts
from gia.cfa.quantified import ANY, ANY_NUMBER
from gia.cfa.types import ArrayType, CType, FunctionType, IntegerType, StructType, is_scalar
from gia.errors import InputError
from gia.frontend import literals, operators
from gia.frontend.conversions import decay, integer, size_type
from gia.frontend.declarations import TypeBuilder
from gia.frontend.operators import TypingError
from gia.frontend.parsing.parser import Parser
from gia.frontend.parsing.syntax import Node, SyntaxTree, UnitSyntaxError
from gia.frontend.stack import with_deep_stack
from gia.frontend.symbols import Scope

_RESULT = re.compile(r"\\result\b")
_OPERATOR = re.compile(r"[^\w\s)\]]")
_RESULT_NAME = "__gia_result"
_OLD = re.compile(r"\\old\(\s*([\w$]+)\s*\)")
_OLD_PREFIX = "__gia_old_"
_ANY = re.compile(r"\\any\b")
_ANY_NAME = "__gia_any"
_POOL = re.compile(r"\\(blocks|count)_(\w+)")
_POOL_PREFIX = "__gia_pool_"
_SHALLOW = 30
"""An expression with at most so many operators and parentheses fits into Python's usual stack."""


def parse_expression(
    text: str, scope: str, program: Program, *, result: CType | None = None, quantified: bool = False
) -> Expression:
    r"""The expression that ``text`` means in function ``scope`` (``""``: globals only) of ``program``.

    ``result`` is the type of ``\result``, the value of the input on whose edge the expression stands. ``quantified``:
    ``\any`` may stand in it. Raises :class:`InputError` if the text is not an expression, has side effects, or mentions
    what is not there.
    """
    if len(_OPERATOR.findall(text)) <= _SHALLOW:
        return _parse(text, scope, program, result, quantified)
    return with_deep_stack(lambda: _parse(text, scope, program, result, quantified))


def _parse(text: str, scope: str, program: Program, result: CType | None, quantified: bool) -> Expression:
    if scope and scope not in program.functions:
        raise InputError(
            f"the expression {text!r} is meant for the function {scope}, which the program does not define"
        )
    try:
        named = _POOL.sub(_POOL_PREFIX + r"\1_\2", text)
        plain = _ANY.sub(_ANY_NAME, _OLD.sub(_OLD_PREFIX + r"\1", _RESULT.sub(_RESULT_NAME, named)))
        tree = Parser().parse_lone_expression(plain)
        return decay(_Reader(scope, program, result, quantified, tree).read(tree.unit))
    except (UnitSyntaxError, TypingError, ValueError) as problem:
        raise InputError(f"{text!r} is no expression of the scope {scope or 'of the globals'}: {problem}") from None


class _Names(Struct, frozen=True):
    """What the names of a program mean: variables by function (``""``: globals) and name, and tags."""

    variables: Mapping[tuple[str, str], Variable]
    tags: Mapping[str, StructType]
    ghosts: Mapping[tuple[str, str], Variable]


@lru_cache(maxsize=8)
def _names(program: _ByIdentity) -> _Names:
    found: dict[tuple[str, str], Variable] = {}
    for static in program.program.statics:
        found[static.variable.function or "", static.variable.name] = static.variable
    for function in program.program.functions.values():
        for variable in (*function.parameters, *function.locals):
            found[function.name, variable.name] = variable
    tags = {tag: StructType(tag) for tag in program.program.types.layouts}
    tags.update((struct.tag, struct) for struct in _structs(program.program))
    ghosts = {
        (name, ghost.name): ghost
        for name in program.program.derived(contracts_of).contexts
        for ghost in ghosts_of(program.program, program.program.functions[name])
    }
    return _Names(found, tags, ghosts)


class _ByIdentity:
    """A program as a key: two are equal only if they are the same object."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def __hash__(self) -> int:
        return id(self.program)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByIdentity) and other.program is self.program


class _Reader:
    """Turns the syntax tree of one expression into a typed one."""

    def __init__(self, scope: str, program: Program, result: CType | None, quantified: bool, tree: SyntaxTree) -> None:
        self._scope = scope
        self._program = program
        self._result = result
        self._quantified = quantified
        self._types = program.types
        names = _names(_ByIdentity(program))
        self._variables = names.variables
        self._ghosts = names.ghosts
        self._tags = Scope(tags=dict(names.tags))
        self._type_builder = TypeBuilder(tree, program.types, dict(program.types.layouts), self)

    # ------------------------------------------------------------------ for the types
    def constant(self, node: Node) -> int | None:
        """The value of a constant expression in a type."""
        value = self.read(node)
        return getattr(value, "value", None)

    def type_of(self, node: Node) -> CType:
        """The type of an expression."""
        return self.read(node).type

    def inside(self, scope: Scope) -> AbstractContextManager[None]:
        """Expressions of exchange files declare nothing: names mean the same everywhere."""
        return nullcontext()

    # ------------------------------------------------------------------ expressions
    def read(self, node: Node) -> Expression:
        """The expression, as an lvalue if it is one."""
        match node:
            case c_ast.ID():
                return self._name(node.name)
            case c_ast.Constant():
                return self._constant(node)
            case c_ast.UnaryOp():
                return self._unary(node)
            case c_ast.BinaryOp():
                return operators.binary(node.op, self.read(node.left), self.read(node.right), self._types)
            case c_ast.Cast():
                type_ = self._type(node.to_type)
                if not is_scalar(type_):
                    raise TypingError(f"a conversion to {type_}")
                return operators.cast(self.read(node.expr), type_, self._types)
            case c_ast.ArrayRef():
                return operators.subscript(self.read(node.name), self.read(node.subscript), self._types)
            case c_ast.StructRef():
                base = self.read(node.name)
                base = operators.dereference(base) if node.type == "->" else base
                return operators.member(base, node.field.name, self._types)
        raise TypingError("only operators without side effects may be used")

    def _type(self, node: Node) -> CType:
        return self._type_builder.type_of(node, self._tags)

    def _constant(self, node: Node) -> Expression:
        return literals.constant(node.type, node.value, self._types.data_model)

    def _unary(self, node: Node) -> Expression:
        if node.op in ("sizeof", "_Alignof"):
            type_ = self._type(node.expr) if isinstance(node.expr, c_ast.Typename) else self.read(node.expr).type
            measure = self._types.size_of if node.op == "sizeof" else self._types.align_of
            return integer(measure(type_), size_type(self._types.data_model))
        if node.op == "&":
            return operators.address_of(self.read(node.expr))
        if node.op == "*":
            return operators.dereference(self.read(node.expr))
        if node.op not in ("+", "-", "~", "!"):
            raise TypingError(f"{node.op} has a side effect")
        return operators.unary(node.op, self.read(node.expr), self._types)

    def _name(self, name: str) -> Expression:
        if name == _RESULT_NAME:
            if self._result is not None:
                return Result(self._result)
            return self._ghost(RESULT)
        if name == _ANY_NAME:
            if not self._quantified:
                raise TypingError(rf"{ANY} stands only in invariants")
            return VariableReference(ANY_NUMBER)
        if name.startswith(_POOL_PREFIX):
            return self._of_pool("\\" + name.removeprefix(_POOL_PREFIX))
        if name.startswith(_OLD_PREFIX):
            return self._ghost(rf"\old({name.removeprefix(_OLD_PREFIX)})")
        variable = self._variable(name)
        if variable is not None:
            return VariableReference(variable)
        plain = name.removeprefix("$$")
        function = self._function_type(plain)
        if function is None:
            raise TypingError(f"there is no variable {name}")
        return FunctionReference(plain, function)

    def _of_pool(self, name: str) -> Expression:
        found = pool_ghosts(self._program).get(name) if self._quantified else None
        if found is None:
            raise TypingError(rf"{name} stands only in invariants, and names no allocation that is repeated")
        return VariableReference(found)

    def _ghost(self, name: str) -> Expression:
        found = self._ghosts.get((self._scope, name))
        if found is None:
            raise TypingError(
                f"{name} stands neither on the edge of an input nor in the contract of a recursive function"
            )
        return VariableReference(found)

    def _variable(self, name: str) -> Variable | None:
        owner, separator, rest = name.partition("$$")
        if separator:
            return self._variables.get((owner, rest))
        return self._variables.get((self._scope, name)) or self._variables.get(("", name))

    def _function_type(self, name: str) -> FunctionType | None:
        found = self._program.functions.get(name) or self._program.externals.get(name)
        return None if found is None else found.type


def _structs(program: Program) -> list[StructType]:
    """The struct and union types that fields and variables of the program have, which know what they are."""
    pending: list[CType] = [static.variable.type for static in program.statics]
    for function in program.functions.values():
        pending += [variable.type for variable in (*function.parameters, *function.locals)]
        pending += [function.type.result]
    for layout in program.types.layouts.values():
        pending += [field.type for field in layout.fields]
    found: list[StructType] = []
    for declared in pending:
        type_ = declared
        while not isinstance(type_, StructType | IntegerType) and (inner := _inner(type_)) is not None:
            type_ = inner
        if isinstance(type_, StructType):
            found.append(type_)
    return found


def _inner(type_: CType) -> CType | None:
    if isinstance(type_, ArrayType):
        return type_.element
    return getattr(type_, "target", None) or getattr(type_, "result", None)
