"""``pytorch-legacy lua``: run a program written in Lua."""

from __future__ import annotations

import argparse
import gc
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from pytorch_legacy.files.t7.nodes import printable
from pytorch_legacy.files.writing import check_target, whole
from pytorch_legacy.inference import models
from pytorch_legacy.inference.output import say
from pytorch_legacy.inference.problem import Problem

from . import export, sandbox
from .options import Parser, finite, memory

HELP = "run a program written in Lua"
DESCRIPTION = """\
Run a Lua 5.1 program without Lua, as Torch7's th did: torch, paths, sys, xlua and pl
are there. require finds Lua files, and Torch7's packages; an error lists them where
it finds none.

  pytorch-legacy lua SCRIPT.lua ARGUMENT...            run a file
  pytorch-legacy lua -e 'print(_VERSION)'              run code
  pytorch-legacy lua --path lib --seed 1 SCRIPT.lua    look for packages in lib, too
  pytorch-legacy lua --stub loadcaffe SCRIPT.lua       do without a package
  pytorch-legacy lua --sandbox SCRIPT.lua              run a script of a stranger

  pytorch-legacy lua SCRIPT.lua --to-python script.py
                      write the program, and the Lua files that it requires, in Python
  pytorch-legacy lua MODEL.lua --to-python net.py --network
                      run a file, and write the network that it returns for PyTorch
  pytorch-legacy lua -e 'opt = {size = 3}' MODEL.lua --to-python net.py \\
      --network --global model --input 1x3x32x32
                      write the network in the global model
  pytorch-legacy lua -e "net = require 'model' {size = 3}" --to-python net.py \\
      --network --global net        the same, if model.lua returns a function

The options of --to-python may follow the arguments of the program. A network is written
as pytorch-legacy convert writes it.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-e", dest="code", metavar="CODE", help="code to run, before SCRIPT if there is one")
    parser.add_argument(
        "--path", action="append", default=[], metavar="FOLDER", help="further folder in which require looks (default: .)"
    )
    parser.add_argument("--seed", type=float, help="seed of math.random and of torch")
    parser.add_argument(
        "--stub", action="append", default=[], metavar="NAME", help="package to stand in for: require finds an empty one"
    )
    parser.add_argument("--pictures", metavar="FOLDER", help="folder for pictures and plots that the program shows")
    parser.add_argument(
        "--sandbox", action="store_true", help="take away files and processes, and set limits: for scripts of strangers"
    )
    parser.add_argument(
        "--seconds",
        type=finite("--seconds", above=0),
        metavar="N",
        help=f"most seconds in the sandbox (default: {sandbox.SECONDS:g})",
    )
    parser.add_argument(
        "--bytes", type=memory("--bytes"), metavar="N", help="most memory in the sandbox, such as 500MB (default: 2GB)"
    )
    add_writing(parser)
    parser.add_argument("script", metavar="SCRIPT", nargs="?", help="Lua file")
    parser.add_argument("arguments", metavar="ARGS", nargs=argparse.REMAINDER, help="arguments of the program")


def add_writing(parser: argparse.ArgumentParser) -> None:
    """Adds the options of ``--to-python``."""
    parser.add_argument("--to-python", dest="target", metavar="OUT.py", help="write the program in Python; it is not run")
    parser.add_argument("--network", action="store_true", help="run the program, and write its network for PyTorch")
    parser.add_argument("--global", dest="variable", metavar="NAME", help="with --network: take the network from this global")
    parser.add_argument("--model", metavar="PLACE", help="with --network: its place in a table, such as protos.rnn")
    parser.add_argument(
        "--input", metavar="SIZES", action="append", help="with --network: input of the network, such as 1x3x224x224"
    )
    parser.add_argument("--force", action="store_true", help="with --network: write it even if its numbers differ")
    parser.add_argument(
        "--wrap", action="store_true", help="with --network: embed layers that PyTorch lacks, which pytorch_legacy then runs"
    )


def execute(options: argparse.Namespace) -> None:
    if "--to-python" in options.arguments:
        own = Parser(prog="pytorch-legacy lua", add_help=False, allow_abbrev=False)
        add_writing(own)
        options, options.arguments = own.parse_known_args(options.arguments, options)
    if options.code is None and options.script is None:
        raise Problem("SCRIPT: expected a Lua file, or -e CODE")
    _check(options)
    if not options.sandbox:
        for name in ("seconds", "bytes"):
            if getattr(options, name) is not None:
                raise Problem(f"--{name}: expected --sandbox beside it, which sets limits")
        if options.target is not None and not options.network:
            _write_program(options)
        else:
            _run(options)
        return
    if options.pictures is not None:
        raise Problem("--pictures: expected no --sandbox beside it, because a sandbox writes no files")
    if options.target is not None:
        raise Problem("--to-python: expected no --sandbox beside it, because a sandbox writes no files")
    options.seconds = sandbox.SECONDS if options.seconds is None else options.seconds
    options.bytes = sandbox.BYTES if options.bytes is None else options.bytes
    sandbox.run(options)


def execute_confined(options: argparse.Namespace) -> None:
    """Runs the program in a sandbox, in the process that `sandbox.run` started."""
    import_module("pytorch_legacy.nn")  # The limits are for the program, not for imports.
    options.sandbox, options.pictures, options.network = True, None, False
    sandbox.confine(options.seconds, options.bytes)
    _run(options)


def _run(options: argparse.Namespace) -> None:
    from pytorch_legacy import lua

    gc.freeze()  # collectgarbage() then searches only what the program has made: programs call it in loops
    session = lua.Session(
        [".", *options.path], options.seed, ["trepl"], stubs=options.stub, pictures=options.pictures, sandbox=options.sandbox
    )
    found = None
    try:
        if options.code is not None:
            found = session.execute(options.code, "=(command line)")
        if options.script is not None:
            found = session.run(options.script, *options.arguments)
    except lua.LuaError as error:
        if isinstance(error.__cause__, BrokenPipeError):
            raise error.__cause__ from None
        sys.stdout.flush()
        first, *rest = str(error).split("\n")
        if options.sandbox and "not enough memory" in first:
            first += f" (the limit is {options.bytes:,} bytes; --bytes N sets another one)"
        for line in (f"lua: {printable(first)}", *(f"  {printable(line.strip())}" for line in rest)):
            print(line, file=sys.stderr)
        raise SystemExit(1) from None
    if options.network:
        _write_network(options, session.globals.get(options.variable) if options.variable else found)


def _check(options: argparse.Namespace) -> None:
    """Refuses options that have no use here."""
    given = [name for name in ("global", "model", "input", "force", "wrap") if getattr(options, _PLACES.get(name, name))]
    if given and not options.network:
        raise Problem(f"--{given[0]}: this option is for --network")
    if options.network and options.target is None:
        raise Problem("--network: expected --to-python OUT.py")
    if options.target is not None and not options.network and (options.script is None or options.code is not None):
        raise Problem("--to-python: expected a Lua file, and no -e")
    if options.target is not None:
        if Path(options.target).suffix.lower() != ".py":
            raise Problem(f"{options.target}: expected a name that ends in .py")
        check_target(options.target)


_PLACES = {"global": "variable"}


def _write_program(options: argparse.Namespace) -> None:
    """Writes a program, and the files that it requires, in Python."""
    from pytorch_legacy.lua import writer
    from pytorch_legacy.lua.language import LuaSyntaxError

    if not Path(options.script).exists():
        raise Problem(f"{options.script}: there is no such file")
    try:
        texts, missing = writer.write_program(options.script, [".", *options.path])
    except LuaSyntaxError as error:
        raise Problem(str(error)) from None
    target = Path(options.target)
    files = {target.parent / place if place else target: text for place, text in texts.items()}
    for file in files:
        if file != target and file.exists() and "pytorch_legacy.lua.torch7" not in file.read_text("utf-8", "replace"):
            raise Problem(f"{file}: this file is there, and is none that was written from Lua; move it, or choose another folder")
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        with whole(file) as stream:
            stream.write(text.encode())
    others = [str(file) for file in files if file != target]
    say(f"wrote {target}" + (f", and {', '.join(others)}" if others else ""))
    if missing:
        say(f"not written: {', '.join(missing)}, for which there is no file; --path FOLDER, before the script, adds a folder")


def _write_network(options: argparse.Namespace, value: Any) -> None:
    """Writes the network that a program returned, or left in a global."""
    from pytorch_legacy import lua

    source = options.script or "-e"
    name = options.variable or "net"
    if options.variable and value is None:
        raise Problem(f"{source}: --global {name}: expected a network in this global, got nil")
    if callable(value) and not models.is_network(value):
        raise Problem(
            f"{source}: expected a network, got a function; call it: -e \"net = require 'FILE' {{...}}\" --network --global net"
        )
    value = value[0] if isinstance(value, tuple) else value
    if value is None:
        raise Problem(f"{source}: expected a program that returns a network, got nil; --global NAME takes one from a global")
    net = models.network(source, _plain(value) if isinstance(value, lua.View) else value, options.model)
    say(f"wrote {options.target}: {export.write_network(options, net)}")


def _plain(value: Any, depth: int = 4) -> Any:
    """Returns a table of Lua as a dict, as deep as networks are looked for."""
    from pytorch_legacy import lua

    if not isinstance(value, lua.View):
        return value
    entries = {int(key) if isinstance(key, float) and key.is_integer() else key: value[key] for key in value}
    return {key: _plain(one, depth - 1) for key, one in entries.items()} if depth else entries
