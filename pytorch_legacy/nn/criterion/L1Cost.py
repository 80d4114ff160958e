"""The sum of the absolute values."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.nn.NativeCriterion import NativeCriterion


class L1Cost(NativeCriterion):
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

    _layer = "L1Cost"

    def updateOutput(self, input: Tensor, target: Any = None) -> float:
        self.output = compute.number(self._pass("updateOutput", input)[0])
        return self.output

    def updateGradInput(self, input: Tensor, target: Any = None) -> Tensor:
        gradInput: Tensor = self._pass("updateGradInput", input, None)
        return gradInput
