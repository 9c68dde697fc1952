"""What the evaluation of an expression may change, read off the syntax tree."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct
from pycparser import c_ast
from pycparserext import ext_c_parser as ext

from gia.frontend.library import INPUT_PREFIX
from gia.frontend.parsing.syntax import Node, VaArg, parts_of, within

HEIGHT_STEP = 100
"""Every expression tree of this height is put into a temporary, so that no tree of the CFA is much higher."""

PURE_BUILTINS = frozenset(
    f"__builtin_{name}"
    for name in [
        "expect",
        "types_compatible_p",
        "offsetof",
        "choose_expr",
        "isnan",
        "isinf",
        "isinf_sign",
        "isfinite",
        "isnormal",
        "fpclassify",
        "huge_val",
        "huge_valf",
        "huge_vall",
        "inf",
        "inff",
        "infl",
        "nan",
        "nanf",
        "nanl",
        "isgreater",
        "isgreaterequal",
        "isless",
        "islessequal",
        "islessgreater",
        "isunordered",
    ]
)
"""Functions of the compiler that become an expression."""


class Effect(Struct, frozen=True):
    """What evaluating an expression does.

    ``pure``: it becomes an expression of the CFA without edges. ``names``: the variables that it assigns by name;
    ``memory``: it may change other objects as well. ``height``: of its syntax tree. ``commas``: arithmetic has an
    operand with a comma, see :meth:`Effects.has_commas`.
    """

    pure: bool
    names: frozenset[str]
    memory: bool
    height: int
    commas: bool = False


_NONE = Effect(True, frozenset(), False, 1)
"""The effect of what has no operands, or does not evaluate them."""


class Effects:
    """Answers by node, each computed once; ``atomic`` makes every ``&&`` and ``||`` control flow."""

    def __init__(self, atomic: bool) -> None:
        self._atomic = atomic
        self._known: dict[Node, Effect] = {}

    def of(self, node: Node) -> Effect:
        """The effect of evaluating an expression."""
        found = self._known.get(node)
        if found is None:
            found = self._known[node] = self._compute(node)
        return found

    def is_pure(self, node: Node) -> bool:
        """Whether the expression has no effects and no control flow."""
        return self.of(node).pure

    def has_commas(self, node: Node) -> bool:
        """Whether gcc evaluates a part of the expression before the other operand of an operator."""
        return self.of(node).commas

    def cuts(self, node: Node) -> bool:
        """Whether the value is to be put into a temporary because the tree is high."""
        return self.of(node).height % HEIGHT_STEP == 0

    def _compute(self, node: Node) -> Effect:
        if isinstance(node, c_ast.ID | c_ast.Constant):
            return _NONE
        if isinstance(node, c_ast.UnaryOp) and node.op in ("sizeof", "_Alignof", "__alignof__"):
            return _NONE
        children = [self.of(child) for child in parts_of(node) if not isinstance(child, _NOT_EVALUATED)]
        pure = all(child.pure for child in children) and not self._acts(node)
        memory = any(child.memory for child in children)
        names = frozenset().union(*(child.names for child in children))
        height = 1 + max((child.height for child in children), default=0)
        target = _target(node)
        if isinstance(target, c_ast.ID):
            names |= {target.name}
        elif (
            target is not None
            or isinstance(node, c_ast.Compound | VaArg | ext.Asm)
            or (isinstance(node, c_ast.FuncCall) and not (_is_pure_builtin(node) or _is_input(node)))
        ):
            memory = True
        if height % HEIGHT_STEP == 0:
            pure = False
        commas = isinstance(node, c_ast.ExprList) or (is_arithmetic(node) and any(child.commas for child in children))
        return Effect(pure, names, memory, height, commas)

    def _acts(self, node: Node) -> bool:
        if isinstance(node, c_ast.FuncCall):
            return not _is_pure_builtin(node)
        if isinstance(node, c_ast.BinaryOp) and self._atomic and node.op in ("&&", "||"):
            return True
        acting = (c_ast.TernaryOp, c_ast.Compound, c_ast.CompoundLiteral, VaArg, ext.Asm)
        return isinstance(node, acting) or _target(node) is not None


_NOT_EVALUATED = (c_ast.Typename, c_ast.TypeDecl, ext.TypeList)


def is_arithmetic(node: Node) -> bool:
    """Whether it is a conversion, or an operator that evaluates all of its operands and gives no place to one."""
    if isinstance(node, c_ast.BinaryOp):
        return node.op not in ("&&", "||")
    return isinstance(node, c_ast.Cast) or (isinstance(node, c_ast.UnaryOp) and node.op in ("+", "-", "~", "!"))


def _is_pure_builtin(node: Node) -> bool:
    return isinstance(node.name, c_ast.ID) and (node.name.name in PURE_BUILTINS or node.name.name == "offsetof")


def _is_input(node: Node) -> bool:
    """Whether it reads an input, which changes nothing that the program can see."""
    name = node.name.name if isinstance(node.name, c_ast.ID) else ""
    return name.startswith(INPUT_PREFIX)


def _target(node: Node) -> Node:
    """What an assignment, ``++`` or ``--`` writes."""
    if isinstance(node, c_ast.Assignment):
        return node.lvalue
    if isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--"):
        return node.expr
    return None


class Addressed(NamedTuple):
    """What stands under ``&`` or ``&&`` in a function: names of variables, and labels in the order of the source.

    Variables with attributes are among the names: one may be a cleanup.
    """

    names: frozenset[str] = frozenset()
    labels: tuple[str, ...] = ()


def addressed_in(function: Node) -> Addressed:
    """What the address is taken of somewhere in a function."""
    names: set[str] = set()
    labels: dict[str, None] = {}
    for node in within(function):
        if isinstance(node, c_ast.Decl):
            if node.name is not None and _has_attributes(node):
                names.add(node.name)
        elif isinstance(node, c_ast.UnaryOp):
            if node.op == "&&":
                labels[node.expr.name] = None
            elif node.op == "&":
                operand = node.expr
                while isinstance(operand, c_ast.StructRef | c_ast.ArrayRef):
                    operand = operand.name
                if isinstance(operand, c_ast.ID):
                    names.add(operand.name)
    return Addressed(frozenset(names), tuple(labels))


def _has_attributes(declaration: Node) -> bool:
    specifiers = declaration.funcspec or []
    part = declaration.type
    while part is not None and getattr(part, "attributes", None) is None:
        part = getattr(part, "type", None)
    return part is not None or any(isinstance(found, ext.AttributeSpecifier) for found in specifiers)
