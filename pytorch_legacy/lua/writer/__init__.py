"""Programs of Lua as programs of Python: a second writer over the tree of the compiler.

The text has the program's names, comments, functions and classes. Its values are those of `pytorch_legacy.lua.torch7`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from ..language import tree
from ..language.lexer import comments
from ..language.parser import Parser
from ..session import Session
from .expressions import UnsupportedLua
from .names import quoted
from .program import Program, required, returns, walk
from .statements import Statements
from .unset import Unset

__all__ = ["UnsupportedLua", "write", "write_program"]

_IMPORT = 88  # characters of a line of names, at which ruff breaks it if it is told nothing else


@cache
def known_names() -> frozenset[str]:
    """Returns the names of packages and functions that programs find."""
    state = Session()._state
    return frozenset(state.globals.__dict__) | frozenset(state.globals.package.preload.__dict__)


class _File(NamedTuple):
    """A file of a program: its name in messages, its text, and its place beside the script."""

    name: str
    source: str
    place: str


def write(source: str, name: str) -> str:
    """Returns the text of a program of one file in Python.

    Parameters
    ----------
    source : str
        The program, one character a byte.
    name : str
        The name that messages begin with.

    Raises
    ------
    UnsupportedLua
        If the program has what cannot be written in Python.
    LuaSyntaxError
        If it is no Lua.
    """
    return _written({"": _File(name, source, "")})[""]


def write_program(script: str | PathLike[str], path: Sequence[str | PathLike[str]] = (".",)) -> tuple[dict[str, str], list[str]]:
    """Returns the texts of a program in Python: of the script, as "", and of all files that it runs, by their places beside it.

    The second result has the names that it requires and that are neither packages nor files.

    Parameters
    ----------
    script : path-like
        The script.
    path : sequence of path-like, default: ["."]
        Folders in which ``require`` and ``dofile`` find files.

    Raises
    ------
    UnsupportedLua
        If the program has what cannot be written in Python.
    LuaSyntaxError
        If it is no Lua.
    """
    files = {"": _File(str(script), Path(script).read_text("latin-1"), "")}
    waiting, missing = [""], set()
    while waiting:
        file = files[waiting.pop()]
        for node in walk(Parser(file.source, file.name).chunk()):
            name = required(node)
            if not name or name in files or name in known_names():
                continue
            if (found := _found(name, path)) is None:
                missing.add(name)
            else:
                files[name] = _File(str(found[0]), found[0].read_text("latin-1"), found[1])
                waiting.append(name)
    return _written(files), sorted(missing)


def _found(name: str, path: Sequence[str | PathLike[str]]) -> tuple[Path, str] | None:
    """Returns the file that a name stands for, and its place beside the script; None if there is none."""
    parts = name.replace(".", "/")
    places = [name] if name.endswith(".lua") else [f"{parts}.lua", f"{parts}/init.lua"]
    for folder in path:
        for place in places:
            if (Path(folder) / place).is_file() and not place.startswith(("/", "..")):
                return Path(folder) / place, str(Path(place).with_suffix(".py"))
    return None


def _written(files: dict[str, _File]) -> dict[str, str]:
    """Returns the texts of the files by their places.

    A file is written again as long as it calls a helper whose name one of its variables may have.
    """
    names = {file.place: key for key, file in reversed(files.items())}
    helpers = dict.fromkeys(names, frozenset[str]())
    while True:
        program = _analyzed(files)
        texts = {place: _text(program, key, files[key], helpers[place]) for place, key in names.items()}
        found = {place: helpers[place] | called for place, (_, called) in texts.items()}
        if found == helpers:
            return {place: text for place, (text, _) in texts.items()}
        helpers = found


def _analyzed(files: dict[str, _File]) -> Program:
    """Returns the facts about a program. A file that is required by two names is one tree."""
    trees: dict[str, tree.Function] = {}
    for file in files.values():
        if file.place not in trees:
            trees[file.place] = Parser(file.source, file.name).chunk()
    return Program({key: trees[file.place] for key, file in files.items()}, known_names())


def _text(program: Program, key: str, file: _File, helpers: frozenset[str]) -> tuple[str, frozenset[str]]:
    """Returns the text of a file, whose variables have none of these names, and the names of the helpers that it calls."""
    chunk = program.chunks[key]
    writer = Statements(program, chunk, file.name, comments(file.source), helpers)
    writer.isMain = _returns_early(chunk.body)
    doc = writer.comments.pop(0).lines if _has_head(writer) else []
    body = _main(writer, chunk, key) if writer.isMain else writer.body(chunk.body)
    body += writer.notes(1 << 30)
    while body and not body[0]:
        del body[0]
    before = [*_rest(writer, chunk, key), *_unset(writer, chunk)]
    head = [*_head(doc), *_imports(writer)]
    text = _apart([*head, *([""] if before else []), *before], body, 0 if before else 1)
    return "\n".join([*text, ""]).lstrip("\n"), frozenset(writer.helpers)


def _apart(before: list[str], body: list[str], lines: int) -> list[str]:
    """Returns both texts with so many lines between them, or two before a function or class."""
    first = next((line for line in body if not line.startswith("#")), "")
    return [*before, *[""] * (2 if before and first.startswith(("def ", "class ")) else lines), *body]


def _rest(writer: Statements, chunk: tree.Function, key: str) -> list[str]:
    """Returns the statement for the file's ``...``: the arguments of the script, or the name of the file."""
    inner = {id(one) for node in walk(chunk.body) if isinstance(node, tree.Function) for one in walk(node.body)}
    if writer.isMain or not any(isinstance(node, tree.Vararg) and id(node) not in inner for node in walk(chunk.body)):
        return []
    if key:
        return [f"rest = ({quoted(key)},)"]
    writer.imports |= {"arg", "unpack"}
    return ["rest = unpack(arg)"]


