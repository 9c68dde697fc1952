"""The judge of the encoder: the same program compiled by gcc and run, its global variables compared byte by byte."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gia.cfa.expressions import Storage, Variable
from gia.cfa.graph import Program
from gia.cfa.supergraph import Node, Supergraph
from gia.cfa.types import DataModel
from gia.frontend import load
from gia.smt.encoding.conversions import to_bits
from gia.smt.encoding.encoder import Encoder, Mode
from gia.smt.encoding.state import SymbolicState, input_records
from gia.smt.encoding.unfold import unfold
from gia.smt.terms import BOOL, ArrayValue, Sort, Term, Value, bv_const, evaluate_all, extract, variables_of
from gia.toolchain import find_compiler, run_tool

HARNESS = """
#include <stdio.h>
#include <string.h>
int tested_main(void);
static const unsigned long long values[] = {%(values)s};
static int next;
#define INPUT(type, name) \\
    type __VERIFIER_nondet_##name(void) { type v; memcpy(&v, &values[next++], sizeof v); return v; }
INPUT(_Bool, bool) INPUT(char, char) INPUT(unsigned char, uchar) INPUT(short, short) INPUT(unsigned short, ushort)
INPUT(int, int) INPUT(unsigned, uint) INPUT(long, long) INPUT(unsigned long, ulong) INPUT(long long, longlong)
INPUT(unsigned long long, ulonglong) INPUT(float, float) INPUT(double, double)
%(externs)s
int main(void) {
    tested_main();
    %(prints)s
    return 0;
}
"""

DECLARATIONS = "".join(
    f"extern {type_} __VERIFIER_nondet_{name}(void);\n"
    for type_, name in [
        ("_Bool", "bool"),
        ("char", "char"),
        ("unsigned char", "uchar"),
        ("short", "short"),
        ("unsigned short", "ushort"),
        ("int", "int"),
        ("unsigned", "uint"),
        ("long", "long"),
        ("unsigned long", "ulong"),
        ("long long", "longlong"),
        ("unsigned long long", "ulonglong"),
        ("float", "float"),
        ("double", "double"),
    ]
)


@dataclass(frozen=True)
class Comparison:
    """The bytes of every global variable after the run, as the machine and as the encoder have them."""

    machine: dict[str, str]
    encoder: dict[str, str]
    imprecise: bool

    @property
    def wrong(self) -> dict[str, tuple[str, str]]:
        """The variables of which the encoder knows a byte that the machine does not have."""
        return {
            name: (bytes_, self.encoder[name])
            for name, bytes_ in self.machine.items()
            if any(
                self.encoder[name][place : place + 2] not in ("??", bytes_[place : place + 2])
                for place in range(0, len(bytes_), 2)
            )
        }

    @property
    def unknown(self) -> int:
        """How many bytes the encoder does not know."""
        return sum(bytes_.count("??") for bytes_ in self.encoder.values())


def load_text(text: str, model: DataModel) -> Program:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "program.c"
        path.write_text(DECLARATIONS + text)
        return load(path, data_model=model).program


def globals_of(program: Program) -> list[Variable]:
    statics = [initialiser.variable for initialiser in program.statics]
    return [variable for variable in statics if variable.storage is Storage.GLOBAL]


def run_natively(text: str, program: Program, inputs: Sequence[int], model: DataModel) -> dict[str, str]:
    variables = [(variable.name, program.types.size_of(variable.type)) for variable in globals_of(program)]
    prints = [
        f'printf("\\n{name} "); for (int byte = {size - 1}; byte >= 0; byte--) printf("%02x", {name}[byte]);'
        for name, size in variables
    ]
    harness = HARNESS % {
        "values": ", ".join(f"{value}ull" for value in [*inputs, 0]),
        "externs": "\n".join(f"extern unsigned char {name}[];" for name, _ in variables),
        "prints": "\n    ".join(prints),
    }
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "program.c").write_text(DECLARATIONS + text)
        (directory / "harness.c").write_text(harness)
        machine = ["-m64"] if model is DataModel.LP64 else ["-m32", "-msse2", "-mfpmath=sse"]
        options = [*machine, "-fwrapv", "-O0", "-w", "-fno-builtin"]
        compiler = find_compiler().path
        for source, more in (("program.c", ["-Dmain=tested_main"]), ("harness.c", [])):
            done = run_tool([compiler, *options, *more, "-c", source], timeout=60, cwd=directory)
            assert done.returncode == 0, done.stderr.decode()
        done = run_tool([compiler, *options, "program.o", "harness.o", "-lm"], timeout=60, cwd=directory)
        assert done.returncode == 0, done.stderr.decode()
        done = run_tool([str(directory / "a.out")], timeout=10, cwd=directory)
        assert done.returncode == 0, done
    return dict(line.split() for line in done.stdout.decode().split("\n")[1:])


def final_state(program: Program, *, bound: int = 24, mode: Mode = Mode.OVER) -> tuple[Encoder, SymbolicState]:
    """The merged state in which the program returns from its entry function."""
    encoder = Encoder(program, mode)
    end = Node((), program.functions[program.entry].exit)
    unfolding = unfold(Supergraph(program, recursion_limit=4), encoder, stop=lambda node: node == end, bound=bound)
    return encoder, unfolding.stopped[end]


def bytes_in(encoder: Encoder, state: SymbolicState, variable: Variable) -> Term:
    """The object representation of a global variable."""
    size = encoder.program.types.size_of(variable.type)
    scalar = state.values.get(((), variable.name))
    if scalar is not None:
        return to_bits(scalar, size, encoder.world.names)
    content = state.objects[encoder.world.address(variable, ())]
    return content.read(bv_const(0, encoder.world.pointer_width), size)


def compare(text: str, inputs: Sequence[int] = (), model: DataModel = DataModel.LP64) -> Comparison:
    """Run a program both ways; ``inputs`` are raw bits."""
    program = load_text(text, model)
    machine = run_natively(text, program, inputs, model)
    encoder, state = final_state(program)
    assignment = replay(state, inputs)
    encoded = {variable.name: known_bytes(encoder, state, variable, assignment) for variable in globals_of(program)}
    assert evaluate_all([state.guard], assignment)[0]
    return Comparison(machine, encoded, bool(encoder.imprecisions))


def replay(state: SymbolicState, inputs: Sequence[int]) -> dict[Term, Value]:
    """The values of the input variables when a test supplies ``inputs``."""
    assignment: dict[Term, Value] = {}
    position = 0
    for record in input_records(state):
        if evaluate_all([record.guard], assignment)[0]:
            (symbol,) = variables_of(record.term)
            assignment[symbol] = inputs[position] & ((1 << symbol.width) - 1)
            position += 1
    return assignment


def known_bytes(encoder: Encoder, state: SymbolicState, variable: Variable, assignment: dict[Term, Value]) -> str:
    """The bytes of a variable, the highest first; ``??`` for one that is not determined by the assignment."""
    whole = bytes_in(encoder, state, variable)
    parts = [extract(whole, low + 7, low) for low in range(whole.width - 8, -8, -8)]
    free = [symbol for symbol in variables_of(whole) if symbol not in assignment]
    ones = {symbol: _all_ones(symbol.sort) for symbol in free}
    values, again = evaluate_all(parts, assignment), evaluate_all(parts, {**assignment, **ones})
    return "".join(f"{value:02x}" if value == other else "??" for value, other in zip(values, again, strict=True))


def _all_ones(sort: Sort) -> Value:
    if sort.element is not None:
        return ArrayValue((1 << sort.element.width) - 1)
    return True if sort == BOOL else (1 << sort.width) - 1
