"""Which initialiser belongs to which part of an object: designators and omitted braces (ISO C 6.7.9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pycparser import c_ast
from pycparserext import ext_c_parser as ext

from gia.cfa.types import ArrayType, CType, IntegerType, StructType, TypeTable
from gia.frontend.operators import TypingError, find_member
from gia.frontend.syntax import Node

Path = tuple[int | str, ...]
"""The way from an object to a part of it: indices and names of members."""


class InitialiserPlan:
    """The parts of an object of ``type_`` that ``node`` initialises.

    ``parts`` maps paths to expressions in the order of their evaluation; a path to an array of characters may have a
    string literal, a path to a struct an expression of its type. All other parts are zero. ``length`` is the number of
    elements that are needed if the object is an array.
    """

    def __init__(
        self,
        type_: CType,
        node: Node,
        types: TypeTable,
        type_of: Callable[[Node], CType],
        constant: Callable[[Node], int | None],
    ) -> None:
        self._types = types
        self._type_of = type_of
        self._constant = constant
        self.parts: dict[Path, Node] = {}
        self._beginnings: set[Path] = set()  # of all paths in `parts`: overriding is rare
        self.length = 0
        if isinstance(node, c_ast.InitList):
            self._braced(type_, (), node)
        else:
            self._set((), node)

    def _set(self, path: Path, node: Node) -> None:
        if path in self._beginnings:
            for known in [other for other in self.parts if other[: len(path)] == path]:
                del self.parts[known]
        self.parts[path] = node
        self._beginnings.update(path[:length] for length in range(len(path) + 1))

    def _braced(self, type_: CType, path: Path, node: Node) -> None:
        items = _Items(node.exprs)
        first = items.current
        if isinstance(type_, ArrayType | StructType):
            if first is not None and len(node.exprs) == 1 and self._is_string_for(type_, first):
                self._set(path, first)
            else:
                self._aggregate(type_, path, items, braced=True)
        elif isinstance(first, c_ast.InitList):
            self._braced(type_, path, first)
        elif first is not None:
            self._set(path, first)

    def _aggregate(self, type_: CType, path: Path, items: _Items, braced: bool, index: int = 0) -> None:
        """Take items for the parts of ``type_`` from its part ``index`` on, as long as they fit."""
        while (item := items.current) is not None:
            if isinstance(item, c_ast.NamedInitializer):
                if not braced:
                    return
                items.advance()
                index = self._designated(type_, path, item.name, item.expr, items)
                continue
            part = self._part(type_, index)
            if part is None:
                return
            step, part_type = part
            self._note_length(path, step)
            self._element(part_type, (*path, step), items)
            index += 1

    def _element(self, type_: CType, path: Path, items: _Items) -> None:
        item = items.current
        if isinstance(item, c_ast.InitList):
            items.advance()
            self._braced(type_, path, item)
        elif not isinstance(type_, ArrayType | StructType) or self._is_whole(type_, item):
            items.advance()
            self._set(path, item)
        else:
            self._aggregate(type_, path, items, braced=False)

    def _designated(self, type_: CType, path: Path, designators: Sequence[Node], value: Node, items: _Items) -> int:
        """Initialise what ``designators`` say; the index of the part of ``type_`` that comes after it."""
        steps = self._steps(type_, designators[0])
        rest = designators[1:]
        for _, inner in steps:
            part_type = self._follow(type_, inner)
            place = (*path, *inner)
            self._note_length(path, inner[0])
            if rest:
                following = self._designated(part_type, place, rest, value, items)
                self._aggregate(part_type, place, items, braced=False, index=following)
            else:
                one = _Items([value])
                self._element(part_type, place, one)
                if not one.used:
                    raise TypingError("a designated initialiser without a value")
        return steps[-1][0] + 1

    def _steps(self, type_: CType, designator: Node) -> list[tuple[int, Path]]:
        """The parts that a designator means: the index of each in its aggregate and the path to it."""
        if isinstance(type_, StructType):
            path = find_member(type_, designator.name, self._types)
            if path is None:
                raise TypingError(f"{type_} has no member {designator.name}")
            names = [field.name for field in self._types.layouts[type_.tag].fields]
            return [(names.index(path[0]), path)]
        ranged = isinstance(designator, ext.RangeExpression)
        first = self._constant(designator.first if ranged else designator)
        last = self._constant(designator.last) if ranged else first
        if first is None or last is None:
            raise TypingError("a designator that is not constant")
        return [(index, (index,)) for index in range(first, last + 1)]

    def _part(self, type_: CType, index: int) -> tuple[int | str, CType] | None:
        """The part with that index of an array, struct or union; a union has only one."""
        if isinstance(type_, ArrayType):
            return None if type_.length is not None and index >= type_.length else (index, type_.element)
        if isinstance(type_, StructType):
            fields = self._types.layouts[type_.tag].fields
            if index < (min(1, len(fields)) if type_.is_union else len(fields)):
                return fields[index].name, fields[index].type
        return None

    def _follow(self, type_: CType, path: Path) -> CType:
        for step in path:
            if isinstance(type_, ArrayType):
                type_ = type_.element
            elif isinstance(type_, StructType) and isinstance(step, str):
                type_ = self._types.field(type_, step).type
        return type_

    def _note_length(self, path: Path, step: int | str) -> None:
        if not path and isinstance(step, int):
            self.length = max(self.length, step + 1)

    def _is_whole(self, type_: CType, item: Node) -> bool:
        """Whether one expression initialises all of an aggregate."""
        if self._is_string_for(type_, item):
            return True
        return isinstance(type_, StructType) and self._type_of(item) == type_

    @staticmethod
    def _is_string_for(type_: CType, item: Node) -> bool:
        characters = isinstance(type_, ArrayType) and isinstance(type_.element, IntegerType)
        return characters and isinstance(item, c_ast.Constant) and item.type == "string"


class _Items:
    """The items of a brace-enclosed list, taken one after the other."""

    def __init__(self, nodes: Sequence[Node] | None) -> None:
        self._nodes = list(nodes or ())
        self.used = 0

    @property
    def current(self) -> Node | None:
        """The next item, ``None`` at the end."""
        return self._nodes[self.used] if self.used < len(self._nodes) else None

    def advance(self) -> None:
        """Step over the next item."""
        self.used += 1
