"""Suites of others, test by test: ``python -m tests.lua.peers ../shared/peers``.

It prints a line a suite, and ends with 0 if no test fails but those below.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytorch_legacy as pl

BASIC = "debug.setmetatable gives no metatable to numbers, strings and nil"
AS_5_2 = "table.pack is there, so that the suite expects all of Lua 5.2"
LOCALS = "debug.getlocal does not know the locals of compiled functions"
EXPECTED = {
    "lang/goto.lua --- Goto is a keyword.": AS_5_2,
    "lang/meta/call.lua --- number": BASIC,
    "lang/meta/call.lua --- jit number": BASIC,
    "lang/meta/comp_jit.lua --- Mixed metamethods for ordered comparisons.": AS_5_2,
    "lang/meta/index.lua --- string": BASIC,
    "lang/meta/len.lua --- number": BASIC,
    "lang/meta/debuginfo.lua --- table metamethods": "debug.getinfo does not say which metamethod a function is called as",
    "lib/base/error.lua --- default level in xpcall": LOCALS,
    "lib/base/error.lua --- level 2 in xpcall": LOCALS,
    "lib/base/getfenv.lua --- untitled": "a coroutine has no globals of its own",
    "lib/base/tonumber_tostring.lua --- print calls overridden tostring": "functions of the library have no globals of their own",
    "lib/string/dump.lua --- roundtrip constants": "there is no bytecode",
}


def output(folder: Path, script: str) -> str:
    """Returns what a script prints that is run in a folder."""
    before = Path.cwd()
    stream = TextIOWrapper(BytesIO(), "utf-8", write_through=True)
    os.chdir(folder)
    try:
        with redirect_stdout(stream):
            session = pl.lua.Session()
            session.execute("string.dump = function() return '' end")  # the runner asks it for the size of a pointer
            session.run(script)
    except SystemExit:
        pass
    finally:
        os.chdir(before)
    return stream.buffer.getvalue().decode(errors="replace")  # type: ignore[attr-defined]


def luajit(folder: Path) -> tuple[int, list[str]]:
    """Runs LuaJIT's tests of the language and its libraries. Returns how many there are, and the names of those that fail."""
    text = output(folder / "luajit" / "test", "test.lua")
    blocks = text.split("\n[")
    failed = [block.split("\n")[0].partition("] ")[2] for block in blocks if "stack traceback:" in block]
    return len(blocks) - (not blocks[0].startswith("[")), failed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lua.peers", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with the suites")
    folder = parser.parse_args().folder.resolve()
    if not (folder / "luajit").is_dir():
        print(f"luajit: skipped, {folder} has no folder luajit")
        return 0
    count, failed = luajit(folder)
    other = [name for name in failed if name not in EXPECTED]
    passing = [name for name in EXPECTED if name not in failed]
    print(f"luajit: {count - len(failed)} of {count} pass, {len(failed) - len(other)} differ as listed, {len(other)} fail")
    for name in other:
        print(f"  {name}")
    for name in passing:
        print(f"  passes, and is listed: {name}")
    return int(bool(other or passing or not count))


if __name__ == "__main__":
    sys.exit(main())
