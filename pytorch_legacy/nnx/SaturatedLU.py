"""Elements replaced where they are too small or too large."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class SaturatedLU(Module):
    """Passes what lies between two thresholds and puts a value in the place of what lies below or above::

        output    = val if input < threshold, val2 if that is > threshold2, else input
        gradInput = gradOutput where threshold <= input <= threshold2, else 0

    Parameters
    ----------
    th, v : float
        The lower threshold, and the value of what lies below.
    th2, v2 : float
        The upper threshold, and the value of what lies above.

    Notes
    -----
    Any shape; NaN stays NaN. The upper threshold is compared with what the lower one made of the input, so that a `v` above
    `th2` becomes `v2`. Source: nnx ``SaturatedLU``.

    Examples
    --------
    >>> nnx.SaturatedLU().forward(np.float32([-5, -0.5, 0.5, 5]))
    array([-1. , -0.5,  0.5,  1. ], dtype=float32)
    >>> nnx.SaturatedLU(0, -9, 2, 9).forward(np.float32([-5, -0.5, 0.5, 5]))
    array([-9. , -9. ,  0.5,  9. ], dtype=float32)
    """

    _file = Form(kinds=dict.fromkeys(("threshold", "val", "threshold2", "val2"), "a number"))

    def __init__(self, th: float = -1, v: float = -1, th2: float = 1, v2: float = 1) -> None:
        super().__init__()
        self.threshold, self.val = th, v
        self.threshold2, self.val2 = th2, v2

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input).shape)
        output[...] = input
        np.copyto(output, self.val, where=output < self.threshold)
        np.copyto(output, self.val2, where=output > self.threshold2)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradOutput = check.gradient(self, gradOutput, check.tensor(self, "input", input))
        gradInput = self._resize("gradInput", input.shape)
        gradInput[...] = gradOutput
        np.copyto(gradInput, 0, where=(input < self.threshold) | (input > self.threshold2))
        return gradInput
