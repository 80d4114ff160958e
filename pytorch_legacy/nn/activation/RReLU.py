"""The rectified linear unit that lets a random share through."""

from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor, to_device
from pytorch_legacy.backend import cuda
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.activation.Inplace import Inplace
from pytorch_legacy.nn.utils import clear


class RReLU(Inplace):
    """Scales elements that are not positive by random slopes while training, by the mean slope in evaluation.

    .. math:: y = x \\text{ if } x > 0 \\text{ else } a x, \\qquad a \\sim U[lower, upper)

    Parameters
    ----------
    lower, upper : float
        The range of the slopes.
    inplace : bool
        Write the output into the input and gradInput into gradOutput.

    Attributes
    ----------
    noise
        The slopes of the last pass in training, 1 for positive elements.

    Raises
    ------
    ValueRangeError
        Unless ``0 <= lower <= upper``.

    Notes
    -----
    Shapes: any; the output has that of the input. Slopes are Torch7's for the same seed: one draw for each element that
    is not positive. On a device, forward in training waits for these elements, since the host draws.
    Source: Torch7 ``nn.RReLU``; Xu et al., "Empirical Evaluation of Rectified Activations in Convolutional Network"
    (2015); C: ``THNN/activation/RReLU.c``.

    Examples
    --------
    >>> layer, x = nn.RReLU(0.25, 0.75), np.float32([-1, -1, 3])
    >>> pl.manualSeed(1)
    >>> np.round(layer.forward(x), 4)
    array([-0.4585, -0.7486,  3.    ], dtype=float32)
    >>> layer.evaluate().forward(x)
    array([-0.5, -0.5,  3. ], dtype=float32)
    """

    _layer = "RReLU"
    noise: Any = None
    _trainIsNumber = True

    _file = Form(defaults={"lower": 0.125, "upper": 0.3333333333333333})

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.lower = lower
        self.upper = upper
        self.train = True
        self.noise = np.empty(0, self._dtype)
        if not 0 <= lower <= upper:
            raise ValueRangeError(f"{self._typename}: lower, upper: expected 0 <= lower <= upper, got {lower}, {upper}")

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._outputFor(input)
        if self.train:
            noise = self._resize("noise", output.shape)
            if self._onDevice or cuda.EMULATED:  # kernels make slopes of uniform numbers that they find in noise
                scaled, drawn = to_device(input <= 0, False), np.zeros(output.shape)
                drawn[scaled] = random.uniform(0, 1, int(scaled.sum()), np.float64)
                noise[...] = to_device(drawn, self._onDevice, self._dtype)
        self._call("updateOutput", output if self.inplace else input)
        return output

    def clearState(self) -> Self:
        clear(self, "noise")
        return super().clearState()

    def __repr__(self) -> str:
        return f"{self._typename} (l:{self.lower:f}, u:{self.upper:f})"
