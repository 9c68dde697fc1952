"""``gia status``, ``check``, ``show``, ``combine``, ``reduce``, ``tests``: work on GIA files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Literal

import typer

from gia.cli.options import DataModelOption, Entry, Output, Program, Specification, keeping, task_request, write_text

GiaFile = Annotated[Path, typer.Argument(metavar="A.xml", help="A GIA file.")]
Time = Annotated[str, typer.Option("--time", metavar="TIME", help="Wall time for the checks.")]


def status(
    program: Program,
    gia: GiaFile,
    spec: Specification = None,
    data_model: DataModelOption = None,
    entry: Entry = None,
) -> None:
    """Say what a GIA file claims of each goal. It is covered, unreachable, or left open."""
    from gia.automaton.status import goal_status
    from gia.orchestrator.facts.examination import read_for_program
    from gia.verdict import GoalStatus

    task, automaton = read_for_program(task_request(program, spec, data_model, entry), gia)
    found = goal_status(task.program, automaton, task.goals)
    for goal in task.goals:
        typer.echo(f"{found[goal.id].value:<12} {goal.file}:{goal.line}:{goal.column}  {goal.id}")
    numbers = Counter(found.values())
    listed = ", ".join(f"{numbers[kind]} {kind}" for kind in GoalStatus)
    typer.echo(f"{listed} of {len(task.goals)} goals")


def check(
    gia: GiaFile,
    program: Annotated[
        Path | None, typer.Option(metavar="PROGRAM", help="Check the claims on this program.", show_default=False)
    ] = None,
    spec: Specification = None,
    data_model: DataModelOption = None,
    entry: Entry = None,
    time: Time = "60s",
) -> None:
    """Check that a GIA file is well-formed and its claims true. Claims are checked on the program."""
    from gia.automaton.wellformed import violations
    from gia.exchange.gia_xml import read_gia
    from gia.orchestrator.description.quantities import parse_time
    from gia.orchestrator.facts.examination import read_for_program
    from gia.orchestrator.handover.claims import check_claims

    wrong = violations(read_gia(gia))
    for violation in wrong:
        typer.echo(f"{gia}: {violation}")
    typer.echo(f"{gia}: {'not well-formed' if wrong else 'well-formed'}")
    if program is None or wrong:
        return
    task, automaton = read_for_program(task_request(program, spec, data_model, entry), gia)
    report = check_claims(task, automaton, parse_time(time))
    for line in report.lines():
        typer.echo(line)


def show(
    gia: GiaFile,
    format: Annotated[Literal["text", "dot", "svg", "html"], typer.Option(help="How to draw it.")] = "text",
    output: Output = None,
) -> None:
    """Look at a GIA file."""
    from gia.exchange.gia_xml import read_gia
    from gia.report.automaton_drawing import draw

    write_text(draw(read_gia(gia), format), output)


def combine(
    gia: Annotated[list[Path], typer.Argument(metavar="A.xml", help="GIA files for one program.")],
    program: Annotated[
        Path | None,
        typer.Option(
            metavar="PROGRAM",
            help="Decide on this program whether the files contradict each other.",
            show_default=False,
        ),
    ] = None,
    keep: Annotated[
        Literal["executed"] | None,
        typer.Option(help="executed: drop what an executed test refutes, instead of refusing contradictions."),
    ] = None,
    spec: Specification = None,
    data_model: DataModelOption = None,
    entry: Entry = None,
    time: Annotated[
        str, typer.Option("--time", metavar="TIME", help="Wall time for looking for contradictions.")
    ] = "60s",
    output: Output = None,
) -> None:
    """Put what several GIA files know into one."""
    from gia.combiner import combine as combined
    from gia.combiner import doubt
    from gia.errors import InputError
    from gia.exchange.gia_xml import gia_bytes, read_gia

    if program is not None:
        from gia.orchestrator.description.quantities import parse_time
        from gia.orchestrator.handover.combining import combine_for_program

        request = task_request(program, spec, data_model, entry)
        found, remarks = combine_for_program(request, gia, keep_executed=keep is not None, seconds=parse_time(time))
    elif keep:
        raise InputError("--keep executed needs the program", hint="give it with --program")
    else:
        automata, names = [read_gia(path) for path in gia], [str(path) for path in gia]
        found = combined(automata, names)
        unclear = doubt(found, automata, names)
        remarks = (f"{unclear}\n  hint: `--program P.c` decides it; for now both are kept",) if unclear else ()
    for remark in remarks:
        typer.echo(f"gia: warning: {remark}", err=True)
    write_text(gia_bytes(found).decode(), output)


def reduce(
    program: Program,
    gia: GiaFile,
    wrt: Annotated[Literal["ut", "rt"], typer.Option(help="Leave out what is covered as this.")],
    strategy: Annotated[
        str, typer.Option(metavar="NAME", help="How it is done: residual, monitor or prune.")
    ] = "residual",
    spec: Specification = None,
    data_model: DataModelOption = None,
    entry: Entry = None,
    output: Output = None,
    map: Annotated[
        Path | None, typer.Option("--map", metavar="OUT.json", help="Write where each goal is in the reduced program.")
    ] = None,
    stats: Annotated[bool, typer.Option("--stats", help="Say (on standard error) what was removed.")] = False,
) -> None:
    """Write the program that is left to be decided. What a GIA file has decided is taken out of it."""
    import json

    from gia.automaton.model import Acceptance
    from gia.orchestrator.facts.examination import read_for_program
    from gia.reducer import map_of, reduce_to_c, strategy_of

    chosen, kind = strategy_of(strategy), Acceptance(wrt)
    task, automaton = read_for_program(task_request(program, spec, data_model, entry), gia)
    reduction = reduce_to_c(chosen, task.loaded, task.goals, automaton, kind)
    write_text(reduction.text, output)
    if map is not None:
        write_text(json.dumps(map_of(reduction, task.program, task.goals, kind), indent=1) + "\n", map)
    if stats:
        for line in reduction.lines():
            typer.echo(line, err=True)


def tests(
    gia: GiaFile,
    program: Annotated[Path, typer.Option(metavar="PROGRAM", help="The program that it was made for.")],
    format: Annotated[
        Literal["test-comp", "c", "table", "stdin"],
        typer.Option(
            help="A folder as Test-Comp has it, one C file that compiles and runs, a table for people, or a folder "
            "with the bytes of standard input, arguments and environment for the real program."
        ),
    ] = "test-comp",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="PATH", help="Where it goes.", show_default="standard output"),
    ] = None,
    spec: Specification = None,
    data_model: DataModelOption = None,
    entry: Entry = None,
) -> None:
    """Write the tests of a GIA file. As few as reach all that they reach, each executed before."""
    from gia.errors import InputError
    from gia.orchestrator.facts.examination import (
        read_for_program,
        suite_of,
        tests_as_c,
        write_stdin_tests,
        write_tests,
    )
    from gia.orchestrator.store import explained
    from gia.report.suite_table import shown_inputs, suite_table

    if format in ("test-comp", "stdin") and output is None:
        raise InputError("a test suite needs a folder", hint="give it with -o DIR")
    task, automaton = read_for_program(task_request(program, spec, data_model, entry), gia)
    suite = suite_of(task, automaton)
    if format == "c":
        write_text(tests_as_c(task, suite, output.name if output else "tests.c"), output)
    elif format == "table":
        places = task.loaded.places
        write_text(suite_table([(shown_inputs(test.inputs, places), test.reached) for test in suite]), output)
    else:
        assert output is not None
        with explained(output):
            if format == "stdin":
                for remark in write_stdin_tests(suite, output):
                    typer.echo(f"gia: warning: {remark}", err=True)
            else:
                write_tests(task, suite, output)
    if output is not None:
        typer.echo(f"{len(suite)} test{'' if len(suite) == 1 else 's'} in {output}")


def shrink(
    gia: Annotated[list[Path], typer.Argument(metavar="A.xml", help="The files that the command fails on.")],
    command: Annotated[
        str,
        typer.Option(
            "--keep-failing", metavar="COMMAND", help="What fails. {} stands for the files, {1} for the first."
        ),
    ],
    status: Annotated[
        int | None,
        typer.Option(metavar="N", help="The exit status that is to stay.", show_default="the one it has now"),
    ] = None,
    saying: Annotated[
        str, typer.Option(metavar="TEXT", help="A text that the command has to print.", show_default=False)
    ] = "",
    limit: Annotated[str, typer.Option(metavar="TIME", help="Wall time for each run of the command.")] = "10s",
    time: Annotated[str, typer.Option("--time", metavar="TIME", help="Wall time for everything.")] = "600s",
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Where the small files go.")] = Path(
        "shrunk"
    ),
) -> None:
    """Find small GIA files on which a command still fails. It fails as it does on the given ones."""
    from time import monotonic

    from gia.errors import InputError
    from gia.orchestrator.description.quantities import parse_time
    from gia.orchestrator.shrink import Shrinker
    from gia.orchestrator.store import explained

    if len({path.name for path in gia}) < len(gia):
        raise InputError("two of the files have the same name", hint="rename one of them")
    shrinker = Shrinker(command, gia, parse_time(limit), monotonic() + parse_time(time))
    before = sum(path.stat().st_size for path in gia if path.is_file())
    wanted = shrinker.wanted(status, saying)
    with keeping(output):
        try:
            shrinker.minimise(wanted)
        finally:
            with explained(output):
                output.mkdir(parents=True, exist_ok=True)
                for path, content in zip(gia, shrinker.smallest, strict=True):
                    (output / path.name).write_bytes(content)
    after = sum(map(len, shrinker.smallest))
    typer.echo(f"{before} bytes -> {after} bytes in {output} after {shrinker.runs} runs; status {wanted.status}")
