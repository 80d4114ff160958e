"""The command ``pytorch-legacy``: inspect, run and convert Torch7 models, and draw pooling layers."""

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

  pytorch-legacy inspect MODEL.t7                      print the network as a table
  pytorch-legacy inspect MODEL.t7 --input 1x32x32      add output shapes and operations
  pytorch-legacy run MODEL.t7 photo.png                print the best classes of a picture
  pytorch-legacy run MODEL.t7 small.png -o large.png   write the output picture
  pytorch-legacy run-many MODEL.t7 photos -o OUT.parquet
                                                       run on every picture of a folder
  pytorch-legacy convert MODEL.t7 MODEL.py             write a PyTorch class; or .onnx, .thnn
  pytorch-legacy convert MODEL.t7 MODEL.safetensors    write weights and tensors by name
  pytorch-legacy explain adaptive 5 3                  print the windows of a pooling layer
  pytorch-legacy lua SCRIPT.lua                        run a program written in Lua
  pytorch-legacy new-layer SpatialMedianPooling        write the files of your own layer
"""
WITH_CLASSES = ("inspect", "run", "run-many", "convert")  # and kinds of explain


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    from . import classes, convert, explain, inspect, lua, new_layer, run, run_many
    from .options import Parser

    top = Parser(prog="pytorch-legacy", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--version", action="version", version=_version())
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in (inspect, run, run_many, convert, explain, lua, new_layer):
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


def main(arguments: Sequence[str] | argparse.Namespace | None = None) -> int:
    """Runs the command line, or options that were read. Returns the exit status: 0, or 1 after an error message of one line."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):  # a stream without an encoding
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    options = None
    try:
        options = arguments if isinstance(arguments, argparse.Namespace) else parser().parse_args(arguments)
        with warnings.catch_warnings():
            warnings.showwarning = _show  # type: ignore[assignment]  # the block restores it
            if options.command in WITH_CLASSES:
                from . import classes

                classes.imported(options.classes)
            options.execute(options)
        if sys.stdout is not None:  # it is None if it was closed
            sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if isinstance(error, OSError) and error.filename is None:
            _discardOutput()
            if isinstance(error, BrokenPipeError):
                return 0  # the reader of our output has ended
        if sys.flags.dev_mode:
            raise
        text = _text(error)
        if isinstance(error, MemoryError) and (file := getattr(options, "file", None) or getattr(options, "source", None)):
            text = f"{file}: {out_of_memory(error)}"
        print(f"pytorch-legacy: {printable(text)}", file=sys.stderr)
        return 1
    return 0


def _discardOutput() -> None:
    """Discards all further output if standard output cannot be written to."""
    with suppress(AttributeError, OSError, ValueError):
        sys.stdout.flush()
        return
    with suppress(AttributeError, OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _text(error: Exception) -> str:
    """Returns the error as one line."""
    if isinstance(error, OSError) and not isinstance(error, (THNNError, T7Error)) and error.filename and error.strerror:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    if isinstance(error, (Problem, T7Error, THNNError, OSError, ImportError)):
        return str(error)
    # Modules of a hostile file may raise any exception when they run or are written.
    places = [str(note) for note in reversed(getattr(error, "__notes__", []))]
    places = [*places[:4], "...", *places[-4:]] if len(places) > 12 else places
    words = {MemoryError: "there is not enough memory", RecursionError: "modules are nested too deeply"}
    known = next((text for kind, text in words.items() if isinstance(error, kind)), None)
    return ", ".join([*places, f"{known or type(error).__name__}{f': {error}' if str(error) else ''}"])
