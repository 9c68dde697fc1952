"""The compiler's own functions: gcc says which types they have, and what is not known is refused."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gia.cfa.operations import Call
from gia.cfa.types import DataModel, VoidType
from gia.errors import GiaError
from gia.frontend.compiler_functions import SIGNATURES, type_of_builtin
from gia.toolchain import data_model_options
from tests.frontend.support import MODELS, load_text

C_NAMES = {
    "v": "void",
    "b": "_Bool",
    "h": "unsigned short",
    "i": "int",
    "u": "unsigned",
    "l": "long",
    "m": "unsigned long",
    "q": "long long",
    "w": "unsigned long long",
    "k": "__UINT64_TYPE__",
    "z": "__SIZE_TYPE__",
    "f": "float",
    "d": "double",
    "e": "long double",
    "p": "void *",
    "c": "const void *",
    "s": "char *",
    "t": "const char *",
}


def c_type(letter: str) -> str:
    return C_NAMES[letter] if letter in C_NAMES else f"{C_NAMES[letter.lower()]} *"


def prototype(signature: str) -> str:
    """The type of a function with this signature, as C writes it."""
    result, _, letters = signature.partition(" ")
    parameters = ["..." if letter == "." else c_type(letter) for letter in letters]
    return f"{c_type(result)} ({', '.join(parameters) or 'void'})"


def compiles(text: str, directory: Path, model: DataModel) -> str:
    """What gcc says against a text."""
    source = directory / "asked.c"
    source.write_text(text)
    command = ["gcc", *data_model_options(model), "-fsyntax-only", str(source)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stderr


@pytest.mark.parametrize("model", MODELS)
def test_the_types_are_those_of_gcc(model: DataModel, tmp_path: Path):
    known = [(name, signature) for name, signature in SIGNATURES.items() if "?" not in signature]
    assert len(known) > 200
    text = "".join(
        f"_Static_assert(__builtin_types_compatible_p(__typeof__(__builtin_{name}), {prototype(signature)}), "
        f'"{name}");\n'
        for name, signature in known
    )
    assert compiles(text, tmp_path, model) == ""
    for name, signature in known:
        type_ = type_of_builtin(f"__builtin_{name}", model)
        assert type_ is not None
        assert type_ == type_of_builtin(name, model)
        assert len(type_.parameters) == len(signature.partition(" ")[2].removesuffix("."))
        assert isinstance(type_.result, VoidType) == (signature[0] == "v")


def test_other_functions_exist_in_gcc(tmp_path: Path):
    names = [name for name, signature in SIGNATURES.items() if "?" in signature]
    text = "".join(f"__typeof__(__builtin_{name}) *p{number};\n" for number, name in enumerate(names))
    assert "undeclared" not in compiles(text, tmp_path, DataModel.LP64)


@pytest.mark.parametrize("call", ["__builtin_bitreverse32(7)", "__sync_swap(&x, 1)", "__atomic_is_lock_free(4, &x)"])
def test_what_is_not_known_is_refused(call: str, tmp_path: Path):
    with pytest.raises(GiaError, match=r"a function of the compiler"):
        load_text(f"int main(void) {{\n int x = 1;\n return {call};\n}}", tmp_path)


def test_results_have_the_type_that_the_compiler_gives_them(tmp_path: Path):
    text = "int main(void) { return __builtin_bswap64(0x0100000000000000ull) == 1 && fabsf(0.5f) == 0.5f; }"
    loaded = load_text(text, tmp_path)
    calls = [edge.operation for edge in loaded.program.edges() if isinstance(edge.operation, Call)]
    assert {str(call.target.type) for call in calls if call.target} == {"unsigned long", "float"}
