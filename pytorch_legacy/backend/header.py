"""Reads THNN.h and the headers that it includes: functions, tags and shapes of arguments, enums; finds the C that defines layers.

The header is the one source of truth about the C API. The build turns it into the signatures that the bindings use;
the tests of NULL arguments and the tables of the documentation read it again. A C file includes "declared/X.h" for each
layer X that it defines: `definitions` and `where` look for that, in a checkout. Nothing here needs a compiler or cffi.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)
      | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.)*)
      | (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<word>\w+)
      | (?P<mark>[^\w\s])""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


class HeaderError(ValueError):
    """The text is no header; ``line`` says where."""

    def __init__(self, text: str, line: int) -> None:
        super().__init__(text)
        self.line = line


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    line: int


@dataclass
class Argument:
    """One argument of a C function: its type as written, its name, and what its comment says."""

    type: str
    name: str
    comment: str = ""
    line: int = 0

    @property
    def tags(self) -> tuple[str, ...]:
        """The words in brackets: IN, OUT, ACC, BUFFER, OPTIONAL, INPLACE, TRAIN."""
        return tuple(re.findall(r"\[([A-Z]+)\]", self.comment))

    @property
    def shape(self) -> str:
        """Returns the comment without the tags."""
        return re.sub(r"\[[A-Z]+\]\s*", "", self.comment).strip()

    @property
    def is_pointer(self) -> bool:
        return "*" in self.type


@dataclass
class Function:
    """One function of the header. `generic` ones exist for Float and for Double."""

    name: str
    returns: str
    generic: bool
    section: str
    line: int = 0
    arguments: list[Argument] = field(default_factory=list)

    @property
    def layer(self) -> str:
        """The class that the function belongs to: "SpatialMaxPooling" of "SpatialMaxPooling_updateOutput"."""
        return self.name.rpartition("_")[0] if self.generic else ""

    @property
    def uses(self) -> str:
        """Returns a letter for each argument but the state.

        r is an array that is read, w one that is written, x one that is read and written, - a number; o is an array of indices
        that is written unless it is None; t is one that is written if the argument `train` is set.
        """
        letters = {"IN": "r", "OUT": "w", "ACC": "x", "BUFFER": "x"}

        def letter(argument: Argument) -> str:
            if argument.tags == ("OUT", "OPTIONAL") and argument.type == "THLongTensor *":
                return "o"
            if "TRAIN" in argument.tags:
                return "t"
            return next((letters[tag] for tag in argument.tags if tag in letters), "-")

        return "".join(letter(argument) for argument in self.arguments if argument.name != "state")

    @property
    def exports(self) -> list[str]:
        """The symbols that the library exports for it."""
        return [f"THNN_{real}{self.name}" for real in ("Float", "Double")] if self.generic else [self.name]


def tokens(text: str) -> Iterator[Token]:
    line = 1
    position = 0
    for match in TOKEN.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        yield Token(str(match.lastgroup), match.group(), line)


def parse(text: str) -> list[Function]:
    """All functions that the header declares, in its order.

    A prototype is `THNN_API type name(arguments);` or, in the half of the file that is read twice,
    `THNN_API type THNN_(name)(arguments);`. A comment belongs to the last argument that begins on its line.
    """
    stream = [token for token in tokens(text) if token.kind != "directive"]
    functions: list[Function] = []
    section = ""
    at = 0
    while at < len(stream):
        token = stream[at]
        if token.kind == "comment" and (heading := re.match(r"/\* -{20,} ([\w ]+)", token.text)):
            section = heading.group(1).strip()
        if token.text == "THNN_API":
            try:
                function, at = _prototype(stream, at + 1, section)
            except IndexError:
                raise HeaderError("expected a whole declaration behind THNN_API, ended by );", token.line) from None
            functions.append(function)
        else:
            at += 1
    return functions


def _prototype(stream: list[Token], at: int, section: str) -> tuple[Function, int]:
    head: list[str] = []
    while stream[at].text != "(":
        head.append(stream[at].text)
        at += 1
    generic = head[-1] == "THNN_"
    name = stream[at + 1].text if generic else head[-1]
    function = Function(name, _join(head[:-1]), generic, section, stream[at].line)
    at += 4 if generic else 1  # past "(", or past "(" name ")" "("

    words: list[Token] = []
    starts: dict[int, Argument] = {}
    while True:
        token = stream[at]
        if token.kind == "comment":
            if argument := starts.get(token.line):
                argument.comment = _said(token.text)
        elif token.text in ",)":
            if words and [word.text for word in words] != ["void"]:
                starts[words[0].line] = _argument(words)
                function.arguments.append(starts[words[0].line])
            words = []
            if token.text == ")":
                break
        else:
            words.append(token)
        at += 1
    if stream[at + 1].text != ";":
        raise HeaderError(f"{name}: expected ; behind its arguments, got {stream[at + 1].text}", token.line)
    at += 2  # past ");"
    if at < len(stream) and stream[at].kind == "comment" and stream[at].line in starts:
        starts[stream[at].line].comment = _said(stream[at].text)
        at += 1
    return function, at


def enums(text: str) -> dict[str, dict[str, int]]:
    """Returns the constants of each enum that has a name.

    Raises
    ------
    HeaderError
        If a constant has no number of its own, or an expression for it.
    """
    code = " ".join(token.text for token in tokens(text) if token.kind in ("word", "mark"))
    found: dict[str, dict[str, int]] = {}
    for name, body in re.findall(r"\benum (\w+) \{ ([^}]*)\}", code):
        found[name] = {}
        for constant in body.rstrip(" ,").split(" , "):
            parts = re.fullmatch(r"(\w+) = (\d+|0x[0-9a-fA-F]+)", constant.strip())
            if parts is None:
                line = text[: text.index(f"enum {name}")].count("\n") + 1
                raise HeaderError(f"enum {name}: expected NAME = NUMBER, got {constant.strip()}", line)
            found[name][parts[1]] = int(parts[2], 0)
    return found


def _said(comment: str) -> str:
    """A comment's words."""
    return " ".join(comment[2:].removesuffix("*/").split())


