"""Generators of random numbers: the package's own, and others that a script makes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from pytorch_legacy import random

from ..language.arguments import MISSING
from ..language.errors import raise_error
from ..language.table import Userdata
from .registry import native
from .signatures import described
from .tensor import Array, Tensor, Types
from .values import integer


class Generator(Userdata):
    """A generator of ``torch.Generator()``.

    Attributes
    ----------
    state : ndarray
        What ``getRNGState`` gives.
    """

    __slots__ = ("start", "state")
    name = "torch.Generator"

    def __init__(self) -> None:
        self.start = 0
        self.state: Array = np.empty(0, np.uint8)
        self.seed(int.from_bytes(os.urandom(4), "little"))

    def seed(self, number: int) -> None:
        """Starts the sequence of a seed."""
        before = random.getRNGState()
        random.manualSeed(number)
        self.start, self.state = number, random.getRNGState()
        random.setRNGState(before)


@contextmanager
def drawing(generator: Generator | None) -> Iterator[None]:
    """Draws within come from a generator, from the package's for None."""
    if generator is None:
        yield
        return
    before = random.getRNGState()
    random.setRNGState(generator.state)
    try:
        yield
    finally:
        generator.state = random.getRNGState()
        random.setRNGState(before)


def generator_of(arguments: tuple[Any, ...]) -> tuple[Generator | None, tuple[Any, ...]]:
    """Returns the generator that arguments begin with, and the others."""
    if arguments and isinstance(arguments[0], Generator):
        return arguments[0], arguments[1:]
    return None, arguments


def functions(types: Types) -> dict[str, Any]:
    """Returns the functions of ``torch`` that seed and keep generators."""
    own = native(types, Generator, "torch.Generator", {})
    types.names["torch.Generator"] = own

    def make(*_: Any) -> Generator:
        made: Generator = own()
        return made

    def manualSeed(*arguments: Any) -> tuple[()]:
        generator, rest = generator_of(arguments)
        number = integer(rest[0] if rest else MISSING, "manualSeed")
        if generator is None:
            random.manualSeed(number)
        else:
            generator.seed(number)
        return ()

    def seed(*arguments: Any) -> float:
        generator, _ = generator_of(arguments)
        if generator is None:
            return float(random.seed())
        generator.seed(int.from_bytes(os.urandom(4), "little"))
        return float(generator.start)

    def initialSeed(*arguments: Any) -> float:
        generator, _ = generator_of(arguments)
        return float(random.initialSeed() if generator is None else generator.start)

    def getRNGState(*arguments: Any) -> Tensor:
        generator, rest = generator_of(arguments)
        state = random.getRNGState() if generator is None else generator.state.copy()
        if rest and isinstance(rest[0], Tensor):
            rest[0].set_array(state)
            return rest[0]
        return types.tensors[np.dtype(np.uint8)](state)

    def setRNGState(*arguments: Any) -> Any:
        generator, rest = generator_of(arguments)
        state = rest[0] if rest else MISSING
        if not isinstance(state, Tensor) or state.dtype != np.uint8 or state.array.size != random.getRNGState().size:
            raise_error(f"bad argument to 'setRNGState' (expected the ByteTensor of getRNGState, got {described(state)})")
        array = np.ascontiguousarray(state.array)
        with drawing(generator):
            random.setRNGState(array)
        return state

    return {
        "Generator": make,
        "manualSeed": manualSeed,
        "seed": seed,
        "initialSeed": initialSeed,
        "getRNGState": getRNGState,
        "setRNGState": setRNGState,
    }
