"""``python -m gia.cli.builtin``: a built-in actor as the engine starts it.

It does what ``gia actor run`` does for such an actor, without what parses and explains commands for people: to load
that takes longer than to test a small program.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import monotonic

from gia.cli import guarded


def command() -> None:
    """Run the actor that the command line names."""
    started = monotonic()
    parser = argparse.ArgumentParser(prog="python -m gia.cli.builtin", allow_abbrev=False)
    parser.add_argument("actor", help="its name")
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--name", type=Path, help="what the program is called in messages, if its path ends so")
    parser.add_argument("--spec", required=True, help="a .prp file or a name")
    parser.add_argument("--gia", type=Path, help="the GIA file to start from")
    parser.add_argument("--out", type=Path, required=True, help="the GIA file to write")
    parser.add_argument("--time", required=True, help="wall time")
    parser.add_argument("--data-model")
    parser.add_argument("--entry", default="main")
    parser.add_argument("--beside", type=Path, help="a folder in which files tell of those that run beside it")
    parser.add_argument("--option", type=_pair, action="append", default=[], metavar="K=V")
    arguments = parser.parse_args()

    from gia.analyses.request import Others
    from gia.cfa.types import DataModel
    from gia.orchestrator.beside import Beside
    from gia.orchestrator.builtin import BuiltinCall, run_builtin
    from gia.orchestrator.description.quantities import parse_time
    from gia.orchestrator.nearby import OthersNearby

    call = BuiltinCall(
        name=arguments.actor,
        program=arguments.program,
        specification=arguments.spec,
        gia=arguments.gia,
        out=arguments.out,
        seconds=parse_time(arguments.time),
        started=started,
        data_model=DataModel(arguments.data_model) if arguments.data_model else None,
        entry=arguments.entry,
        options=dict(arguments.option),
        called=arguments.name,
        others=OthersNearby(Beside(arguments.beside)) if arguments.beside else Others(),
    )
    run_builtin(call, lambda message: print(message, flush=True), supervised=True)


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ValueError
    return key, value


if __name__ == "__main__":
    guarded(command)
