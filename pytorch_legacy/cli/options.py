"""Options of the command line that are numbers: what is none, or out of its range, is refused before a file is read."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from pytorch_legacy.files.t7.nodes import printable
from pytorch_legacy.inference.preprocessing import MOST_PIXELS
from pytorch_legacy.inference.problem import Problem


class Parser(argparse.ArgumentParser):
    """One whose errors are a line, in which nothing steers a terminal, and whose help says where it could not be written. What
    begins as a negative number does is a value, such as -0.5,0.5."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is None or file is not sys.stdout:
            super()._print_message(message, file)
        elif message:  # the base lets errors pass
            file.write(message)
            file.flush()

    def error(self, message: str) -> NoReturn:
        shown = message if len(message) < 1000 else f"{message[:1000]} ..."
        self.exit(2, printable(f"{self.prog}: {shown}; see {self.prog} --help") + "\n")


def add_lua(parser: argparse._ActionsContainer) -> None:
    """Adds the option for the files of layers that the author of a model wrote in Lua."""
    parser.add_argument(
        "--lua",
        action="append",
        default=[],
        metavar="FILE.lua",
        help="Lua file of the author's layers; may be repeated",
    )


def whole(name: str, least: int, most: int | None = None) -> Callable[[str], int]:
    """A whole number from `least` to `most`."""
    wanted = f"a whole number from {least} " + ("on" if most is None else f"to {most}")
    return _reader(name, wanted, int, lambda number: number >= least and (most is None or number <= most))


def finite(name: str, above: float = -math.inf) -> Callable[[str], float]:
    """A number above another, which is neither infinite nor NaN."""
    wanted = "a finite number" + ("" if above == -math.inf else f" above {above:g}")
    return _reader(name, wanted, float, lambda number: math.isfinite(number) and number > above)


def planes(name: str, above: float = -math.inf) -> Callable[[str], list[float]]:
    """One number for all planes of a picture, or one for each, with commas between them."""
    wanted = "finite numbers" + ("" if above == -math.inf else f" above {above:g}") + ", with commas between them"
    return _reader(
        name,
        wanted,
        lambda text: [float(number) for number in text.split(",")],
        lambda numbers: all(math.isfinite(number) and number > above for number in numbers),
    )


def pixels(name: str, shorter: bool = False) -> Callable[[str], Any]:
    """Height and width of "WxH"; with `shorter` also a number for the length of the shorter side."""

    def read(text: str) -> Any:
        if shorter and "x" not in text.lower():
            return int(text)
        width, height = (int(number) for number in text.lower().split("x"))
        return height, width

    def is_right(sizes: Any) -> bool:
        height, width = (sizes, sizes) if isinstance(sizes, int) else sizes
        return min(height, width) > 0 and height * width <= MOST_PIXELS

    also = " or the length of the shorter side, such as 256," if shorter else ""
    wanted = f"width x height in pixels, such as 224x224,{also} and at most {MOST_PIXELS:,} of them"
    return _reader(name, wanted, read, is_right)


def memory(name: str) -> Callable[[str], int]:
    """Bytes, of "500MB" or "2 GiB"."""

    def read(text: str) -> int:
        match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,9})?)\s*([kmgt]?)(i?)b?", text.strip().lower())
        if match is None:
            raise ValueError(text)
        number, unit, binary = match.groups()
        return int(float(number) * (1024 if binary else 1000) ** " kmgt".index(unit or " "))

    return _reader(name, "a size of memory, such as 500MB or 4GB", read, lambda size: size > 0)


def _reader(name: str, wanted: str, kind: Callable[[str], Any], is_right: Callable[[Any], bool]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not is_right(value):
            raise Problem(f"{name} {text[:100]}: expected {wanted}")
        return value

    return read
