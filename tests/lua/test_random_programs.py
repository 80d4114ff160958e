"""Random programs compute the same as in Lua 5.1, in lupa. ``python -m tests.lua.test_random_programs 20000`` runs that many."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable

import pytest

import pytorch_legacy as pl

from .programs import Writer

COUNT = 1000
MAX_DIFFERENT = 0.003  # share of programs that may differ in the words of an error
ERROR = re.compile(r"false |attempt to|bad argument|:\d+: ")


def oracle() -> Callable[[str], str]:
    """Returns a function that runs a program in Lua 5.1."""
    lua51 = pytest.importorskip("lupa.lua51", reason="needs lupa, which has Lua 5.1")
    runtime = lua51.LuaRuntime(encoding="latin-1")
    runtime.execute(
        "function RUN(s) local f, e = loadstring(s, '=t') if not f then return 'syntax: ' .. e end return select(2, pcall(f)) end"
    )
    return runtime.globals().RUN  # type: ignore[no-any-return]


def ours(program: str) -> str:
    """Runs a program."""
    try:
        return str(pl.lua.Session().execute(program, "=t"))
    except pl.lua.LuaError as error:
        return f"syntax: {error.value}"


def normalized(text: str) -> str:
    """Returns the text without addresses and signs of NaN, which are no part of the language."""
    return re.sub(r"0x[0-9a-f]+|-nan|table: \S+|function: .*", "X", text)


def difference(program: str, expected: str, found: str) -> str:
    """Returns what differs, and the program."""
    lines = difflib.unified_diff(expected.split("\n"), found.split("\n"), "Lua 5.1", "pytorch_legacy", lineterm="", n=0)
    return "\n".join([*lines, *(f"{i:4} {line}" for i, line in enumerate(program.split("\n"), 1))])


def isError(expected: str, found: str) -> bool:
    """True if the first line that differs is an error in both."""
    pairs = zip(expected.split("\n"), found.split("\n"), strict=False)
    return next((bool(ERROR.search(a) and ERROR.search(b)) for a, b in pairs if a != b), False)


def compared(seeds: range) -> tuple[list[str], list[str]]:
    """Returns differences of values, and those in the words of an error."""
    run = oracle()
    values, words = [], []
    for seed in seeds:
        program = Writer(seed).program()
        expected, found = normalized(run(program)), normalized(ours(program))
        if expected != found and not (expected.startswith("syntax: ") and found.startswith("syntax: ")):
            (words if isError(expected, found) else values).append(f"seed {seed}\n{difference(program, expected, found)}")
    return values, words


def test_random_programs_compute_the_same() -> None:
    values, words = compared(range(COUNT))
    assert not values, values[0]
    assert len(words) <= COUNT * MAX_DIFFERENT, "\n\n".join(words[:3])


if __name__ == "__main__":
    _values, _words = compared(range(int(sys.argv[1])))
    for text in [*_values[:5], *_words[:5]]:
        print(text, end="\n\n")
    print(f"{sys.argv[1]} programs: {len(_values)} differ in values, {len(_words)} in the words of an error")
    sys.exit(bool(_values))
