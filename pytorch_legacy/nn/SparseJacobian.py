"""nn.SparseJacobian of Torch7: as nn.Jacobian, for layers whose input is a list of (index, value) rows.

The rows of the matrices stand for the values; the indices are left alone. Use double precision.
"""

import numpy as np

from pytorch_legacy.nn import Jacobian
from pytorch_legacy.nn.Jacobian import backwardUpdate, forwardUpdate, testAllUpdate, testIO
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor

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


def backward(module: Module, input: Tensor, param: Tensor | None = None, dparam: Tensor | None = None) -> Tensor:
    """The derivatives that the layer computes, by the values of the input or, with its gradient `dparam`, by `param`."""
    if dparam is not None:
        return Jacobian.backward(module, input, param, dparam)

    def derivative(gradOutput: Tensor) -> Tensor:
        gradInput = module.updateGradInput(input, gradOutput)
        if isinstance(gradInput, list):  # as of nn.SparseLinear: a row for each index there is
            gradInput = gradInput[0][input[:, 0].astype(int)]
        return np.asarray(gradInput[:, 1])

    return Jacobian.columns(module, input, derivative)


def forward(module: Module, input: Tensor, param: Tensor | None = None, perturbation: float = 1e-6) -> Tensor:
    """The derivatives by the values of the input, or by `param`, as central differences."""
    return Jacobian.differences(module, input, input[:, 1] if param is None else param, perturbation)


def testJacobian(module: Module, input: Tensor, minval: float = -2, maxval: float = 2) -> float:
    """The largest error of the derivatives by the values of the input, which are filled with random numbers first."""
    Jacobian.randomize(input[:, 1], minval, maxval)
    return Jacobian.error(forward(module, input), backward(module, input))


def testJacobianParameters(
    module: Module, input: Tensor, param: Tensor, dparam: Tensor, minval: float = -2, maxval: float = 2
) -> float:
    """The largest error of the derivatives by `param`; it and the values are filled with random numbers first."""
    Jacobian.randomize(input[:, 1], minval, maxval)
    Jacobian.randomize(param, minval, maxval)
    return Jacobian.error(backward(module, input, param, dparam), forward(module, input, param))


def testJacobianUpdateParameters(module: Module, input: Tensor, param: Tensor, minval: float = -2, maxval: float = 2) -> float:
    """The largest error of ``accUpdateGradParameters``; `param` and the values are filled with random numbers first."""
    Jacobian.randomize(input[:, 1], minval, maxval)
    Jacobian.randomize(param, minval, maxval)
    return Jacobian.error(forwardUpdate(module, input, param), np.asarray(backwardUpdate(module, input, param)))
