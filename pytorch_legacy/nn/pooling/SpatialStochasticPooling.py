"""Cells drawn by their values."""

from typing import Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import utils
from pytorch_legacy.nn.axes import PlaneFields
from pytorch_legacy.nn.pooling.WindowedPooling import WindowedPooling


class SpatialStochasticPooling(WindowedPooling, PlaneFields):
    """One cell of each window while training, drawn with a probability in proportion to its value; their average otherwise.

    .. math:: P(y_o = x_i) = \\frac{a_i}{S_o}, \\qquad a_i = \\max(x_i, 0), \\qquad S_o = \\sum_{i \\in R_o} a_i

    While training, the gradient goes to the cell that was drawn. In evaluation the output is what training gives on average,
    and has an exact gradient at the cells above 0:

    .. math:: y_o = \\sum_{i \\in R_o} \\frac{a_i^2}{S_o}, \\qquad \\frac{\\partial y_o}{\\partial x_i} = \\frac{2 a_i - y_o}{S_o}

    A window without a cell above 0 gives 0, and has no gradient. Infinite cells share the probability evenly. NaN gives NaN.

    Parameters
    ----------
    kW, kH : int
        Width and height of a window.
    dW, dH : int, optional
        Distance of windows; that of the kernel if not given.
    padW, padH : int
        Cells of padding on either side, at most half a kernel. They are never drawn.

    Attributes
    ----------
    noise : array, as output
        Numbers in [0, 1), one for each window: the cell is the first one, in row-major order, at which the running sum of a
        exceeds ``noise * S``. Drawn anew in each training pass, unless they are fixed.
    indices : int64 array, as output
        Position of each cell within its plane in training: row * width + column, or -1.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, the kernel does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x oH x oW``.
    Source: Zeiler and Fergus, "Stochastic Pooling for Regularization of Deep Convolutional Neural Networks" (2013); the
    package inn for Torch7 had such a layer, which took the first cell of a window of zeros, left windows of negative sums
    undefined, and took random numbers for indices when it went backward in evaluation.
    C: ``THNN/pooling/SpatialStochasticPooling.c``.

    Examples
    --------
    >>> pool, x = nn.SpatialStochasticPooling(2, 1), np.float32([[[1, 3, 2, 0]]])
    >>> pool.fixNoise().noise = np.float32([[[0.2, 0.9]]])  # drawn without this line
    >>> pool.forward(x)  # the first of [1, 3], as 0.2 < 1 / 4; never the 0
    array([[[1., 2.]]], dtype=float32)
    >>> pool.evaluate().forward(x)  # (1 * 1 + 3 * 3) / 4
    array([[[2.5, 2. ]]], dtype=float32)
    """

    fixedNoise = False

    _layer = "SpatialStochasticPooling"
    _file = Form(
        dropped=("indices",),  # indices of an earlier pass, and of another kind
        defaults={"noise": lambda fields: np.empty(0, fields.dtype)},
    )
    indices: Tensor = np.empty(0, np.int64)

    def __init__(self, kW: int, kH: int, dW: int | None = None, dH: int | None = None, padW: int = 0, padH: int = 0) -> None:
        super().__init__((kW, kH), (dW, dH), (padW, padH))
        self.indices = np.empty(0, np.int64)
        self.noise = np.empty(0, self._dtype)

    def fixNoise(self, val: bool = True) -> Self:
        """Keeps the noise of the next pass for all passes after it (or draws it each time again); returns self.

        Set field ``noise`` to choose it. An output of another shape is refused then.
        """
        self.fixedNoise = val
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        shape = self._outputShape(input)
        self._resize("output", shape, mustNotOverlap=input)
        if not self.train:
            self._call("updateOutput", input, self.output, None, None)
            return self.output
        if not (self.fixedNoise and self.noise.size):
            self.noise = random.uniform(0, 1, shape, self._dtype, self._onDevice)
        self._resize("indices", shape, np.int64)
        self._call("updateOutput", input)
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        self._makeGradInput(input, gradOutput)
        self._call("updateGradInput", input, gradOutput, self.gradInput, self.indices if self.train else None)
        return self.gradInput

    def clearState(self) -> Self:
        utils.clear(self, "indices", "noise")
        return super().clearState()
