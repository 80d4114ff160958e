"""What the command line prints. Names in files are hostile: nothing of them steers a terminal or makes a line of its own."""

from __future__ import annotations

from pytorch_legacy.files.t7.nodes import printable


def say(line: str, end: str = "\n") -> None:
    """Print a line; what does not print in it is shown as Python writes it."""
    print(printable(line), end=end)
