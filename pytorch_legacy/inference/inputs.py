"""``--input``: a text that describes the input of a network, and example arrays for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from pytorch_legacy.arrays import tree
from pytorch_legacy.nn.Module import Module

from .examples import indices, pairs_of_sizes, runs
from .problem import Problem

KINDS = {
    "float": "float32", "double": "float64", "int": "int64", "long": "int64", "short": "int16", "char": "int8", "byte": "uint8",
}  # fmt: skip
"""Types, by Torch7's names. Whole numbers of no other name are int64, as PyTorch takes indices."""
GRAMMAR = """\
--input SIZES: sizes joined by x, such as 1x3x32x32. A letter (NxCxHxW) is a
size that may vary; the same letter is the same size. Commas separate several
inputs, and brackets hold a table in a table: 1x10,(1x5,1x3). Suffixes of a size
are its type (:float, :double, :int, :long, :short, :char, :byte) and its range:
1x10:0..89 or 1x10:int:0..89. With :int alone the network sets the range."""
_WANTED = (
    "expected sizes joined by x, such as 1x3x32x32 or Nx3xHxW, with commas between several inputs, brackets around a table in a "
    "table, and after the sizes :int, :float or a range such as :0..89"
)
_MOST_ELEMENTS = 10**9
_SIZES = re.compile(r"(?:\d{1,12}|[A-WYZa-wyz]|None)(?:[xX\u00d7](?:\d{1,12}|[A-WYZa-wyz]|None))*")
_NUMBER = r"-?\d{1,18}(?:\.\d{1,18})?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})|(\d{{1,18}})-(\d{{1,18}})")


@dataclass(frozen=True)
class Array:
    """One array: sizes, with letters for those that may vary; "" or a key of KINDS; the least and the largest number."""

    sizes: tuple[int | str, ...]
    kind: str = ""
    limits: tuple[float, float] | None = None

    def __str__(self) -> str:
        few = () if self.limits is None else (f"{self.limits[0]:g}..{self.limits[1]:.18g}",)
        sizes = ["None" if str(size).startswith("?") else str(size) for size in self.sizes]
        return ":".join(["x".join(sizes), *([self.kind] if self.kind else []), *few])


Spec = Array | list[Any]
"""An array or a table, which is a list of these."""


def parse(text: str) -> Spec:
    """The input that a text stands for.

    Raises
    ------
    Problem
        If it is none.
    """
    tokens = [token.strip() for token in re.split(r"([(){},])", text)]
    tables: list[list[Any]] = [[]]
    closing: list[str] = []
    filled = False  # True if there is a value between the last comma or bracket and here
    for token in tokens:
        if token in ("(", "{"):
            _wanted(not filled and len(closing) < 100, text)
            closing.append(")" if token == "(" else "}")
            tables.append([])
        elif token in (")", "}"):
            _wanted(filled and bool(closing) and closing.pop() == token, text)
            table = tables.pop()
            tables[-1].append(table)
        elif token == ",":
            _wanted(filled, text)
            filled = False
        elif token:
            _wanted(not filled, text)
            tables[-1].append(_array(token, text))
            filled = True
    _wanted(filled and not closing, text)
    entries = tables[0]
    return entries if len(entries) > 1 else entries[0]


def _wanted(right: bool, text: str, wanted: str = _WANTED) -> None:
    if not right:
        raise Problem(f"--input {text}: {wanted}")


def _array(token: str, text: str) -> Array:
    sizes, *words = [word.strip() for word in token.split(":")]
    _wanted(_SIZES.fullmatch(sizes) is not None, text)
    unnamed = iter(f"?{i}" for i in range(len(sizes)))
    parts = [next(unnamed) if part == "None" else part for part in re.split("[xX\u00d7]", sizes)]
    shape = tuple(int(part) if part.isdigit() else part for part in parts)
    numbers = [size for size in shape if isinstance(size, int)]
    _wanted(min(numbers, default=1) > 0, text)
    _wanted(prod(numbers) <= _MOST_ELEMENTS, text, f"expected at most {_MOST_ELEMENTS:,} elements in an array")
    kind, limits = "", None
    for word in words:
        if word.lower() in KINDS:
            _wanted(not kind, text)
            kind = word.lower()
        elif match := _RANGE.fullmatch(word):
            _wanted(limits is None, text)
            least, largest = (number for number in match.groups() if number is not None)
            whole = "." not in least + largest
            limits = (int(least), int(largest)) if whole else (float(least), float(largest))
            _wanted(limits[0] <= limits[1], text, f"expected a range from the least to the largest number, got {word}")
            _wanted(whole or kind in ("", "float", "double"), text)
            kind = kind if whole or kind else "float"
        else:
            _wanted(False, text)
    kind = "int" if limits and not kind else kind
    if limits and not kind.startswith(("float", "double")):
        bounds = np.iinfo(KINDS[kind])
        fits = bounds.min <= limits[0] and limits[1] <= bounds.max and all(isinstance(limit, int) for limit in limits)
        _wanted(fits, text, f"expected whole numbers from {bounds.min} to {bounds.max}, which :{kind} holds")
    return Array(shape, kind, limits)


