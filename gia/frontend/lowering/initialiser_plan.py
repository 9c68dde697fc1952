"""Which initialiser belongs to which part of an object: designators and omitted braces (ISO C 6.7.9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pycparser import c_ast
from pycparserext import ext_c_parser as ext

from gia.cfa.types import ArrayType, CType, IntegerType, StructType, TypeTable
from gia.frontend.operators import TypingError, find_member
from gia.frontend.parsing.syntax import Node

Path = tuple[int | str, ...]
"""The way from an object to a part of it: indices and names of members."""


class InitialiserPlan:
    """The parts of an object of ``type_`` that ``node`` initialises.

    ``parts`` maps paths to expressions in the order of their evaluation, which gcc makes that of the parts in memory;
    a path to an array of characters may have a string literal, a path to a struct an expression of its type. All other
    parts are zero. ``length`` is the number of elements that are needed if the object is an array. In the initialiser
    of a ``static`` object, a compound literal stands for what is between its braces (GCC manual).
    """

    def __init__(
        self,
        type_: CType,
        node: Node,
        types: TypeTable,
        type_of: Callable[[Node], CType],
        constant: Callable[[Node], int | None],
        *,
        static: bool = False,
    ) -> None:
        self._static = static
        self._types = types
        self._type_of = type_of
        self._constant = constant
        self.parts: dict[Path, Node] = {}
        self._beginnings: set[Path] = set()  # of all paths in `parts`: overriding is rare
        self._members: dict[Path, str] = {}  # of unions: the one that is initialised
        self._ranged: set[Path] = set()  # parts with the initialiser of a range
        self._designates = False
        self.length = 0
        node = self._contents(type_, node)
        if isinstance(node, c_ast.InitList):
            self._braced(type_, (), node)
        else:
            self._set((), node)
        if self._designates:
            self.parts = dict(sorted(self.parts.items(), key=lambda part: self._place(type_, part[0])))

    def _set(self, path: Path, node: Node) -> None:
        self._discard(path)
        for whole in (path[:length] for length in range(len(path))):
            expression = self.parts.pop(whole, None)
            if isinstance(expression, c_ast.Constant):
                raise TypingError("an initialiser of a character of a string that is an initialiser itself")
        self.parts[path] = node
        self._beginnings.update(path[:length] for length in range(len(path) + 1))

    def _discard(self, path: Path) -> None:
        """Forget the initialisers of a part, and of all parts of it: another one overrides them."""
        if path in self._beginnings:
            for known in [other for other in self.parts if other[: len(path)] == path]:
                del self.parts[known]

    def _enter(self, type_: CType, path: Path, step: int | str) -> None:
        """Turn to a part of the object at ``path``; of a union, gcc forgets the other members."""
        if isinstance(type_, StructType) and type_.is_union and isinstance(step, str):
            if self._members.setdefault(path, step) != step:
                self._discard(path)
            self._members[path] = step

    def _contents(self, type_: CType, node: Node) -> Node:
        """What is between the braces of a compound literal if that is what initialises an object, else ``node``."""
        opened = self._static and isinstance(node, c_ast.CompoundLiteral) and self._type_of(node) == type_
        return node.init if opened else node

    def _braced(self, type_: CType, path: Path, node: Node) -> None:
        self._discard(path)
        items = _Items(node.exprs)
        first = items.current
        if isinstance(type_, ArrayType | StructType):
            if first is not None and len(node.exprs) == 1 and self._is_string_for(type_, first):
                self._set(path, first)
            else:
                self._aggregate(type_, path, items, braced=True)
        elif first is not None and isinstance(inner := self._contents(type_, first), c_ast.InitList):
            self._braced(type_, path, inner)
        elif first is not None:
            self._set(path, first)

    def _aggregate(self, type_: CType, path: Path, items: _Items, braced: bool, index: int = 0) -> None:
        """Take items for the parts of ``type_`` from its part ``index`` on, as long as they fit."""
        while (item := items.current) is not None:
            if isinstance(item, c_ast.NamedInitializer):
                if not braced:
                    return
                items.advance()
                self._designates = True
                index = self._designated(type_, path, item.name, item.expr, items)
                continue
            part = self._part(type_, index)
            if part is None and braced:
                items.advance()  # gcc ignores, and does not evaluate, what is too much
                continue
            if part is None:
                return
            step, part_type = part
            self._enter(type_, path, step)
            self._note_length(path, step)
            self._element(part_type, (*path, step), items)
            index += 1

    def _element(self, type_: CType, path: Path, items: _Items) -> None:
        item = self._contents(type_, items.current)
        if isinstance(item, c_ast.InitList):
            items.advance()
            self._braced(type_, path, item)
        elif not isinstance(type_, ArrayType | StructType) or self._is_whole(type_, item):
            items.advance()
            self._set(path, item)
        else:
            self._aggregate(type_, path, items, braced=False)

    def _designated(
        self, type_: CType, path: Path, designators: Sequence[Node | str], value: Node, items: _Items
    ) -> int:
        """Initialise what ``designators`` say; the index of the part of ``type_`` that comes after it."""
        steps, rest = self._steps(type_, designators)
        for index, step in steps:
            self._enter(type_, path, step)
            part_type, place = self._inside(type_, step), (*path, step)
            self._note_length(path, step)
            taken = items if index == steps[-1][0] else _Items.behind(value)  # what follows goes behind the last one
            if rest:
                self._require_constant(place)
                following = self._designated(part_type, place, rest, value, taken)
                self._aggregate(part_type, place, taken, braced=False, index=following)
            else:
                taken.again(value)
                self._element(part_type, place, taken)
                if taken.current is value:
                    raise TypingError("a designated initialiser without a value")
                if len(steps) > 1:
                    self._ranged.add(place)
        return steps[-1][0] + 1

    def _require_constant(self, place: Path) -> None:
        """Raises :class:`TypingError` where gcc may forget the initialiser of a range: if only a part is overridden."""
        if place in self._ranged:
            parts = [node for path, node in self.parts.items() if path[: len(place)] == place]
            if any(self._constant(node) is None for node in parts):
                raise TypingError("an initialiser of a part of what a range initialises")

    def _steps(
        self, type_: CType, designators: Sequence[Node | str]
    ) -> tuple[list[tuple[int, int | str]], Sequence[Node | str]]:
        """The parts of an object that the first designator means, with their indices, and the designators inside them.

        A name of a member is a designator too: a member of an anonymous member takes two of them.
        """
        designator, *rest = designators
        if isinstance(type_, StructType):
            name = designator if isinstance(designator, str) else designator.name
            path = find_member(type_, name, self._types)
            if path is None:
                raise TypingError(f"{type_} has no member {name}")
            names = [field.name for field in self._types.layouts[type_.tag].fields]
            return [(names.index(path[0]), path[0])], [*path[1:], *rest]
        assert not isinstance(designator, str)
        ranged = isinstance(designator, ext.RangeExpression)
        first = self._constant(designator.first if ranged else designator)
        last = self._constant(designator.last) if ranged else first
        if first is None or last is None:
            raise TypingError("a designator that is not constant")
        return [(index, index) for index in range(first, last + 1)], rest

    def _part(self, type_: CType, index: int) -> tuple[int | str, CType] | None:
        """The part with that index of an array, struct or union; a union has only one."""
        if isinstance(type_, ArrayType):
            return None if type_.length is not None and index >= type_.length else (index, type_.element)
        if isinstance(type_, StructType):
            fields = self._types.layouts[type_.tag].fields
            if index < (min(1, len(fields)) if type_.is_union else len(fields)):
                return fields[index].name, fields[index].type
        return None

    def _inside(self, type_: CType, step: int | str) -> CType:
        """The type of a part."""
        if isinstance(type_, ArrayType):
            return type_.element
        assert isinstance(type_, StructType) and isinstance(step, str)
        return self._types.field(type_, step).type

    def _place(self, type_: CType, path: Path) -> list[int]:
        """The indices that lead to a part: in the order of these lists, parts lie in memory."""
        found: list[int] = []
        for step in path:
            if isinstance(type_, StructType):
                found.append([field.name for field in self._types.layouts[type_.tag].fields].index(str(step)))
            else:
                found.append(int(step))
            type_ = self._inside(type_, step)
        return found

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

    @classmethod
    def behind(cls, value: Node) -> _Items:
        """Items of which only this value was taken, and none are left."""
        items = cls([value])
        items.advance()
        return items

    def again(self, value: Node) -> None:
        """Step back, and have this value in the place of the last item: its designator was followed."""
        self.used -= 1
        self._nodes[self.used] = value
