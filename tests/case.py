"""The rows of the case table: what a layer's file in tests/cases says, and tests/test_layer*.py prove.

A file tests/cases/<Class>.py has `CASES`, a list of `Case`, and `ERRORS`, a list of `ErrorRow`. Inputs are float64; the
tests convert them to the element type under test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray
Generator = np.random.Generator


def normal(*shape: int) -> Callable[[Generator], Array]:
    """An input drawn from the normal distribution."""
    return lambda rng: rng.standard_normal(shape)


def normals(*shapes: tuple[int, ...]) -> Callable[[Generator], list[Array]]:
    """A table of inputs drawn from the normal distribution."""
    return lambda rng: [rng.standard_normal(shape) for shape in shapes]


def distinct(*shape: int) -> Callable[[Generator], Array]:
    """An input whose elements all differ by more than 1e-3, so that central differences never change a maximum."""
    return lambda rng: rng.permutation(np.linspace(-1.0, 1.0, int(np.prod(shape)))).reshape(shape)


@dataclass
class Case:
    """One configuration of a module on one input.

    Attributes
    ----------
    name : str
        Test id, for example "3x3_stride2_pad1".
    make : callable
        Gives a fresh module (float32, training mode), the same one each time but for random parameters.
    input : callable
        From a random generator to the float64 input: an array or a (nested) list of arrays.
    reference : callable
        (module, input) -> output in plain NumPy, float64, written from the definition and not from our code. It is
        called after ``forward``, with random values in all parameters, and may look at what the pass drew (noise).
        For criterions: (module, input, target) -> loss.
    target : callable, optional
        For criterions, which are known by it: from a random generator to the target.
    batched : bool
        The first dimension of the input is the batch: results equal those of single samples, an empty batch works.
        False where samples influence one another (batch normalization) or there is no batch dimension.
    singleSample : bool
        A sample without its batch dimension is also a legal input.
    jacobian : bool
        The layer is differentiable at the input: check by central differences.
    inplace : bool
        The module overwrites its input by construction: pass copies.
    skip : tuple of str
        Names of checks that do not apply (those of the tests in tests/test_layer*.py without "test_"), each with a
        reason in a comment beside it.
    larger : callable, optional
        From a random generator to an input so large that several threads share the work. Without it the tests repeat
        the batch of a batched case.
    """

    name: str
    make: Callable[[], Any]
    input: Callable[[Generator], Any]
    reference: Callable[[Any, Any], Any]
    target: Callable[[Generator], Any] | None = None
    batched: bool = True
    singleSample: bool = True
    jacobian: bool = True
    inplace: bool = False
    skip: tuple[str, ...] = field(default=())
    larger: Callable[[Generator], Any] | None = None


@dataclass
class ErrorRow:
    """A use that must fail: with which exception, or one of which, and with which words in its message.

    `run` gets a fresh module and does the deed (forward, backward, constructor...).
    """

    name: str
    make: Callable[[], Any]
    run: Callable[[Any], Any]
    error: type[Exception] | tuple[type[Exception], ...]
    match: str
