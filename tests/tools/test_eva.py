"""What is taken of a report of Frama-C 25, and what is not."""

import pytest

from gia.tools.eva import read_eva_report

REPORT = """\
[eva:alarm] program.c:13: Warning: check 'gia_goal_2' got status invalid.
[report] Computing properties status...

--------------------------------------------------------------------------------
--- Properties of Function 'main'
--------------------------------------------------------------------------------

[  Alarm  ] Check 'gia_goal_0' (file program.c, line 10)
            By Eva, with pending:
             - Unreachable program point (file program.c, line 10)
[  Dead   ] Check 'gia_goal_1' (file program.c, line 12)
            Locally valid, but unreachable.
            By Eva because:
             - Unreachable program point (file program.c, line 12)
[  Alarm  ] Check 'gia_goal_2' (file program.c, line 13)
[  Dead   ] Check 'gia_goal_3' (file program.c, line 20)
[  Alarm  ] Check 'gia_goal_3' (file program.c, line 40)
[Unreachable] Unreachable program point (file program.c, line 12)
            by Eva.
--------------------------------------------------------------------------------
--- Status Report Summary
--------------------------------------------------------------------------------
     4 Alarms emitted
     1 Dead property
     9 Total
"""
GOALS = ("a", "b", "c", "d", "e")


def test_dead_annotations_are_unreachable_goals() -> None:
    """Goal d has a copy that is not dead; nothing is said about e."""
    assert read_eva_report(REPORT, GOALS, ()).unreachable == {"b"}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("[    -    ] Assertion 'Eva,shift' (file program.c, line 7)", "without shift (file program.c, line 7)"),
        ("[    -    ] Assertion 'Eva,float_to_int' (file program.c, line 7)", "without float to int"),
        ("[  Alarm  ] Assertion 'Eva,initialization' (file program.c, line 7)", "without initialization"),
        (
            "  Neither code nor specification for function strange, generating default assigns from the prototype",
            "does not know what strange does",
        ),
        ("  Analysis of function f is thus incomplete and its soundness relies on the written specification.", "trust"),
        ("[eva] program.c:3: recursive call to f", "recursion"),
        ("[kernel:asm:clobber] program.c:3: Warning: Clobber list contains \"memory\" argument.", "assembly"),
    ],
)  # fmt: skip
def test_nothing_is_taken_that_holds_under_conditions(line: str, reason: str) -> None:
    found = read_eva_report(f"{line}\n{REPORT}", GOALS, ())
    assert not found.unreachable
    assert any(reason.replace("(file ", "(").strip() in remark for remark in found.remarks), found.remarks


@pytest.mark.parametrize(
    "line",
    [
        "[    -    ] Assertion 'Eva,mem_access' (file program.c, line 7)",
        "[    -    ] Assertion 'Eva,division_by_zero' (file program.c, line 7)",
        "[  Dead   ] Assertion 'Eva,shift' (file program.c, line 7)",
        "  Neither code nor specification for function known, generating default assigns from the prototype",
    ],
)
def test_what_does_not_matter(line: str) -> None:
    assert read_eva_report(f"{line}\n{REPORT}", GOALS, {"known"}).unreachable == {"b"}


@pytest.mark.parametrize("cut", [0, 1, len(REPORT) // 2, REPORT.index("--- Status Report")])
def test_half_a_report_proves_nothing(cut: int) -> None:
    found = read_eva_report(REPORT[:cut] + "\n[kernel] User Error: stopping", GOALS, ())
    assert not found.unreachable
    assert "not complete" in found.remarks[0]
    assert "User Error" in found.remarks[0]


def test_marks_of_nobody_are_passed_over() -> None:
    assert read_eva_report(REPORT, ("", ""), ()).unreachable == frozenset()
