"""Prints the results of the command line. Names in files are hostile: none may control a terminal or begin a line of its own."""

from __future__ import annotations

from pytorch_legacy.files.t7.nodes import printable


def say(line: str, end: str = "\n") -> None:
    """Print a line; what does not print in it is shown as Python writes it."""
    print(printable(line), end=end)