def _argument(words: list[Token]) -> Argument:
    texts = [word.text for word in words]
    if "[" in texts:  # int64_t size[8] is a pointer
        bracket = texts.index("[")
        return Argument(_join(texts[: bracket - 1]) + " *", texts[bracket - 1], line=words[0].line)
    return Argument(_join(texts[:-1]), texts[-1], line=words[0].line)


def _join(words: list[str]) -> str:
    return " ".join(words).replace("* *", "**")


def text(path: str | Path) -> str:
    """Returns the header in the file `path`. A header beside it replaces the first line that includes it."""
    seen = {Path(path)}

    def expanded(file: Path) -> str:
        return re.sub(r'^#include "(\w+\.h)".*\n', included, file.read_text(encoding="utf-8"), flags=re.MULTILINE)

    def included(match: re.Match[str]) -> str:
        other = Path(path).with_name(match[1])
        if other in seen:
            return match[0]
        seen.add(other)
        return expanded(other)

    return expanded(Path(path))


def read(path: str | Path) -> list[Function]:
    """Parse the header in the file `path`, and those that it includes."""
    return parse(text(path))


@dataclass(frozen=True)
class Place:
    """A file of a layer, and the first and the last line of the layer in it, counted from 1."""

    path: Path
    first: int
    last: int


@cache
def definitions(root: Path) -> dict[str, Path]:
    """Maps each layer to the C file that defines it, in a checkout of which `root` is the top folder."""
    return {
        layer: path
        for path in sorted(root.glob("THNN/*/*.c"))
        for layer in re.findall(r'^#include "declared/(\w+)\.h"', path.read_text(encoding="utf-8"), re.MULTILINE)
    }


def where(layer: str, root: Path) -> list[Place]:
    """Returns the places of a layer: its C file, and the file of its kernels if it has some.

    Its lines are those of its functions if the file defines other layers, too; else they are all. There is no place for a
    layer that no C file defines.
    """
    path = definitions(root).get(layer)
    if path is None:
        return []
    kernels = root / "THCUNN" / path.relative_to(root / "THNN").with_suffix(".cu")
    return [_place(file, layer) for file in (path, kernels) if file.exists()]


def _place(path: Path, layer: str) -> Place:
    lines = path.read_text(encoding="utf-8").splitlines()
    first, last = 1, len(lines)
    if sum(line.startswith('#include "declared/') for line in lines) > 1:
        begins = [number for number, line in enumerate(lines, 1) if f" THNN_({layer}_" in line and line[0] not in " #/"]
        first, last = begins[0], lines.index("}", begins[-1]) + 1
    return Place(path, first, last)
