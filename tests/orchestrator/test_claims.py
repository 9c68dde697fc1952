"""``gia check --program``: a correct file is certified as a whole, and no change of a claim goes unnoticed."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.exchange.gia_xml import read_gia
from gia.native import twins
from gia.orchestrator.facts import replay
from gia.orchestrator.facts.knowledge import claimed_goals
from gia.orchestrator.facts.task import Task, TaskRequest, load_task
from gia.orchestrator.handover.claims import ClaimReport, check_claims
from tests.automaton.reference import FACTOR
from tests.cli.harness import gia
from tests.cli.test_combine import PROGRAM

UT, RT = Acceptance.UT, Acceptance.RT
DEAD = "main:7:3:then"


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory):
    """A task and all that the built-in actors find out about it; the program is compiled once."""
    folder = tmp_path_factory.mktemp("claims")
    (folder / "p.c").write_text(PROGRAM)
    for actor, options in (("fuzz", ["--option", "executions=5000"]), ("verifier", [])):
        asked = ["--program", "p.c", "--spec", "branches", "--out", f"{actor}.xml", *options]
        ran = gia("actor", "run", actor, *asked, cwd=folder)
        assert ran.status == 0, ran.err
    assert gia("combine", "fuzz.xml", "verifier.xml", "-o", "both.xml", cwd=folder).status == 0
    task = load_task(TaskRequest(folder / "p.c", "branches"))
    goals = frozenset(number for goal in task.goals for number in goal.edges)
    compiled = twins.compile_twins(task.loaded, folder, watch=goals)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "compile_twins", lambda *arguments, **options: compiled)
        yield task, read_gia(folder / "both.xml")


def checked(task: Task, automaton: Automaton) -> ClaimReport:
    return check_claims(task, automaton, 20)


def test_all_claims_of_the_built_in_actors_are_confirmed(known) -> None:
    task, automaton = known
    report = checked(task, automaton)
    assert report.correct
    assert list(report.lines())[-1] == "every claim is executed or certified"


def shown_lines(task: Task, report: ClaimReport) -> list[str]:
    return [line.replace(f"{task.path.parent}/", "") for line in report.lines()]


def edit(automaton: Automaton, wanted: Callable[[Transition], bool], **changes: object) -> Automaton:
    """The automaton with the first wanted transition changed."""
    number = next(n for n, transition in enumerate(automaton.transitions) if wanted(transition))
    changed = automaton.transitions[number]._replace(**changes)  # type: ignore[arg-type]
    transitions = (*automaton.transitions[:number], changed, *automaton.transitions[number + 1 :])
    return replace(automaton, transitions=transitions)


def edit_all(automaton: Automaton, wanted: Callable[[Transition], bool], **changes: object) -> Automaton:
    """The automaton with all wanted transitions changed."""
    changed = (t._replace(**changes) if wanted(t) else t for t in automaton.transitions)  # type: ignore[arg-type]
    return replace(automaton, transitions=tuple(changed))


def into(automaton: Automaton, kind: Acceptance) -> Callable[[Transition], bool]:
    final = automaton.accepting(kind)
    return lambda t: t.target in final and t.source not in final


def accepted(automaton: Automaton, kind: Acceptance, other: Acceptance) -> Automaton:
    return replace(automaton, states=tuple(State(None, other) if s.accept is kind else s for s in automaton.states))


def says(text: str) -> Callable[[Transition], bool]:
    return lambda t: t.assumption is not None and text in t.assumption.text


def edges_at(task: Task, line: int, branch: str) -> frozenset:
    return frozenset(
        e.reference for e in task.program.edge_list if (e.reference.line, e.reference.branch) == (line, branch)
    )


def test_every_kind_of_wrong_claim_is_named(known) -> None:
    task, right = known
    hit, dead = edges_at(task, 5, "then"), edges_at(task, 7, "then")
    reached, excluded = into(right, RT), into(right, UT)
    value = Condition("\\result == 12344", "main")
    either = edges_at(task, 4, "then") | edges_at(task, 4, "else")
    last = next(t.source for t in right.transitions if reached(t) and t.edges == edges_at(task, 7, "else"))
    cases = {
        "an input's value": (edit(right, says("12345"), assumption=value), "wrong        p.c:5:5  main:5:5:then: test"),
        "the goal of a test": (edit(right, reached, edges=dead), f"wrong        p.c:7:3  {DEAD}: test"),
        "a condition on the way": (
            edit(right, lambda t: t.source == t.target == last and says("x > 10")(t), edges=either, assumption=None),
            "that no execution takes, over p.c:4:3 else where an execution with the inputs 100 takes p.c:4:3 then",
        ),
        "the edges of a proof": (
            edit_all(right, excluded, edges=hit | dead),
            "refuted      p.c:5:5  main:5:5:then: an exec",
        ),
        "all edges": (edit_all(right, excluded, edges=ANY), "refuted      p.c:4:3"),
        "reached said excluded": (accepted(right, RT, UT), "refuted      p.c:4:3"),
        "excluded said reached": (accepted(right, UT, RT), "refuted      p.c:7:3"),
    }
    for name, (mutant, line) in cases.items():
        report = checked(task, mutant)
        assert not report.correct, name
        shown = shown_lines(task, report)
        assert any(line in found for found in shown), (name, shown)
    shown = "\n".join(shown_lines(task, checked(task, cases["the edges of a proof"][0])))
    assert "an execution with the inputs 12345 takes p.c:4:3 then, p.c:5:5 then" in shown


def mutants(task: Task, automaton: Automaton) -> st.SearchStrategy[Automaton]:
    """Automata that differ from a correct one in one place."""
    places = st.sampled_from(range(len(automaton.states)))
    edges = [edge.reference for edge in task.program.edge_list]
    texts = ("x > 10", "!(x > 10)", "\\result == 100", "\\result == 7", "x < 0")
    change = st.one_of(
        st.none(),
        st.builds(lambda target: {"target": target}, places),
        st.builds(lambda source: {"source": source}, places),
        st.builds(lambda text: {"assumption": text and Condition(text, "main")}, st.none() | st.sampled_from(texts)),
        st.builds(lambda found: {"edges": found}, st.none() | st.frozensets(st.sampled_from(edges), min_size=1)),
    )

    def changed(number: int, how: dict[str, object] | None) -> Automaton:
        rest = (*automaton.transitions[:number], *automaton.transitions[number + 1 :])
        more = () if how is None else (automaton.transitions[number]._replace(**how),)  # type: ignore[arg-type]
        return replace(automaton, transitions=(*rest, *more))

    def state(number: int, accept: Acceptance | None) -> Automaton:
        states = list(automaton.states)
        states[number] = State(None, accept)
        return replace(automaton, states=tuple(states))

    changed_transition = st.builds(changed, st.sampled_from(range(len(automaton.transitions))), change)
    return changed_transition | st.builds(state, places, st.sampled_from([None, UT, RT]))


@settings(max_examples=25 * FACTOR, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_is_confirmed_of_a_mutant_is_true(known, data) -> None:
    task, right = known
    mutant = data.draw(mutants(task, right))
    report = checked(task, mutant)
    if report.correct:
        assert claimed_goals(task, mutant) <= {DEAD}
        assert all(promised <= {goal.id for goal in task.goals} - {DEAD} for promised in report.promised)
    assert report.proofs.certified <= {DEAD}