def _unset(writer: Statements, chunk: tree.Function) -> list[str]:
    """Returns the statements that make globals nil which the file reads before it sets them."""
    targets = [target for node in walk(chunk.body) if isinstance(node, tree.Assignment) for target in node.targets]
    names = {target.name for target in targets if isinstance(target, tree.Global)}
    found = Unset(writer.program, names - writer.program.shared - {*writer.program.named}).read(chunk.body)
    writer.isAny = writer.isAny or bool(found)
    return [f"{writer.global_name(name)}: Any = None" for name in sorted(found)]


def _has_head(writer: Statements) -> bool:
    first = writer.comments[0] if writer.comments else None
    return first is not None and first.isAlone and first.line == 1 and bool("".join(first.lines))


def _head(doc: list[str]) -> list[str]:
    """Returns the docstring."""
    if not doc:
        return []
    text = "\n".join(doc).replace("\\", "\\\\").replace('"""', "'''")
    return [f'"""{text}{" " if text.endswith(chr(34)) else ""}"""', ""]


def _imports(writer: Statements) -> list[str]:
    found = ["from typing import Any", ""] if writer.isAny else []
    for module, names in (("helpers", writer.helpers), ("torch7", writer.imports)):
        if names:
            shown = sorted(names, key=lambda one: (not one[:1].isupper(), one))
            whole = f"from pytorch_legacy.lua.{module} import {', '.join(shown)}"
            broken = [f"from pytorch_legacy.lua.{module} import (", *(f"    {name}," for name in shown), ")"]
            found += [whole] if len(whole) <= _IMPORT else broken
    return found


def _main(writer: Statements, chunk: tree.Function, key: str) -> list[str]:
    """Returns a program that returns from within: it is a function, which is called."""
    body = writer.definition("main", chunk)
    if key:
        return [*body, "", "", f"result = main({quoted(key)})"]
    writer.imports |= {"arg", "unpack"}
    return [*body, "", "", "result = main(*unpack(arg))"]


def _returns_early(body: list[tree.Node]) -> bool:
    last = body[-1] if body else None
    return len(returns(body)) > isinstance(last, tree.Return)
