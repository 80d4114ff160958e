"""Programs as a terminal starts them."""

import signal


def as_foreground() -> None:
    """For `preexec_fn`: the program heeds Ctrl-C, which those that a shell started in the background ignore, and theirs, too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
