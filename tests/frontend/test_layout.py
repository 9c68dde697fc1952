"""Layouts agree with gcc: sizes, alignments, offsets and the bits of bit-fields of random structs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gia.cfa.types import UNSIGNED_INT128, DataModel, IntegerType
from gia.frontend import load
from gia.toolchain import data_model_options
from tests.frontend.support import MODELS

SCALARS = (
    "char",
    "short",
    "int",
    "long",
    "long long",
    "float",
    "double",
    "long double",
    "_Bool",
    "void *",
    "unsigned char",
)
NAMES = """\
typedef short over __attribute__((aligned(16))); typedef over again;
typedef struct { char c; } __attribute__((aligned(4))) inside;
typedef struct { int i; char c; } outside __attribute__((aligned(32)));
typedef unsigned int byte __attribute__((__mode__(__QI__))); typedef int wide __attribute__((mode(DI)));
typedef int word __attribute__((mode(word)));
"""
NAMED = ("over", "again", "inside", "outside", "byte", "wide", "word")
BITS = {"char": 8, "short": 16, "int": 32, "unsigned": 32, "long long": 64, "_Bool": 1, "unsigned char": 8}


@st.composite
def members(draw: st.DrawFn) -> str:
    """The members of a struct as C text; those that have an address are called m0, m1, …."""
    lines = []
    for index in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(["scalar", "scalar", "named", "array", "bits", "bits", "gap", "inner"]))
        scalar = draw(st.sampled_from(SCALARS))
        unit = draw(st.sampled_from(sorted(BITS)))
        aligned = f"__attribute__((aligned({draw(st.sampled_from([2, 4, 8]))}))) "
        extra = draw(st.sampled_from(["", "", "", " __attribute__((packed))", f" {aligned}"]))
        before = draw(st.sampled_from(["", "", "", aligned]))
        inside = draw(st.sampled_from(["", "", "", "__attribute__((packed)) "]))
        match kind:
            case "scalar":
                name = f"({inside}m{index})" if inside else f"m{index}"
                lines.append(f"{before}{scalar} {name}{extra};")
            case "named":
                lines.append(f"{draw(st.sampled_from(NAMED))} m{index}{extra};")
            case "array":
                lines.append(f"{scalar} m{index}[{draw(st.integers(1, 3))}];")
            case "bits":
                lines.append(f"{unit} {before}b{index} : {draw(st.integers(1, BITS[unit]))}{extra};")
            case "gap":
                lines.append(f"{unit} : {draw(st.sampled_from([0, 1]))};")
            case "inner":
                keyword = draw(st.sampled_from(["struct", "union"]))
                lines.append(f"{keyword} {{ {scalar} x{index}; char y{index}; }} m{index};")
    return " ".join(lines)


@st.composite
def structs(draw: st.DrawFn) -> str:
    """A struct or union definition called s."""
    keyword = draw(st.sampled_from(["struct", "struct", "struct", "union"]))
    attribute = draw(st.sampled_from(["", "", "__attribute__((packed))", "__attribute__((aligned(16)))"]))
    pack = draw(st.sampled_from([0, 0, 0, 1, 2, 4]))
    text = f"{NAMES}{keyword} s {{ {draw(members())} }} {attribute};"
    return (
        f"#pragma pack(push, {pack})\n{text}\n#pragma pack(pop)\n{keyword} s object;"
        if pack
        else f"{text}\n{keyword} s object;"
    )


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=structs())
def test_layouts_agree_with_the_compiler(model: DataModel, tmp_path: Path, text: str) -> None:
    path = tmp_path / "layout.c"
    path.write_text(f"{text}\nint main(void) {{ return 0; }}\n")
    types = load(path, data_model=model).program.types
    layout = types.layouts["s"]
    checks = [f"sizeof object == {layout.size}", f"__alignof__(object) == {layout.alignment}"]
    patterns = []
    for field in layout.fields:
        if field.bit_width is None:
            checks.append(f"__builtin_offsetof(__typeof__(object), {field.name}) == {field.offset}")
        else:
            patterns.append((field.name, field.offset * 8 + field.bit_offset, field.bit_width))
    body = "".join(f'_Static_assert({check}, "{check}");\n' for check in checks)
    body += "int main(void) {\nunsigned char *bytes = (unsigned char *)&object;\n"
    for name, start, width in patterns:
        body += f"__builtin_memset(&object, 0, sizeof object);\nobject.{name} = -1;\n"
        body += "for (unsigned i = 0; i < sizeof object * 8; i++) "
        body += f"if ((bytes[i / 8] >> i % 8 & 1) != (i >= {start} && i < {start + width})) return {len(name)};\n"
    source, program = tmp_path / "check.c", tmp_path / "check"
    source.write_text(f"{text}\n{body}return 0; }}\n")
    command = ["gcc", *data_model_options(model), "-w", "-o", str(program), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert subprocess.run([str(program)], check=False, timeout=10).returncode == 0


BOUNDS = [-(1 << 31) - 1, -(1 << 31), -32769, -32768, -129, -128, -1, 0, 127, 128, 255, 256, 65535, 65536]
BOUNDS += [(1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32]


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.lists(st.sampled_from(BOUNDS), min_size=1, max_size=3),
    keyword=st.sampled_from(["enum e", "enum __attribute__((packed)) e"]),
    attribute=st.sampled_from(["", "__attribute__((__packed__))"]),
)
def test_enumerations_agree_with_the_compiler(
    model: DataModel, tmp_path: Path, values: list[int], keyword: str, attribute: str
) -> None:
    enumerators = ", ".join(f"E{i} __attribute__((unused)) = {value}LL" for i, value in enumerate(values))
    text = f"{keyword} {{ {enumerators} }} {attribute};\nstruct s {{ char c; enum e m; }} object;"
    path = tmp_path / "enumeration.c"
    path.write_text(f"{text}\nint main(void) {{ return 0; }}\n")
    layout = load(path, data_model=model).program.types.layouts["s"]
    member = layout.fields[1]
    assert isinstance(member.type, IntegerType)
    checks = [
        f"sizeof object == {layout.size}",
        f"__builtin_offsetof(struct s, m) == {member.offset}",
        f"sizeof(enum e) == {member.type.width // 8}",
        f"((enum e)-1 < 0) == {int(member.type.signed)}",
    ]
    body = "".join(f'_Static_assert({check}, "{check}");\n' for check in checks)
    path.write_text(f"{text}\n{body}int main(void) {{ return 0; }}\n")
    command = ["gcc", *data_model_options(model), "-w", "-fsyntax-only", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("members", "size"),
    [
        ("union inner { int wide; }; char c;", 1),
        ("int; char c;", 1),
        ("enum choice { ONE, TWO }; char c;", 1),
        ("typed; char c;", 1),
        ("struct { int wide; }; char c;", 8),
        ("const union { int wide; char narrow; }; char c;", 8),
        ("struct { char c; } __attribute__((aligned(4))); char d;", 8),
    ],
)
def test_only_what_has_no_tag_is_a_member_without_a_name(members: str, size: int, tmp_path: Path) -> None:
    path = tmp_path / "layout.c"
    path.write_text(
        f"typedef struct {{ int i; }} typed;\nstruct s {{ {members} }} object;\nint main(void) {{ return 0; }}\n"
    )
    assert load(path, data_model=DataModel.LP64).program.types.layouts["s"].size == size


def test_a_type_may_have_the_name_of_an_attribute(tmp_path: Path) -> None:
    path = tmp_path / "layout.c"
    path.write_text(
        "typedef int packed; struct s { char c; packed i; } __attribute__((packed)) object;\nint main() {}\n"
    )
    assert load(path, data_model=DataModel.LP64).program.types.layouts["s"].size == 5


def test_a_mode_may_have_128_bits(tmp_path: Path) -> None:
    path = tmp_path / "layout.c"
    path.write_text(
        "typedef unsigned wide __attribute__((mode(TI))); struct s { char c; wide w; } object;\nint main() {}\n"
    )
    layout = load(path, data_model=DataModel.LP64).program.types.layouts["s"]
    assert (layout.size, layout.fields[1].type) == (32, UNSIGNED_INT128)
