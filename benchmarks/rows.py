"""The row of a benchmark's table, and helpers to count bytes and operations."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

Shape = tuple[int, ...]


@dataclass
class Row:
    """One layer on one shape.

    `peer` is PyTorch's function of the input; `bytes` and `flops` are what forward and backward have to move and to
    multiply, counted from the layer's definition: every tensor crosses the memory once. A peer with parameters keeps them
    in the module's field `peer`.
    """

    layer: str
    label: str
    shape: Shape
    make: Callable[[], Any]
    peer: Callable[[Any, Any], Any]
    bytes: tuple[int, int]
    flops: tuple[int, int] | None = None
    mode: str = "training"
    parameters: bool = False
    input: Callable[[], Any] | None = None
    isDrawn: bool = False  # True if both layers draw random numbers, each its own

    def arrays(self) -> Any:
        """The input: what `input` makes, else normal numbers of the row's shape."""
        return self.input() if self.input else np.random.default_rng(0).standard_normal(self.shape, np.float32)

    def module(self) -> Any:
        """The layer, in the mode that is measured."""
        module = self.make()
        if self.mode == "evaluate":
            module.evaluate()
        return module

    def named(self, words: list[str]) -> bool:
        """Returns True if the row's name or label contains one of the words, or if there are no words."""
        return not words or any(word in f"{self.layer} {self.label}" for word in words)


def rows_of(path: str, words: list[str]) -> Iterator[Row]:
    """The rows that the function `rows` of a Python file gives, whose layers may be anybody's; modules beside it are found."""
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        found = runpy.run_path(path).get("rows")
    finally:
        del sys.path[0]
    if found is None:
        raise SystemExit(f"{path}: expected a function rows() that gives rows; examples/own/benchmark.py is one")
    return (row for row in found() if row.named(words))


def gradient_of(output: Any) -> Any:
    """A gradOutput for an output: normal numbers, or None where the output is no array."""
    return np.random.default_rng(1).standard_normal(output.shape, np.float32) if isinstance(output, np.ndarray) else None


def text(shape: Shape) -> str:
    return "x".join(map(str, shape))


def pooled(shape: Shape, height: int, width: int) -> int:
    return prod(shape[:-2]) * height * width


def window(size: int, kernel: int, stride: int, pad: int) -> int:
    return (size + 2 * pad - kernel) // stride + 1
