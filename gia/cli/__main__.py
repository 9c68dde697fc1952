"""``python -m gia.cli``: the command ``gia`` without its script."""

from gia.cli import main

main()
