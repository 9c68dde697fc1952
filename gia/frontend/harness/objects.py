"""Text that makes objects out of inputs: the arguments and global variables of a function that is tested alone.

A pointer points, as one more input decides, to a new object, to nothing, or to an object of its type that is there
already. It is read from an array: a decision would be one of the program. A new object is an array, of which the first
elements have inputs as their parts and all others are 0, so that a function that goes on behind them, or writes there,
is still inside of it. A pointer to a function points to one that returns inputs, or to nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gia.cfa.types import (
    CHAR,
    SHORT,
    UNSIGNED_CHAR,
    UNSIGNED_LONG_LONG,
    UNSIGNED_SHORT,
    ArrayType,
    CType,
    FloatType,
    FunctionType,
    IntegerType,
    PointerType,
    StructType,
    TypeTable,
    VoidType,
    declared,
    is_of_unknown_length,
)
from gia.frontend.declarations import VA_LIST_TAG
from gia.frontend.harness.members import OBJECTS, ROOM, Member, related
from gia.frontend.library import CHARACTER_INPUT, CHARACTERS, INPUT_PREFIX
from gia.frontend.loaded import InputPlace

PREFIX: Final = "__unit_"
"""The beginning of the names in the text; not that of models, which may be added afterwards."""

ELEMENTS: Final = 32
"""So many elements of an array that is there are inputs; the others keep the value 0."""

NUMBERS: Final = 8
"""So many elements of a new array of numbers are inputs, of characters :data:`CHARACTERS`, of other objects one."""

COUNTED: Final = 3
"""So many objects are inputs if there is a parameter or field that says how many there are."""

LARGEST: Final = 1024
"""Of a larger object there is one alone."""

MANY_INPUTS: Final = 256
"""When a parameter needs so many, pointers lead to no more new objects, and elements of arrays are 0."""

DEEPEST: Final = 3
"""So many pointers in a row lead to new objects."""

MOST_OLD: Final = 4
"""To so many objects that exist already a pointer may point."""

STREAM: Final = "_IO_FILE"
"""The tag of ``FILE``."""

INPUTS: Final[Mapping[str, str]] = {
    "_Bool": "bool",
    "char": "char",
    "signed char": "char",
    "unsigned char": "uchar",
    "short": "short",
    "unsigned short": "ushort",
    "int": "int",
    "unsigned int": "uint",
    "long": "long",
    "unsigned long": "ulong",
    "long long": "longlong",
    "unsigned long long": "ulonglong",
    "__int128": "int128",
    "unsigned __int128": "uint128",
    "float": "float",
    "double": "double",
    "long double": "double",
}
"""The ends of the names of the input functions, by type."""

_ARGUMENTS: Final = PointerType(StructType(VA_LIST_TAG))
"""A list of variable arguments as a parameter (LP64)."""

_OBJECT: Final = re.compile(rf"{PREFIX}object_\d+")
_ARGUMENT: Final = re.compile(rf"{PREFIX}argument_\d+")

_TYPE_OF_INPUT: Final = {
    "bool": "_Bool",
    "character": "char",
    "pointer": "void *",
    **{stem: name for name, stem in reversed(list(INPUTS.items()))},
}


class UnsupportedTypeError(Exception):
    """There is no input of this type."""


class Objects:
    """The objects of one unit. ``names`` has the names that ``typedef`` gives to types without a tag, by their tags in
    the CFA; ``has_stdin`` says whether the unit knows standard input.

    If they are ``unrelated``, every part has any value of its type: no length fits to what it may be the length of, and
    a pointer leads anywhere (which is good for proofs; tests find null only).

    ``functions`` are the definitions of those that pointers point to, after they were asked for.
    """

    def __init__(
        self, types: TypeTable, names: Mapping[str, str], has_stdin: bool = False, *, unrelated: bool = False
    ) -> None:
        self._unrelated = unrelated
        self._types = types
        self._names = names
        self._has_stdin = has_stdin
        self._used: set[str] = set()
        self._count = 0
        self._total = 0
        self._known: dict[CType, list[str]] = defaultdict(list)
        self._functions: dict[FunctionType, str] = {}
        self._in_function = False
        self._reads: list[tuple[str, Sequence[str], int]] = []
        self._owners: dict[str, str] = {}
        """The places of the pointers for which new objects are made."""
        self.functions: list[str] = []

    # ------------------------------------------------------------------ what others need
    def input_declarations(self) -> list[str]:
        """Declarations of all input functions that were used."""
        return [f"extern {_TYPE_OF_INPUT[stem]} {INPUT_PREFIX}{stem}(void);" for stem in sorted(self._used)]

    def prototypes(self) -> list[str]:
        """Declarations of the functions that pointers point to."""
        return [f"static {self._head(type_, name)};" for type_, name in self._functions.items()]

    def is_complete(self, type_: CType) -> bool:
        """Whether an object of a type can be declared."""
        if isinstance(type_, StructType):
            named = type_.tag in self._names or "$" not in type_.tag
            return named and type_.tag in self._types.layouts
        return not is_of_unknown_length(type_)

    def declared(self, type_: CType, name: str) -> str:
        """A declaration of ``name``."""
        if type_ == _ARGUMENTS:
            return f"void *{name}"  # gcc's own type has no name that it could be given
        return declared(type_, name, self._tagged)

    def fill(self, member: Member) -> Iterator[str]:
        """Statements that make every part of an object an input; :class:`UnsupportedTypeError` if that cannot be."""
        self._count = 0
        yield from self._fill(member, 0)

    def argument(self, member: Member) -> Iterator[str]:
        """The same, behind the declaration of the object."""
        if not self.is_complete(member.type):
            raise UnsupportedTypeError  # its type has no name
        yield f"{self.declared(member.type, member.place)};"
        yield from self.fill(member)

    def with_length(self, type_: CType) -> CType:
        """The type, or for an array of unknown length one that is as long as those that are made for pointers."""
        if is_of_unknown_length(type_):
            return ArrayType(type_.element, self._lengths(type_.element, counted=False)[0])
        return type_

    def result(self, type_: CType, parameters: Sequence[tuple[str, CType]]) -> list[str]:
        """The body of a function without a body: its result is made of inputs.

        The named ``parameters`` of a function that returns memory say how much it is.
        """
        if isinstance(type_, VoidType):
            return []
        known, self._known = self._known, defaultdict(list)  # those of other functions have no names here
        count, self._count = self._count, 0
        outside, self._in_function = self._in_function, True
        try:
            value = Member("", f"{PREFIX}result", type_)
            sizes = [name for name, parameter in parameters if _is_size(parameter)]
            if type_ == PointerType(VoidType()) and sizes and not self._unrelated:
                filled = list(self._allocate(value.place, sizes[:2]))
            else:
                filled = list(self._fill(value, DEEPEST - 1 if isinstance(type_, PointerType) else DEEPEST))
        finally:
            self._known, self._count, self._in_function = known, count, outside
        return [f"{self.declared(type_, value.place)};", *filled, f"return {value.place};"]

    def places(self, arguments: Mapping[str, str]) -> tuple[InputPlace, ...]:
        """What the inputs are that were asked for outside of functions, in their order; ``arguments`` are the names of
        parameters by their places."""
        return tuple(self._read(*read, arguments) for read in self._reads)

    def _read(self, place: str, choices: Sequence[str], modulus: int, arguments: Mapping[str, str]) -> InputPlace:
        within = []
        inner = _OBJECT.match(place)
        while inner is not None:
            within.append(inner[0])
            inner = _OBJECT.match(self._owners[inner[0]])
        new = choices[0] if choices and choices[0] in self._owners else ""
        named = [{new: "new", "0": "null"}.get(choice) or self._shown(choice, arguments) for choice in choices]
        return InputPlace(self._shown(place, arguments), tuple(within), tuple(named), new, modulus)

    def _shown(self, place: str, arguments: Mapping[str, str]) -> str:
        """A place as the user would write it."""
        while (found := _OBJECT.search(place)) is not None:
            owner = self._owners[found[0]]
            rest = place[found.end() :]
            inside = rest.removeprefix("[0].")
            place = place[: found.start()] + owner + (rest if inside == rest else f"->{inside}")
        return _ARGUMENT.sub(lambda found: arguments.get(found[0]) or found[0].removeprefix(PREFIX), place)

    # ------------------------------------------------------------------ parts
    def _tagged(self, type_: StructType) -> str:
        return self._names.get(type_.tag, str(type_))

    def _input(self, stem: str, place: str, choices: Sequence[str] = (), modulus: int = 0) -> str:
        """A call that reads an input, which is for a place."""
        if not self._in_function:
            self._reads.append((place, choices, modulus))
        self._count += 1
        self._used.add(stem)
        return f"{INPUT_PREFIX}{stem}()"

    def _has_room(self) -> bool:
        return self._count < MANY_INPUTS

    def _fill(self, member: Member, depth: int) -> Iterator[str]:
        place = member.place
        match member.type:
            case PointerType() if self._unrelated:
                yield f"{place} = {self._input('pointer', place)};"
            case FloatType(name="long double") if self._unrelated:
                raise UnsupportedTypeError  # no input has all of its values
            case IntegerType(name=name) | FloatType(name=name) if name in INPUTS:
                yield f"{place} = {self._number(member)};"
            case PointerType(target=FunctionType() as function):
                yield from self._choose(place, member.type, [self._function(function), "0"])
            case PointerType():
                yield from self._point(member, depth)
            case ArrayType(element=element, length=length):
                characters = element == CHAR
                for index in range(min(length or 0, ELEMENTS)):
                    if self._has_room():
                        yield from self._element(f"{place}[{index}]", element, depth, characters)
            case StructType(tag=tag, is_union=is_union) if tag in self._types.layouts:
                yield from self._struct(place, tag, is_union, depth)
            case _:
                raise UnsupportedTypeError

    def _struct(self, place: str, tag: str, is_union: bool, depth: int) -> Iterator[str]:
        fields = self._types.layouts[tag].fields
        if is_union and fields:
            fields = (max(fields, key=lambda field: self._size(field.type)),)
        places = [place if field.name.startswith("$") else f"{place}.{field.name}" for field in fields]
        members = [Member(f.name, where, f.type) for f, where in zip(fields, places, strict=True)]
        for member in members if self._unrelated else related(members):
            yield from self._fill(member, depth)

    def _size(self, type_: CType) -> int:
        """The size of a type; 0 for an array without length."""
        return 0 if is_of_unknown_length(type_) else self._types.size_of(type_)

    def _element(self, place: str, type_: CType, depth: int, is_text: bool) -> Iterator[str]:
        if is_text:
            yield f"{place} = {self._input(CHARACTER_INPUT.removeprefix(INPUT_PREFIX), place)};"
        else:
            yield from self._fill(Member("", place, type_), depth)

    def _number(self, member: Member) -> str:
        """An input of that type; a length is made of an input of 16 bits or less."""
        type_ = member.type
        most = member.most
        assert isinstance(type_, IntegerType | FloatType)
        if most is None or not isinstance(type_, IntegerType):
            return self._input(INPUTS[type_.name], member.place)
        if most == ROOM - 1:
            read = SHORT if type_.signed else UNSIGNED_SHORT
        else:
            read = UNSIGNED_SHORT if most > _largest(UNSIGNED_CHAR) else UNSIGNED_CHAR  # an index that may be used
        if type_.width < read.width:
            read = type_
        modulus = 0 if _largest(read) <= most else most + 1
        value = self._input(INPUTS[read.name], member.place, modulus=modulus)
        return f"{value} % {modulus}" if modulus else value

    # ------------------------------------------------------------------ pointers
    def _choose(self, place: str, type_: CType, choices: Sequence[str]) -> Iterator[str]:
        """A pointer to one of these, as an input decides; 0 stands for the first."""
        if len(choices) == 1:
            yield f"{place} = {choices[0]};"
            return
        array = self.declared(ArrayType(type_, None), f"{PREFIX}choices")
        chosen = f"{PREFIX}choices[{self._input('uchar', place, choices)} % {len(choices)}]"
        yield f"{{ {array} = {{ {', '.join(choices)} }}; {place} = {chosen}; }}"

    def _point(self, member: Member, depth: int) -> Iterator[str]:
        """Statements that choose where a pointer points."""
        assert isinstance(member.type, PointerType)
        place, target = member.place, member.type.target
        if member.start is not None:
            value = self._input("ushort", f"{place} - {member.start}")
            yield f"{place} = {member.start} + {value} * ({member.start} != 0);"
            return
        if isinstance(target, VoidType):
            target = CHAR
        is_stream = isinstance(target, StructType) and target.tag == STREAM and self._has_stdin
        known = ["stdin"] if is_stream else self._known[target]
        choices = ["0", *known[:MOST_OLD]]
        if is_stream:
            choices.reverse()
        elif depth < DEEPEST and self._has_room():
            self._total += 1
            name = f"{PREFIX}object_{self._total}"
            self._owners[name] = place
            known.append(name)
            choices.insert(0, name)
            yield from self._object(name, target, member, depth + 1)
        yield from self._choose(place, PointerType(VoidType()), choices)

    def _object(self, name: str, target: CType, member: Member, depth: int) -> Iterator[str]:
        """A new array, and statements that give it its values."""
        if isinstance(target, FunctionType) or not self.is_complete(target):
            yield f"static char {name}[1];"  # nobody looks into it
            return
        if target == _ARGUMENTS.target:
            yield f"static __builtin_va_list {name};"
            yield from self._arguments(f"{name}[0]", depth)
            return
        length, filled = self._lengths(target, member.counted)
        yield f"static {self.declared(ArrayType(target, length), name)};"
        is_text = isinstance(target, IntegerType) and target.width == CHAR.width and not target.is_bool
        first = Member("", f"{name}[0]", target, most=member.most)
        if member.most is not None and isinstance(target, IntegerType):
            yield f"{first.place} = {self._number(first)};"
            return
        for index in range(filled):
            if self._has_room() or index == 0:
                yield from self._element(f"{name}[{index}]", target, depth, is_text)

    def _lengths(self, target: CType, counted: bool) -> tuple[int, int]:
        """How many elements a new array has, and how many of them are inputs."""
        match target:
            case IntegerType(width=CHAR.width, is_bool=False):
                return ROOM, CHARACTERS
            case IntegerType() | FloatType():
                return ROOM, NUMBERS
        size = max(1, self._types.size_of(target))
        if isinstance(target, StructType) and self._is_open(target):
            return ROOM // size + 2, 1
        return (OBJECTS if size <= LARGEST else 1), (COUNTED if counted and size <= LARGEST else 1)

    def _is_open(self, type_: StructType) -> bool:
        """Whether a struct ends in an array without length: what lies behind it belongs to it."""
        fields = self._types.layouts[type_.tag].fields
        return bool(fields) and isinstance(fields[-1].type, ArrayType) and not fields[-1].type.length

    def _arguments(self, place: str, depth: int) -> Iterator[str]:
        """A list of variable arguments as the ABI has it: the registers are used up, more arguments are in memory."""
        yield f"{place}.gp_offset = 48;"
        yield f"{place}.fp_offset = 176;"
        words = Member("", f"{place}.overflow_arg_area", PointerType(UNSIGNED_LONG_LONG))
        yield from self._point(words, min(depth, DEEPEST - 1))

    # ------------------------------------------------------------------ functions
    def _head(self, function: FunctionType, name: str) -> str:
        listed = [self.declared(parameter, f"p{n}") for n, parameter in enumerate(function.parameters)]
        listed += ["..."] if function.variadic else []
        shown = ", ".join(listed) or ("" if function.unspecified else "void")
        return self.declared(function.result, f"{name}({shown})")

    def _function(self, function: FunctionType) -> str:
        """The name of a function of that type, whose result is made of inputs."""
        if function not in self._functions:
            name = self._functions[function] = f"{PREFIX}function_{len(self._functions) + 1}"
            body = self.result(function.result, [(f"p{n}", type_) for n, type_ in enumerate(function.parameters)])
            self.functions += [f"static {self._head(function, name)}", "{", *body, "}"]
        return self._functions[function]

    def _allocate(self, place: str, sizes: Sequence[str]) -> Iterator[str]:
        """New memory of that size, or nothing."""
        factors = [f"{size} + 1ul" for size in sizes] + ["1"] * (2 - len(sizes))
        yield from self._choose(place, PointerType(VoidType()), [f"__builtin_calloc({', '.join(factors)})", "0"])


def _largest(type_: IntegerType) -> int:
    return (1 << (type_.width - type_.signed)) - 1


def _is_size(type_: CType) -> bool:
    return isinstance(type_, IntegerType) and type_.width > CHAR.width
