"""Says what is being waited for, to whoever is watching."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from pytorch_legacy.t7.nodes import printable


@contextmanager
def busy(text: str) -> Iterator[None]:
    """Show `text` on the terminal while the block runs; nothing is shown to a file or a pipe."""
    watched = sys.stderr is not None and sys.stderr.isatty()
    text = printable(text)
    if watched:
        print(f"{text} ...", end="\r", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if watched:
            print(" " * (len(text) + 4), end="\r", file=sys.stderr, flush=True)
