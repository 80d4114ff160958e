"""Every cell of a plane becomes a block of equal cells."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class SpatialUpSampling(Module):
    """Repeats every cell dH times downwards and dW times to the right; dimensions count from 0 (Lua's 2 is 1).

    .. math:: y_{h,w} = x_{\\lfloor h / dH \\rfloor,\\, \\lfloor w / dW \\rfloor}

    The gradient of a cell is the sum over its block.

    Parameters
    ----------
    dW, dH : int
        Width and height of a block.
    yDim, xDim : int
        The dimensions of the input that are rows and columns; xDim is ``yDim + 1``.

    Raises
    ------
    IndexRangeError, ValueRangeError
        If the input lacks these dimensions, or they are not one after the other.

    Notes
    -----
    Shapes: ``... x H x W x ...`` to ``... x H dH x W dW x ...``. Source: nnx ``SpatialUpSampling``.

    Examples
    --------
    >>> nnx.SpatialUpSampling(3, 2).forward(np.float32([[[1, 2]]]))
    array([[[1., 1., 1., 2., 2., 2.],
            [1., 1., 1., 2., 2., 2.]]], dtype=float32)
    """

    _file = Form(oneBased=("yDim", "xDim"), dropped=("inputSize", "outputSize"), defaults={"yDim": 1, "xDim": 2})
    yDim = 1
    xDim = 2

    def __init__(self, dW: int, dH: int, yDim: int = 1, xDim: int = 2) -> None:
        super().__init__()
        self.dW, self.dH = check.count(self, "dW", dW), check.count(self, "dH", dH)
        if xDim != yDim + 1:
            raise ValueRangeError(f"{self._typename}: xDim: expected yDim + 1, got {xDim} and yDim = {yDim}")
        self.yDim, self.xDim = yDim, xDim

    def updateOutput(self, input: Tensor) -> Tensor:
        before, height, width, after = self._layout(input)
        output = self._resize("output", (*before, height * self.dH, width * self.dW, *after))
        blocks = output.reshape(*before, height, self.dH, width, self.dW, *after)
        blocks[...] = np.expand_dims(input, (len(before) + 1, len(before) + 3))
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        before, height, width, after = self._layout(input)
        shape = (*before, height * self.dH, width * self.dW, *after)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput = self._resize("gradInput", input.shape)
        blocks = gradOutput.reshape(*before, height, self.dH, width, self.dW, *after)
        return compute.sum(blocks, (len(before) + 1, len(before) + 3), out=gradInput)

    def _layout(self, input: Tensor) -> tuple[tuple[int, ...], int, int, tuple[int, ...]]:
        """The sizes of the input: those before the rows, rows, columns, those behind."""
        shape = check.tensor(self, "input", input).shape
        axis = check.axis(self, self.yDim, len(shape), "yDim")
        check.axis(self, self.xDim, len(shape), "xDim")
        return shape[:axis], shape[axis], shape[axis + 1], shape[axis + 2 :]
