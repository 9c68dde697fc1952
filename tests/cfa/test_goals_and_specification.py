"""Which edges are goals, their identities, and the texts of properties."""

import pytest
from msgspec.structs import replace

from gia.cfa.expressions import IntegerConstant, Storage, Variable, VariableReference
from gia.cfa.goals import Criterion, Goal, goals_of
from gia.cfa.graph import Edge, EdgeReference, Function, Program
from gia.cfa.operations import Assign, Assume, Call, Halt, Operation, Return, Skip
from gia.cfa.specification import entry_of, parse_criterion, parse_property, property_text
from gia.cfa.types import INT, VOID, DataModel, FunctionType, TypeTable
from gia.errors import InputError, Position

ONE = IntegerConstant(1, INT)


def program(*edges: tuple[Operation, EdgeReference, str]) -> Program:
    built = tuple(Edge(i, i, i + 1, operation, ref, "p.c", text) for i, (operation, ref, text) in enumerate(edges))
    function = Function("main", FunctionType(VOID, ()), (), (), 0, len(edges), built, Position("p.c", 1, 1))
    return Program("p.c", "", TypeTable(DataModel.LP64), {"main": function}, (), {}, "main")


def assume(line: int, branch: str, kind: str = "assume", ordinal: int = 1) -> tuple[Operation, EdgeReference, str]:
    return Assume(ONE, branch == "then"), EdgeReference("main", line, 3, kind, branch, ordinal), "1"


def call(name: str, line: int) -> tuple[Operation, EdgeReference, str]:
    return Call(None, name, ()), EdgeReference("main", line, 5, "call"), f"{name}()"


LABEL = (Skip(), EdgeReference("main", 9, 1, "label"), "ERROR:")


def ids(goals: tuple[Goal, ...]) -> list[str]:
    return [goal.id for goal in goals]


def test_branches_are_the_named_outcomes_of_decisions_in_source_order() -> None:
    tested = program(
        assume(7, "then"), assume(7, "else"), assume(3, "case 4"), assume(3, ""), assume(5, "then", "atomic")
    )
    assert ids(goals_of(tested, Criterion.BRANCHES)) == ["main:3:3:case 4", "main:7:3:then", "main:7:3:else"]
    assert ids(goals_of(tested, Criterion.ATOMIC))[1] == "main:5:3:then"


def test_goals_that_agree_in_position_are_numbered() -> None:
    tested = program(assume(7, "then"), assume(7, "else"), assume(7, "then", ordinal=2), assume(7, "else", ordinal=2))
    expected = ["main:7:3:then", "main:7:3:else", "main:7:3:then#2", "main:7:3:else#2"]
    assert ids(goals_of(tested, Criterion.BRANCHES)) == expected


def test_copies_of_an_edge_are_one_goal() -> None:
    (goal,) = goals_of(program(assume(7, "then"), assume(7, "then")), Criterion.BRANCHES)
    assert goal.edges == {0, 1}
    assert (goal.file, goal.function, goal.line, goal.column, goal.outcome) == ("p.c", "main", 7, 3, "then")


@pytest.mark.parametrize("criterion", [Criterion.ERROR_CALL, Criterion.UNREACH_CALL])
@pytest.mark.parametrize("name", ["reach_error", "__VERIFIER_error", "__assert_fail"])
def test_calls_of_error_functions(criterion: Criterion, name: str) -> None:
    goals = goals_of(program(call("f", 2), call(name, 4)), criterion)
    assert [goal.edges for goal in goals] == [{1}]


def test_the_first_error_function_that_is_called_is_the_one_that_counts() -> None:
    goals = goals_of(program(call("__assert_fail", 2), call("reach_error", 4)), Criterion.UNREACH_CALL)
    assert [goal.edges for goal in goals] == [{1}]
    with_label = program(call("reach_error", 4), LABEL)
    assert [goal.edges for goal in goals_of(with_label, Criterion.UNREACH_CALL)] == [{0}]


def test_a_call_that_ends_the_program_is_an_error_call() -> None:
    halt = (Halt("__assert_fail", ()), EdgeReference("main", 4, 5, "call"), "")
    assert ids(goals_of(program(halt), Criterion.UNREACH_CALL)) == ["main:4:5:call"]


def test_the_label_counts_beside_failed_assertions_but_not_beside_other_error_functions() -> None:
    old = program(call("__assert_fail", 2), LABEL)
    assert [goal.edges for goal in goals_of(old, Criterion.UNREACH_CALL)] == [{0}, {1}]
    assert [goal.edges for goal in goals_of(old, Criterion.ERROR_CALL)] == [{0}]


def test_the_label_is_the_goal_where_no_error_function_is_called() -> None:
    other = (Skip(), EdgeReference("main", 8, 1, "label"), "OUT:")
    assert [goal.edges for goal in goals_of(program(call("f", 2), other, LABEL), Criterion.UNREACH_CALL)] == [{2}]
    assert goals_of(program(LABEL), Criterion.ERROR_CALL) == ()


def test_statements_are_the_edges_that_begin_one() -> None:
    x = VariableReference(Variable("x", INT, Storage.LOCAL, "main"))
    tested = program(
        (Assign(x, ONE), EdgeReference("main", 2, 1, "assign"), ""),
        (Assign(x, x), EdgeReference("main", 2, 8, "assign"), ""),
        (Return(None), EdgeReference("main", 4, 1, "return"), ""),
    )
    begins = replace(tested.functions["main"], statements=frozenset({0, 2}))
    goals = goals_of(replace(tested, functions={"main": begins}), Criterion.STATEMENTS)
    assert [(goal.id, goal.edges) for goal in goals] == [("main:2:1:statement", {0}), ("main:4:1:statement", {2})]


@pytest.mark.parametrize("criterion", list(Criterion))
def test_a_criterion_is_known_by_name_and_by_property(criterion: Criterion) -> None:
    assert parse_criterion(criterion.value) is criterion
    assert parse_property(property_text(criterion) + "\n") is criterion
    assert parse_criterion("\n  " + property_text(criterion).replace(" ", "  ") + "\n\n") is criterion


def test_the_old_spelling_of_the_error_call() -> None:
    assert parse_property("CHECK( init(main()), LTL(G ! call(__VERIFIER_error())) )") is Criterion.UNREACH_CALL
    assert parse_property("COVER( init(main()), FQL(COVER EDGES(@CALL(__VERIFIER_error))) )") is Criterion.ERROR_CALL


def test_a_property_names_the_function_that_the_program_begins_with() -> None:
    text = property_text(Criterion.BRANCHES, entry="find")
    assert text == "COVER( init(find()), FQL(COVER EDGES(@DECISIONEDGE)) )"
    assert parse_property(text) is Criterion.BRANCHES
    assert entry_of(f"// init(other())\n{text.replace('(', ' ( ')}") == "find"
    assert entry_of("branches") is None
    with pytest.raises(InputError, match="not supported"):
        parse_property(text.replace("find()", "find(), init(main())"))


def test_other_properties_are_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="G ! overflow") as caught:
        parse_property("CHECK( init(main()), LTL(G ! overflow) )\n")
    assert "G ! call(reach_error())" in str(caught.value)
    with pytest.raises(InputError, match="branchs") as caught:
        parse_criterion("branchs")
    assert "branches" in str(caught.value)
    with pytest.raises(InputError, match="empty"):
        parse_property("\n")
