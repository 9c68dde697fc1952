"""C types as C text: declarators, and struct definitions that have the very layout of the type table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gia.cfa.naming import Namer
from gia.cfa.types import (
    ArrayType,
    CType,
    Field,
    FunctionType,
    Layout,
    PointerType,
    StructType,
    TypeTable,
    declared,
    is_of_unknown_length,
)

_BITS = 8


def declaration(type_: CType, name: str, namer: Namer) -> str:
    """A declaration of ``name`` without storage class, initialiser and semicolon; a type name if ``name`` is empty."""
    return declared(type_, name, namer.type)


def structs_in(type_: CType) -> Iterator[StructType]:
    """The structs and unions that a type mentions directly, not those inside their fields."""
    pending = [type_]
    while pending:
        match pending.pop():
            case StructType() as found:
                yield found
            case PointerType(target=inner) | ArrayType(element=inner):
                pending.append(inner)
            case FunctionType(result=result, parameters=parameters):
                pending += [*reversed(parameters), result]


def struct_closure(types: Iterable[CType], table: TypeTable) -> tuple[StructType, ...]:
    """The structs and unions that ``types`` mention, directly or in fields, in the order in which C can define them."""
    found: dict[StructType, None] = {}
    pending = [struct for type_ in types for struct in structs_in(type_)]
    while pending:
        struct = pending.pop()
        if struct not in found:
            found[struct] = None
            pending += [inner for field in _fields(struct, table) for inner in structs_in(field.type)]
    result: dict[StructType, None] = {}
    visit = sorted(found, key=lambda struct: (struct.tag, struct.is_union), reverse=True)
    while visit:  # depth first: what a struct contains is defined before it
        struct = visit[-1]
        contained = [inner for field in _fields(struct, table) for inner in _contained(field.type)]
        missing = [inner for inner in contained if inner not in result]
        if missing and struct not in result:
            visit += missing
        else:
            visit.pop()
            result[struct] = None
    return tuple(result)


def _fields(struct: StructType, table: TypeTable) -> tuple[Field, ...]:
    return table.layouts[struct.tag].fields if struct.tag in table.layouts else ()


def _contained(type_: CType) -> tuple[StructType, ...]:
    while isinstance(type_, ArrayType):
        type_ = type_.element
    return (type_,) if isinstance(type_, StructType) else ()


def struct_definition(struct: StructType, table: TypeTable, namer: Namer) -> str:
    """The definition of a complete struct or union, followed by static assertions of its layout.

    If the natural layout of the fields is the one in the table they are written as they are, otherwise as
    a packed struct with all the padding spelled out.
    """
    layout = table.layouts[struct.tag]
    if _natural_layout(struct, layout, table):
        lines = [_field_line(field, layout, namer) for field in layout.fields]
        attributes = ""
    else:
        lines = list(_packed_lines(struct, layout, table, namer))
        attributes = f" __attribute__((packed, aligned({layout.alignment})))"
    head = namer.type(struct)
    assertions = [f"sizeof({head}) == {layout.size}"]
    assertions += [
        f"__builtin_offsetof({head}, {namer.member(field.name)}) == {field.offset}"
        for field in layout.fields
        if field.bit_width is None
    ]
    body = "".join(f"  {line};\n" for line in lines)
    checks = "".join(f"{static_assertion(condition)}\n" for condition in assertions)
    return f"{head} {{\n{body}}}{attributes};\n{checks}"


def static_assertion(condition: str) -> str:
    """A declaration that compiles only if a constant condition holds; unlike ``_Static_assert`` known to every tool."""
    return f"extern char __assertion[{condition} ? 1 : -1];"


def _field_line(field: Field, layout: Layout, namer: Namer) -> str:
    type_ = field.type
    if is_of_unknown_length(type_) and len(layout.fields) == 1:
        type_ = ArrayType(type_.element, 0)  # C has no flexible array member that is alone
    width = "" if field.bit_width is None else f" : {field.bit_width}"
    return declaration(type_, namer.member(field.name), namer) + width


def _size(type_: CType, table: TypeTable) -> int:
    """Bytes that a field occupies; a flexible array member takes none."""
    return 0 if is_of_unknown_length(type_) else table.size_of(type_)


def _natural_layout(struct: StructType, layout: Layout, table: TypeTable) -> bool:
    """Whether the ABI gives the fields, written without attributes, the offsets, size and alignment of ``layout``.

    System V ABI: a bit-field does not cross more boundaries of its type's alignment than an object of its type does.
    """
    at = end = 0  # bits
    alignment = 1
    for field in layout.fields:
        align = table.align_of(field.type)
        alignment = max(alignment, align)
        unit = align * _BITS
        if field.bit_width is None:
            at = -(-at // unit) * unit
            width = _size(field.type, table) * _BITS
        else:
            width = field.bit_width
            if -(-(at % unit + width) // unit) * unit > _size(field.type, table) * _BITS:
                at = -(-at // unit) * unit
        if at != field.offset * _BITS + field.bit_offset:
            return False
        end = max(end, at + width)
        at = 0 if struct.is_union else at + width
    size = -(-end // (alignment * _BITS)) * alignment
    return (size, alignment) == (layout.size, layout.alignment)


def _packed_lines(struct: StructType, layout: Layout, table: TypeTable, namer: Namer) -> Iterator[str]:
    """The fields and, between them, members for the padding, for a packed struct."""
    at = 0
    for field in layout.fields:
        start = field.offset * _BITS + field.bit_offset
        yield from _padding(at, start)
        yield _field_line(field, layout, namer)
        width = field.bit_width if field.bit_width is not None else _size(field.type, table) * _BITS
        at = 0 if struct.is_union else start + width
    yield from _padding(at, layout.size * _BITS)


def _padding(start: int, end: int) -> Iterator[str]:
    """Members that take the bits from ``start`` to before ``end`` in a packed struct."""
    boundary = min(-(-start // _BITS) * _BITS, end)
    if start < boundary:
        yield f"unsigned char : {boundary - start}"
    if boundary // _BITS < end // _BITS:
        yield f"unsigned char __padding_{boundary // _BITS}[{end // _BITS - boundary // _BITS}]"
    if boundary < end and end % _BITS:
        yield f"unsigned char : {end % _BITS}"
