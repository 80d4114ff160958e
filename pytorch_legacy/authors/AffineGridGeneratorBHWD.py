"""Grids of places, moved by affine maps."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import sizes


class AffineGridGeneratorBHWD(Module):
    """Maps the places of a regular grid by affine maps.

    .. math:: (y', x') = M \\, (y, x, 1)

    where y and x go from -1, the first row or column, to 1, the last one.

    Parameters
    ----------
    height, width : int
        Size of the grid, 2 or more.

    Raises
    ------
    ShapeError
        If the input is not 2 x 3 or N x 2 x 3.

    Notes
    -----
    Shapes: ``(N x) 2 x 3`` to ``(N x) height x width x 2``, y before x, as BilinearSamplerBHWD takes it.
    Source: stn ``AffineGridGeneratorBHWD``; Jaderberg et al. 2015.

    Examples
    --------
    >>> grid = authors.AffineGridGeneratorBHWD(2, 2)
    >>> grid.forward(np.float32([[1, 0, 0], [0, 1, 0]])).tolist()  # the identity: pairs of y and x
    [[[-1.0, -1.0], [-1.0, 1.0]], [[1.0, -1.0], [1.0, 1.0]]]
    """

    _file = Form(kinds={"baseGrid": "a tensor"})

    def __init__(self, height: int, width: int) -> None:
        super().__init__()
        self.height = check.count(self, "height", height, 2)
        self.width = check.count(self, "width", width, 2)
        self.baseGrid = np.ones((height, width, 3), self._dtype)
        self.baseGrid[..., 0] = np.linspace(-1, 1, height)[:, None]
        self.baseGrid[..., 1] = np.linspace(-1, 1, width)
        self.batchGrid = self.baseGrid[None].copy()  # a buffer of Torch7

    def updateOutput(self, input: Tensor) -> Tensor:
        maps = self._checked(input)
        output = self._resize("output", (*maps.shape[:-2], self.height, self.width, 2))
        places = self._places()
        compute.matmul(places, maps.swapaxes(-1, -2), out=output.reshape(*maps.shape[:-2], len(places), 2))
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        maps = self._checked(input)
        shape = (*maps.shape[:-2], self.height, self.width, 2)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput = self._resize("gradInput", maps.shape)
        places = self._places()
        compute.matmul(gradOutput.reshape(*maps.shape[:-2], len(places), 2).swapaxes(-1, -2), places, out=gradInput)
        return gradInput

    def _places(self) -> Tensor:
        return self.baseGrid.reshape(-1, 3)

    def _checked(self, input: Any) -> Tensor:
        maps = check.tensor(self, "input", input, 2, 3)
        if maps.shape[-2:] != (2, 3):
            raise ShapeError(f"{self._typename}: input: expected (N x) 2 x 3, got {sizes(maps.shape)}")
        return maps
