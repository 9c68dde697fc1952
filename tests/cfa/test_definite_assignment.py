"""What a function may use unassigned, against all of its paths one by one."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gia.cfa.definite_assignment import may_use_unassigned
from gia.cfa.expressions import Variable, VariableReference, variables_of
from gia.cfa.graph import Function
from gia.cfa.operations import Assign, Declare, Input, operands_of
from gia.cfa.types import DataModel
from gia.frontend import load
from tests.cfa.graphs import law

NAMES = ("a", "b", "c")


def function_of(body: str, folder: Path) -> Function:
    path = folder / "p.c"
    path.write_text(f"struct s {{ int x, y; }}; void take(int *p);\nint main(int n) {{ {body} }}")
    return load(path, data_model=DataModel.LP64).program.functions["main"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int a; if (n) a = 1; else a = 2; return a;", False),
        ("int a; if (n) a = 1; return a;", True),
        ("for (;;) { int a; if (n) a = 1; else return a; n++; }", True),
        ("switch (n) { int a; case 1: a = 2; return a; default: return a; }", True),
        ("int a; take(&a); return a;", True),
        ("int a[2]; a[0] = 1; return n;", False),
        ("int a[2]; a[0] = 1; return a[0];", True),
        ("int a, b[2]; b[a] = 1; return n;", True),
        ("struct s a, b; a.x = 1; return n;", False),
        ("struct s a = {1, 2}, b; b = a; return b.y;", True),
        ("int a; a++; return n;", True),
        ("int a; return sizeof a;", False),
        ("return n;", False),
    ],
)
def test_examples(tmp_path: Path, body: str, expected: bool) -> None:
    assert may_use_unassigned(function_of(body, tmp_path)) == expected


@st.composite
def statements(draw: st.DrawFn, depth: int = 3) -> str:
    """Statements that declare, use, and assign a few variables and inputs."""
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        name, other = draw(st.sampled_from(NAMES)), draw(st.sampled_from((*NAMES, "n", "1")))
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
                parts.append(f"{{ int {name}; {draw(statements(depth - 1))} }}")
    return " ".join(parts)


def uses_on_some_path(function: Function) -> bool:
    """Whether some path uses a variable of :data:`NAMES` before it assigns it: all states, one by one."""
    local = frozenset(variable for variable in function.locals if variable.name[0] in NAMES)
    pending, seen = [(function.entry, local)], set()
    while pending:
        state = pending.pop()
        if state in seen:
            continue
        seen.add(state)
        location, unassigned = state
        for edge in function.leaving[location]:
            operation, after = edge.operation, unassigned
            target: Variable | None = None
            used = set().union(*(variables_of(part) for part in operands_of(operation)))
            if isinstance(operation, Assign | Input) and isinstance(operation.target, VariableReference):
                target = operation.target.variable
                used = set(variables_of(operation.value)) if isinstance(operation, Assign) else set()
                after = unassigned - {target}
            elif isinstance(operation, Declare):
                used, after = set(), unassigned | ({operation.variable} & local)
            if used & unassigned:
                return True
            pending.append((edge.target, after))
    return False


@law(15)
@given(st.lists(statements(), min_size=10, max_size=10))
def test_it_is_what_all_paths_say(tmp_path_factory: pytest.TempPathFactory, bodies: list[str]) -> None:
    path = tmp_path_factory.mktemp("p") / "p.c"
    parts = (f"int f{number}(int n) {{ int a, b, c; {body} return n; }}" for number, body in enumerate(bodies))
    path.write_text("\n".join(["extern int __VERIFIER_nondet_int(void);", *parts, "int main(void) { return 0; }"]))
    functions = load(path, data_model=DataModel.LP64).program.functions
    for number in range(len(bodies)):
        function = functions[f"f{number}"]
        assert may_use_unassigned(function) == uses_on_some_path(function)
