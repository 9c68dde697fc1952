"""What remains when executed tests win: no claim that a test refutes, and everything else."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gia.automaton.model import Acceptance
from gia.combiner import Contradiction
from gia.errors import InputError
from gia.exchange.gia_xml import gia_bytes
from gia.orchestrator.facts.knowledge import claimed_goals
from gia.orchestrator.facts.task import Task, TaskRequest
from gia.orchestrator.handover.combining import combine_for_program
from gia.orchestrator.handover.intake import only_unreachable
from tests.automaton.reference import FACTOR
from tests.orchestrator.test_claims import DEAD, known, mutants

__all__ = ["known"]


def request_for(task: Task) -> TaskRequest:
    return TaskRequest(task.path, "branches")


@settings(max_examples=8 * FACTOR, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_executed_tests_win_over_any_change_of_a_proof(known, data, tmp_path_factory: pytest.TempPathFactory) -> None:
    task, right = known
    folder = tmp_path_factory.mktemp("mutants")
    proof = only_unreachable(right)
    mutant = data.draw(mutants(task, proof))
    states = tuple(s if s.accept is Acceptance.UT else s._replace(accept=None) for s in mutant.states)
    (folder / "proof.xml").write_bytes(gia_bytes(replace(mutant, states=states)))
    (folder / "right.xml").write_bytes(gia_bytes(right))
    paths = [folder / "right.xml", folder / "proof.xml"]
    try:
        combined, remarks = combine_for_program(request_for(task), paths, keep_executed=True, seconds=20)
    except InputError as error:
        assert "not well-formed" in str(error)
        return
    except Contradiction:
        assert mutant.states[mutant.initial].accept is Acceptance.UT or states[0].accept is Acceptance.UT
        return
    assert claimed_goals(task, only_unreachable(combined)) == {DEAD}
    plain, _ = combine_for_program(request_for(task), paths[:1], keep_executed=True, seconds=20)
    rt = {t.edges for t in combined.transitions if t.target in combined.accepting(Acceptance.RT)}
    assert rt == {t.edges for t in plain.transitions if t.target in plain.accepting(Acceptance.RT)}
    if not remarks:
        found, warnings = combine_for_program(request_for(task), paths, keep_executed=False, seconds=20)
        assert (found, warnings) == (combined, ())


def test_files_for_another_program_are_refused(known, tmp_path: Path) -> None:
    task, right = known
    other = replace(right, metadata=replace(right.metadata, sha256="1" * 64))
    (tmp_path / "other.xml").write_bytes(gia_bytes(other))
    with pytest.raises(InputError, match="it was made for"):
        combine_for_program(request_for(task), [tmp_path / "other.xml"], keep_executed=False, seconds=5)
