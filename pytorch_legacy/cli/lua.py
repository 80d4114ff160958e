"""``pytorch-legacy lua``: run a program written in Lua."""

from __future__ import annotations

import argparse
import sys

from pytorch_legacy.files.t7.nodes import printable
from pytorch_legacy.inference.problem import Problem

HELP = "run a program written in Lua"
DESCRIPTION = """\
Run a Lua 5.1 program without Lua, as Torch7's th did: torch, paths, sys, xlua and pl
are there. require finds Lua files, and Torch7's packages; an error lists them where
it finds none.

  pytorch-legacy lua SCRIPT.lua ARGUMENT...            run a file
  pytorch-legacy lua -e 'print(_VERSION)'              run code
  pytorch-legacy lua --path lib --seed 1 SCRIPT.lua    look for packages in lib, too
  pytorch-legacy lua --stub loadcaffe SCRIPT.lua       do without a package
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
    parser.add_argument("script", metavar="SCRIPT", nargs="?", help="Lua file")
    parser.add_argument("arguments", metavar="ARGS", nargs=argparse.REMAINDER, help="arguments of the program")


def execute(options: argparse.Namespace) -> None:
    from pytorch_legacy import lua

    if options.code is None and options.script is None:
        raise Problem("SCRIPT: expected a Lua file, or -e CODE")
    session = lua.Session([".", *options.path], options.seed, ["trepl"], stubs=options.stub, pictures=options.pictures)
    try:
        if options.code is not None:
            session.execute(options.code, "=(command line)")
        if options.script is not None:
            session.run(options.script, *options.arguments)
    except lua.LuaError as error:
        if isinstance(error.__cause__, BrokenPipeError):
            raise error.__cause__ from None
        sys.stdout.flush()
        for line in str(error).split("\n"):
            print(
                f"lua: {printable(line)}" if line == str(error).split("\n")[0] else f"  {printable(line.strip())}",
                file=sys.stderr,
            )
        raise SystemExit(1) from None
