"""Logarithms of probabilities from scores."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native


class LogSoftMax(Native):
    """The logarithm of SoftMax over the channels of each position, the input that ClassNLLCriterion expects.

    .. math:: y_c = x_c - \\log \\sum_k e^{x_k}

    computed without overflow and without loss of small probabilities. A score of -inf stays -inf; where all scores are
    -inf, or one is inf or NaN, all results are NaN.

    Attributes
    ----------
    fastExp : bool
        Whether to compute with the approximation of exp that older releases of Torch7 had (``setFastExp``).

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x H x W`` or ``N x C x H x W``; the output has that of the input.
    Source: Torch7 ``nn.LogSoftMax``; C: ``THNN/activation/LogSoftMax.c``.

    Examples
    --------
    >>> np.round(nn.LogSoftMax().forward(np.float32([[1, 1], [0, 100]])), 4)
    array([[  -0.6931,   -0.6931],
           [-100.    ,    0.    ]], dtype=float32)
    """

    _layer = "LogSoftMax"
    _file = Form(private=("fastExp",))
    fastExp = False

    def setFastExp(self, fastExp: bool = True) -> Self:
        """Takes the old fast exp, to reproduce what Torch7 of that time recorded, and returns self.

        All layers of a network: ``for layer in net.findModules(nn.LogSoftMax)[0]: layer.setFastExp()``. Losses of
        character models become about 0.0003 larger. The gradient is computed with the exact exp, as it was then.
        """
        self.fastExp = fastExp
        return self

    def updateOutput(self, input: Tensor) -> Any:
        if self.fastExp:
            return _logSoftMax(input, self._resize("output", check.tensor(self, "input", input).shape))
        return super().updateOutput(input)


def _logSoftMax(input: Tensor, output: Tensor) -> Tensor:
    """As older releases of Torch7 computed: sums in double precision, one class after the other."""
    axis = 1 if input.ndim in (2, 4) else 0
    largest = compute.max(input, axis, keepdims=True)
    sums = compute.cumsum(_expMinus((largest - input).astype(np.float64)), axis).take([-1], axis)
    output[...] = input - (largest + compute.log(sums))
    return output


def _expMinus(x: Tensor) -> Tensor:
    """About exp(-x), for x that are not negative: a Taylor polynomial of exp(x / 8) to the power of -8, 0 from 13 on."""
    power = 1 + x * (0.125 + x * (0.0078125 + x * (0.00032552083 + x * 1.0172526e-5)))
    power *= power
    power *= power
    power *= power
    return np.where(x < 13, 1 / power, 0)
