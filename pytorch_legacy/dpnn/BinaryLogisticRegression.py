"""The logistic loss of two classes, a number for each sample."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion


class BinaryLogisticRegression(Criterion):
    """The logistic loss of two classes.

    .. math:: loss = \\frac{1}{N} \\sum_n \\log(1 + \\exp(-t_n x_n))

    or the sum without `sizeAverage`. Targets are 1 or -1, the classes. A sample with target 0 has no class: its loss is
    log(2), and its gradient is 0.

    Parameters
    ----------
    sizeAverage : bool
        Whether to divide by the number of samples.

    Raises
    ------
    DtypeError, ShapeError, ValueRangeError
        If the input is neither a vector nor a matrix, or the target is not as many numbers, in any shape, each 1, 0 or -1.

    Notes
    -----
    Torch7's loss became infinite where the exponential did; this one stays a number, and is kept in ``output``.
    Source: Element-Research dpnn ``BinaryLogisticRegression``.

    Examples
    --------
    >>> loss = dpnn.BinaryLogisticRegression()
    >>> round(loss.forward(np.float32([0, 0]), np.float32([1, -1])), 4)  # log(2)
    0.6931
    >>> loss.backward(np.float32([0, 0]), np.float32([1, -1]))
    array([-0.25,  0.25], dtype=float32)
    """

    _file = Form(dropped=("_baseExponents", "_coeff", "_logCoeff", "_k"), defaults={"sizeAverage": True})

    def __init__(self, sizeAverage: bool = True) -> None:
        super().__init__()
        self.sizeAverage = sizeAverage

    def updateOutput(self, input: Tensor, target: Any) -> float:
        input, signs = self._checked(input, target)
        total = compute.sum(compute.softplus((-signs * input).astype(np.float64)))
        self.output = compute.number(total) / self._divisor(input)
        return self.output

    def updateGradInput(self, input: Tensor, target: Any) -> Tensor:
        input, signs = self._checked(input, target)
        gradInput = self._resize("gradInput", input.shape)
        # 1 / (1 + exp(z)), without overflow
        np.multiply(signs, input, out=gradInput)
        compute.exp(-compute.softplus(gradInput), out=gradInput)
        gradInput *= -signs
        gradInput /= self._divisor(input)
        return gradInput

    def _divisor(self, input: Tensor) -> int:
        return max(input.size, 1) if self.sizeAverage else 1

    def _checked(self, input: Tensor, target: Any) -> tuple[Tensor, Tensor]:
        """The input, and the target in its shape."""
        input = check.tensor(self, "input", input, 1, 2)
        signs = check.signs(self, "target", target, hasZero=True).astype(self._dtype)
        return input, check.matching(self, "target", signs, input.shape)
