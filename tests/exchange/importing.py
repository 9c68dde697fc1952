"""What the tests of foreign formats share: a program from its text, and what becomes of what was imported."""

from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from gia.automaton.wellformed import violations
from gia.cfa.goals import Criterion, Goal, goals_of
from gia.cfa.graph import Program
from gia.cfa.types import DataModel
from gia.checker import certify
from gia.exchange.imported import Imported
from gia.exchange.imports import ProductType, import_product
from gia.frontend import load

PRELUDE = """\
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
"""
"""Three lines, so that the program begins on the fourth."""


@dataclass(frozen=True)
class Subject:
    """A program with its goals, in a folder of its own."""

    path: Path
    program: Program
    goals: tuple[Goal, ...]

    def imported(self, type_: ProductType, content: str | bytes | Path) -> Imported:
        """What a file with this content says about the program; what comes of it is well-formed and claims no test."""
        path = content if isinstance(content, Path) else self.path.with_name("product")
        if isinstance(content, str):
            path.write_text(content, encoding="utf-8")
        elif isinstance(content, bytes):
            path.write_bytes(content)
        found = import_product(type_, path, self.program, self.goals)
        assert violations(found.automaton) == ()
        assert not any(state.accept == "rt" for state in found.automaton.states)
        return found

    def certified(self, found: Imported, seconds: float = 20.0) -> frozenset[str]:
        """The goals whose unreachability the checker certifies on the evidence that was imported."""
        return certify(self.program, found.automaton, self.goals, deadline=monotonic() + seconds).certified


def subject(folder: Path, text: str, criterion: Criterion = Criterion.UNREACH_CALL) -> Subject:
    """The program with this text behind :data:`PRELUDE`."""
    path = folder / "p.c"
    path.write_text(PRELUDE + text, encoding="utf-8")
    return loaded(path, criterion)


def loaded(path: Path, criterion: Criterion = Criterion.UNREACH_CALL, model: DataModel = DataModel.ILP32) -> Subject:
    """The program in a file."""
    program = load(path, data_model=model).program
    return Subject(path, program, goals_of(program, criterion))
