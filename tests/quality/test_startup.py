"""Commands that do little must start at once."""

import os
import subprocess
import sys
from pathlib import Path

from gia.cache import OFF

HEAVY = {"z3", "bitwuzla", "pycparser", "lxml", "pydantic", "ruamel.yaml", "rich.console"}


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "sys.argv = ['gia', '--help']\n"
        "from gia.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "Usage: gia" in shown
    assert HEAVY.isdisjoint(shown.splitlines()[-1].split())


def test_an_actor_that_finds_its_program_in_the_cache_needs_no_parser(tmp_path: Path) -> None:
    program = tmp_path / "p.c"
    program.write_text("int __VERIFIER_nondet_int(void);\nint main(void) { if (__VERIFIER_nondet_int()) return 1; }\n")
    script = (
        "import sys, pathlib\n"
        "import gia.orchestrator.builtin, gia.analyses.testing.tester\n"
        "from gia.orchestrator.facts.task import TaskRequest, load_task\n"
        "print(len(load_task(TaskRequest(pathlib.Path(sys.argv[1]), 'branches')).goals))\n"
        "print(*sys.modules)"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    environment.pop(OFF, None)
    command = [sys.executable, "-c", script, str(program)]
    first, again = (
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
        for _ in range(2)
    )
    assert first[0] == again[0] == "2"
    assert "pycparser" in first[1].split()
    assert HEAVY.isdisjoint(again[1].split())