def arrays(spec: Spec) -> Iterator[Array]:
    """The arrays of an input, in order."""
    return tree.leaves(spec)


def mapped(function: Any, spec: Any) -> Any:
    """The same table of what `function` gives for each array."""
    return tree.map(function, spec)


def format_spec(spec: Spec) -> str:
    """Returns a text from which `parse` makes the same spec."""
    if not isinstance(spec, list):
        return str(spec)
    text = _listed(spec)
    return f"({text})" if len(spec) == 1 else text


def _listed(table: list[Any]) -> str:
    return ",".join(f"({_listed(entry)})" if isinstance(entry, list) else str(entry) for entry in table)


def _letters(spec: Spec) -> list[str]:
    """The letters in it, each once."""
    return list(dict.fromkeys(size for array in arrays(spec) for size in array.sizes if isinstance(size, str)))


def drawn(spec: Spec, net: Module, sizes: dict[str, int], rng: np.random.Generator | None) -> Any:
    """Arrays for an input, with these sizes for its letters: random, or without `rng` zeros (the least number of a range)."""
    return mapped(lambda array: _drawn(array, net, sizes, rng), spec)


def _drawn(array: Array, net: Module, sizes: dict[str, int], rng: np.random.Generator | None) -> Any:
    shape = [sizes[size] if isinstance(size, str) else size for size in array.sizes]
    dtype = np.dtype(KINDS[array.kind]) if array.kind else net._inputDtype
    least, largest = array.limits or ((0, 1) if dtype.kind == "f" else _limits(net))
    if rng is None:
        return np.full(shape, least, dtype) if least else np.zeros(shape, dtype)
    if dtype.kind != "f":
        return rng.integers(int(least), int(largest), shape, dtype, endpoint=True)
    return (rng.standard_normal(shape) if array.limits is None else rng.uniform(least, largest, shape)).astype(dtype)


def _limits(net: Module) -> tuple[int, int]:
    """The least and the largest index that the first layer with indices takes."""
    found = next((limits for module in net.listModules() if (limits := indices(module))), (0, 2))
    return found[0], found[1] - 1


def candidates(spec: Spec, net: Module, rng: np.random.Generator | None = None) -> Iterator[Any]:
    """Inputs to try one after the other: with several sizes for the letters, and each with a dimension for the batch, too."""
    letters = _letters(spec)
    batch = {spec_.sizes[0] for spec_ in arrays(spec)} & set(letters)
    firsts = [*dict.fromkeys(first for first, _ in pairs_of_sizes())]
    for first in firsts if set(letters) - batch else firsts[:1]:
        sizes = _sized(letters, batch, (1, *first[1:]))
        input = drawn(spec, net, sizes, rng)
        yield input
        yield mapped(lambda array: array[None], input)


def _sized(letters: list[str], batch: set[Any], free: tuple[int, ...]) -> dict[str, int]:
    """Sizes for letters, no two alike: those that stand first somewhere have small ones, as batches have."""
    others = iter([*free[1:], *range(free[-1] + 1, free[-1] + 100)])
    first = iter(range(free[0], free[0] + 300, 3))
    return {letter: next(first if letter in batch else others) for letter in letters}


def examples(spec: Spec, net: Module) -> list[Any]:
    """Two inputs that differ in what may vary: in the letters and, if the network takes that, in the first size of each array.

    Two that are alike if nothing varies. The network runs, to see which sizes it takes.
    """
    freed = _freed(spec)
    made: list[Any] = []
    for tried in [freed, spec] if freed != spec else [spec]:
        letters = _letters(tried)
        batch = {array.sizes[0] for array in arrays(tried)} & set(letters)
        for pair in pairs_of_sizes():
            rng = np.random.default_rng(0)
            made = [drawn(tried, net, _sized(letters, batch, free), rng) for free in pair]
            if all(runs(net, one) for one in made):
                return made if letters else [made[0], made[0]]
            if not set(letters) - batch:
                break
    return made


def _freed(spec: Spec) -> Spec:
    """The input with a letter for the first size of each array, where these are one number: that of a batch."""
    first = [array.sizes[0] for array in arrays(spec)]
    if len({size for size in first if isinstance(size, int)}) != 1:
        return spec
    letter = next((size for size in first if isinstance(size, str)), "#")

    def one(array: Array) -> Array:
        return Array((letter, *array.sizes[1:]), array.kind, array.limits) if isinstance(array.sizes[0], int) else array

    return mapped(one, spec)
