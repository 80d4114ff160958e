"""The sum of the absolute values."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import call
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion


class L1Cost(Criterion):
    """The sum of the absolute values of the input. There is no target.

    .. math:: loss = \\sum_i |x_i|

    Notes
    -----
    Shapes: any. The gradient is 1, -1, or 0 where the input is 0.
    Source: Torch7 ``nn.L1Cost``; C: ``THNN/criterion/L1Cost.c``.

    Examples
    --------
    >>> loss, x = nn.L1Cost(), np.float32([1, -2, 0])
    >>> loss.forward(x)
    3.0
    >>> loss.backward(x)
    array([ 1., -1.,  0.], dtype=float32)
    """

    def updateOutput(self, input: Tensor, target: Any = None) -> float:
        loss = self._resize("output_tensor", (1,))
        call(self, "L1Cost_updateOutput", input, loss)
        self.output = float(loss[0])
        return self.output

    def updateGradInput(self, input: Tensor, target: Any = None) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "L1Cost_updateGradInput", input, None, gradInput)
        return gradInput
