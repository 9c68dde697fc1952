"""Commands that do little must start at once."""

import subprocess
import sys

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
