"""What a tool that reads only C is given: the residual program, with marks at the goals, a harness, and a binary.

The reducer makes the program: what is decided is no longer in there (DESIGN §4). The description of the actor says the
rest, so that a tool needs no code of its own here.
"""

from __future__ import annotations

import json
import re
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from gia.automaton.model import Acceptance
from gia.cfa.types import DataModel
from gia.cfa.writer import write_c
from gia.errors import InputError, ToolError
from gia.exchange.suites.testcomp_suite import write_suite
from gia.frontend.exchange_expressions import parse_expression
from gia.native.build import SEMANTICS
from gia.native.stubs import input_functions
from gia.orchestrator.description.actor import BINARY, Actor
from gia.orchestrator.facts.knowledge import Knowledge
from gia.orchestrator.facts.replay import suite_metadata
from gia.reducer import ReducedProgram, Strategy, reduce_program, reduce_to_c
from gia.toolchain import Completed, data_model_options, run_tool
from gia.tools.harness import Harness, type_name, write_harness
from gia.tools.input_bytes import encode
from gia.tools.marking import Mark, write_marked

PROGRAM: Final = "program.c"
MARKED: Final = "goals.json"
"""A list: the id of the goal that each mark stands for, empty for one that is not in the program."""
SEEDS: Final = "seeds"
TESTS: Final = "tests.zip"
COMPILE_SECONDS: Final = 60.0
_COLOURS: Final = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|[()].)")
LINE_DIRECTIVE: Final = re.compile(r"^#line .*$", re.MULTILINE)


def present(
    actor: Actor, folder: Path, knowledge: Knowledge, values: Mapping[str, str], seconds: float
) -> dict[str, str]:
    """Writes what the actor reads into ``folder``; the placeholders that stand for it, in addition to ``values``.

    Raises :class:`ToolError` if its compiler fails; it may take ``seconds``.
    """
    description = actor.description
    task = knowledge.task
    if actor.gets_program_as_it_is(task.criterion):
        return {"program": str(task.path)}
    program = folder / PROGRAM
    reduced = task.program
    if Strategy(description.reducer) is Strategy.RESIDUAL:
        residual = reduce_program(task.program, knowledge.automaton, Acceptance.UT, parse_expression)
        reduced = residual.program
        text = _text(description.goals, residual, knowledge, folder)
    else:
        text = _rewritten(Strategy(description.reducer), knowledge)
    if actor.leaves_witnesses:  # tools differ in whether these follow such lines, and name the file that is meant
        text = LINE_DIRECTIVE.sub("", text)
    program.write_text(text, encoding="utf-8")
    harness = Harness((program,))
    if description.harness is not None:
        harness = write_harness(description.harness, reduced, program, folder)
    if any("{seeds}" in text for text in description.run.texts):
        write_seeds(folder / SEEDS, knowledge)
    if any("{tests}" in text for text in description.run.texts):
        write_tests(folder / TESTS, knowledge)
    if description.compile is not None:
        compiler = [argument.format_map(values) for argument in description.compile]
        _compile(compiler, task.data_model, harness, folder, seconds)
    return {
        "program": str(program),
        "harness": str(harness.main),
        "binary": str(folder / BINARY),
        "seeds": str(folder / SEEDS),
        "tests": str(folder / TESTS),
    }


def _rewritten(strategy: Strategy, knowledge: Knowledge) -> str:
    task = knowledge.task
    return reduce_to_c(strategy, task.loaded, task.goals, knowledge.automaton, Acceptance.UT).text


def _text(mark: Mark | None, reduced: ReducedProgram, knowledge: Knowledge, folder: Path) -> str:
    if mark is None:
        return write_c(reduced.program)
    marked = write_marked(reduced.program, knowledge.task.program, knowledge.open_goals, mark)
    (folder / MARKED).write_text(json.dumps(marked.goals), encoding="utf-8")
    return marked.text


def marked_goals(folder: Path) -> tuple[str, ...]:
    """The goals that the marks in the program of a step stand for."""
    return tuple(json.loads((folder / MARKED).read_text(encoding="utf-8")))


def write_seeds(folder: Path, knowledge: Knowledge) -> None:
    """Writes the inputs of the known tests as a fuzzer reads them, and one of zeros, into a new folder."""
    folder.mkdir()
    (folder / "zeros").write_bytes(bytes(64))
    functions = input_functions(knowledge.task.program)
    types = {type_name(function.type.result): function.type.result for function in functions}
    for number, test in enumerate(knowledge.tests):
        try:
            (folder / f"test-{number}").write_bytes(encode(test.case.inputs, types))
        except InputError:  # the input of another tool, with a type that only its own writer knows
            continue


def write_tests(archive: Path, knowledge: Knowledge) -> None:
    """Writes the known tests as a Test-Comp suite into a new zip archive."""
    with tempfile.TemporaryDirectory(prefix="gia-") as scratch, zipfile.ZipFile(archive, "w") as out:
        cases = [test.case for test in knowledge.tests]
        for path in write_suite(Path(scratch), cases, suite_metadata(knowledge.task)):
            out.write(path, path.name)


def _compile(command: Sequence[str], model: DataModel, harness: Harness, folder: Path, seconds: float) -> None:
    """Compiles the sources of the harness to the binary."""
    sources = [source.name for source in harness.sources]
    # What the tool cannot do otherwise comes once more, behind the semantics: the last option counts.
    own = [word for word in command if word.startswith("-fno-")]
    argv = [*command, *data_model_options(model), *SEMANTICS, *own, "-w", *sources, "-o", BINARY]
    done = run_tool(argv, timeout=max(1.0, min(seconds, COMPILE_SECONDS)), cwd=folder)
    if done.returncode != 0:
        compiler = next((word for word in command if word != "env" and "=" not in word), command[0])
        raise ToolError(f"{compiler} does not compile the program for it: {_complaint(done)[:300]}")


def _complaint(done: Completed) -> str:
    """The line in which a compiler says what is wrong: on either of its outputs, perhaps in colours."""
    said = _COLOURS.sub("", done.messages + done.stdout.decode("utf-8", "replace"))
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    signs = ("cannot find", "error", "ABORT")
    return next((line for sign in signs for line in lines if sign in line), lines[-1] if lines else "it says nothing")
