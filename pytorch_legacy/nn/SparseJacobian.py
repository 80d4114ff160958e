"""nn.SparseJacobian of Torch7: as nn.Jacobian, for layers whose input is an array of (index, value) rows, or several of them.

The rows of the matrices stand for the values; the indices are left alone. Use double precision.
"""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.errors import UnsupportedError
from pytorch_legacy.nn import Jacobian
from pytorch_legacy.nn.Jacobian import backwardUpdate, forwardUpdate, testAllUpdate, testIO
from pytorch_legacy.nn.Module import Module

__all__ = [
    "backward",
    "backwardUpdate",
    "forward",
    "forwardUpdate",
    "testAllUpdate",
    "testIO",
    "testJacobian",
    "testJacobianParameters",
    "testJacobianUpdateParameters",
]


def backward(module: Module, input: Any, param: Tensor | None = None, dparam: Tensor | None = None) -> Tensor:
    """The derivatives that the layer computes, by the values of the input or, with its gradient `dparam`, by `param`.

    Raises
    ------
    UnsupportedError
        If the layer computes no gradient of the input, as nn.SparseLinear without `doGradInput`.
    """
    if dparam is not None:
        return Jacobian.backward(module, input, param, dparam)
    samples = _samples(input)

    def derivative(gradOutput: Tensor) -> Tensor:
        gradInput = module.updateGradInput(input, gradOutput)
        if is_tensor(gradInput):
            return gradInput[..., 1]
        if not gradInput:
            raise UnsupportedError(f"nn.SparseJacobian: {module._typename} computes no gradient of the input: set doGradInput")
        # As of nn.SparseLinear: for each sample an array with a row for each index there is.
        return np.concatenate([rows[sample[:, 0].astype(int), 1] for rows, sample in zip(gradInput, samples, strict=True)])

    return Jacobian.columns(module, input, derivative)


def forward(module: Module, input: Any, param: Tensor | None = None, perturbation: float = 1e-6) -> Tensor:
    """The derivatives by the values of the input, or by `param`, as central differences."""
    values = [sample[:, 1] for sample in _samples(input)] if param is None else [param]
    return np.concatenate([Jacobian.differences(module, input, each, perturbation) for each in values])


def testJacobian(module: Module, input: Any, minval: float = -2, maxval: float = 2) -> float:
    """The largest error of the derivatives by the values of the input, which are filled with random numbers first."""
    _randomize(input, minval, maxval)
    return Jacobian.error(forward(module, input), backward(module, input))


def testJacobianParameters(
    module: Module, input: Any, param: Tensor, dparam: Tensor, minval: float = -2, maxval: float = 2
) -> float:
    """The largest error of the derivatives by `param`; it and the values are filled with random numbers first."""
    _randomize(input, minval, maxval)
    Jacobian.randomize(param, minval, maxval)
    return Jacobian.error(backward(module, input, param, dparam), forward(module, input, param))


def testJacobianUpdateParameters(module: Module, input: Any, param: Tensor, minval: float = -2, maxval: float = 2) -> float:
    """The largest error of ``accUpdateGradParameters``; `param` and the values are filled with random numbers first."""
    _randomize(input, minval, maxval)
    Jacobian.randomize(param, minval, maxval)
    return Jacobian.error(forwardUpdate(module, input, param), np.asarray(backwardUpdate(module, input, param)))


def _samples(input: Any) -> list[Tensor]:
    """The arrays of rows in an input: itself, or those of a batch, which is a list or an array of three dimensions."""
    return [input] if is_tensor(input) and input.ndim == 2 else [*input]


def _randomize(input: Any, minval: float, maxval: float) -> None:
    """Fills the values of an input with uniform draws."""
    for sample in _samples(input):
        Jacobian.randomize(sample[:, 1], minval, maxval)
