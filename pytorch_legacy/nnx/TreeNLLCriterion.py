"""The loss for a SoftMaxTree."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion


class TreeNLLCriterion(Criterion):
    """The negative mean of log-probabilities of targets, which a `SoftMaxTree` gives.

    .. math:: loss = -\\frac{1}{N} \\sum_n x_n

    Raises
    ------
    ShapeError
        If the input is not 1-D.

    Notes
    -----
    Shape ``N``. The target is not looked at: the tree had it. Source: nnx ``TreeNLLCriterion``.

    Examples
    --------
    >>> loss = nnx.TreeNLLCriterion()
    >>> loss.forward(np.float32([-1, -3]), None)
    2.0
    >>> loss.backward(np.float32([-1, -3]), None)
    array([-0.5, -0.5], dtype=float32)
    """

    _file = Form(dropped=("_module", "_output_grad"))  # a Mean and -1, which the mean below replaces

    def updateOutput(self, input: Tensor, target: Any = None) -> float:
        check.tensor(self, "input", input, 1)
        self.output = -compute.number(compute.sum(input, dtype=np.float64)) / max(len(input), 1)
        return self.output

    def updateGradInput(self, input: Tensor, target: Any = None) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input, 1).shape)
        gradInput.fill(-1 / max(len(input), 1))
        return gradInput
