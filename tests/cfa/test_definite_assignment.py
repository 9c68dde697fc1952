"""What a function may use unassigned, against all of its paths one by one."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gia.cfa.definite_assignment import may_use_unassigned
from gia.cfa.expressions import Expression, Member, Storage, Subscript, VariableReference, variables_of, walk
from gia.cfa.graph import Function
from gia.cfa.operations import Assign, Declare, Input, operands_of
from gia.cfa.types import INT, DataModel
from gia.frontend import load
from tests.cfa.graphs import law

PLACES = ("a", "s.x", "s.y", "p[0]", "p[1]")
"""Parts of a number, a struct and an array."""


DECLARATIONS = """
struct s { int x, y; }; struct padded { char c; int i; }; struct bits { int low : 4, high : 28; };
union halves { double value; struct { unsigned low, high; } parts; char first; };
union extended { long double value; unsigned words[4]; };
void take(int *p), look(const void *p);
"""


def judged(body: str, folder: Path) -> bool:
    path = folder / "p.c"
    path.write_text(f"{DECLARATIONS}int main(int n) {{ {body} }}")
    program = load(path, data_model=DataModel.LP64).program
    return may_use_unassigned(program.functions["main"], program.types)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int a; if (n) a = 1; else a = 2; return a;", False),
        ("int a; if (n) a = 1; return a;", True),
        ("for (;;) { int a; if (n) a = 1; else return a; n++; }", True),
        ("switch (n) { int a; case 1: a = 2; return a; default: return a; }", True),
        ("int a; take(&a); return a;", True),
        ("int a[2]; a[0] = 1; return n;", False),
        ("int a[2]; a[0] = 1; return a[0];", False),
        ("int a, b[2]; b[a] = 1; return n;", True),
        ("struct s a, b; a.x = 1; return n;", False),
        ("struct s a = {1, 2}, b; b = a; return b.y;", False),
        ("int a; a++; return n;", True),
        ("int a; return sizeof a;", False),
        ("return n;", False),
        ("int a[2]; a[0] = 1; a[1] = 2; return a[1];", False),
        ("int a[2]; a[0] = 1; return a[1];", True),
        ("int a[2]; a[0] = 1; a[1] = 2; return a[n];", False),
        ("int a[2]; a[n] = 1; a[1 - n] = 2; return a[0];", True),
        ("int a[2]; a[1] = 1; return a[n];", True),
        ("int a[2] = {1}; take(a); return a[n];", False),
        ("int a[2] = {1}, b[2]; take(&b[0]); return a[n];", True),
        ("int a[2][2] = {{1, 2}, {3}}; return a[n][1];", False),
        ("int a[2][2]; a[0][0] = a[0][1] = a[1][0] = 1; return a[1][n];", True),
        ('char a[40] = "text"; return a[n];', False),
        ('char a[600] = ""; return a[n];', True),
        ("struct s a; a.x = 1; return a.x;", False),
        ("struct s a; a.x = 1; return a.y;", True),
        ("struct s a, b; a.x = 1; b = a; return b.x;", True),
        ("struct s a; a.x = 1; look(&a.x); return n;", True),
        ("struct s a; if (n) a.x = 1; a.y = 2; return a.x;", True),
        ("struct s a = {1}; look(&a); return n;", False),
        ("struct padded a = {1, 2}; return a.i;", False),
        ("struct padded a = {1, 2}; look(&a); return n;", True),
        ("struct bits a; a.low = 1; return a.low;", True),
        ("for (;;) { struct s a; if (n) a.x = 1; else return a.x; n++; }", True),
        ("union halves a; a.value = n; return a.parts.high;", False),
        ("union halves a; a.parts.low = n; return a.parts.high;", True),
        ("union halves a; a.first = n; return a.parts.low;", True),
        ("union halves a; a.first = n; return a.first;", False),
        ("union extended a; a.value = n; return a.words[1];", False),
        ("union extended a; a.value = n; return a.words[2];", True),
        ("long double a = n; return a > 1;", False),
    ],
)
def test_examples(tmp_path: Path, body: str, expected: bool) -> None:
    assert judged(body, tmp_path) == expected


@st.composite
def statements(draw: st.DrawFn, depth: int = 3) -> str:
    """Statements that declare, use, and assign the places and inputs."""
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        name, other = draw(st.sampled_from(PLACES)), draw(st.sampled_from((*PLACES, "n", "1")))
        kinds = ["assign", "assign", "input"] + (["if", "while", "block"] if depth else [])
        match draw(st.sampled_from(kinds)):
            case "assign":
                parts.append(f"{name} = {other};")
            case "input":
                parts.append(f"{name} = __VERIFIER_nondet_int();")
            case "if":
                parts.append(f"if (n > {other}) {{ {draw(statements(depth - 1))} }} else {{ {draw(statements(0))} }}")
            case "while":
                parts.append(f"while (n < {other}) {{ {draw(statements(depth - 1))} }}")
            case _:
                parts.append(f"{{ int a; struct s s; int p[2]; {draw(statements(depth - 1))} }}")
    return " ".join(parts)


@st.composite
def bodies_of_functions(draw: st.DrawFn) -> str:
    """Statements behind assignments to some of the places."""
    assigned = draw(st.lists(st.sampled_from(PLACES), max_size=2 * len(PLACES)))
    return " ".join([*(f"{place} = 1;" for place in assigned), draw(statements())])


def numbers_in(expression: Expression) -> frozenset[Expression]:
    """The numbers that an expression mentions as local variables or as parts of them."""
    found = (part for part in walk(expression) if isinstance(part, VariableReference | Member | Subscript))
    local = (part for part in found if {v.storage for v in variables_of(part)} == {Storage.LOCAL})
    return frozenset(part for part in local if part.type == INT)


def uses_on_some_path(function: Function) -> bool:
    """Whether some path uses one of :data:`PLACES` before it assigns it: all states, one by one."""
    mentioned = (numbers_in(part) for edge in function.edges for part in operands_of(edge.operation))
    everything = frozenset[Expression]().union(*mentioned)
    pending, seen = [(function.entry, everything)], set()
    while pending:
        state = pending.pop()
        if state in seen:
            continue
        seen.add(state)
        location, unassigned = state
        for edge in function.leaving[location]:
            operation, after = edge.operation, unassigned
            used = set[Expression]().union(*map(numbers_in, operands_of(operation)))
            if isinstance(operation, Assign | Input) and operation.target is not None:
                used = set(numbers_in(operation.value)) if isinstance(operation, Assign) else set()
                after = unassigned - {operation.target}
            elif isinstance(operation, Declare):
                after = unassigned | {part for part in everything if operation.variable in variables_of(part)}
            if used & unassigned:
                return True
            pending.append((edge.target, after))
    return False


@law(15)
@given(st.lists(bodies_of_functions(), min_size=10, max_size=10))
def test_it_is_what_all_paths_say(tmp_path_factory: pytest.TempPathFactory, bodies: list[str]) -> None:
    path = tmp_path_factory.mktemp("p") / "p.c"
    parts = (
        f"int f{number}(int n) {{ int a; struct s s; int p[2]; {body} return n; }}"
        for number, body in enumerate(bodies)
    )
    path.write_text(
        "\n".join([DECLARATIONS, "extern int __VERIFIER_nondet_int(void);", *parts, "int main(void) { return 0; }"])
    )
    program = load(path, data_model=DataModel.LP64).program
    for number in range(len(bodies)):
        function = program.functions[f"f{number}"]
        assert may_use_unassigned(function, program.types) == uses_on_some_path(function)
