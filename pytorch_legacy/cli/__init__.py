"""The command ``pytorch-legacy``: look into Torch7 models, run them, and see what pooling layers do."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from pytorch_legacy.errors import T7Error, THNNError
from pytorch_legacy.files.t7.nodes import printable
from pytorch_legacy.inference.problem import Problem
from pytorch_legacy.inference.progress import out_of_memory

DESCRIPTION = """\
Look into Torch7 models and run them, without Lua.

  pytorch-legacy inspect MODEL.t7                       what is in the file: the network as a table
  pytorch-legacy inspect MODEL.t7 --input 1x32x32       ... with output shapes and operations
  pytorch-legacy run MODEL.t7 photo.png                 a classifier prints its top five
  pytorch-legacy run MODEL.t7 small.png -o large.png    an image network writes its picture
  pytorch-legacy convert MODEL.t7 MODEL.py              the network as a class of PyTorch; or MODEL.onnx
  pytorch-legacy convert MODEL.t7 MODEL.safetensors     weights and tensors by name, for other tools
  pytorch-legacy explain adaptive 5 3                   which cells feed which output of a pooling layer
  pytorch-legacy new-layer SpatialMedianPooling         the files of a layer of your own, in C and Python
"""
WITH_CLASSES = ("inspect", "run", "convert")  # and kinds of explain


def parser() -> argparse.ArgumentParser:
    """The command line, for main and for the documentation."""
    from . import classes, convert, explain, inspect, new_layer, run
    from .options import Parser

    top = Parser(prog="pytorch-legacy", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--version", action="version", version=_version())
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in (inspect, run, convert, explain, new_layer):
        name = command.__name__.rpartition(".")[2].replace("_", "-")
        sub = commands.add_parser(
            name,
            help=command.HELP,
            description=command.DESCRIPTION,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(sub)
        if name in WITH_CLASSES:
            classes.add_argument(sub)
        sub.set_defaults(execute=command.execute)
    return top


def _version() -> str:
    import pytorch_legacy
    from pytorch_legacy import backend

    try:
        return f"pytorch-legacy {pytorch_legacy.__version__}, libTHNN {backend.version()}"
    except ImportError:
        return f"pytorch-legacy {pytorch_legacy.__version__}, without libTHNN"


def _show(message: Warning | str, *where: Any) -> None:
    print(f"pytorch-legacy: warning: {printable(str(message))}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status: 0, or 1 after one line that says what is wrong."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):  # a stream without an encoding cannot fail to encode
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    options = None
    try:
        options = parser().parse_args(arguments)
        with warnings.catch_warnings():
            warnings.showwarning = _show  # type: ignore[assignment]  # the block puts back what it was
            if options.command in WITH_CLASSES:
                from . import classes

                classes.imported(options.classes)
            options.execute(options)
        if sys.stdout is not None:  # standard output may be closed
            sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if isinstance(error, OSError) and error.filename is None:
            _leave()
            if isinstance(error, BrokenPipeError):
                return 0  # the reader of our output has seen enough
        if sys.flags.dev_mode:
            raise
        text = _text(error)
        if isinstance(error, MemoryError) and (file := getattr(options, "file", None) or getattr(options, "source", None)):
            text = f"{file}: {out_of_memory(error)}"
        print(f"pytorch-legacy: {printable(text)}", file=sys.stderr)
        return 1
    return 0


def _leave() -> None:
    """If the output takes no more, what is still to be written, at the end of the program too, goes nowhere."""
    with suppress(AttributeError, OSError, ValueError):
        sys.stdout.flush()
        return
    with suppress(AttributeError, OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _text(error: Exception) -> str:
    """Returns the text of an error, in a line."""
    if isinstance(error, OSError) and not isinstance(error, (THNNError, T7Error)) and error.filename and error.strerror:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    if isinstance(error, (Problem, T7Error, THNNError, OSError, ImportError)):
        return str(error)
    # Files are hostile: modules in them may fail in any way when they run or are written.
    places = [str(note) for note in reversed(getattr(error, "__notes__", []))]
    places = [*places[:4], "...", *places[-4:]] if len(places) > 12 else places
    words = {MemoryError: "there is not enough memory", RecursionError: "modules are nested too deeply"}
    known = next((text for kind, text in words.items() if isinstance(error, kind)), None)
    return ", ".join([*places, f"{known or type(error).__name__}{f': {error}' if str(error) else ''}"])
