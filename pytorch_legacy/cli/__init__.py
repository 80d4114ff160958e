"""The command ``pytorch-legacy``: look into Torch7 models, run them, and see what pooling layers do."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from pytorch_legacy.errors import T7Error, THNNError

from .problem import Problem

DESCRIPTION = """\
Look into Torch7 models and run them, without Lua.

  pytorch-legacy inspect MODEL.t7                       what is in the file: the network as a table
  pytorch-legacy inspect MODEL.t7 --input 1x32x32       ... with output shapes and operations
  pytorch-legacy run MODEL.t7 photo.png                 a classifier prints its top five
  pytorch-legacy run MODEL.t7 small.png -o large.png    an image network writes its picture
  pytorch-legacy convert MODEL.t7 MODEL.safetensors     weights and tensors by name, for other tools
  pytorch-legacy explain adaptive 5 3                   which cells feed which output of a pooling layer
"""


def parser() -> argparse.ArgumentParser:
    """The command line, for main and for the documentation."""
    from . import convert, explain, inspect, run

    top = argparse.ArgumentParser(
        prog="pytorch-legacy", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    top.add_argument("--version", action="version", version=_version())
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in (inspect, run, convert, explain):
        name = command.__name__.rpartition(".")[2]
        sub = commands.add_parser(
            name,
            help=command.HELP,
            description=command.DESCRIPTION,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(sub)
        sub.set_defaults(execute=command.execute)
    return top


def _version() -> str:
    import pytorch_legacy
    from pytorch_legacy import backend

    return f"pytorch-legacy {pytorch_legacy.__version__}, libTHNN {backend.version()}, BLAS {backend.blas()}"


def _show(message: Warning | str, *where: Any) -> None:
    print(f"pytorch-legacy: warning: {message}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status: 0, or 1 after one line that says what is wrong."""
    options = parser().parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show  # type: ignore[assignment]  # the block puts back what it was
            options.execute(options)
    except (Problem, T7Error, THNNError, OSError) as error:
        print(f"pytorch-legacy: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 0  # the reader of our output has seen enough
    except KeyboardInterrupt:
        return 130
    return 0
